"""The time zone of the board (BOARD.md 4), by its IANA name."""

from __future__ import annotations

import contextlib
import os
import re
from functools import cache
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pochboard.errors import Refusal, refuse
from pochboard.text.allowed_values import quoted
from pochboard.text.lazy import lazy_gettext

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}")
_NO_PLACES: Final = ("Factory", "localtime", "posix", "right/")
"""Files of tzdata that browsers do not know, or that count leap seconds."""
_chosen: ZoneInfo | None = None


def _load(name: str) -> ZoneInfo | None:
    if _NAME.fullmatch(name) and not name.startswith(_NO_PLACES):
        with contextlib.suppress(ZoneInfoNotFoundError, ValueError, OSError):
            return ZoneInfo(name)
    return None


def is_zone(name: str) -> bool:
    """Whether a name is that of a time zone, as far as this machine knows them."""
    return _load(name) is not None or bool(_NAME.fullmatch(name) and not available_timezones())


def find_zone(name: str) -> ZoneInfo | Refusal:
    """A time zone by its name."""
    zone = _load(name)
    if zone is not None:
        return zone
    if not available_timezones():
        missing = lazy_gettext("This board has no time zones. Install the package tzdata on it.")
        return refuse("bad-argument", missing)
    return refuse(
        "bad-argument",
        "This board does not know the time zone {name}. Choose one such as Europe/Berlin.",
        name=quoted(name),
    )


def use_zone(name: str | None) -> Refusal | None:
    """Makes a zone that of this process, which serves one board; None: the system's.

    So does a name that is refused.
    """
    global _chosen  # noqa: PLW0603 - like that of the C library
    zone = find_zone(name) if name else None
    _chosen = None if isinstance(zone, Refusal) else zone
    return zone if isinstance(zone, Refusal) else None


def chosen_zone() -> ZoneInfo | None:
    """The zone in use; None: the system's."""
    return _chosen


def zone_name() -> str:
    """The name of the zone in use; empty if it is the system's and that has none."""
    return _chosen.key if _chosen else system_zone()


@cache
def system_zone(root: Path = Path("/")) -> str:
    """The time zone of this machine, such as Europe/Berlin; empty if it is not known.

    Windows has names of its own for them.
    """
    given = os.environ.get("TZ", "/etc/localtime").removeprefix(":")
    if given != "/etc/localtime":
        # The C library follows it alone: nothing is UTC, and a rule such as CET-1CEST has no name.
        name = given.rpartition("zoneinfo/")[2] or "UTC"
        return name if is_zone(name) else ""
    names = []
    with contextlib.suppress(OSError):
        link = (root / "etc/localtime").readlink()
        names.append(link.as_posix().partition("zoneinfo/")[2])
    with contextlib.suppress(OSError, ValueError):
        names.append((root / "etc/timezone").read_text("utf-8").strip())
    return next((name for name in names if is_zone(name)), "")
