"""A pin factory for gpiozero on libgpiod, the library of the kernel's own interface to GPIO.

It needs gpiozero 2 and gpiod 2 alone, so it could be gpiozero's `pins/gpiod.py` as it stands. Each
pin is a request of one line. An edge has the time at which the kernel noticed it, so a program that
was stalled loses none and mistakes none. Between edges nothing runs.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import select
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import timedelta
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import gpiod
from gpiod.line import Bias, Direction, Edge, Value
from gpiozero.exc import (
    BadPinFactory,
    GPIOPinInUse,
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPull,
    PinInvalidState,
    PinPWMFixedValue,
    PinSetInput,
)
from gpiozero.pins.local import LocalPiFactory, LocalPiPin

log = logging.getLogger(__name__)

_LABELS: Final = {"pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"}
"""What the kernel calls the chip of the header: up to the Pi 3, of the Pi 4, of the Pi 5."""
_QUEUE: Final = 512
"""How many edges of a pin the kernel keeps for a program that is stalled; beyond, the newest."""
_FUNCTIONS: Final = {"input": Direction.INPUT, "output": Direction.OUTPUT}
_PULLS: Final = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
_EDGES: Final = {
    "both": Edge.BOTH, "rising": Edge.RISING, "falling": Edge.FALLING, "none": Edge.NONE,
}  # fmt: skip


def header_chip() -> str:
    """The device file of the header's chip. Raises BadPinFactory, or OSError if it may not look."""
    for path in sorted({str(path.resolve()) for path in Path("/dev").glob("gpiochip*")}):
        with gpiod.Chip(path) as chip:
            if chip.get_info().label in _LABELS:
                return path
    raise BadPinFactory("there is no GPIO chip of a Raspberry Pi's header")


def user_of(line: int, path: str) -> str | None:
    """Who uses a line, as `GPIO17 (line 17 of gpiochip0) is used by spi0`; None if it is free."""
    with gpiod.Chip(path) as chip:
        info = chip.get_line_info(line)
    if not info.used:
        return None
    where = f"line {line} of {Path(path).name}"
    where += f", {info.name}" if info.name not in ("", f"GPIO{line}") else ""
    return f"GPIO{line} ({where}) is used by {info.consumer or 'the kernel'}"


def busy_lines(lines: Iterable[int], *, but: str) -> list[str]:
    """Who uses these lines of the header, apart from one user. Raises BadPinFactory or OSError."""
    path = header_chip()
    users = [user_of(line, path) for line in lines]
    return [user for user in users if user and not user.endswith(f" {but}")]


class GpiodFactory(LocalPiFactory):  # type: ignore[misc]  # gpiozero has no types
    """Pins of this Pi. A pin is requested when it is made, and free again once it is closed.

    Ticks are seconds of CLOCK_MONOTONIC. PWM is timed by a thread, so only pitches of sound and
    brightnesses of lights are good enough.
    """

    def __init__(self, chip: str | None = None, consumer: str = "gpiozero") -> None:
        """`chip` is a device file, if not the header's. `consumer` is what others see as user."""
        super().__init__()
        self.pin_class = GpiodPin
        self._chip = chip
        self._consumer = consumer
        self._watched: dict[int, GpiodPin] = {}
        self._lock = threading.RLock()
        self._epoll = select.epoll()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC)
        self._epoll.register(self._wake, select.EPOLLIN)
        self._thread = threading.Thread(target=self._run, name="gpiod", daemon=True)

    def close(self) -> None:
        """Closes all pins, and ends the thread that waits for edges."""
        super().close()
        if not self._epoll.closed:
            os.eventfd_write(self._wake, 1)
            if self._thread.is_alive():
                self._thread.join()
            self._epoll.close()
            os.close(self._wake)

    def dispatch(self) -> None:
        """Tells the handlers of all edges that the kernel has noticed by now, oldest first.

        A thread does so as well. Who has to know that no earlier edge is still on its way calls it.
        """
        with self._lock:
            edges: list[tuple[int, GpiodPin, bool]] = []
            while ready := [fd for fd, _ in self._epoll.poll(0) if fd in self._watched]:
                for fd in ready:
                    pin = self._watched[fd]
                    try:
                        edges += pin.read_edges()
                    except OSError:  # the chip has gone; whoever reads the pin is told
                        self.watch(fd, None)
            for at_ns, pin, level in sorted(edges, key=itemgetter(0)):
                pin.changed(at_ns, level)

    def request(self, line: int, settings: gpiod.LineSettings) -> gpiod.LineRequest:
        """Takes a line. Raises GPIOPinInUse with its user, or OSError."""
        path = self._chip or header_chip()
        try:
            return gpiod.request_lines(
                path, {line: settings}, consumer=self._consumer, event_buffer_size=_QUEUE
            )
        except OSError as error:
            if error.errno == errno.EBUSY and (user := user_of(line, path)):
                raise GPIOPinInUse(user) from None
            raise

    def watch(self, fd: int, pin: GpiodPin | None) -> None:
        """Listens for the edges of a request from now on; None: no longer."""
        with self._lock:
            if pin is None:
                if self._watched.pop(fd, None) is not None:
                    self._epoll.unregister(fd)
                return
            self._watched[fd] = pin
            self._epoll.register(fd, select.EPOLLIN)
            if not self._thread.is_alive():
                self._thread.start()

    def _run(self) -> None:
        while self._wake not in (fd for fd, _ in self._epoll.poll()):
            self.dispatch()


