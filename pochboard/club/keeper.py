"""Replays what the boards have sent, and keeps a summary of each night for the pages.

PostgreSQL has proven that entries are those of their board; whether they follow the rules shows
only here. The keeper is woken by a notification for each batch, and by a clock. Whatever it keeps
can be made again from the entries.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any, Final

import msgspec
from psycopg import Connection

from pochboard.club.connection import Club, club_errors, open_club
from pochboard.config import ClubTable
from pochboard.errors import LedgerError, PochboardError
from pochboard.history.night_statistics import VERSION, night_statistics
from pochboard.history.tournament import course_of
from pochboard.ledger.remarks import Remark, Remarks, collect
from pochboard.ledger.replay import NightSummary, StoredNight, replay, summarize
from pochboard.ledger.times import begun_at
from pochboard.runtime.threads import LoopThread, Tries
from pochboard.store import read_night

log = logging.getLogger(__name__)

CLOCK_S: Final = 60.0
"""How often it looks without being woken."""
AHEAD_MS: Final = 10 * 60 * 1000
"""A board whose clock is this far ahead of the club's had a wrong clock."""
_AGAIN_S: Final = (5.0, 30.0, 60.0)

_BEHIND: Final = """
SELECT b.branch, b.ledger, coalesce(k.position, 0), coalesce(k.remarks, 0), e.position, r.number
FROM club.branches b
LEFT JOIN club.kept k USING (branch)
CROSS JOIN LATERAL (SELECT coalesce(max(position), 0) AS position FROM club.entries
  WHERE branch = b.branch) e
CROSS JOIN LATERAL (SELECT coalesce(max(number), 0) AS number FROM club.remarks
  WHERE branch = b.branch) r
WHERE (e.position, r.number) IS DISTINCT FROM (coalesce(k.position, 0), coalesce(k.remarks, 0))
ORDER BY b.branch
"""
_TOUCHED: Final = (
    "SELECT DISTINCT night FROM club.entries WHERE branch = %s AND position > %s ORDER BY night"
)
_OUTDATED: Final = "SELECT branch, night FROM club.summaries WHERE version <> %s ORDER BY number"
_REMARKS: Final = "SELECT remark FROM club.remarks WHERE branch = %s ORDER BY number"
_NIGHT: Final = (
    "SELECT number, started_ms, ruleset, heard, imported, origin FROM club.nights"
    " WHERE branch = %s AND number = %s"
)
_ENTRIES: Final = (
    "SELECT position, night, number, time_ms, command, id, ref, postings, chain, received"
    " FROM club.entries WHERE branch = %s AND night = %s ORDER BY number"
)
# Of a night that is in several branches, the one that was played there counts, of these the newest.
_PUT: Final = """
INSERT INTO club.summaries
  (identity, branch, night, changed, version, received, clock_is_wrong, summary, remarks,
   statistics, course)
VALUES (%s, %s, %s, nextval('club.changes'), %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (identity) DO UPDATE SET
  branch = excluded.branch, night = excluded.night, changed = excluded.changed,
  version = excluded.version, received = excluded.received,
  clock_is_wrong = excluded.clock_is_wrong, summary = excluded.summary,
  remarks = excluded.remarks, statistics = excluded.statistics, course = excluded.course
WHERE summaries.branch = excluded.branch
  OR (excluded.branch > summaries.branch AND %s)
"""
_KEEP: Final = """
INSERT INTO club.kept (branch, position, remarks, called) VALUES (%s, %s, %s, %s)
ON CONFLICT (branch) DO UPDATE SET
  position = excluded.position, remarks = excluded.remarks, called = excluded.called
"""
_REMARK: Final[msgspec.json.Decoder[Remark]] = msgspec.json.Decoder(Remark)


