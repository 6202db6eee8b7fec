"""The clocks of this machine."""

from __future__ import annotations

import time


def now_us() -> int:
    """The monotonic clock, in microseconds."""
    return time.monotonic_ns() // 1000


def now_ms() -> int:
    """The wall clock: milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000