class GpiodPin(LocalPiPin):  # type: ignore[misc]
    """A pin of `GpiodFactory`."""

    def __init__(self, factory: GpiodFactory, info: Any) -> None:
        super().__init__(factory, info)
        self._pins = factory
        self._edges = "both"
        self._request: gpiod.LineRequest | None = None
        self._settings = gpiod.LineSettings(direction=Direction.INPUT)
        self._pwm: _Pwm | None = None
        self._set(bias=Bias.DISABLED)

    def close(self) -> None:
        """Frees the line. It is requested again if the pin is used again."""
        self._set_frequency(None)
        self.when_changed = None
        if self._request is not None:
            self._request.release()
            self._request = None
            self._settings = gpiod.LineSettings(direction=Direction.INPUT)

    def read_edges(self) -> list[tuple[int, GpiodPin, bool]]:
        """The edges that wait in the kernel: when in ns, which pin, and its level after it."""
        events = self._line.read_edge_events(_QUEUE)
        rising = gpiod.EdgeEvent.Type.RISING_EDGE
        return [(event.timestamp_ns, self, event.event_type is rising) for event in events]

    def changed(self, at_ns: int, level: bool) -> None:
        """Tells the handler of an edge. An exception in it is logged."""
        if self._when_changed is not None:
            try:
                self._call_when_changed(at_ns / 1e9, int(level))
            except Exception:
                log.exception("the handler of %r failed", self)

    @property
    def _line(self) -> gpiod.LineRequest:
        if self._request is None:
            self._request = self._pins.request(self._number, self._settings)
        return self._request

    def _set(self, **changes: Any) -> None:
        settings = replace(self._settings, **changes)
        if self._request is None:
            self._request = self._pins.request(self._number, settings)
        else:
            self._request.reconfigure_lines({self._number: settings})
        self._settings = settings

    def _get_function(self) -> str:
        return "output" if self._settings.direction is Direction.OUTPUT else "input"

    def _set_function(self, value: str) -> None:
        if value not in _FUNCTIONS:
            raise PinInvalidFunction(f'invalid function "{value}" for pin {self!r}')
        self._set_frequency(None)
        self.when_changed = None
        self._set(direction=_FUNCTIONS[value], bias=Bias.AS_IS, output_value=Value.INACTIVE)

    def output_with_state(self, state: float) -> None:
        """Makes it an output that has this state from the start."""
        self._set_frequency(None)
        self.when_changed = None
        self._set(direction=Direction.OUTPUT, bias=Bias.AS_IS, output_value=_value(state))

    def _get_state(self) -> float:
        if self._pwm is not None:
            return self._pwm.duty
        return int(self._line.get_value(self._number) is Value.ACTIVE)

    def _set_state(self, value: float) -> None:
        if self._pwm is not None:
            if not 0 <= value <= 1:
                raise PinInvalidState(f'invalid state "{value}" for pin {self!r}')
            self._pwm.set(self._pwm.hz, value)
        elif self.function == "input":
            raise PinSetInput(f"cannot set state of pin {self!r}")
        else:
            self._line.set_value(self._number, _value(value))

    def _get_pull(self) -> str:
        return next((n for n, bias in _PULLS.items() if bias is self._settings.bias), "floating")

    def _set_pull(self, value: str) -> None:
        if self.function != "input":
            raise PinFixedPull(f"cannot set pull on non-input pin {self!r}")
        if self.info.pull not in (value, ""):
            raise PinFixedPull(f"{self!r} has a physical pull-{self.info.pull} resistor")
        if value not in _PULLS:
            raise PinInvalidPull(f'invalid pull "{value}" for pin {self!r}')
        self._set(bias=_PULLS[value])

    def _get_frequency(self) -> float | None:
        return None if self._pwm is None else self._pwm.hz

    def _set_frequency(self, value: float | None) -> None:
        if value:
            if self.function != "output":
                raise PinPWMFixedValue(f"cannot start PWM on pin {self!r}")
            if self._pwm is None:
                line = self._line
                self._pwm = _Pwm(lambda high: line.set_value(self._number, _value(high)))
            self._pwm.set(value, self._pwm.duty)
        elif self._pwm is not None:
            self._pwm.end()
            self._pwm = None

    def _get_bounce(self) -> float | None:
        return self._settings.debounce_period.total_seconds() or None

    def _set_bounce(self, value: float | None) -> None:
        if value is not None and value < 0:
            raise PinInvalidBounce("bounce must be 0 or greater")
        self._set(debounce_period=timedelta(seconds=value or 0))

    def _get_edges(self) -> str:
        return self._edges

    def _set_edges(self, value: str) -> None:
        if value not in _EDGES:
            raise PinInvalidEdges(f'invalid edges "{value}" for pin {self!r}')
        handler, self.when_changed = self.when_changed, None
        self._edges, self.when_changed = value, handler

    def _enable_event_detect(self) -> None:
        self._set(edge_detection=_EDGES[self._edges])
        self._pins.watch(self._line.fd, self)

    def _disable_event_detect(self) -> None:
        if self._request is not None:
            self._pins.watch(self._request.fd, None)
            with contextlib.suppress(OSError):  # the chip may have gone
                self._set(edge_detection=Edge.NONE)