class NightRemarks(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the people at a board say about one of its nights."""

    name: str = ""
    archived: bool = False
    deleted: bool = False
    bots: bool = False


def keep_up(club: Club) -> int:
    """Replays all nights that have changed. Returns how many. Raises ClubError."""
    count = 0
    with club.work() as connection:
        behind = connection.execute(_BEHIND).fetchall()
        outdated = connection.execute(_OUTDATED, (VERSION,)).fetchall()
    for branch, _, position, known, end, last in behind:
        with club.work() as connection:
            remarks = [_REMARK.decode(text) for (text,) in connection.execute(_REMARKS, (branch,))][
                :last
            ]
            touched = {night for (night,) in connection.execute(_TOUCHED, (branch, position))}
            # First, so that nobody is shown by a name that a remark replaces.
            called = msgspec.json.encode(collect(remarks).called).decode()
            connection.execute(_KEEP, (branch, position, known, called))
        touched |= {night for r in remarks[known:] if (night := getattr(r, "night", 0))}
        for night in sorted(touched):
            count += _keep_night(club, branch, night, collect(remarks))
        with club.work() as connection:
            connection.execute(_KEEP, (branch, end, last, called))
    for branch, night in outdated:
        with club.work() as connection:
            rows = connection.execute(_REMARKS, (branch,)).fetchall()
        count += _keep_night(club, branch, night, collect(_REMARK.decode(text) for (text,) in rows))
    return count


def _keep_night(club: Club, branch: int, number: int, remarks: Remarks) -> bool:
    with club.work() as connection:
        # One keeper at a time, so that the numbers of changes are seen in their order. No board
        # can lock a table that it may not even read.
        connection.execute("LOCK TABLE club.summaries IN SHARE ROW EXCLUSIVE MODE")
        sent = read(connection, branch, number)
        if sent is None:
            return False
        connection.execute(_PUT, _row(branch, sent, remarks))
    return True


class SentNight(msgspec.Struct, frozen=True):
    """A night as a board has sent it."""

    night: StoredNight
    identity: str
    """What tells it from all others, in any ledger."""
    received: list[datetime]
    """When each of its entries came."""


def read(connection: Connection, branch: int, number: int) -> SentNight | None:
    """A night of a branch; None if it has no entries. Raises LedgerError."""
    row = connection.execute(_NIGHT, (branch, number)).fetchone()
    rows = connection.execute(_ENTRIES, (branch, number)).fetchall()
    if row is None or not rows:
        return None
    night = read_night(row, [entry[:-1] for entry in rows])
    return SentNight(night, night.origin or rows[0][-2].hex(), [entry[-1] for entry in rows])


def _row(branch: int, sent: SentNight, remarks: Remarks) -> tuple[Any, ...]:
    """What `_PUT` takes."""
    night, received = sent.night, sent.received
    number, statistics, course = night.number, None, None
    first_ms = round(received[0].timestamp() * 1000)
    began_ms = remarks.began.get(number)
    is_wrong = began_ms is None and any(
        entry.time_ms > moment.timestamp() * 1000 + AHEAD_MS
        for entry, moment in zip(night.entries, received, strict=True)
    )
    if is_wrong:
        began_ms = first_ms
    entries = night.entries if began_ms is None else begun_at(night.entries, began_ms)
    try:
        book = replay(msgspec.structs.replace(night, entries=entries))
        summary = summarize(number, entries, book.state, imported=night.imported)
        course = msgspec.json.encode(course_of(entries, book.states)).decode()
        if summary.standings is not None:
            counted = night_statistics(number, entries, book.states, imported=night.imported)
            statistics = msgspec.json.encode(counted).decode()
    except LedgerError as error:
        # A board that lies, or one with another version of the rules.
        log.warning("branch %s: %s", branch, error)
        summary = NightSummary(number, first_ms, None, "damaged", [], 0, 0, False, None)
    said = NightRemarks(
        remarks.names.get(number, ""),
        number in remarks.archived,
        number in remarks.deleted,
        number in remarks.bots,
    )
    return (
        sent.identity,
        *(branch, number, VERSION, received[0], is_wrong),
        msgspec.json.encode(summary).decode(),
        msgspec.json.encode(said).decode(),
        statistics,
        course,
        not night.imported,
    )


class Keeper(LoopThread):
    """Keeps up until it is closed. Start it once, and close it once."""

    def __init__(self, config: ClubTable) -> None:
        super().__init__("keeper")
        self._config = config
        self._club: Club | None = None

    def close(self) -> None:
        """Ends the thread."""
        self._closing = True
        club = self._club
        if club is not None:
            club.hang_up()
        super().close()

    def _run(self) -> None:
        tries = Tries(log, _AGAIN_S, "The club can be used again.")
        while not self._closing:
            try:
                with open_club(self._config) as club:
                    self._club = club
                    self._follow(club, tries)
            except PochboardError as error:
                if not self._closing:
                    self._pause(tries.fail(error))
            finally:
                self._club = None

    def _follow(self, club: Club, tries: Tries) -> None:
        with club.work() as connection:
            connection.execute("LISTEN club")
        while not self._closing:
            keep_up(club)
            tries.succeed()
            with club_errors(club.host):
                for _ in club.connection.notifies(timeout=CLOCK_S, stop_after=1):
                    pass
