"""The rig of the board on the header: gpiozero's pins on contacts in the place of libgpiod, and the
real NeoPixel.

`os.environ` must say `BLINKA_OS_AGNOSTIC=1` before Blinka is imported; importing this does.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

import msgspec
import pytest
from gpiod import EdgeEvent
from gpiod.line import Value

from pochboard.boards.gpio import gpio_board
from pochboard.boards.gpio import lines as gpio_lines
from pochboard.boards.gpio import oled as gpio_oled
from pochboard.boards.gpio.gpio_board import GpioBoard
from pochboard.config import Gpio
from pochboard.lights.frame import Frame
from pochboard.runtime.threads import now_us
from tests.display_chip import DisplayChip
from tests.shell.boards.kit import LOOK
from tests.shell.server_kit import LONG_S

os.environ["BLINKA_OS_AGNOSTIC"] = "1"
DISPLAY_BUS = "/dev/i2c-3"
A_PI_4 = 0xC03111
PINS: dict[str, int] = msgspec.structs.asdict(Gpio().pins)


class Copper:
    """The wires of the buttons: which of them are closed to ground."""

    def __init__(self) -> None:
        self.closed: set[int] = set()
        self.broken: Exception | None = None
        self.deaf = False
        """Whether edges get lost, so that only the levels show them."""
        self.taken: dict[int, Line] = {}
        self.now_us = now_us
        self.lock = threading.RLock()

    def take(self, line: int, settings: object) -> Line:
        """A request of a line, as libgpiod makes it."""
        with self.lock:
            if self.broken:
                raise self.broken
            self.taken[line] = Line(self, line)
            return self.taken[line]

    def close(self, number: int, closed: bool) -> None:
        """A contact closes or opens, and whoever has its line is told if it can be."""
        with self.lock:
            if closed == (number in self.closed):
                return
            (self.closed.add if closed else self.closed.discard)(number)
            if number in self.taken and not self.broken and not self.deaf:
                self.taken[number].edge(closed)


class Line:
    """A line that a program has taken."""

    def __init__(self, copper: Copper, number: int) -> None:
        self._copper = copper
        self._number = number
        self._events: list[EdgeEvent] = []
        self.fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def edge(self, closed: bool) -> None:
        kind = EdgeEvent.Type.FALLING_EDGE if closed else EdgeEvent.Type.RISING_EDGE
        self._events.append(EdgeEvent(kind.value, 1000 * self._copper.now_us(), self._number, 0, 0))
        os.eventfd_write(self.fd, 1)

    def read_edge_events(self) -> list[EdgeEvent]:
        with self._copper.lock:
            os.eventfd_read(self.fd)
            events, self._events = self._events, []
            return events

    def get_value(self, line: int) -> Value:
        with self._copper.lock:
            if self._copper.broken:
                raise self._copper.broken
            return Value.INACTIVE if line in self._copper.closed else Value.ACTIVE

    def release(self) -> None:
        with self._copper.lock:
            del self._copper.taken[self._number]
            os.close(self.fd)


class BounceClock:
    """The monotonic clock, but a bounce takes as long as it says, even on a busy machine."""

    def __init__(self) -> None:
        self._ahead_us = 0
        self._stopped_us: int | None = None
        self._lock = threading.Lock()

    def __call__(self) -> int:
        with self._lock:
            return self._read()

    def _read(self) -> int:
        return now_us() + self._ahead_us if self._stopped_us is None else self._stopped_us

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Only `move_on` moves the clock in this context."""
        with self._lock:
            self._stopped_us = self._read()
        yield
        with self._lock:
            self._ahead_us = self._stopped_us - now_us()
            self._stopped_us = None

    def move_on(self, by_us: int) -> None:
        with self._lock:
            assert self._stopped_us is not None
            self._stopped_us += by_us


class FakeBus:
    """The I²C bus of a rig."""

    def __init__(self, rig: GpioRig, device: str) -> None:
        assert device == DISPLAY_BUS
        self._rig = rig

    def writeto(self, address: int, data: bytes) -> None:
        self._rig.bus_works.wait(LONG_S)
        if self._rig.display_gone or address not in self._rig.chips:
            raise OSError(121, "Remote I/O error")
        self._rig.chips[address].write(data)

    def close(self) -> None:
        pass