class _Pwm(threading.Thread):
    """Switches a line on and off at a pitch. At a duty of 0 or 1 it sleeps."""

    def __init__(self, switch: Callable[[bool], None]) -> None:
        super().__init__(name="gpiod-pwm", daemon=True)
        self.hz, self.duty = 100.0, 0.0
        self._switch = switch
        self._ending = False
        self._changed = threading.Event()
        self.start()

    def set(self, hz: float, duty: float) -> None:
        """Changes both, from the next period on."""
        self.hz, self.duty = hz, duty
        self._changed.set()

    def end(self) -> None:
        """Ends the thread; the line is low."""
        self._ending = True
        self._changed.set()
        self.join()

    def run(self) -> None:
        """The thread. A line that fails ends it."""
        with contextlib.suppress(OSError, gpiod.RequestReleasedError):
            while not self._ending:
                self._changed.clear()
                if 0 < self.duty < 1:
                    # A thread that computes lets others run this often; by default it is 5 ms.
                    sys.setswitchinterval(min(_SWITCH_S, 0.0001))
                    try:
                        self._periods()
                    finally:
                        sys.setswitchinterval(_SWITCH_S)
                else:
                    self._switch(self.duty >= 1)
                    self._changed.wait()
            self._switch(False)

    def _periods(self) -> None:
        period_s, high_s = 1 / self.hz, self.duty / self.hz
        begins_s = time.perf_counter()
        while not self._changed.is_set():
            self._switch(True)
            self._wait_until(begins_s + high_s)
            self._switch(False)
            # When more than a period late, start the rhythm anew instead of hurrying to catch up.
            begins_s = max(begins_s + period_s, time.perf_counter() - period_s)
            self._wait_until(begins_s)

    def _wait_until(self, at_s: float) -> None:
        """Waits until a time of `perf_counter` or a change, and stays awake for the last of it."""
        left_s = at_s - time.perf_counter()
        if left_s > _OVERSLEPT_S:
            self._changed.wait(left_s - _OVERSLEPT_S)
        while time.perf_counter() < at_s and not self._changed.is_set():
            pass


_SWITCH_S: Final = sys.getswitchinterval()
_OVERSLEPT_S: Final = 0.0001
"""How much longer Linux usually sleeps than it is told to."""


def _value(state: float) -> Value:
    return Value.ACTIVE if state else Value.INACTIVE
