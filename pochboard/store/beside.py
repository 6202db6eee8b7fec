"""The small files beside the ledger: reserved revisions, and the settings of the board.

A client takes two states with the same revision for the same state. So a daemon reserves the
revisions that it may give out, and none is used twice, whatever the clock says. The ledger cannot
keep them, because an older copy may be restored.

The settings say nothing about a night, and must be kept even while nothing can be booked.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

import msgspec

from pochboard.buttons.settings import BoardSettings
from pochboard.store.durable import read_regular, write_durably
from pochboard.text.decoding import decode_json

log = logging.getLogger(__name__)

PER_START: Final = 1_000_000_000
"""How many one daemon may give out."""
_HIGHEST: Final = 2**53 - PER_START
"""Higher numbers are inexact in JavaScript."""
_MOST_BYTES: Final = 64 * 1024
_LATEST_MS: Final = 4_000_000_000_000
"""The latest time (in 2096) from which revisions start."""


def reserve_revisions(path: Path, time_ms: int) -> int:
    """The first of `PER_START` revisions; all those given out before are lower.

    Without the file they start from the time, a million for each second.
    """
    first = max(_reserved(path), 1)
    if first == 1:
        first = 1000 * min(max(time_ms, 1), _LATEST_MS)
    try:
        write_durably(path, f"{first + PER_START}\n".encode())
    except OSError as error:
        # The night can still be played. Only a wrong clock could now repeat a revision.
        log.warning("revisions cannot be reserved in %s: %s", path, error.strerror)
    return first


def _reserved(path: Path) -> int:
    """The first revision that is not reserved yet, or 0 if it is not known."""
    try:
        number = int(read_regular(path, 20))
    except (OSError, ValueError):
        return 0
    return number if number <= _HIGHEST else 0


def read_settings(path: Path) -> BoardSettings | None:
    """The settings in a file; None if there are none, or they cannot be read."""
    try:
        return decode_json(read_regular(path, _MOST_BYTES), BoardSettings)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        # A damaged file must not stop play.
        log.warning("the board's settings in %s cannot be read: %s", path, error)
        return None


def keep_settings(path: Path, settings: BoardSettings) -> None:
    """Replaces the settings in a file.

    A failure is only logged; they then last until the daemon stops.
    """
    try:
        write_durably(path, msgspec.json.encode(settings) + b"\n")
    except OSError as error:
        log.warning("the board's settings cannot be kept in %s: %s", path, error.strerror)
