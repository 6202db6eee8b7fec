"""The lines of a Pi's header, as gpiozero's pins on libgpiod: contacts and piezo (BOARD.md 6).

An edge has the time at which the kernel noticed it, so a program that was stalled loses none and
mistakes none. Gpiozero's own factories drop that time.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import select
import sys
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Final

import gpiod
from gpiod.line import Bias, Direction, Edge, Value
from gpiozero.pins.local import LocalPiFactory, LocalPiPin

from pochboard import wire
from pochboard.boards.base import Problem, Tune, sentence
from pochboard.boards.gpio import PIEZO_PIN
from pochboard.runtime.threads import LoopThread, now_us

log = logging.getLogger(__name__)

Level = tuple[int, str, bool]
"""When, which button, and whether its contact was closed."""

_LABELS: Final = {"pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"}
"""What the kernel calls the chip of the header: up to the Pi 3, of the Pi 4, of the Pi 5."""
_QUEUE: Final = 1024
"""Edges that the kernel keeps for a stalled program; it drops the oldest beyond."""
_PULLS: Final = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
_SWITCH_S: Final = sys.getswitchinterval()
_OVERSLEPT_S: Final = 0.0001
"""How much longer Linux usually sleeps than it is told to."""


def header_chip() -> str:
    """The device file of the header's chip. Raises OSError."""
    for path in sorted({str(path.resolve()) for path in Path("/dev").glob("gpiochip*")}):
        with gpiod.Chip(path) as chip:
            if chip.get_info().label in _LABELS:
                return path
    raise OSError("there is no GPIO chip of a Raspberry Pi's header")


def busy_lines(lines: Collection[int], *, but: str | None = None) -> list[str]:
    """The lines among these that others than `but` use. Raises OSError.

    Each as `GPIO17 (line 17 of gpiochip0) is used by spi0`.
    """
    path, busy = header_chip(), []
    with gpiod.Chip(path) as chip:
        for line in lines:
            info = chip.get_line_info(line)
            if info.used and info.consumer != but:
                where = f"line {line} of {Path(path).name}"
                where += f", {info.name}" if info.name not in ("", f"GPIO{line}") else ""
                busy.append(f"GPIO{line} ({where}) is used by {info.consumer or 'the kernel'}")
    return busy


def take(line: int, settings: gpiod.LineSettings) -> gpiod.LineRequest:
    """Takes a line of the header. Raises OSError, with its user if it is not free."""
    try:
        return gpiod.request_lines(
            header_chip(), {line: settings}, consumer="pochboard", event_buffer_size=_QUEUE
        )
    except OSError as error:
        if error.errno == errno.EBUSY and (busy := busy_lines([line])):
            raise OSError(busy[0]) from None
        raise


class HeaderPin(LocalPiPin):  # type: ignore[misc]  # gpiozero has no types
    """A pin: its line is taken once it is made an input or an output, and given back at its end.

    Edges are told by `dispatch`; no thread waits for them. There is no PWM.
    """

    def __init__(self, factory: Header, info: Any) -> None:
        super().__init__(factory, info)
        self._settings = gpiod.LineSettings()
        self._line: gpiod.LineRequest | None = None

    def input_with_pull(self, pull: str) -> None:
        """Makes it an input. Raises OSError."""
        self._take(direction=Direction.INPUT, edge_detection=Edge.BOTH, bias=_PULLS[pull])

    def output_with_state(self, state: float) -> None:
        """Makes it an output. Raises OSError."""
        self._take(direction=Direction.OUTPUT, output_value=Value(int(state)))

    def fileno(self) -> int:
        """The file descriptor, for `select`: readable once there are edges."""
        assert self._line is not None, "its line is taken"
        return self._line.fd

    def dispatch(self) -> None:
        """Tells the handler of edges. Waits for some if there are none. Raises OSError."""
        assert self._line is not None, "its line is taken"
        for event in self._line.read_edge_events():
            rising = event.event_type is event.Type.RISING_EDGE
            self._call_when_changed(event.timestamp_ns / 1e9, int(rising))

    def close(self) -> None:
        """Gives the line back. Raises nothing."""
        self.when_changed = None
        if self._line is not None:
            with contextlib.suppress(OSError):
                self._line.release()
            self._line = None

    def _take(self, **settings: Any) -> None:
        self.close()
        self._settings = gpiod.LineSettings(**settings)
        self._line = take(self._number, self._settings)

    def _get_function(self) -> str:
        return "output" if self._settings.direction is Direction.OUTPUT else "input"

    def _get_state(self) -> int:
        assert self._line is not None, "its line is taken"
        return int(self._line.get_value(self._number) is Value.ACTIVE)

    def _set_state(self, state: float) -> None:
        assert self._line is not None, "its line is taken"
        self._line.set_value(self._number, Value(int(state)))

    def _enable_event_detect(self) -> None:
        """Does nothing: an input detects edges from the start."""

    def _disable_event_detect(self) -> None:
        """Does nothing: nobody is told."""


