"""What a process has from its surroundings: signals, log, systemd, the lock of its folder."""

from __future__ import annotations

import contextlib
import errno
import faulthandler
import logging
import os
import signal
import socket
import stat
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from pochboard.errors import LedgerError, LedgerInUseError
from pochboard.text.decoding import decode_json
from pochboard.text.lazy import os_reason
from pochboard.text.unicode_names import shown, shown_lines

with contextlib.suppress(ImportError):  # Windows, where a card can be made, has none
    import fcntl

log = logging.getLogger(__name__)

GRACE_S: Final = 15.0
"""How long the process may take to stop. systemd waits a little longer (TimeoutStopSec)."""
SWITCHED_OFF: Final = 83
"""The exit status after which the service has to power the machine off."""
_ENDING: Final = (signal.SIGINT, signal.SIGTERM)


class StopEvent(threading.Event):
    """Set once the command is to end."""

    forced_status = 1
    """The exit status if the command does not end in time."""


@contextlib.contextmanager
def stop_event(grace_s: float = GRACE_S) -> Iterator[StopEvent]:
    """An event that SIGINT and SIGTERM set. Further signals do nothing, even after the context.

    If the context has not ended `grace_s` after the event was set, the stack of every thread is
    printed and the process ends with the event's `forced_status`. Use it in the main thread before
    there are others: they inherit that these signals are blocked.
    """
    stop, over = StopEvent(), threading.Event()
    # Python runs handlers only in the main thread, which may be waiting or hold the event's lock.
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    waiting = threading.Thread(target=_wait_for_signal, args=(stop, over, grace_s), name="signals")
    waiting.start()
    try:
        yield stop
    finally:
        over.set()
        os.kill(os.getpid(), signal.SIGTERM)  # ends the wait if none has come
        waiting.join()


def _wait_for_signal(stop: StopEvent, over: threading.Event, grace_s: float) -> None:
    """Sets the event on a signal, and ends the process if it does not stop in time."""
    signal.sigwait(_ENDING)
    stop.set()
    if over.wait(grace_s):
        return
    try:
        log.critical("The daemon has not stopped within %g s, so it is forced to end.", grace_s)
        faulthandler.dump_traceback()
    finally:
        os._exit(stop.forced_status)


class ServiceManager:
    """systemd, if it started this process with `Type=notify`; otherwise messages are dropped."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        address = environment.get("NOTIFY_SOCKET", "")
        # A leading @ stands for the zero byte of an abstract address.
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        self.watchdog_s: float | None = None
        """`WATCHDOG=1` has to be sent at least this often; None without a watchdog."""
        limit_us = environment.get("WATCHDOG_USEC", "")
        ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        if self._address and ours and limit_us.isdigit() and int(limit_us):
            self.watchdog_s = int(limit_us) / 1_000_000

    def notify(self, *assignments: str) -> None:
        """Sends assignments such as `READY=1`. A failure is only logged, so that play continues."""
        if not self._address:
            return
        message = "\n".join(" ".join(assignment.split()) for assignment in assignments)
        try:
            with socket.socket(
                socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC
            ) as connection:
                # systemd normally reads at once. If it does not, this thread must not wait.
                connection.setblocking(False)
                connection.sendto(message.encode(), self._address)
        except OSError as error:
            log.warning("%s could not be sent to systemd: %s", assignments[0], error)


_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class LogFormatter(logging.Formatter):
    """A message on one line: boards, networks and files may have written what it quotes."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - as logging calls it
        """The message, without a line break that could begin a forged one."""
        return shown(super().formatMessage(record))

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 - as logging calls it
        """The traceback, on several lines."""
        return shown_lines(super().formatException(ei))


def format_log() -> None:
    """Lets Python's own handler, which prints warnings, print them in this format."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(LogFormatter())


class LastFault(logging.Handler):
    """Remembers the last warning or error. Python then prints none by itself, so it does."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.record: logging.LogRecord | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Remembers a record."""
        self.record = record
        # Python itself prints warnings only if there is no handler at all.
        if not logging.getLogger().handlers and logging.lastResort is not None:
            logging.lastResort.handle(record)


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

    def __init__(self, data_dir: Path, daemon: DaemonInfo) -> None:
        """Takes the lock, and creates the folder if needed.

        Raises LedgerInUseError, which says who holds the lock, and LedgerError if the folder cannot
        be used.
        """
        self._path = data_dir / _NAME
        try:
            data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
            self._descriptor = os.open(self._path, flags, 0o600)
        except OSError as error:
            raise LedgerError(
                f"The data folder {data_dir} cannot be used: {os_reason(error)}. Change its"
                " permissions, or name another one."
            ) from None
        try:
            _take(self._descriptor, self._path)
            self._write(daemon)
        except BaseException:
            os.close(self._descriptor)
            raise

    def update(self, url: str) -> None:
        """Notes the address once it is known. Raises LedgerError."""
        self._write(msgspec.structs.replace(self.daemon, url=url))

    def close(self) -> None:
        """Releases the lock."""
        # On a disk that has become read-only, the file keeps what it says. That does no harm,
        # because nobody holds the lock.
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, daemon: DaemonInfo) -> None:
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
            if _locked(descriptor, path, shared=True):
                return None
            info = _read_info(descriptor)
            if info is not None:
                return info
            time.sleep(_PAUSE_S)
        return DaemonInfo(0)
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path) -> None:
    """Takes the lock. Raises LedgerInUseError if it stays taken longer than `find_daemon` needs."""
    for _ in range(_TRIES):
        if _locked(descriptor, path, shared=False):
            return
        time.sleep(_PAUSE_S)
    raise LedgerInUseError(_in_use(path.parent, _read_info(descriptor)))


def _locked(descriptor: int, path: Path, *, shared: bool) -> bool:
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise LedgerError(f"{path} cannot be locked: {os_reason(error)}.") from None
    return True


def _read_info(descriptor: int) -> DaemonInfo | None:
    try:
        return decode_json(os.pread(descriptor, 65_536, 0), DaemonInfo)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _in_use(data_dir: Path, daemon: DaemonInfo | None) -> str:
    if daemon is None:
        return f"Another daemon is just starting on {data_dir}. Try again in a moment."
    address = f" at {daemon.url}" if daemon.url else ""
    return (
        f"The ledger in {data_dir} is in use by the pochboard daemon with process id"
        f" {daemon.pid}{address}. Use that one, stop it, or name another data folder."
    )
