"""Files that are on the disk before anything relies on them, and files that are read at once."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

_NOT_REGULAR: Final = "not a regular file"


def sync(path: Path) -> None:
    """Waits until a file or a folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_regular(path: Path) -> BinaryIO:
    """A file that is open for reading. Raises OSError, also for anything but a regular file.

    Opening a pipe would wait for a writer, and a device may have no end.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, _NOT_REGULAR)
    return os.fdopen(descriptor, "rb")


def read_regular(path: Path, most: int) -> bytes:
    """The contents of a small file, or the beginning of one that has more bytes than it should.

    Raises OSError like `open_regular`.
    """
    with open_regular(path) as file:
        return file.read(most)


def write_durably(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replaces a file: even after a power cut, either the old or the new one is there, complete.

    `mode` is its permissions, else those of new files. Raises OSError.
    """
    # Hidden, because whoever lists the folder leaves out hidden files.
    part = path.with_name(f".{path.name}.part")
    try:
        # A new file, wherever a link of this name may lead.
        part.unlink(missing_ok=True)
        with part.open("xb") as file:
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
