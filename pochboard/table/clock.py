"""The clocks of this machine."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, date, datetime
from datetime import time as time_of_day
from itertools import pairwise
from typing import Final

_LAST_DAY_MS: Final = 253_402_214_400_000
MOST_GAP_MS: Final = 30 * 24 * 3600 * 1000
"""A pause between two nights counts for at most this time, because the clock may have jumped."""


def now_us() -> int:
    """The monotonic clock, in microseconds."""
    return time.monotonic_ns() // 1000


def now_ms() -> int:
    """The wall clock: milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def day_text(time_ms: int) -> str:
    """The day of a time, in UTC, as `2026-11-22`; later times give the last day Python knows."""
    known_ms = min(max(time_ms, 0), _LAST_DAY_MS)
    return datetime.fromtimestamp(known_ms / 1000, UTC).date().isoformat()


def local_time(time_ms: int) -> datetime:
    """A time as local time."""
    return datetime.fromtimestamp(time_ms / 1000, UTC).astimezone()


def vouched_ms(since_ms: int, seen_ms: Iterable[int], until_ms: int) -> int:
    """How much time has passed, in milliseconds, as far as events confirm it.

    `seen_ms` are the times of events, earliest first. The clock may have jumped between any two of
    them, so a gap counts for at most `MOST_GAP_MS`.
    """
    times = [since_ms, *(time_ms for time_ms in seen_ms if since_ms < time_ms < until_ms), until_ms]
    return sum(min(after - before, MOST_GAP_MS) for before, after in pairwise(times))


def noon_ms(day: date) -> int:
    """Noon, local time: a night on paper has no better time. Raises ValueError, OverflowError."""
    return round(datetime.combine(day, time_of_day(12)).timestamp() * 1000)
