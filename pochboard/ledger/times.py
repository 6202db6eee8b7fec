"""When a night began, how long it lasted, and times as UTC.

A Raspberry Pi has no battery for its clock, which may be set during a night. So the times of two
entries may be from two different clocks, and their difference says something only if it is
plausible (RULES.md 8).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final, overload

from msgspec.structs import replace

from pochboard.ledger.entry import Entry

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


def begun_at(entries: Sequence[Entry], began_ms: int) -> Sequence[Entry]:
    """The entries of a night as if it had begun at this time; the plausible pauses remain."""
    return _Dated(entries, began_ms)


class _Dated(Sequence[Entry]):
    """Entries at other times, each made when it is asked for: a night may be long."""

    def __init__(self, entries: Sequence[Entry], began_ms: int) -> None:
        self._entries = entries
        self._times = array("q")
        before_ms: int | None = None
        at_ms = began_ms
        for entry in entries:
            at_ms += 0 if before_ms is None else passed_ms(before_ms, entry.time_ms)
            before_ms = entry.time_ms
            self._times.append(at_ms)

    def __len__(self) -> int:
        return len(self._times)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...

    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        found, times = self._entries[index], self._times[index]
        if isinstance(found, Entry):
            assert isinstance(times, int)
            return replace(found, time_ms=times)
        assert isinstance(times, array)
        return [replace(entry, time_ms=at) for entry, at in zip(found, times, strict=True)]
