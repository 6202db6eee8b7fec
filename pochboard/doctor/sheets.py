"""The check of the folders of score sheets (docs/COLLECTION.md)."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pochboard.config import SheetsTable
from pochboard.doctor.check import Check

_ANSWER_S: Final = 5.0
_LEAST_BYTES: Final = 1_000_000


def sheet_checks(config: SheetsTable) -> Iterator[Check]:
    """Checks that each folder is there, and can be written to or read."""
    for folder in filter(None, (config.to, *config.from_)):
        yield _check(Path(folder), writes=folder == config.to)


def _check(folder: Path, *, writes: bool) -> Check:
    answers: list[str] = []
    # The disk of another machine may hang; this thread then ends with the process.
    asking = threading.Thread(target=lambda: answers.append(_wrong(folder, writes)), daemon=True)
    asking.start()
    asking.join(_ANSWER_S)
    wrong = answers[0] if answers else f"The folder {folder} does not respond."
    if wrong:
        fix = "docs/COLLECTION.md says what it needs."
        return Check("sheets", ok=False, found=wrong, fix=fix)
    return Check("sheets", ok=True, found=f"{folder} can be used.")


def _wrong(folder: Path, writes: bool) -> str:
    """What is wrong with a folder; empty if nothing is."""
    try:
        if not folder.is_dir():
            return f"The folder {folder} is missing."
        mode = os.R_OK | os.X_OK | (os.W_OK if writes else 0)
        if not os.access(folder, mode, effective_ids=True):
            return f"This user has no access to {folder}."
        if writes and shutil.disk_usage(folder).free < _LEAST_BYTES:
            return f"The disk of {folder} is full."
    except OSError as error:
        return f"{folder} cannot be accessed: {error.strerror}."
    return ""
