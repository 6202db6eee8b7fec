"""One daemon for each data folder: it holds `daemon.lock`, which says where it listens."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import time
from pathlib import Path
from typing import Final, Self

import msgspec

from pochboard.errors import LedgerError, LedgerInUseError
from pochboard.text.decoding import decode_json
from pochboard.text.lazy import os_reason

_NAME: Final = "daemon.lock"
_TRIES: Final = 20
_PAUSE_S: Final = 0.01
"""How often to try, for a fifth of a second in all: `find_daemon` takes the lock for a moment, and
a daemon that has just taken it has not yet written who it is."""


class DaemonInfo(msgspec.Struct, frozen=True):
    """A daemon, as it describes itself in the lock file."""

    pid: int
    url: str | None = None
    """Where it listens; None before it does."""
    token: str = ""
    """Authorizes commands on the same machine; only the daemon's user can read the file."""


class DaemonLock:
    """The lock on a data folder, held until `close` or the end of the process.

    The file is not deleted on release: two processes could then hold locks on different files of
    the same name.
    """

    def __init__(self, path: Path, descriptor: int, daemon: DaemonInfo) -> None:
        self._path = path
        self._descriptor: int | None = descriptor
        self.daemon = daemon

    @classmethod
    def acquire(cls, data_dir: Path, daemon: DaemonInfo) -> Self:
        """Takes the lock, and creates the folder if needed.

        Raises LedgerInUseError, which says who holds the lock, and LedgerError if the folder cannot
        be used.
        """
        path = data_dir / _NAME
        try:
            data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
            descriptor = os.open(path, flags, 0o600)
        except OSError as error:
            raise LedgerError(
                f"The data folder {data_dir} cannot be used: {os_reason(error)}. Change its"
                " permissions, or name another one."
            ) from None
        lock = cls(path, descriptor, daemon)
        try:
            _take(descriptor, path)
            lock._write(daemon)
        except BaseException:
            os.close(descriptor)
            raise
        return lock

    def update(self, url: str) -> None:
        """Notes the address once it is known. Raises LedgerError."""
        self._write(msgspec.structs.replace(self.daemon, url=url))

    def close(self) -> None:
        """Releases the lock. May be called again."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        try:
            # On a disk that has become read-only, the file keeps what it says. That does no harm,
            # because nobody holds the lock.
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, daemon: DaemonInfo) -> None:
        assert self._descriptor is not None, "a lock is not used after its release"
        text = msgspec.json.encode(daemon)
        try:
            # The file may have been created with other permissions.
            os.fchmod(self._descriptor, 0o600)
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, text, 0)
        except OSError as error:
            raise LedgerError(f"{self._path} cannot be written: {os_reason(error)}.") from None
        self.daemon = daemon


def find_daemon(data_dir: Path) -> DaemonInfo | None:
    """The daemon that uses a data folder now, or None.

    A daemon that has not yet written who it is has pid 0. Raises LedgerError if the lock cannot be
    read, for instance because it belongs to another user.
    """
    path = data_dir / _NAME
    try:
        # Opening a pipe would wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise LedgerError(
            f"{path} cannot be read: {os_reason(error)}. Is another user's daemon running here?"
        ) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise LedgerError(f"{path} is not a regular file. Move it away.")
        for _ in range(_TRIES):
            if _locked(descriptor, path, fcntl.LOCK_SH):
                return None
            info = _read(descriptor)
            if info is not None:
                return info
            time.sleep(_PAUSE_S)
        return DaemonInfo(0)
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path) -> None:
    """Takes the lock. Raises LedgerInUseError if it stays taken longer than `find_daemon` needs."""
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
        raise LedgerError(f"{path} cannot be locked: {os_reason(error)}.") from None
    return True


def _read(descriptor: int) -> DaemonInfo | None:
    try:
        return decode_json(os.pread(descriptor, 65_536, 0), DaemonInfo)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _in_use(data_dir: Path, daemon: DaemonInfo | None) -> str:
    if daemon is None:
        return f"Another daemon is just starting on {data_dir}. Try again in a moment."
    if daemon.url:
        return (
            f"The ledger in {data_dir} is in use by the pochboard daemon with process id"
            f" {daemon.pid} at {daemon.url}. Use that one, stop it, or name another data folder."
        )
    return (
        f"The ledger in {data_dir} is in use by the pochboard daemon with process id"
        f" {daemon.pid}. Use that one, stop it, or name another data folder."
    )
