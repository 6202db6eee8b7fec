"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pochboard.errors import SimulationError


@contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """A file to write, which takes its name only at the end; an error leaves what was there.

    Raises SimulationError at once if it cannot be written.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        raise SimulationError(f"{path} cannot be written: it is no file.")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if target.exists():
            # Its folder alone would let a file be replaced that may not be written.
            target.open("ab").close()
        file = part.open("xb")
    except OSError as error:
        raise SimulationError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        try:
            with file:
                yield file
            part.replace(target)
        except OSError as error:
            raise SimulationError(f"{path} cannot be written: {error.strerror}.") from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise
