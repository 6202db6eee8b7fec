"""The revisions that a daemon may give out, reserved in a file beside the ledger.

A client takes two states with the same revision for the same state. So no revision may be used
twice, whatever the clock says. The ledger cannot keep them, because an older copy may be restored.
"""

from __future__ import annotations

import contextlib
import logging
import os
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

PER_START: Final = 1_000_000_000
"""How many one daemon may give out."""
_HIGHEST: Final = 2**53 - PER_START
"""Higher numbers are inexact in JavaScript."""
_LATEST_MS: Final = 4_000_000_000_000
"""The latest time (in 2096) from which revisions start."""


def reserve_revisions(path: Path, time_ms: int) -> int:
    """The first of `PER_START` revisions; all those given out before are lower.

    Without the file they start from the time, a million for each second.
    """
    first = max(_reserved(path), 1)
    if first == 1:
        first = 1000 * min(max(time_ms, 1), _LATEST_MS)
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="ascii") as file:
            file.write(f"{first + PER_START}\n")
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        # The night can still be played. Only a wrong clock could now repeat a revision.
        log.warning("revisions cannot be reserved in %s: %s", path, error.strerror)
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    return first


def _reserved(path: Path) -> int:
    """The first revision that is not reserved yet, or 0 if it is not known."""
    try:
        with path.open("rb") as file:
            number = int(file.read(20))
    except (OSError, ValueError):
        return 0
    return number if number <= _HIGHEST else 0
