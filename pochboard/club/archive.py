"""The nights of all boards of a club, as `table.archive` wants them, from what the keeper keeps.

Summaries and statistics are in memory, and only what has changed is read again. Entries are read
when somebody opens a night.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec
from msgspec.structs import replace
from psycopg import Connection

from pochboard.club.connection import Club, open_club
from pochboard.club.keeper import NightRemarks, read
from pochboard.club.schema import require_newest
from pochboard.club.tournaments import read as read_tournaments
from pochboard.config import ClubTable
from pochboard.errors import ClubError, LedgerError, UnknownNightError
from pochboard.history.night_statistics import NightStatistics
from pochboard.history.tournament import (
    Course,
    PlayedNight,
    Tournament,
    TournamentResults,
    tournament_results,
)
from pochboard.ledger.entry import Entry
from pochboard.ledger.remarks import Remarks
from pochboard.ledger.replay import NightSummary, StoredNight
from pochboard.ledger.times import begun_at
from pochboard.store import Counted
from pochboard.table.journal import replayed
from pochboard.table.records import ReplayedNight
from pochboard.text.lazy import lazy_gettext, lazy_text
from pochboard.text.visible import sight

log = logging.getLogger(__name__)

_FRESH_S: Final = 1.0
"""Within this time nothing is read again."""
_MOST_REPLAYED: Final = 8

_CHANGED: Final = """
SELECT s.number, s.identity, s.branch, s.night, s.changed, s.clock_is_wrong, s.summary, s.remarks,
  s.statistics, s.course, b.board, o.name
FROM club.summaries s JOIN club.branches b USING (branch) JOIN club.boards o USING (board)
WHERE s.changed > %s ORDER BY s.changed
"""
_CALLED: Final = "SELECT b.board, k.called FROM club.kept k JOIN club.branches b USING (branch)"
_PEOPLE: Final = "SELECT board, name, called FROM club.people ORDER BY number"


class _Kept(msgspec.Struct, frozen=True):
    """A night as the keeper has left it."""

    identity: str
    branch: int
    night: int
    changed: int
    board: int
    name: str
    """What is shown instead of the name that the night may have: its board, too."""
    said: NightRemarks
    summary: NightSummary
    statistics: NightStatistics | None
    course: Course | None


class People:
    """Who is meant by a name at a board, and what that person is called in the club."""

    def __init__(
        self,
        of_boards: Mapping[int, Mapping[str, str]],
        said: Sequence[tuple[int | None, str, str]],
    ) -> None:
        """`of_boards` are the remarks at the boards; `said` is what the owner of the club says."""
        self._of_boards = of_boards
        self._said: dict[int | None, dict[str, str]] = {}
        for board, name, called in said:
            self._said.setdefault(board, {})[sight(name)] = called

    def called(self, board: int | None, name: str) -> str:
        """What somebody who plays as `name` is called: at a board, or by the club itself."""
        at_board = () if board is None else (
            self._of_boards.get(board, {}), self._said.get(board, {})
        )  # fmt: skip
        for known in (*at_board, self._said.get(None, {})):
            name = known.get(sight(name), name)
        return name

    def in_night(self, board: int, names: Sequence[str]) -> dict[str, str]:
        """What each of a night's names becomes. No two become the same."""
        shown: dict[str, str] = {}
        for name in dict.fromkeys(names):
            called, number = self.called(board, name), 2
            while called in shown.values():
                called = f"{self.called(board, name)} {number}"
                number += 1
            shown[name] = called
        return shown


