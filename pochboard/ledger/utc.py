"""Times of the ledger, milliseconds since 1970, as UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

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