class GpioRig:
    """Mock pins driven as contacts drive them, and a recorder on the wire of the pixels."""

    name = "gpio"
    slack_us = 0

    def __init__(self, gpio: Gpio | None = None, clock: Callable[[], int] | None = None) -> None:
        """`clock` is what the board reads; a `BounceClock` unless given."""
        import neopixel

        gpio = msgspec.structs.replace(gpio or Gpio(), display=DISPLAY_BUS, piezo=True)
        self.copper = Copper()
        self.sent: list[bytes] = []
        self._seen: list[Frame] = []
        self.broken: Exception | None = None
        self.writes = 0
        self._order = gpio.order
        self._patch = pytest.MonkeyPatch()
        self._patch.setattr(neopixel, "neopixel_write", self._write)
        # So that a lost edge is found again before a test times out.
        self._patch.setattr(gpio_board, "RETRY_S", 0.05)
        self.chips = {0x3C: DisplayChip(), 0x3D: DisplayChip()}
        self.display_gone = False
        self.bus_works = threading.Event()
        """While it is not set, whoever writes to the display waits."""
        self.bus_works.set()
        self._patch.setattr(gpio_oled, "Bus", lambda device: FakeBus(self, device))
        self._patch.setattr(gpio_oled, "RETRY_S", 0.05)
        self._bounce = BounceClock()
        self.now_us = clock or self._bounce
        self.copper.now_us = self.now_us
        for module in (gpio_board, gpio_lines):
            self._patch.setattr(module, "now_us", self.now_us)
        self._patch.setattr(gpio_lines, "take", self.copper.take)
        self._patch.setattr(gpio_lines.Header, "_get_revision", lambda _: A_PI_4)
        self._patch.setattr(gpio_lines.Piezo, "_sound", self._sound)
        self.sounds: list[int] = []
        self.board = GpioBoard(gpio, LOOK)

    def _sound(self, pin: object, period_s: float, share: float, at_s: float, to_s: float) -> None:
        piezo = self.board._piezo
        assert piezo is not None
        self.sounds.append(round(1 / period_s))
        piezo._sleep_until(to_s)
        self.sounds.append(0)

    def _write(self, pin: Any, buffer: bytearray) -> None:
        self.writes += 1
        if self.broken:
            raise self.broken
        self.sent.append(bytes(buffer))

    def move(self, button: str, down: bool, chatter: random.Random | None = None) -> None:
        number = PINS[button]
        with self._bounce.stopped():
            left_us = 0 if chatter is None else 4_000
            while chatter is not None and left_us > 0:
                self.copper.close(number, chatter.random() < 0.5)
                step_us = chatter.randint(1, 1_000)
                self._bounce.move_on(step_us)
                left_us -= step_us
            self.copper.close(number, down)

    def move_unnoticed(self, button: str, down: bool) -> None:
        self.copper.deaf = True
        self.copper.close(PINS[button], down)
        self.copper.deaf = False

    def wait_until_presses_are_dropped(self) -> None:
        """Does nothing, because no press is on its way:

        the board's thread reads the pins itself.
        """

    def lose_link(self) -> None:
        with self.copper.lock:
            self.copper.broken = OSError(19, "No such device")

    def regain_link(self) -> None:
        with self.copper.lock:
            self.copper.broken = None

    def break_down(self) -> None:
        self.broken = RuntimeError("ws2811_render failed with code -14 (SPI transfer error)")

    def repair(self) -> None:
        self.broken = None

    def shown(self) -> Sequence[Frame]:
        """The bytes of the wire, as red, green, blue."""
        places = [self._order.index(colour) for colour in "RGB"]
        for data in self.sent[len(self._seen) :]:
            pixels = zip(*(data[place::3] for place in places), strict=True)
            self._seen.append(bytes(chain.from_iterable(pixels)))
        return list(self._seen)

    def screen(self) -> bytes:
        return self.chips[0x3C].seen

    def contrast(self) -> int:
        return self.chips[0x3D].contrast

    def unplug_display(self, gone: bool) -> None:
        if gone:
            for chip in self.chips.values():
                chip.memory[:], chip.contrast = bytes(1024), 0x7F
        self.display_gone = gone

    def heard(self) -> Sequence[int]:
        return [hz for hz in list(self.sounds) if hz]

    def is_silent(self) -> bool:
        return not any(self.sounds[-1:])

    def close(self) -> None:
        self._patch.undo()