class ClubArchive:
    """All nights of a club. Every method may be called from any thread. Close it when done.

    While the club is away, what is known is shown. What is not known raises LedgerError.
    """

    def __init__(self, config: ClubTable) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._club: Club | None = None
        self._kept: dict[int, _Kept] = {}
        self._people_rows: tuple[dict[int, dict[str, str]], list[tuple[Any, ...]]] = ({}, [])
        """What `_people` was made of."""
        self._people = People({}, ())
        self._tournaments: list[Tournament] = []
        self._last = 0
        self._read_s = float("-inf")
        self._replayed: dict[tuple[int, int, int], ReplayedNight] = {}

    def check(self) -> None:
        """Raises LedgerError if the club cannot be used, or is of another version."""
        with self._lock, self._asking() as connection:
            require_newest(connection)

    def close(self) -> None:
        """Closes the connection."""
        with self._lock:
            self._leave()

    def night(self, number: int) -> ReplayedNight:
        """A night with its states. Raises UnknownNightError, LedgerError."""
        with self._lock:
            kept, people = self._refreshed().get(number), self._people
            if kept is None:
                raise _unknown(number)
            key = (number, kept.changed, id(people))
            if key not in self._replayed:
                stored = self._stored(number, kept)
                self._replayed[key] = replayed(stored)
                while len(self._replayed) > _MOST_REPLAYED:
                    del self._replayed[next(iter(self._replayed))]
            return self._replayed[key]

    def _stored(self, number: int, kept: _Kept) -> StoredNight:
        with self._asking() as connection:
            sent = read(connection, kept.branch, kept.night)
        assert sent is not None, "the keeper has just read it"
        night = sent.night
        started_ms = kept.summary.started_ms
        entries = night.entries
        if entries[0].time_ms != started_ms:
            entries = begun_at(entries, started_ms)
        names = [*night.last_names.values(), *_names(entries)]
        shown = self._people.in_night(kept.board, names)
        return replace(
            night,
            number=number,
            last_names={place: shown[name] for place, name in night.last_names.items()},
            entries=[_renamed(entry, shown) for entry in entries],
        )

    def each(self) -> Iterator[NightSummary]:
        """All nights one by one, the newest first."""
        with self._lock:
            kept, people = dict(self._refreshed()), self._people
        for number, night in sorted(kept.items(), key=_by_time, reverse=True):
            shown = people.in_night(night.board, night.summary.players)
            yield replace(night.summary, number=number, players=list(shown.values()))

    def identity(self, number: int) -> str:
        """What tells a night from all others. Raises UnknownNightError, LedgerError."""
        with self._lock:
            kept = self._refreshed().get(number)
        if kept is None:
            raise _unknown(number)
        return kept.identity

    def statistics(self, _enough: Callable[[], bool] = lambda: False) -> Counted:
        """The statistics of all nights that are over. The keeper has counted them."""
        with self._lock:
            kept, people = dict(self._refreshed()), self._people
        nights = []
        for number, night in sorted(kept.items(), key=_by_time):
            if night.statistics is not None:
                persons = night.statistics.people
                shown = people.in_night(night.board, [person.name for person in persons])
                renamed = [replace(person, name=shown[person.name]) for person in persons]
                nights.append(replace(night.statistics, number=number, people=renamed))
        return Counted(nights, 0)

    def remarks(self) -> Remarks:
        """All remarks. The name of a night begins with its board."""
        with self._lock:
            kept = dict(self._refreshed())
        return Remarks(
            {number: night.name for number, night in kept.items()},
            frozenset(number for number, night in kept.items() if night.said.archived),
            frozenset(number for number, night in kept.items() if night.said.deleted),
            bots=frozenset(number for number, night in kept.items() if night.said.bots),
        )

    def tournaments(self) -> list[TournamentResults]:
        """All tournaments as they stand, the newest first."""
        with self._lock:
            kept = dict(self._refreshed())
            people, tournaments = self._people, self._tournaments
        begins_ms = min((each.begins_ms for each in tournaments), default=0)
        nights = [
            PlayedNight(
                number,
                night.summary.started_ms,
                night.summary.ruleset,
                [people.called(night.board, name) for name in night.summary.players],
                night.summary.status == "over",
                night.course,
            )
            for number, night in kept.items()
            if night.course is not None
            and night.summary.started_ms >= begins_ms
            and not (night.said.deleted or night.said.bots)
        ]
        return [
            tournament_results(_as_called(tournament, people), nights)
            for tournament in reversed(tournaments)
        ]

    # With the lock.

    def _refreshed(self) -> dict[int, _Kept]:
        if time.monotonic() - self._read_s < _FRESH_S:
            return self._kept
        try:
            with self._asking() as connection:
                changed = connection.execute(_CHANGED, (self._last,)).fetchall()
                of_boards: dict[int, dict[str, str]] = {}
                for board, called in connection.execute(_CALLED):
                    of_boards.setdefault(board, {}).update(msgspec.json.decode(called))
                said = connection.execute(_PEOPLE).fetchall()
                tournaments = read_tournaments(connection)
        except LedgerError as error:
            if not self._kept:
                raise
            log.warning("%s", error)
        else:
            self._tournaments = tournaments
            for row in changed:
                self._kept[row[0]] = _kept(row)
                self._last = row[4]
            if (of_boards, said) != self._people_rows:
                self._people_rows = of_boards, said
                self._people = People(of_boards, said)
        self._read_s = time.monotonic()
        return self._kept

    @contextmanager
    def _asking(self) -> Iterator[Connection]:
        try:
            if self._club is None:
                self._club = open_club(self._config)
            with self._club.work() as connection:
                yield connection
        except ClubError as error:
            self._leave()
            raise LedgerError(lazy_text(error)) from None

    def _leave(self) -> None:
        club, self._club = self._club, None
        if club is not None:
            club.close()


def _kept(row: Sequence[Any]) -> _Kept:
    _, identity, branch, night, changed, is_wrong, summary, remarks, *counted, board, name = row
    statistics, course = counted
    said = msgspec.json.decode(remarks, type=NightRemarks)
    shown = f"{name}: {said.name}" if said.name else name
    return _Kept(
        identity,
        *(branch, night, changed, board),
        f"≈ {shown}" if is_wrong else shown,
        said,
        msgspec.json.decode(summary, type=NightSummary),
        None if statistics is None else msgspec.json.decode(statistics, type=NightStatistics),
        None if course is None else msgspec.json.decode(course, type=Course),
    )


def _as_called(tournament: Tournament, people: People) -> Tournament:
    """A tournament in which people are called what they are called in the club."""
    rounds = tuple(
        tuple(tuple(people.called(None, name) for name in table) for table in tables)
        for tables in tournament.rounds
    )
    return replace(tournament, rounds=rounds)


def _by_time(item: tuple[int, _Kept]) -> tuple[int, int]:
    number, night = item
    return night.summary.started_ms, number


def _unknown(number: int) -> UnknownNightError:
    return UnknownNightError(lazy_gettext("There is no night {number}.", number=number))


def _names(entries: Sequence[Entry]) -> Iterator[str]:
    """The names in the commands of a night."""
    for entry in entries:
        name = getattr(entry.command, "name", None)
        if isinstance(name, str):
            yield name
        yield from getattr(entry.command, "players", ())


def _renamed(entry: Entry, shown: Mapping[str, str]) -> Entry:
    """An entry in which people are called what they are called in the club."""
    changes: dict[str, Any] = {}
    name = getattr(entry.command, "name", None)
    if isinstance(name, str):
        changes["name"] = shown[name]
    if players := getattr(entry.command, "players", ()):
        changes["players"] = tuple([shown[name] for name in players])
    if not changes:
        return entry
    return replace(entry, command=replace(entry.command, **changes))
