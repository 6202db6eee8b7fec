"""The `gpio` board: a thread for the buttons, one for the pixels, and those of its extras."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from functools import partial
from typing import Final

import msgspec

from pochboard import ssd1306
from pochboard.boards.base import Board, Problem, SelectThread, Sink, Tune, sentence
from pochboard.boards.gpio.lines import Contacts, Level, Piezo
from pochboard.boards.gpio.oled import OledDisplay
from pochboard.boards.gpio.strip import Strip
from pochboard.buttons.press import Debouncer
from pochboard.config import Gpio
from pochboard.errors import BoardError, StoppedError
from pochboard.lights.frame import Frame, limit
from pochboard.lights.lights_config import LightsConfig, dark_frame
from pochboard.runtime.threads import Answer, LoopThread, now_us
from pochboard.screen import Bitmap

log = logging.getLogger(__name__)

READ_S: Final = 0.5
"""How often all levels are read, to recover from a lost edge."""
REFRESH_S: Final = 1.0
"""How often the frame is sent again, which corrects a disturbed pixel, and notices a lost chain."""
HELD_US: Final = 40_000
"""How often the table is told that a button is still held, so that it may act as a long press."""
TOGETHER_US: Final = 10_000
"""In how much time the levels of all buttons are read, unless the process is stalled."""
RETRY_S: Final = 1.0
"""How long after a failure the hardware is tried again."""
_FIX: Final = "Run pochboard doctor."


class GpioBoard(SelectThread, Board):
    """A board on the header of the Pi it runs on. Its own thread scans the contacts.

    Its link is up while buttons and pixels both work. Without a link no press counts. A button
    that is held when the link comes up counts again after it has been released.
    """

    kind = "gpio"
    link = False

    def __init__(self, gpio: Gpio, lights: LightsConfig, *, debounce_us: int = 8_000) -> None:
        super().__init__("gpio-buttons")
        self._pins = msgspec.structs.asdict(gpio.pins)
        self._debounce_us = debounce_us
        self._debouncer = Debouncer(debounce_us)
        self._contacts: Contacts | None = None
        self._down: dict[str, int] = {}
        """The buttons whose presses count, and when they went down."""
        self._up_us = 0
        self._failed_parts: dict[str, str] = {}
        """Why each part of the hardware does not work that does not."""
        # Held while reporting to the sink, so that edges and the state of the link stay in order.
        self._reporting = threading.Lock()
        self._pixels = _PixelsThread(gpio, lights, self)
        self._screen = OledDisplay(gpio.display) if gpio.display else None
        self._piezo = Piezo() if gpio.piezo else None
        others = self._pixels, self._piezo, self._screen
        self._others: list[LoopThread] = [other for other in others if other is not None]

    @property
    def problem(self) -> Problem | None:
        """Why the link is down, if it has failed; None while it is up."""
        found = next(iter(self._failed_parts.copy().values()), None)
        return None if found is None else Problem(found, _FIX)

    def start(self, sink: Sink) -> None:  # type: ignore[override]  # each board needs one
        """Opens buttons and pixels, and starts reporting edges. Raises BoardError."""
        self._sink = sink
        try:
            self._open()
            self._pixels.show_first()
        except Exception as error:
            self._drop()
            self._pixels.drop()
            raise BoardError(
                f"The board on the header cannot be used: {sentence(error)} {_FIX}"
            ) from error
        if not self._failed_parts:
            self._come_up()
        super().start()
        for other in self._others:
            other.start()

    def show(self, frame: Frame) -> None:
        """Shows a frame soon."""
        self._pixels.show(frame)

    @property
    def closed(self) -> frozenset[str]:
        """The buttons whose contacts are closed now."""
        return self._debouncer.closed

    @property
    def has_display(self) -> bool:
        """Whether the configuration names a display."""
        return self._screen is not None

    def show_screen(self, bitmap: Bitmap, contrast: int = ssd1306.CONTRAST) -> None:
        """Shows a picture soon, if the board has a display."""
        if self._screen is not None:
            self._screen.show(bitmap, contrast)

    @property
    def has_sound(self) -> bool:
        """Whether the configuration names a piezo."""
        return self._piezo is not None

    @property
    def sound_problem(self) -> Problem | None:
        """Why the piezo has failed; None while it works."""
        return self._piezo.problem if self._piezo is not None else None

    def play(self, tune: Tune) -> None:
        """Plays a tune, if the board has a piezo and its link is up."""
        if self._piezo is not None and self.link:
            self._piezo.play(tune)

    def ping(self, answer: Answer) -> None:
        """Asks the threads of buttons and pixels to answer, first one and then the other."""
        super().ping(partial(self._pixels.ping, answer))

    def ping_display(self, answer: Answer) -> None:
        """Asks the display's thread to answer."""
        if self._screen is None:
            answer()
        else:
            self._screen.ping(answer)

    def is_alive(self) -> bool:
        """Whether all threads run."""
        return super().is_alive() and all(other.is_alive() for other in self._others)

    def close(self) -> None:
        """Darkens the board, ends all threads, and closes the hardware."""
        self._closing = True
        self._pixels.close()
        super().close()
        for other in self._others:
            other.close()
        self.link = False

    # For the threads of buttons and pixels.

    def failed(self, part: str, error: Exception) -> None:
        """A part of the hardware has failed, so the link is down."""
        with self._reporting, contextlib.suppress(StoppedError):
            text = f"The {part} of the board have failed: {sentence(error)}"
            if text != self._failed_parts.get(part):
                log.warning("%s", text)
            self._failed_parts[part] = text
            if self.link:
                self.link = False
                self._down.clear()
                self._sink.release_all()
                self._sink.set_link(False)

    def worked(self, part: str) -> None:
        """A part of the hardware works again; if all parts do, the link is up."""
        if part not in self._failed_parts:
            return
        with self._reporting, contextlib.suppress(StoppedError):
            del self._failed_parts[part]
            log.info("The %s of the board work again.", part)
            if not self._failed_parts and not self._closing:
                self._come_up()

    def _come_up(self) -> None:
        self._up_us = now_us()
        self.link = True
        self._sink.set_link(True)

    # The contacts.

    def _open(self) -> None:
        """Opens the contacts, and takes over their levels. Raises OSError."""
        pins = {button: self._pins[button] for button in self._sink.buttons}
        self._contacts = Contacts(pins)
        levels = self._contacts.levels()
        # A held button may have bounced while it was read; by then it has settled.
        time.sleep(self._debounce_us / 1_000_000)
        until_us = now_us()
        self._feed([*levels, *self._contacts.edges()], until_us)

    def _drop(self) -> None:
        if self._contacts is not None:
            self._contacts.close()
            self._contacts = None
        self._debouncer = Debouncer(self._debounce_us)

    def _run(self) -> None:
        read_us = now_us()
        while not self._closing:
            due_us = min(read_us, self._debouncer.next_us() or read_us)
            if self._down:
                due_us = min(due_us, now_us() + HELD_US)
            contacts = () if self._contacts is None else (self._contacts,)
            self._select(contacts, (), max(0, due_us - now_us()) / 1_000_000)
            if self._closing:
                break
            reads = now_us() >= read_us
            try:
                self._feed(*self._heard(reads=reads))
            except Exception as error:  # noqa: BLE001 - the libraries raise anything; it is retried
                self.failed("buttons", error)
                self._drop()
                read_us = now_us() + round(RETRY_S * 1_000_000)
            else:
                if reads:
                    read_us = now_us() + round(READ_S * 1_000_000)
        self._drop()

    def _heard(self, *, reads: bool) -> tuple[list[Level], int]:
        """All edges until a time, and the levels if they are to be read; and that time."""
        if self._contacts is None:
            self._open()
        assert self._contacts is not None
        levels = self._contacts.levels() if reads else []
        if reads:
            self.worked("buttons")
        # If the process was stalled meanwhile, nobody knows from when the levels are.
        if levels and now_us() - levels[0][0] > TOGETHER_US:
            levels = []
        until_us = now_us()
        edges = self._contacts.edges()
        # And an edge knows better than a level that was read at that moment.
        moved = {button for at_us, button, _ in edges if levels and at_us >= levels[0][0]}
        return [*edges, *(level for level in levels if level[1] not in moved)], until_us

    def _feed(self, levels: list[Level], until_us: int) -> None:
        """Takes in levels, with all edges until a time, and reports what they mean."""
        edges = []
        for at_us, button, closed in sorted(levels):
            edges += self._debouncer.feed(button, closed, at_us)
        edges += self._debouncer.due(until_us)
        with self._reporting, contextlib.suppress(StoppedError):
            for button, down, at_us in edges:
                # A press that began before the link came up does not count.
                if down and self.link and at_us >= self._up_us:
                    self._down[button] = at_us
                elif down or button not in self._down:
                    continue
                # Said before the edge: the process may be stalled after it.
                self._tell_held(at_us)
                if not down:
                    del self._down[button]
                self._sink.edge(button, down, at_us)
            # What began to open after this may still count as a bounce.
            self._tell_held(until_us - self._debounce_us)

    def _tell_held(self, until_us: int) -> None:
        for button, down_us in self._down.items():
            self._sink.known_down(button, max(down_us, until_us))


