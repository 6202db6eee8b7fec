"""Stored nights: replaying one, when it was played, and its line in the list of nights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from pochboard.errors import LedgerError, Refusal
from pochboard.ledger.book import Book, Repeat, Step
from pochboard.ledger.entry import Entry
from pochboard.rules.commands import Redo, Undo, Void
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import BadParameterError, check_playable
from pochboard.rules.seating import always
from pochboard.rules.state import Standing, State
from pochboard.text.lazy import lazy_gettext

MOST_ENTRIES: Final = 10_000
"""The most entries of a night, also on a sheet; six hours of play have about 2,000."""


class StoredNight(msgspec.Struct, frozen=True):
    """A night as it is stored; `replay` turns it into a book."""

    number: int
    ruleset: Ruleset
    last_names: dict[int, str]
    """The name last used at each place before this night."""
    imported: bool
    entries: Sequence[Entry]
    origin: str | None = None
    """The identity that it brought along from another ledger."""


NightStatus = Literal["open", "over", "damaged"]


class NightSummary(msgspec.Struct, frozen=True):
    """One line of the list of nights. Times are milliseconds since 1970, UTC."""

    number: int
    started_ms: int
    ended_ms: int | None
    ruleset: str
    players: list[str]
    """The names of all seats of the night, by seat number."""
    deals: int
    entries: int
    imported: bool
    standings: list[Standing] | None
    """None while the night is open."""
    by_net: bool = True
    """Whether the highest net wins it, and not the most chips."""

    @property
    def on_paper(self) -> bool:
        """Whether it comes from a sheet without times."""
        return self.imported and self.ended_ms in (None, self.started_ms)

    @property
    def status(self) -> NightStatus:
        """Whether it is over; a damaged night has no players."""
        if not self.players:
            return "damaged"
        return "over" if self.standings else "open"


class NightInProgress(NamedTuple):
    """What is needed of a night in progress for its summary, without replaying it."""

    number: int
    entries: int
    state: State


def replay(stored: StoredNight) -> Book:
    """Replays the commands of a stored night under the ruleset that was saved with it.

    Raises LedgerError, naming night and entry, if a command is refused, or if an entry's number,
    reference or postings differ from the stored ones.
    """
    night = stored.number
    try:
        check_playable(stored.ruleset)
    except BadParameterError as error:
        raise LedgerError(
            lazy_gettext(
                "Night {night} has a ruleset that cannot be played: {error}",
                night=night,
                error=error,
            )
        ) from None
    if not stored.entries:
        raise LedgerError(
            lazy_gettext("Night {night} has no entry, not even its start.", night=night)
        )
    book = Book(always(stored.ruleset))
    for entry in stored.entries:
        command = entry.command if entry.id is None else replace(entry.command, id=entry.id)
        step = book.consider(command, entry.time_ms)
        if isinstance(step, Step) and step.entry == entry:
            book.accept(step)
            continue
        reason = lazy_gettext("its number, reference or postings break the rules")
        if isinstance(step, Repeat):
            reason = lazy_gettext("its id was used before")
        elif isinstance(step, Refusal):
            reason = lazy_gettext("it is refused with {code}", code=step.code)
        raise LedgerError(
            lazy_gettext(
                "Night {night}, entry {number} does not follow: {reason}.",
                night=night,
                number=entry.number,
                reason=reason,
            )
        )
    return book


def summarize(
    night: int, entries: Sequence[Entry], state: State, *, imported: bool = False
) -> NightSummary:
    """The summary of a night from its entries (at least one) and its present state."""
    closed = state.phase == "closed"
    return replace(
        summarize_open(NightInProgress(night, len(entries), state), entries[0].time_ms),
        ended_ms=entries[-1].time_ms if closed else None,
        imported=imported,
        standings=state.standings if closed else None,
    )


def summarize_open(night: NightInProgress, started_ms: int) -> NightSummary:
    """The same of a night that is open."""
    state = night.state
    return NightSummary(
        number=night.number,
        started_ms=started_ms,
        ended_ms=None,
        ruleset=state.rules.name,
        players=list(state.names),
        deals=state.deal,
        entries=night.entries,
        imported=False,
        standings=None,
        by_net=state.rules.won_by == "most-won",
    )


def taken_back(entries: Sequence[Entry]) -> tuple[int, ...]:
    """The numbers of a night's entries that are no longer in force: undone, or of a void deal.

    `undo` and `redo` themselves are not among them.
    """
    counting, voids = _line(entries)
    gone = set(range(1, len(entries) + 1)).difference(counting, voids)
    return tuple(
        entry.number
        for entry in entries
        if entry.number in gone and type(entry.command) not in (Undo, Redo)
    )


def in_force(entries: Sequence[Entry]) -> Iterator[Entry]:
    """The entries of a night that count in the end, without undo, redo and void.

    Each follows from the state after the one before.
    """
    counting, _ = _line(entries)
    return (entries[number - 1] for number in counting)


def moves_in_force(
    entries: Sequence[Entry], states: Sequence[State]
) -> Iterator[tuple[Entry, State, State]]:
    """`in_force` with the states before and after each, given the state after each entry."""
    before = State()
    for entry in in_force(entries):
        after = states[entry.number - 1]
        yield entry, before, after
        before = after


def _line(entries: Sequence[Entry]) -> tuple[list[int], list[int]]:
    """The numbers of the entries that count in the end, and of the voids that do."""
    line: list[int] = []
    ahead: list[int] = []
    for entry in entries:
        if type(entry.command) is Undo:
            ahead.append(line.pop())
        elif type(entry.command) is Redo:
            line.append(ahead.pop())
        else:
            ahead.clear()
            line.append(entry.number)
    counting: list[int] = []
    voids: list[int] = []
    void_from = len(entries) + 1
    for number in reversed(line):
        if number < void_from:
            entry = entries[number - 1]
            if type(entry.command) is Void:
                assert entry.ref is not None, "a void refers to its deal"
                void_from = entry.ref
                voids.append(number)
            else:
                counting.append(number)
    return counting[::-1], voids


_FIRST: Final = datetime.min.replace(tzinfo=UTC)
_LAST: Final = datetime.max.replace(tzinfo=UTC)


def utc_time(time_ms: int) -> datetime:
    """A time as UTC; the first or last one that Python knows if it is beyond these.

    A ledger may hold any integer: the clock was wrong, or somebody dated a night 9999-12-31 in a
    place where the next year had begun.
    """
    try:
        return datetime.fromtimestamp(time_ms / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return _FIRST if time_ms < 0 else _LAST


def utc_text(time_ms: int) -> str:
    """A time as ISO 8601 in UTC."""
    return utc_time(time_ms).isoformat(timespec="milliseconds").replace("+00:00", "Z")


MOST_PAUSE_MS: Final = 4 * 3600 * 1000
"""The longest pause between two entries that counts."""
OLDEST_MS: Final = 946_684_800_000
"""2000-01-01, UTC."""
NEWEST_MS: Final = 4_102_444_799_999
"""The end of 2099, UTC."""


def is_possible(began_ms: int | None) -> bool:
    """Whether somebody may say that a night began then; None says nothing."""
    return began_ms is None or OLDEST_MS <= began_ms <= NEWEST_MS


def passed_ms(before_ms: int, after_ms: int) -> int:
    """How much time has passed between two entries; 0 if the clock cannot have said so."""
    passed = after_ms - before_ms
    return passed if 0 <= passed <= MOST_PAUSE_MS else 0


def duration_ms(entries: Sequence[Entry]) -> int:
    """How long a night lasted: the plausible times between its entries, added up."""
    times = [entry.time_ms for entry in entries]
    return sum([passed_ms(before, after) for before, after in pairwise(times)])


def begun_at(entries: Sequence[Entry], began_ms: int) -> list[Entry]:
    """The entries of a night as if it had begun at this time; the plausible pauses remain."""
    pauses = [passed_ms(before.time_ms, after.time_ms) for before, after in pairwise(entries)]
    times = accumulate(pauses, initial=began_ms)
    return [replace(entry, time_ms=at) for entry, at in zip(entries, times, strict=True)]
