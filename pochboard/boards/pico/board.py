"""The `pico` back end: a thread that talks with the board over its serial port."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import secrets
import select
import termios
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Final

import serial

from pochboard.boards.base import Sink
from pochboard.boards.pico.link import (
    LOST_US,
    Dropped,
    Edge,
    Event,
    Firmware,
    Found,
    Layout,
    Link,
    Lost,
    Refused,
    Released,
)
from pochboard.boards.pico.ports import Port, find_ports
from pochboard.buttons.press import Refused as RefusedPress
from pochboard.errors import StoppedError
from pochboard.lights.frame import Frame
from pochboard.table.clock import now_us

log = logging.getLogger(__name__)

SPEED: Final = 115_200
"""Of no meaning on USB, but a port wants one."""
ANSWER_S: Final = 1.5
"""A port on which no board has answered for so long is left for the next one."""
_ANSWER_US: Final = round(ANSWER_S * 1_000_000)
_AGAIN_S: Final = 0.5
_CHUNK: Final = 4096
_BYES: Final = 3
_BYE_S: Final = 0.05


class Pico:
    """A board behind a serial port. It may be unplugged and come back at any time."""

    kind: Final = "pico"
    simulated: Final = False

    def __init__(
        self,
        layout: Layout,
        *,
        ports: Callable[[], list[Port]] = find_ports,
        order: str = "GRB",
    ) -> None:
        """`ports` says where a board may be, each time that one is looked for.

        `order` is that in which a pixel wants its three colours.
        """
        self.problem: str | None = "The board has not been found yet."
        """Why the link is down; None while it is up."""
        self.device: str | None = None
        """The port on which the board answers."""
        self._ports = ports
        # The firmware sends the second byte of a pixel first, then the first, then the third.
        first, second, third = ("RGB".index(colour) for colour in order)
        self._channels = second, first, third
        self._link = Link(secrets.randbelow(0xFFFF_FFFF) + 1, layout, now_us())
        self._sink: Sink | None = None
        self._newest: Frame | None = None
        self._done: deque[Edge] = deque()
        self._closing = threading.Event()
        self._door = threading.Lock()
        self._closed = False
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._run, name="pico")
        self._next_port = 0

    @property
    def link(self) -> bool:
        """Whether the board is there now."""
        return self._link.firmware is not None

    @property
    def firmware(self) -> Firmware | None:
        """What the board says of itself, while it is there."""
        return self._link.firmware

    def start(self, sink: Sink) -> None:
        """Begins to look for the board."""
        self._sink = sink
        self._thread.start()

    def show(self, frame: Frame) -> None:
        """Takes the newest frame."""
        self._newest = frame
        self._wake()

    def close(self) -> None:
        """Says goodbye, so that the board is dark, and ends the thread. May be called again."""
        self._closing.set()
        self._wake()
        if self._thread.is_alive():
            self._thread.join()
        # Whoever shows a frame after this must not write to what the number is given to next.
        with self._door:
            if not self._closed:
                self._closed = True
                os.close(self._wake_read)
                os.close(self._wake_write)

    def _wake(self) -> None:
        with self._door:
            if not self._closed:
                with contextlib.suppress(BlockingIOError):  # it is awake already
                    os.write(self._wake_write, b"!")

    # The thread.

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                port = self._pick()
                if port is not None:
                    self._use(port)
            except StoppedError:
                return
            except Exception as error:
                # Whatever a driver may raise, the night goes on without the board.
                if self._trouble(f"The serial ports fail: {error}."):
                    log.exception("the serial ports fail")
            self._sleep(_AGAIN_S)

    def _pick(self) -> Port | None:
        """The port to try next: each in turn, until one answers."""
        found = self._ports()
        # Nothing is ever written to others: a console would take it for keys, Ctrl-C among them.
        usable = [port for port in found if port.ours and not port.console]
        if not usable:
            self._trouble(_none_of(found))
            return None
        self._next_port %= len(usable)
        return usable[self._next_port]

    def _use(self, port: Port) -> None:
        """Talks over a port until it goes away, or nobody answers there. Raises StoppedError."""
        try:
            line = serial.Serial(port.device, SPEED, timeout=0, write_timeout=0, exclusive=True)
        except OSError as error:  # a SerialException is one
            self._trouble(why_not_open(port.device, error))
            self._next_port += 1
            return
        try:
            self._talk(line.fileno(), port)
        except OSError as error:
            if error.errno not in _GONE:
                log.warning("the port %s failed: %s", port.device, error)
            self._trouble(f"The board on {port.device} has gone.")
        finally:
            _close(line)
            self.device = None
            self._tell(self._link.hung_up(now_us()), port)

    def _talk(self, line: int, port: Port) -> None:
        """Reads and writes until nobody answers, or all is over. Raises OSError, StoppedError."""
        link, out = self._link, b""
        link.hung_up(now_us())
        turn_us = now_us()
        silent_us = turn_us + _ANSWER_US
        while not self._closing.is_set():
            clock_us = now_us()
            if clock_us - turn_us >= LOST_US:
                # This program stood still. What has come meanwhile may be out of date, and what
                # the board still means it says again.
                termios.tcflush(line, termios.TCIFLUSH)
                out = b""
                silent_us = clock_us + _ANSWER_US
                self._tell(link.forget_line(clock_us), port)
            turn_us = clock_us
            self._take_in()
            if lost := link.overdue(clock_us):
                # What is not sent yet belongs to a board that was there before.
                out = b""
                self._tell(lost, port)
            out = out or link.to_send(clock_us)
            if link.firmware is not None or link.refused:
                silent_us = clock_us + _ANSWER_US
            elif clock_us >= silent_us:
                self._next_port += 1
                self._trouble(_nobody(port))
                return
            readable, writable, _ = select.select(
                [line, self._wake_read],
                [line] if out else [],
                [],
                self._wait_s(silent_us, pending=bool(out)),
            )
            if self._wake_read in readable:
                os.read(self._wake_read, _CHUNK)
            if writable:
                out = out[os.write(line, out) :]
            if line in readable:
                self._read(line, port)
        self._say_goodbye(line, port)

    def _wait_s(self, silent_us: int, *, pending: bool) -> float:
        """How long to wait for something to come, or for room for what is pending."""
        link = self._link
        due_us = min(silent_us, link.overdue_us() if pending else link.due_us())
        return max(0.0, (due_us - now_us()) / 1_000_000)

    def _read(self, line: int, port: Port) -> None:
        data = os.read(line, _CHUNK)
        if not data:
            raise OSError(errno.EIO, "the port has been closed at its other end")
        self._tell(self._link.received(data, now_us()), port)

    def _take_in(self) -> None:
        """What other threads have left here: the newest frame, and edges that are booked."""
        newest, self._newest = self._newest, None
        if newest is not None:
            self._link.show(_permuted(newest, self._channels))
        while self._done:
            self._link.booked(self._done.popleft())

    def _tell(self, events: Iterable[Event], port: Port) -> None:
        """Hands events in to the table, in their order."""
        sink = self._sink
        assert sink is not None, "a board is started before it hears anything"
        for event in events:
            match event:
                case Edge():
                    self._hand_in(sink, event)
                case Released():
                    sink.release_all()
                case Dropped():
                    log.warning("%d edges came too late and were dropped", event.edges)
                case Found():
                    self.device, self.problem = port.device, None
                    log.info("the board is on %s", port.device)
                    sink.set_link(True)
                case Lost():
                    if self.problem is None and not self._closing.is_set():
                        self._trouble(f"The board on {port.device} does not answer any more.")
                    sink.release_all()
                    sink.set_link(False)
                case Refused():
                    self._trouble(event.why)

    def _hand_in(self, sink: Sink, edge: Edge) -> None:
        if edge.button not in sink.buttons:
            self._done.append(edge)
            return

        def booked(_: Future[list[RefusedPress]]) -> None:
            self._done.append(edge)
            self._wake()

        sink.edge(edge.button, edge.down, edge.at_us).add_done_callback(booked)

    def _say_goodbye(self, line: int, port: Port) -> None:
        """Until the board is dark, or has been told often enough."""
        # Also to a board whose greeting is still on its way.
        greeted = self.link
        for _ in range(_BYES):
            if greeted and not self.link:
                return
            os.write(line, self._link.bye())
            until = time.monotonic() + _BYE_S
            while (left := until - time.monotonic()) > 0 and not (greeted and not self.link):
                readable, _, _ = select.select([line], [], [], left)
                if readable:
                    self._read(line, port)

    def _sleep(self, seconds: float) -> None:
        """Waits, but not on when all is over."""
        until = time.monotonic() + seconds
        while not self._closing.is_set() and (left := until - time.monotonic()) > 0:
            readable, _, _ = select.select([self._wake_read], [], [], left)
            if readable:
                os.read(self._wake_read, _CHUNK)

    def _trouble(self, why: str) -> bool:
        """Notes why there is no board; whether that is news."""
        news = why != self.problem
        if news:
            self.problem = why
            log.warning("%s", why)
        return news


def _permuted(frame: Frame, channels: tuple[int, int, int]) -> Frame:
    """The frame with the three bytes of each pixel taken from these places of it."""
    if channels == (0, 1, 2):
        return frame
    out = bytearray(len(frame))
    for place, channel in enumerate(channels):
        out[place::3] = frame[channel::3]
    return bytes(out)


_GONE: Final = (errno.EIO, errno.ENODEV, errno.ENXIO, errno.EBADF)


def why_not_open(device: str, error: Exception) -> str:
    """Why a port cannot be opened, and what to do."""
    number = getattr(error, "errno", None)
    if number == errno.EACCES:
        return (
            f"{device} may not be opened: add this user to the group dialout"
            " (sudo usermod -aG dialout USER) and log in again."
        )
    if number in (errno.ENOTTY, errno.EISDIR) or "configure port" in str(error):
        return f"{device} is no serial port: set another one in config.toml."
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return f"{device} is not there: plug the board in, or set another port in config.toml."
    if number in (errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK) or "lock" in str(error):
        return f"{device} is held by another program: close it (a terminal, another daemon)."
    return f"{device} cannot be opened: {error}."


def _none_of(found: list[Port]) -> str:
    """Why none of these ports can be used, and what to do."""
    if not found:
        return "No board is plugged in: no serial port of a Pico is there."
    if any(port.ours for port in found):
        return (
            f"{found[0].device} is the board's console; its port for data is not there: unplug the"
            " board and plug it in again, or set another port in config.toml."
        )
    return (
        f"The Pico on {found[0].device} does not call itself a board: give it the firmware"
        " (pochboard firmware install), then unplug it and plug it in again."
    )


def _nobody(port: Port) -> str:
    return (
        f"No board answers on {port.device}: is the firmware on it (pochboard firmware install),"
        " and is this not its console?"
    )


def _close(line: serial.Serial) -> None:
    try:
        line.close()
    except OSError:
        log.debug("a port that is gone cannot be closed", exc_info=True)
