"""What a ledger file says of itself, read before SQLite sees it: a refused file stays as it is."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from pochboard.errors import LedgerError

APPLICATION_ID: Final = int.from_bytes(b"Poch", "big")
"""What the header of every ledger carries at offset 68, so that `file` and we can tell it."""

_MAGIC: Final = b"SQLite format 3\0"
_LENGTH: Final = 100
_ELSEWHERE: Final = "Move it away, or name another data folder."
_RESTORE: Final = "Restore it from a backup, or move it away to begin anew."


def companion(path: Path, suffix: str) -> Path:
    """The file that SQLite keeps beside a database: `-wal`, `-shm` or `-journal`."""
    return path.with_name(path.name + suffix)


def size_of(path: Path) -> int:
    """The size of a file in bytes; 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def read_version(path: Path, newest: int) -> int:
    """The schema version of the ledger at a path; 0 where none has been made yet.

    Reads the first 100 bytes and nothing else. Raises LedgerError for whatever is no ledger, is
    damaged, or is newer than this program. Closing the file would end locks that a Store of the
    same process has on it, so a process opens a ledger once.
    """
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise LedgerError(f"{path} is a folder, not a ledger. {_ELSEWHERE}")
        if not stat.S_ISREG(found.st_mode):
            raise LedgerError(f"{path} is no ordinary file. {_ELSEWHERE}")
        with path.open("rb") as file:
            head = file.read(_LENGTH)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise LedgerError(f"{path} cannot be read: {error.strerror}.") from None
    return _version_in(head, path, found.st_size, newest) if head else 0


def _version_in(head: bytes, path: Path, size: int, newest: int) -> int:
    if not head.startswith(_MAGIC[: len(head)]):
        raise LedgerError(
            f"{path} is no pochboard ledger: it is not a SQLite database. {_ELSEWHERE}"
        )
    if len(head) < _LENGTH:
        raise LedgerError(f"{path} is damaged: it is cut off after {len(head)} bytes. {_RESTORE}")
    if _number(head, 68) != APPLICATION_ID:
        raise LedgerError(
            f"{path} is no pochboard ledger: it is another program's database. {_ELSEWHERE}"
        )
    version = _number(head, 60)
    if version > newest:
        raise LedgerError(
            f"{path} was written by a newer pochboard (ledger version {version}, this program "
            f"knows {newest}). Upgrade pochboard; the file was left untouched."
        )
    page = int.from_bytes(head[16:18], "big")
    page = 65_536 if page == 1 else page
    if version < 1 or page < 512 or page & (page - 1):
        raise LedgerError(f"{path} is damaged: its header makes no sense. {_RESTORE}")
    # The number of pages is only to be trusted where the header says that it is kept, and as long
    # as no log is waiting to be worked in.
    waiting = size_of(companion(path, "-wal")) or size_of(companion(path, "-journal"))
    if not waiting and head[24:28] == head[92:96] and size < _number(head, 28) * page:
        raise LedgerError(
            f"{path} is damaged: {size} bytes of {_number(head, 28) * page} are there. {_RESTORE}"
        )
    return version


def _number(head: bytes, offset: int) -> int:
    return int.from_bytes(head[offset : offset + 4], "big")


def refuse_unwritable(path: Path) -> None:
    """Makes the folder of a ledger if need be. Raises LedgerError where nothing can be written."""
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise LedgerError(
            f"The data folder {folder} cannot be made: {error.strerror}. "
            "Make it yourself, or name another one."
        ) from None
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
        raise LedgerError(
            f"The data folder {folder} cannot be written to. "
            "Change its permissions, or name another one."
        )
    if path.exists() and not os.access(path, os.R_OK | os.W_OK, effective_ids=True):
        raise LedgerError(f"{path} cannot be written to. Change its permissions.")


def refuse_orphans(path: Path) -> None:
    """Raises LedgerError where a log lies beside a ledger that is missing or empty.

    SQLite would throw the log away, or work it into the new file; either way its nights are lost.
    """
    for suffix in ("-wal", "-journal"):
        log = companion(path, suffix)
        if size_of(log):
            raise LedgerError(
                f"{path} is missing or empty, but {log.name} beside it holds what was written "
                f"last. Put the ledger back, or move {log.name} away to begin anew."
            )
