"""The `gpio` board: a thread for the buttons, one for the pixels, and those of its extras."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from pochboard import ssd1306
from pochboard.boards.base import Problem, Sink, Tune, sentence
from pochboard.boards.gpio.contacts import Bursts, Contacts, Level, header
from pochboard.boards.gpio.oled import OledDisplay
from pochboard.boards.gpio.piezo import Piezo
from pochboard.boards.gpio.strip import Strip
from pochboard.buttons.press import Debouncer
from pochboard.config import Gpio
from pochboard.errors import BoardError, StoppedError
from pochboard.lights.frame import Frame, limit
from pochboard.lights.lights_config import LightsConfig, dark_frame
from pochboard.runtime.threads import Answer, LoopThread
from pochboard.screen import Bitmap
from pochboard.table.clock import now_us

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


class GpioBoard:
    """A board on the header of the Pi it runs on.

    Its link is up while buttons and pixels both work. Without a link no press counts. A button
    that is held when the link comes up counts again after it has been released.
    """

    kind: Final = "gpio"
    simulated: Final = False

    def __init__(
        self,
        gpio: Gpio,
        lights: LightsConfig,
        *,
        debounce_us: int = 8_000,
        make_header: Callable[[], Any] = header,
    ) -> None:
        """`make_header` creates gpiozero's pin factory, the only one of this process."""
        self.link = False
        self._gpio = gpio
        self._make_header = make_header
        self._header: Any = None
        self._opening = threading.Lock()
        self._sink: Sink | None = None
        self._closed = False
        # Held while reporting to the sink, so that edges and the state of the link stay in order.
        self._reporting = threading.Lock()
        self._failed_parts: dict[str, str] = {}
        """Why each part of the hardware does not work that does not."""
        self._down: dict[str, int] = {}
        self._up_us = 0
        self._buttons = _Buttons(self._contacts, debounce_us, self)
        self._pixels = _PixelsThread(gpio, lights, self)
        self._screen = OledDisplay(gpio.display) if gpio.display else None
        self._piezo = Piezo(self._factory) if gpio.piezo else None
        extras = self._piezo, self._screen
        # They are closed in this order, the lights first.
        self._threads: Sequence[LoopThread] = [
            self._pixels,
            self._buttons,
            *(extra for extra in extras if extra is not None),
        ]

    @property
    def problem(self) -> Problem | None:
        """Why the link is down, if it has failed; None while it is up."""
        found = next(iter(self._failed_parts.copy().values()), None)
        return None if found is None else Problem(found, _FIX)

    def start(self, sink: Sink) -> None:
        """Opens buttons and pixels, and starts reporting edges. Raises BoardError."""
        self._sink = sink
        try:
            self._buttons.open()
            self._pixels.show_first()
        except Exception as error:
            self._buttons.drop()
            self._pixels.drop()
            raise BoardError(
                f"The board on the header cannot be used: {sentence(error)} {_FIX}"
            ) from error
        if not self._failed_parts:
            self._come_up()
        for thread in self._threads:
            thread.start()

    def show(self, frame: Frame) -> None:
        """Shows a frame soon."""
        self._pixels.show(frame)

    @property
    def closed(self) -> frozenset[str]:
        """The buttons whose contacts are closed now."""
        return self._buttons.closed

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
        self._buttons.ping(partial(self._pixels.ping, answer))

    def ping_display(self, answer: Answer) -> None:
        """Asks the display's thread to answer."""
        if self._screen is None:
            answer()
        else:
            self._screen.ping(answer)

    def is_alive(self) -> bool:
        """Whether all threads run."""
        return all(thread.is_alive() for thread in self._threads)

    def close(self) -> None:
        """Darkens the board, ends all threads, and closes the hardware."""
        self._closed = True
        for thread in self._threads:
            thread.close()
        if self._header is not None:
            with contextlib.suppress(Exception):
                self._header.close()
        self.link = False

    # For the threads of buttons and pixels.

    def _report(self, call: Callable[[Sink], object]) -> None:
        assert self._sink is not None, "the board has been started"
        with contextlib.suppress(StoppedError):
            call(self._sink)

    def failed(self, part: str, error: Exception) -> None:
        """A part of the hardware has failed, so the link is down."""
        with self._reporting:
            text = f"The {part} of the board have failed: {sentence(error)}"
            if text != self._failed_parts.get(part):
                log.warning("%s", text)
            self._failed_parts[part] = text
            if self.link:
                self.link = False
                self._down.clear()
                self._report(lambda sink: sink.release_all())
                self._report(lambda sink: sink.set_link(False))

    def worked(self, part: str) -> None:
        """A part of the hardware works again; if all parts do, the link is up."""
        if part not in self._failed_parts:
            return
        with self._reporting:
            del self._failed_parts[part]
            log.info("The %s of the board work again.", part)
            if not self._failed_parts and not self._closed:
                self._come_up()

    def _come_up(self) -> None:
        self._up_us = now_us()
        self.link = True
        self._report(lambda sink: sink.set_link(True))

    def hand_in(self, edges: list[tuple[str, bool, int]]) -> None:
        """Reports edges of buttons to the sink, but only those of presses that count."""
        with self._reporting:
            for button, down, at_us in edges:
                # A press that began before the link came up does not count.
                if down and self.link and self._buttons.began_us(button) >= self._up_us:
                    self._down[button] = at_us
                elif down or button not in self._down:
                    continue
                # Said before the edge: the process may be stalled after it.
                self._tell_held(at_us)
                if not down:
                    del self._down[button]
                self._report(lambda sink: sink.edge(button, down, at_us))  # noqa: B023 - at once

    def still_down(self, until_us: int) -> bool:
        """All releases until this time were handed in. Returns whether a button is down."""
        with self._reporting:
            self._tell_held(until_us)
            return bool(self._down)

    def _tell_held(self, until_us: int) -> None:
        for button, down_us in self._down.items():
            known_us = max(down_us, until_us)
            self._report(lambda sink: sink.known_down(button, known_us))  # noqa: B023 - at once

    def _contacts(self, edges: queue.SimpleQueue[Level | None]) -> Contacts:
        assert self._sink is not None, "the sink names the buttons"
        pins = msgspec.structs.asdict(self._gpio.pins)
        mine = {button: pins[button] for button in self._sink.buttons}
        return Contacts(mine, edges, self._factory())

    def _factory(self) -> Any:
        """Gpiozero's pin factory. Raises the exceptions of gpiozero."""
        with self._opening:
            if self._header is None:
                self._header = self._make_header()
            return self._header


class _Buttons(LoopThread):
    """Scans the contacts."""

    def __init__(
        self,
        make_contacts: Callable[[queue.SimpleQueue[Level | None]], Contacts],
        debounce_us: int,
        board: GpioBoard,
    ) -> None:
        super().__init__("gpio-buttons")
        self._make_contacts = make_contacts
        self._debounce_us = debounce_us
        self._board = board
        self._edges: queue.SimpleQueue[Level | None] = queue.SimpleQueue()
        """What the contacts report; None only wakes the thread."""
        self._debouncer = Debouncer(debounce_us)
        self._bursts = Bursts(debounce_us)
        self._contacts: Contacts | None = None

    @property
    def closed(self) -> frozenset[str]:
        """The buttons whose contacts are closed now."""
        return self._debouncer.closed

    def began_us(self, button: str) -> int:
        """When the contact of a button began to move, before it had settled."""
        return self._bursts.began_us(button)

    def open(self) -> None:
        """Opens the contacts, and takes over their levels. Raises what the libraries raise."""
        self._contacts = self._make_contacts(self._edges)
        levels = self._contacts.read()
        # A held button may have bounced while it was read; by then it has settled.
        time.sleep(self._debounce_us / 1_000_000)
        until_us = self._contacts.catch_up()
        self._feed([*levels, *self._drained()], until_us)

    def drop(self) -> None:
        """Gives the contacts back."""
        if self._contacts is not None:
            self._contacts.close()
            self._contacts = None
        self._drained()
        self._debouncer, self._bursts = Debouncer(self._debounce_us), Bursts(self._debounce_us)

    def _wake(self) -> None:
        self._edges.put(None)

    def _run(self) -> None:
        read_us, is_held = now_us(), False
        while not self._closing:
            self._answer_ping()
            edges = self._wait_for_edges(min(read_us, now_us() + HELD_US) if is_held else read_us)
            if self._closing:
                break
            reads = now_us() >= read_us
            try:
                heard = self._heard(edges, reads=reads)
            except Exception as error:  # noqa: BLE001 - the libraries raise anything; it is retried
                self._board.failed("buttons", error)
                self.drop()
                heard, again_s = None, RETRY_S
            else:
                again_s = READ_S
            if reads or heard is None:
                read_us = now_us() + round(again_s * 1_000_000)
            is_held = heard is not None and self._feed(*heard)
        self.drop()

    def _heard(self, edges: list[Level], *, reads: bool) -> tuple[list[Level], int]:
        """All edges until a time, and the levels if they are to be read; and that time."""
        if self._contacts is None:
            self.open()
            edges = []
        assert self._contacts is not None
        levels = self._contacts.read() if reads else []
        if reads:
            self._board.worked("buttons")
        # If the process was stalled meanwhile, nobody knows from when the levels are.
        if levels and now_us() - levels[0][0] > TOGETHER_US:
            levels = []
        until_us = self._contacts.catch_up()
        edges += self._drained()
        # And an edge knows better than a level that was read at that moment.
        moved = {button for at_us, button, _ in edges if levels and at_us >= levels[0][0]}
        return [*edges, *(level for level in levels if level[1] not in moved)], until_us

    def _wait_for_edges(self, until_us: int) -> list[Level]:
        """Waits for edges, until this time or until a level is due to be stable."""
        until_us = min(until_us, self._debouncer.next_us() or until_us)
        try:
            first = self._edges.get(timeout=max(0, until_us - now_us()) / 1_000_000)
        except queue.Empty:
            return []
        return [] if first is None else [first]

    def _drained(self) -> list[Level]:
        levels = []
        with contextlib.suppress(queue.Empty):
            while True:
                level = self._edges.get_nowait()
                levels += [] if level is None else [level]
        return levels

    def _feed(self, levels: list[Level], until_us: int) -> bool:
        """Takes in levels, with all edges until a time. Returns whether a button is down."""
        for at_us, button, closed in sorted(levels):
            self._board.hand_in(self._debouncer.feed(button, closed, at_us))
            self._bursts.feed(button, closed, at_us)
        self._board.hand_in(self._debouncer.due(until_us))
        # What began to open after this may still count as a bounce.
        return self._board.still_down(until_us - self._debounce_us)


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