class _PixelsThread(LoopThread):
    """Shows the newest frame, and shows it again from time to time."""

    def __init__(self, gpio: Gpio, lights: LightsConfig, board: GpioBoard) -> None:
        super().__init__("gpio-pixels")
        self._gpio = gpio
        self._lights = lights
        self._board = board
        self._newest: Frame = dark_frame(lights)
        self._strip: Strip | None = None

    def show(self, frame: Frame) -> None:
        """Shows a frame soon."""
        self._newest = frame
        self._wake()

    def show_first(self) -> None:
        """Shows the newest frame now. Raises what the libraries raise."""
        self._write(self._newest)

    def drop(self) -> None:
        """Gives the pixels back."""
        if self._strip is not None:
            self._strip.close()
            self._strip = None

    def _run(self) -> None:
        while not self._closing:
            if self._has_written(self._newest):
                self._wait(REFRESH_S)
            else:
                self._pause(RETRY_S)
        self._has_written(dark_frame(self._lights))
        self.drop()

    def _has_written(self, frame: Frame) -> bool:
        try:
            self._write(frame)
            self._board.worked("pixels")
        except Exception as error:  # noqa: BLE001 - the libraries raise anything; it is retried
            self._board.failed("pixels", error)
            self.drop()
            return False
        return True

    def _write(self, frame: Frame) -> None:
        if self._strip is None:
            self._strip = Strip(self._gpio, self._lights.pixels)
        self._strip.write(limit(frame, self._lights.limit_ma))
