"""Files that are on the disk before anything relies on them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def sync(path: Path) -> None:
    """Waits until a file or a folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_durably(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replaces a file: even after a power cut, either the old or the new one is there, complete.

    `mode` is its permissions, else those of new files. Raises OSError.
    """
    # Hidden, because whoever lists the folder leaves out hidden files.
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        sync(path.parent)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise
