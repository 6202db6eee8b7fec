"""What a process has from its surroundings: signals, log, systemd, packages to install."""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import select
import shlex
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from types import FrameType, TracebackType
from typing import Final

from pochboard.text.unicode_names import shown, shown_lines

log = logging.getLogger(__name__)

GRACE_S: Final = 15.0
"""How long the process may take to stop. systemd waits a little longer (TimeoutStopSec)."""
SWITCHED_OFF: Final = 83
"""The exit status after which the service has to power the machine off."""
_ENDING: Final = (signal.SIGINT, signal.SIGTERM)
_OVER: Final = b"\0"
"""No signal has this number."""


class StopEvent(threading.Event):
    """Set once the command is to end."""

    forced_status = 1
    """The exit status if the command does not end in time."""


@contextlib.contextmanager
def stop_event(grace_s: float = GRACE_S) -> Iterator[StopEvent]:
    """An event that SIGINT and SIGTERM set. Further signals do nothing, even after the context.

    If the context has not ended `grace_s` after the event was set, the stack of every thread is
    printed and the process ends with the event's `forced_status`. Only for the main thread.
    """
    stop = StopEvent()
    signals, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    os.set_blocking(signals, True)
    # Python runs handlers only in the main thread, between two instructions. That thread may be
    # waiting, or hold the event's lock. The pipe avoids this: whichever thread receives the signal
    # writes its number there at once.
    former_fd = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    for number in _ENDING:
        signal.signal(number, _do_nothing)
    reader = threading.Thread(target=_read, args=(signals, stop, grace_s), name="signals")
    reader.start()
    try:
        yield stop
    finally:
        # The command is over. A second Ctrl-C must not disturb the interpreter's exit. Block it: if
        # a signal arrives just before its handler becomes SIG_IGN, Python prints an error.
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        signal.set_wakeup_fd(former_fd)
        os.write(wake, _OVER)
        reader.join()
        os.close(wake)
        os.close(signals)


def _do_nothing(_signal: int, _frame: FrameType | None) -> None:
    """Python writes to the pipe only for signals that have a handler."""


def _read(signals: int, stop: StopEvent, grace_s: float) -> None:
    """Sets the event on a signal, and ends the process if it does not stop in time."""
    until_s: float | None = None
    waiting = select.poll()
    waiting.register(signals, select.POLLIN)
    while waiting.poll(None if until_s is None else max(0.0, until_s - time.monotonic()) * 1000):
        number = os.read(signals, 1)
        if number == _OVER:
            return
        if number[0] in _ENDING and until_s is None:
            until_s = time.monotonic() + grace_s
            stop.set()
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

    def listen(self) -> None:
        """Begins to listen."""
        logging.getLogger("pochboard").addHandler(self)

    def unlisten(self) -> None:
        """Stops listening. May be called again."""
        logging.getLogger("pochboard").removeHandler(self)


def missing_package(error: ImportError, what: str, requirement: str) -> str:
    """What to install for an option or a key of the configuration, `what`.

    Raises the error again if it is one of our modules that cannot be imported.
    """
    if (error.name or "").partition(".")[0] == "pochboard":
        raise error
    return (
        f"{what} needs {requirement.partition('[')[0]}. Install it with:"
        f" {shlex.quote(sys.executable)} -m pip install {shlex.quote(requirement)}"
    )
