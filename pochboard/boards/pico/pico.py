"""The `pico` board: a thread that talks to the board over its serial port."""

from __future__ import annotations

import errno
import logging
import secrets
import select
import time
from collections.abc import Callable
from typing import Final

from pochboard import ssd1306, wire
from pochboard.boards.base import Board, Problem, SelectThread, Sink, Tune
from pochboard.boards.pico.link import DEFAULT_DEBOUNCE_MS, Firmware, Layout, Link
from pochboard.boards.pico.ports import (
    Port,
    SerialLine,
    open_problem,
    ports_of,
    unusable_problem,
)
from pochboard.config import PicoTable
from pochboard.errors import StoppedError
from pochboard.lights.frame import Frame
from pochboard.lights.lights_config import LightsConfig
from pochboard.runtime.threads import now_us
from pochboard.screen import Bitmap

log = logging.getLogger(__name__)

ANSWER_S: Final = 1.5
"""How long to wait for an answer before trying the next port."""
_ANSWER_US: Final = round(ANSWER_S * 1_000_000)
_AGAIN_S: Final = 0.5
"""The pause before the next attempt."""
_BYES: Final = 3
_BYE_S: Final = 0.05


class Pico(SelectThread, Board):
    """A board behind a serial port. It may be unplugged and come back at any time."""

    kind = "pico"

    def __init__(
        self,
        layout: Layout,
        *,
        ports: Callable[[], list[Port]],
        board: str = "",
    ) -> None:
        """`ports` lists where the board may be; it is called for every attempt.

        `board` is the id of the only board to use.
        """
        super().__init__("pico")
        self.device: str | None = None
        """The port of the connected board."""
        self._ports = ports
        self._problem = Problem("The board has not been found yet.")
        self._link = Link(secrets.randbelow(0xFFFF_FFFF) + 1, layout, now_us(), board=board)
        self._newest: Frame | None = None
        self._newest_screen: tuple[Bitmap, int] | None = None
        self._newest_tune: Tune | None = None
        self._next_port = 0

    @property
    def link(self) -> bool:
        """Whether the board is connected now."""
        return self._link.firmware is not None

    @property
    def problem(self) -> Problem | None:
        """Why the link is down; None while it is up."""
        return None if self.link else self._link.refused or self._problem

    @property
    def closed(self) -> frozenset[str]:
        """The buttons whose contacts are closed now."""
        return self._link.closed

    @property
    def firmware(self) -> Firmware | None:
        """The firmware of the connected board."""
        return self._link.firmware

    @property
    def spoiled(self) -> tuple[int, int]:
        """How many damaged lines this program and the board have received since they started."""
        return self._link.spoiled_here, self._link.spoiled_there

    def start(self, sink: Sink) -> None:  # type: ignore[override]  # each board needs one
        """Starts looking for the board."""
        self._link.sink = sink
        super().start()

    def show(self, frame: Frame) -> None:
        """Shows a frame soon."""
        self._newest = frame
        self._wake()

    @property
    def has_display(self) -> bool:
        """Whether the connected board has a display."""
        return self._link.has(wire.DISPLAY)

    def show_screen(self, bitmap: Bitmap, contrast: int = ssd1306.CONTRAST) -> None:
        """Shows a picture soon, if the board has a display."""
        self._newest_screen = bitmap, contrast
        self._wake()

    @property
    def has_sound(self) -> bool:
        """Whether the connected board has a piezo."""
        return self._link.has(wire.SOUND)

    def play(self, tune: Tune) -> None:
        """Plays a tune soon, if the board is connected and has a piezo."""
        self._newest_tune = tune
        self._wake()

    # The thread.

    def _run(self) -> None:
        while not self._closing:
            try:
                port = self._pick()
                if port is not None:
                    self._use(port)
            except StoppedError:
                return
            except Exception as error:
                # A driver may raise anything, and the night must continue without the board.
                if self._report(Problem(f"The serial ports fail: {error}.")):
                    log.exception("the serial ports fail")
            self._pause(_AGAIN_S)

    def _pick(self) -> Port | None:
        """The port to try next; they are tried in turn."""
        ports = self._ports()
        # Never write to any other port: a console would take the bytes for keys, such as Ctrl-C.
        usable = [port for port in ports if port.usable]
        if not usable:
            self._report(unusable_problem(ports))
            return None
        self._next_port %= len(usable)
        return usable[self._next_port]

    def _use(self, port: Port) -> None:
        """Talks over a port until it disappears or nothing answers. Raises StoppedError."""
        try:
            line = SerialLine(port.device)
        except OSError as error:  # a SerialException is one
            self._report(open_problem(port.device, error))
            self._next_port += 1
            return
        try:
            self._talk(line, port)
        except OSError as error:
            if error.errno not in _GONE:
                log.warning("the port %s failed: %s", port.device, error)
            self._report(Problem(f"The board on {port.device} was unplugged."))
        finally:
            line.close()
            self.device = None
            self._link.hung_up(now_us())

    def _talk(self, line: SerialLine, port: Port) -> None:
        """Reads and writes until nothing answers, or until closed. Raises OSError, StoppedError."""
        # The end byte ends whatever was on the line before.
        link, out = self._link, wire.END
        link.hung_up(now_us())
        silent_us = now_us() + _ANSWER_US
        while not self._closing:
            clock_us = now_us()
            self._take_in(clock_us)
            link.check(clock_us)
            if self._has_lost(port):
                # The rest of the output was meant for the board that is gone.
                out = wire.END
            out = out or link.to_send(clock_us)
            if link.firmware is not None or link.refused:
                silent_us = clock_us + _ANSWER_US
            elif clock_us >= silent_us:
                self._next_port += 1
                fix = (
                    "Check that this is not its console, and that the firmware is on it: pochboard"
                    " firmware install."
                )
                self._report(Problem(f"No board answers on {port.device}.", fix))
                return
            due_us = min(silent_us, link.overdue_us() if out else link.due_us())
            wait_s = max(0.0, (due_us - now_us()) / 1_000_000)
            readable, writable = self._select([line], [line] if out else [], wait_s)
            if writable:
                out = out[line.write(out) :]
            if line in readable:
                link.received(line.read(), now_us())
        self._say_goodbye(line)

    def _has_lost(self, port: Port) -> bool:
        """Notes whether the board is there. Returns True once it has gone."""
        link, had = self._link, self.device is not None
        if link.firmware is not None and not had:
            self.device = port.device
            log.info("the board is on %s", port.device)
            # The problem to report once the link is lost.
            self._problem = Problem(f"The board on {port.device} no longer answers.")
        elif link.firmware is None and had:
            self.device = None
            log.warning("%s", self._problem)
        if link.refused:
            self._report(link.refused)
        return had and self.device is None

    def _take_in(self, clock_us: int) -> None:
        """Takes over what other threads left here."""
        newest, self._newest = self._newest, None
        if newest is not None:
            self._link.show(newest, clock_us)
        screen, self._newest_screen = self._newest_screen, None
        if screen is not None:
            self._link.show_screen(*screen, clock_us)
        tune, self._newest_tune = self._newest_tune, None
        if tune is not None:
            self._link.play(tune, clock_us)

    def _say_goodbye(self, line: SerialLine) -> None:
        """Sends goodbyes until the board has answered, or a deadline has passed."""
        # Send them even before its answer, which may still be on its way.
        greeted = self.link
        for _ in range(_BYES):
            if greeted and not self.link:
                return
            line.write(wire.END + self._link.bye())
            until = time.monotonic() + _BYE_S
            while (left := until - time.monotonic()) > 0 and not (greeted and not self.link):
                readable, _, _ = select.select([line], [], [], left)
                if readable:
                    self._link.received(line.read(), now_us())

    def _report(self, problem: Problem) -> bool:
        """Stores and logs why there is no board; returns whether that has changed."""
        changed = problem != self._problem
        if changed:
            self._problem = problem
            log.warning("%s", problem)
        return changed


_GONE: Final = (errno.EIO, errno.ENODEV, errno.ENXIO, errno.EBADF)


def layout_of(
    table: PicoTable, lights: LightsConfig, *, debounce_us: int = 1000 * DEFAULT_DEBOUNCE_MS
) -> Layout:
    """The layout of the configured board."""
    return Layout(
        lights.pixels_per_ring,
        lights.places,
        lights.limit_ma,
        4 if table.kind == "rgbw" else 3,
        max(1, round(debounce_us / 1000)),
        table.order,
    )


def make_pico(table: PicoTable, lights: LightsConfig, *, debounce_us: int) -> Pico:
    """The configured board, not started yet."""
    layout = layout_of(table, lights, debounce_us=debounce_us)
    return Pico(layout, ports=ports_of(table), board=table.id.upper())
