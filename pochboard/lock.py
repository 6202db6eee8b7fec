"""One daemon a data folder: who holds `daemon.lock` is the writer, and says where it listens."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from pathlib import Path
from typing import Final, Self

import msgspec

from pochboard.errors import LedgerError, LedgerInUseError

_NAME: Final = "daemon.lock"
_TRIES: Final = 20
_PAUSE_S: Final = 0.01
"""Whoever asks for the holder takes the lock for a moment, and a holder that has just taken it
has not yet written who it is; so both are looked at again for a fifth of a second."""


class Holder(msgspec.Struct, frozen=True):
    """The daemon that holds a data folder, as it describes itself in the lock's file."""

    pid: int
    url: str | None = None
    """Where it listens; None as long as it does not."""
    token: str = ""
    """What lets a command on the same machine through, and nobody else: the file is private."""


class Lock:
    """The lock on a data folder; held until `close`, or until the process ends in any way.

    The file stays when the lock is let go: a file that comes and goes could be locked twice.
    """

    def __init__(self, path: Path, descriptor: int, holder: Holder) -> None:
        self._path = path
        self._descriptor: int | None = descriptor
        self.holder = holder

    @classmethod
    def acquire(cls, data_dir: Path, holder: Holder) -> Self:
        """Takes the lock, and makes the folder if need be.

        Raises LedgerInUseError, which says who holds it, and LedgerError where the folder cannot
        be used.
        """
        path = data_dir / _NAME
        try:
            data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise LedgerError(
                f"The data folder {data_dir} cannot be used: {error.strerror}. "
                "Change its permissions, or name another one."
            ) from None
        lock = cls(path, descriptor, holder)
        try:
            _take(descriptor, path)
            lock._write(holder)
        except BaseException:
            os.close(descriptor)
            raise
        return lock

    def update(self, url: str) -> None:
        """Notes the address once it is known. Raises LedgerError."""
        self._write(msgspec.structs.replace(self.holder, url=url))

    def close(self) -> None:
        """Lets go; again without effect."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        try:
            os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, holder: Holder) -> None:
        assert self._descriptor is not None, "a lock is not used after it was let go"
        text = msgspec.json.encode(holder)
        try:
            # The file may be older than its mode here.
            os.fchmod(self._descriptor, 0o600)
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, text, 0)
        except OSError as error:
            raise LedgerError(f"{self._path} cannot be written: {error.strerror}.") from None
        self.holder = holder


def read_holder(data_dir: Path) -> Holder | None:
    """The daemon that holds a data folder now, None if there is none.

    A daemon that has not yet said who it is has pid 0. Raises LedgerError where the lock cannot
    be looked at, as that of another user.
    """
    path = data_dir / _NAME
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise LedgerError(
            f"{path} cannot be read: {error.strerror}. Does a daemon of another user run here?"
        ) from None
    try:
        for _ in range(_TRIES):
            if _locked(descriptor, path, fcntl.LOCK_SH):
                return None
            found = _read(descriptor)
            if found is not None:
                return found
            time.sleep(_PAUSE_S)
        return Holder(0)
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path) -> None:
    """Takes the lock, unless it stays taken for longer than a reader looks at it."""
    for _ in range(_TRIES):
        if _locked(descriptor, path, fcntl.LOCK_EX):
            return
        time.sleep(_PAUSE_S)
    raise LedgerInUseError(_in_use(path.parent, _read(descriptor)))


def _locked(descriptor: int, path: Path, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise LedgerError(f"{path} cannot be locked: {error.strerror}.") from None
    return True


def _read(descriptor: int) -> Holder | None:
    try:
        return msgspec.json.decode(os.pread(descriptor, 65_536, 0), type=Holder)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _in_use(data_dir: Path, holder: Holder | None) -> str:
    if holder is None:
        return f"Another daemon that is just starting holds {data_dir}. Try again in a moment."
    at = f" at {holder.url}" if holder.url else ""
    return (
        f"The ledger in {data_dir} is in use by the pochboard daemon with process id "
        f"{holder.pid}{at}. Use that one, end it, or name another data folder."
    )
