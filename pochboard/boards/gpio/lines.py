"""The lines of a Pi's header, through libgpiod: the contacts, and the piezo (BOARD.md 6).

An edge has the time at which the kernel noticed it, so a program that was stalled loses none and
mistakes none.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import sys
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

import gpiod
from gpiod.line import Bias, Direction, Edge, Value

from pochboard import wire
from pochboard.boards.base import Problem, Tune, sentence
from pochboard.boards.gpio import PIEZO_PIN
from pochboard.runtime.threads import LoopThread
from pochboard.table.clock import now_us

log = logging.getLogger(__name__)

Level = tuple[int, str, bool]
"""When, which button, and whether its contact was closed."""

_LABELS: Final = {"pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"}
"""What the kernel calls the chip of the header: up to the Pi 3, of the Pi 4, of the Pi 5."""
_QUEUE: Final = 1024
"""How many edges the kernel keeps for a program that is stalled; beyond, the newest."""
_CONTACT: Final = gpiod.LineSettings(
    direction=Direction.INPUT, edge_detection=Edge.BOTH, bias=Bias.PULL_UP
)
_OUTPUT: Final = gpiod.LineSettings(direction=Direction.OUTPUT)
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
    """Who uses these lines of the header, apart from one user. Raises OSError.

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


def take(lines: Collection[int], settings: gpiod.LineSettings) -> gpiod.LineRequest:
    """Takes lines of the header. Raises OSError, with the user of a line that is not free."""
    try:
        return gpiod.request_lines(
            header_chip(),
            {tuple(lines): settings},
            consumer="pochboard",
            event_buffer_size=_QUEUE,
        )
    except OSError as error:
        if error.errno == errno.EBUSY and (busy := busy_lines(lines)):
            raise OSError(busy[0]) from None
        raise


class Contacts:
    """The contacts of the buttons. Raises OSError."""

    def __init__(self, pins: Mapping[str, int]) -> None:
        self._buttons = {line: button for button, line in pins.items()}
        self._lines = take(self._buttons, _CONTACT)

    def fileno(self) -> int:
        """The file descriptor, for `select`: readable once there are edges."""
        return self._lines.fd

    def edges(self) -> list[Level]:
        """All edges that the kernel has noticed by now and that were not read yet."""
        found = []
        while self._lines.wait_edge_events(0):
            for event in self._lines.read_edge_events():
                closed = event.event_type is event.Type.FALLING_EDGE
                found.append((event.timestamp_ns // 1000, self._buttons[event.line_offset], closed))
        return found

    def levels(self) -> list[Level]:
        """The current level of every button, with the time just before they were read."""
        at_us, values = now_us(), self._lines.get_values(list(self._buttons))
        return [
            (at_us, button, value is Value.INACTIVE)
            for button, value in zip(self._buttons.values(), values, strict=True)
        ]

    def close(self) -> None:
        """Gives the lines back. Raises nothing."""
        with contextlib.suppress(OSError):
            self._lines.release()


class Piezo(LoopThread):
    """Plays the newest tune. A failure is logged, and tried again with the next tune.

    It never affects the link of the board, because the night can be played without sound.
    """

    def __init__(self) -> None:
        # The lights are dark by then; a line that hangs must not keep the daemon from stopping.
        super().__init__("gpio-sound", 1.0)
        self.problem: Problem | None = None
        """Why the last tune could not be played; may be read from any thread."""
        self._line: gpiod.LineRequest | None = None
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
            except OSError as error:
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
        if self._line is None:
            self._line = take([PIEZO_PIN], _OUTPUT)
        share = wire.high_share(tune.volume) / wire.PERIOD
        ends_s = time.monotonic()
        for hz, ms in tune.notes:
            begins_s, ends_s = ends_s, ends_s + ms / 1000
            if hz and tune.volume and not self._is_over:
                self._sound(self._line, 1 / hz, share, begins_s, ends_s)
            self._sleep_until(ends_s)

    def _sound(
        self, line: gpiod.LineRequest, period_s: float, share: float, at_s: float, ends_s: float
    ) -> None:
        """Makes the line high for a share of each period."""
        # A thread that computes lets others run this often; by default it is 5 ms.
        sys.setswitchinterval(min(_SWITCH_S, 0.0001))
        try:
            while at_s < ends_s and not self._is_over:
                line.set_value(PIEZO_PIN, Value.ACTIVE)
                self._sleep_until(at_s + share * period_s)
                line.set_value(PIEZO_PIN, Value.INACTIVE)
                # When more than a period late, start the rhythm anew instead of hurrying.
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
        if self._line is not None:
            with contextlib.suppress(OSError):
                self._line.release()
            self._line = None