class Header(LocalPiFactory):  # type: ignore[misc]
    """Gpiozero's factory of these pins."""

    def __init__(self) -> None:
        super().__init__()
        self.pin_class = HeaderPin


class Contacts:
    """The contacts of the buttons. Raises what gpiozero raises, and OSError."""

    def __init__(self, pins: Mapping[str, int]) -> None:
        self._edges: list[Level] = []
        self._epoll = select.epoll()
        self._pins: dict[str, HeaderPin] = {}
        self._by_file: dict[int, HeaderPin] = {}
        # Kept here because gpiozero has only weak references.
        self._handlers: list[Callable[[float, float], None]] = []
        factory = Header()
        try:
            # Pins, and no devices: gpiozero keeps a mark of each device for ever.
            for button, number in pins.items():
                self._pins[button] = pin = factory.pin(number)
                pin.input_with_pull("up")
                self._handlers.append(self._handler(button))
                pin.when_changed = self._handlers[-1]
                self._by_file[pin.fileno()] = pin
                self._epoll.register(pin, select.EPOLLIN)
        except BaseException:
            self.close()
            raise

    def _handler(self, button: str) -> Callable[[float, float], None]:
        def changed(ticks: float, level: float) -> None:
            self._edges.append((round(ticks * 1_000_000), button, not level))

        return changed

    def fileno(self) -> int:
        """The file descriptor, for `select`: readable once there are edges."""
        return self._epoll.fileno()

    def edges(self) -> list[Level]:
        """All edges that the kernel has noticed by now and that were not read yet."""
        # If the process stalls while it reads, more edges wait; they come before any later ones.
        while ready := self._epoll.poll(0):
            for fd, _ in ready:
                self._by_file[fd].dispatch()
        found, self._edges = self._edges, []
        return found

    def levels(self) -> list[Level]:
        """The current level of every button, with the time just before they were read."""
        at_us = now_us()
        return [(at_us, button, not pin.state) for button, pin in self._pins.items()]

    def close(self) -> None:
        """Gives the lines back. Raises nothing."""
        for pin in self._pins.values():
            pin.close()
        self._pins.clear()
        self._epoll.close()


class Piezo(LoopThread):
    """Plays the newest tune. A failure is logged, and tried again with the next tune.

    It never affects the link of the board, because the night can be played without sound.
    """

    def __init__(self) -> None:
        # The lights are dark by then; a line that hangs must not keep the daemon from stopping.
        super().__init__("gpio-sound", 1.0)
        self.problem: Problem | None = None
        """Why the last tune could not be played; may be read from any thread."""
        self._pin: HeaderPin | None = None
        self._newest: Tune | None = None

    def play(self, tune: Tune) -> None:
        """Plays a tune at once, instead of the current one."""
        self._newest = tune
        self._wake()

    def _run(self) -> None:
        while not self._closing:
            tune, self._newest = self._newest, None
            if tune is None:
                self._wait()
                continue
            try:
                self._play(tune)
                self.problem = None
            except Exception as error:  # noqa: BLE001 - gpiozero raises anything
                problem = Problem(
                    f"The piezo does not work: {sentence(error)}",
                    "It needs dtoverlay=spi0-1cs in config.txt.",
                )
                if self.problem is None:
                    log.warning("%s", problem)
                self.problem = problem
                self._drop()
        self._drop()

    def _play(self, tune: Tune) -> None:
        if self._pin is None:
            pin = Header().pin(PIEZO_PIN)
            pin.output_with_state(0)
            self._pin = pin
        share = wire.high_share(tune.volume) / wire.PERIOD
        ends_s = time.monotonic()
        for hz, ms in tune.notes:
            begins_s, ends_s = ends_s, ends_s + ms / 1000
            if hz and tune.volume and not self._is_over:
                self._sound(self._pin, 1 / hz, share, begins_s, ends_s)
            self._sleep_until(ends_s)

    def _sound(
        self, pin: HeaderPin, period_s: float, share: float, at_s: float, ends_s: float
    ) -> None:
        """Drives the pin high for a share of each period."""
        # A thread that computes lets others run this often; by default it is 5 ms.
        sys.setswitchinterval(min(_SWITCH_S, 0.0001))
        try:
            while at_s < ends_s and not self._is_over:
                pin.state = 1
                self._sleep_until(at_s + share * period_s)
                pin.state = 0
                # If it is more than a period late, restart the rhythm rather than catch up.
                at_s = max(at_s + period_s, time.monotonic() - period_s)
                self._sleep_until(at_s)
        finally:
            sys.setswitchinterval(_SWITCH_S)

    @property
    def _is_over(self) -> bool:
        return self._newest is not None or self._closing

    def _sleep_until(self, at_s: float) -> None:
        """Waits, at most until a newer tune comes, and stays awake for the last of it."""
        while (left_s := at_s - time.monotonic()) > 0 and not self._is_over:
            if left_s > _OVERSLEPT_S:
                self._wait(left_s - _OVERSLEPT_S)

    def _drop(self) -> None:
        if self._pin is not None:
            self._pin.close()
            self._pin = None
