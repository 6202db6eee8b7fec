"""The rows of the ledger: SQL to read and write them, and the JSON in their columns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from pochboard.errors import LedgerError
from pochboard.ledger.entry import Entry, Posting
from pochboard.ledger.replay import NightSummary, StoredNight
from pochboard.rules.commands import AnyCommand
from pochboard.rules.ruleset import Ruleset

PAIRING_LASTS_MS: Final = 90 * 24 * 3600 * 1000
"""A pairing ends this long after its last use (BOARD.md 5)."""


class Opening(msgspec.Struct, frozen=True):
    """What is saved with the first entry of a night and does not change during it."""

    ruleset: Ruleset
    last_names: dict[int, str]
    """The name last used at each place before this night."""


class Pairing(msgspec.Struct, frozen=True):
    """A phone that may make changes. Only the SHA-256 of its token is stored."""

    number: int
    label: str
    paired_ms: int
    used_ms: int

    def ended(self, now_ms: int) -> bool:
        """Whether it expired because it was not used for too long."""
        return now_ms - self.used_ms > PAIRING_LASTS_MS


# A column on a damaged page may hold something other than its text.
_DAMAGE: Final = (msgspec.DecodeError, TypeError)

_RULESET: Final = msgspec.json.Decoder(Ruleset)
_LAST_NAMES: Final = msgspec.json.Decoder(dict[int, str])
_COMMAND: Final[msgspec.json.Decoder[AnyCommand]] = msgspec.json.Decoder(AnyCommand)
_POSTINGS: Final = msgspec.json.Decoder(tuple[Posting, ...])
_PLAYERS: Final = msgspec.json.Decoder(list[str])
_STANDINGS: Final = msgspec.json.Decoder(list[tuple[int, int, int]])

# The column `heard` holds the last names.
_NIGHT: Final = "SELECT ruleset, heard, imported FROM nights WHERE number = ?"
_CURRENT: Final = "SELECT number FROM nights WHERE imported = 0 ORDER BY number DESC LIMIT 1"
_LAST: Final = "SELECT coalesce(max(number), 0) FROM nights"
_PUT_NIGHT: Final = (
    "INSERT INTO nights (number, started_ms, ruleset, heard, imported) VALUES (?, ?, ?, ?, ?)"
)
_ENTRIES: Final = (
    "SELECT number, time_ms, command, id, ref, postings FROM entries"
    " WHERE night = ? ORDER BY number"
)
_PUT_ENTRY: Final = (
    "INSERT INTO entries (night, number, time_ms, command, id, ref, postings)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_SUMMARIES: Final = (
    "SELECT n.number, n.started_ms, s.ended_ms, s.ruleset, s.players, s.deals, s.entries,"
    " n.imported, s.standings FROM summaries s JOIN nights n ON n.number = s.night ORDER BY s.night"
)
_PUT_SUMMARY: Final = (
    "INSERT OR REPLACE INTO summaries"
    " (night, ended_ms, ruleset, players, deals, entries, standings) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_DELETE_SUMMARY: Final = "DELETE FROM summaries WHERE night = ?"


def to_json(value: object) -> str:
    """A value as compact JSON."""
    return msgspec.json.encode(value).decode()


# Nights


def last_number(connection: sqlite3.Connection) -> int:
    """The number of the newest night, imported or not; 0 before the first."""
    (number,) = connection.execute(_LAST).fetchone()
    assert isinstance(number, int), "the schema is strict"
    return number


def current_number(connection: sqlite3.Connection) -> int | None:
    """The number of the newest night that was not imported."""
    row = connection.execute(_CURRENT).fetchone()
    return row[0] if row else None


def put_night(
    connection: sqlite3.Connection,
    number: int,
    started_ms: int,
    opening: Opening,
    *,
    imported: bool,
) -> None:
    """Begins a night, without entries."""
    ruleset, last_names = to_json(opening.ruleset), to_json(opening.last_names)
    connection.execute(_PUT_NIGHT, (number, started_ms, ruleset, last_names, int(imported)))


def get_night(connection: sqlite3.Connection, number: int) -> StoredNight | None:
    """A night with its entries. Raises LedgerError if it is damaged.

    A parameter that a later version adds to rulesets gets the default in `Ruleset`; anything else
    that cannot be read is an error.
    """
    row = connection.execute(_NIGHT, (number,)).fetchone()
    if row is None:
        return None
    ruleset, last_names, imported = row
    found = connection.execute(_ENTRIES, (number,)).fetchall()
    entries = [_entry(number, columns) for columns in found]
    try:
        return StoredNight(
            number,
            _RULESET.decode(ruleset),
            _LAST_NAMES.decode(last_names),
            bool(imported),
            entries,
        )
    except _DAMAGE as error:
        raise LedgerError(
            f"Night {number} cannot be read: its ruleset or names are damaged, or were written "
            f"by another version of pochboard ({error})."
        ) from None


# Entries


def put_entries(connection: sqlite3.Connection, night: int, entries: Iterable[Entry]) -> None:
    """Appends entries to their night."""
    connection.executemany(_PUT_ENTRY, (entry_row(night, entry) for entry in entries))


def entry_row(night: int, entry: Entry) -> tuple[object, ...]:
    """The columns of an entry: night, number, time_ms, command, id, ref, postings."""
    command, postings = to_json(entry.command), to_json(entry.postings)
    return night, entry.number, entry.time_ms, command, entry.id, entry.ref, postings


def _entry(night: int, columns: tuple[Any, ...]) -> Entry:
    number, time_ms, command, id_, ref, postings = columns
    try:
        decoded, moved = _COMMAND.decode(command), _POSTINGS.decode(postings)
    except _DAMAGE as error:
        raise LedgerError(f"Night {night}, entry {number} is damaged: {error}.") from None
    return Entry(number, time_ms, decoded, moved, ref, id_)


# Summaries


def put_summary(connection: sqlite3.Connection, night: int, summary: NightSummary) -> None:
    """Stores the summary of a closed night, in place of an earlier one."""
    standings = None if summary.standings is None else to_json(summary.standings)
    row = (
        night,
        summary.ended_ms,
        summary.ruleset,
        to_json(summary.players),
        summary.deals,
        summary.entries,
        standings,
    )
    connection.execute(_PUT_SUMMARY, row)


def delete_summary(connection: sqlite3.Connection, night: int) -> None:
    """Deletes the summary of a night whose end was undone."""
    connection.execute(_DELETE_SUMMARY, (night,))


def get_summaries(connection: sqlite3.Connection) -> list[NightSummary]:
    """The summaries of all closed nights, oldest first. Raises LedgerError if one is damaged."""
    return [_summary(row) for row in connection.execute(_SUMMARIES).fetchall()]


def _summary(columns: tuple[Any, ...]) -> NightSummary:
    number, started_ms, ended_ms, ruleset, players, deals, entries, imported, standings = columns
    try:
        return NightSummary(
            number,
            started_ms,
            ended_ms,
            ruleset,
            _PLAYERS.decode(players),
            deals,
            entries,
            bool(imported),
            None if standings is None else _STANDINGS.decode(standings),
        )
    except _DAMAGE as error:
        raise LedgerError(f"The summary of night {number} is damaged: {error}.") from None
