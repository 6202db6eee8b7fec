"""The clocks of this machine."""

from __future__ import annotations

import time
from datetime import date, datetime
from datetime import time as time_of_day


def now_us() -> int:
    """The monotonic clock, in microseconds."""
    return time.monotonic_ns() // 1000


def now_ms() -> int:
    """The wall clock: milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def noon_ms(day: date) -> int:
    """Noon here: a night on paper has no better time. Raises ValueError, OverflowError."""
    return round(datetime.combine(day, time_of_day(12)).timestamp() * 1000)
