"""The clocks of this machine."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Final

from pochboard.ledger.times import utc_time
from pochboard.sheets.heading import NOON

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
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
    return utc_time(max(time_ms, 0)).date().isoformat()


def local_time(time_ms: int) -> datetime:
    """A time as local time; the first or last one that Python knows beyond these."""
    try:
        return utc_time(time_ms).astimezone()
    except (ValueError, OverflowError, OSError):
        return utc_time(time_ms)


def vouched_ms(since_ms: int, seen_ms: Iterable[int], until_ms: int) -> int:
    """How much time has passed, in milliseconds, as far as events confirm it.

    `seen_ms` are the times of events, earliest first. The clock may have jumped between any two of
    them, so a gap counts for at most `MOST_GAP_MS`.
    """
    times = [since_ms, *(time_ms for time_ms in seen_ms if since_ms < time_ms < until_ms), until_ms]
    return sum(min(after - before, MOST_GAP_MS) for before, after in pairwise(times))


def begun_ms(begun: date | datetime) -> int:
    """When a night on paper began, in milliseconds; noon, local time, if only its day is known."""
    if not isinstance(begun, datetime):
        begun = datetime.combine(begun, NOON)
    if begun.tzinfo is None:
        try:
            return round(begun.timestamp() * 1000)
        except (ValueError, OverflowError):
            begun = begun.replace(tzinfo=UTC)
    return (begun - _EPOCH) // timedelta(milliseconds=1)
