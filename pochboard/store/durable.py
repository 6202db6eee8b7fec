"""Files that are on the disk before anything relies on them, and those beside the ledger.

The small files beside it are its head, reserved revisions, and the board's settings. A client takes
two states with the same revision for the same state. So a daemon reserves the revisions that it may
give out, and none is used twice, whatever the clock says. The ledger cannot keep them, because an
older copy may be restored. The settings say nothing about a night, and must be kept even while
nothing can be recorded.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import re
import stat
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, TypeVar

import msgspec

from pochboard.buttons.settings import BoardSettings
from pochboard.config import Config
from pochboard.errors import Refusal
from pochboard.text.decoding import decode_json
from pochboard.time_zone import use_zone

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


T = TypeVar("T")

_MARK: Final = struct.Struct(">Q32s")


class Mark(NamedTuple):
    """What was stored in a ledger at one moment, outside of it, so that a lost end is noticed.

    SQLite ignores its log from the first damaged byte on, as it must after a power cut. The file
    `…-head` therefore keeps what the last change led to. It is written after each commit and not
    synced. The entry is already on the disk in the ledger, so after a power cut the head may be
    behind the ledger, but never ahead of it. It fits into a sector, so it is old or new.
    """

    position: int
    """Of the newest entry; 0 before the first."""
    chain: bytes
    """The chain's value at that entry; the ledger's id before the first."""


def write_mark(path: Path, mark: Mark, *, synced: bool = False) -> None:
    """Records what is on the disk now. Raises OSError."""
    content = _MARK.pack(*mark)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    try:
        os.pwrite(descriptor, content + zlib.crc32(content).to_bytes(4, "big"), 0)
        if synced:
            os.fsync(descriptor)
            sync(path.parent)
    finally:
        os.close(descriptor)


def read_mark(path: Path) -> Mark | None:
    """The mark in a file; None if there is no file, or it is not intact."""
    try:
        content = read_regular(path, _MARK.size + 4)
    except OSError:
        return None
    content, stored = content[: _MARK.size], content[_MARK.size :]
    if len(content) < _MARK.size or zlib.crc32(content).to_bytes(4, "big") != stored:
        return None
    return Mark(*_MARK.unpack(content))


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
    try:
        first = int(read_regular(path, 20))
    except (OSError, ValueError):
        first = 0
    if not 0 < first <= _HIGHEST:
        first = 1000 * min(max(time_ms, 1), _LATEST_MS)
    try:
        write_durably(path, f"{first + PER_START}\n".encode())
    except OSError as error:
        # The night can still be played. Only a wrong clock could now repeat a revision.
        log.warning("revisions cannot be reserved in %s: %s", path, error.strerror)
    return first


def settings_file(ledger: Path) -> Path:
    """The file of what people have chosen for the board, beside the ledger."""
    return ledger.with_name(f"{ledger.stem}.board")


def read_small(path: Path, kind: type[T]) -> T | None:
    """What a small file beside the ledger holds; None if there is none, or it cannot be read."""
    try:
        return decode_json(read_regular(path, _MOST_BYTES), kind)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        # A damaged file must not stop play.
        log.warning("%s cannot be read: %s", path, error)
        return None


def keep_small(path: Path, value: BoardSettings | Mapping[str, str]) -> None:
    """Replaces a small file beside the ledger.

    A failure is only logged; what it holds then lasts until the daemon stops.
    """
    try:
        write_durably(path, msgspec.json.encode(value) + b"\n")
    except OSError as error:
        log.warning("%s cannot be kept: %s", path, error.strerror)


def with_found(config: Config) -> Config:
    """A copy with what people have said of the board at its table."""
    kept = read_small(settings_file(config.ledger), BoardSettings)
    return config.with_found(kept.order, kept.places) if kept else config


def follow_zone(ledger: Path) -> Refusal | None:
    """Makes the time zone of the board with this ledger that of the process.

    If it is unknown here, that is logged and returned, and the system's applies.
    """
    kept = read_small(settings_file(ledger), BoardSettings)
    refusal = use_zone(kept.zone if kept else None)
    if refusal is not None:
        log.warning("%s", refusal.sentence)
    return refusal


_FLEETING: Final = re.compile(
    r"overlay|aufs|unionfs|tmpfs|ramfs|zram|fuse\.(fuse-overlayfs|unionfs.*)"
)


def fleeting(folder: Path, root: Path = Path("/")) -> str:
    """The file system below a folder if it lasts only until the next start, or "".

    These are memory (as of log2ram, which may put a common file system on zram) and overlays
    (Raspberry Pi OS's, a container without a volume). A row is described in proc(5).
    """
    try:
        rows = (root / "proc/self/mountinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    kind, longest = "", -1
    for row in rows:
        where, _, what = row.partition(" - ")
        mounted, told = where.split()[4:5], what.split()
        if not mounted or len(told) < 2:
            continue
        at = Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), mounted[0]))
        if len(at.parts) >= longest and folder.resolve().is_relative_to(at):
            kind = "zram" if told[1].startswith("/dev/zram") else told[0]
            longest = len(at.parts)
    return kind if _FLEETING.fullmatch(kind) else ""
