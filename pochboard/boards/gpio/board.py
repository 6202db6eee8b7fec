"""The `gpio` back end: a thread that scans the buttons, and one that shows the frames."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec

from pochboard.boards.base import Sink
from pochboard.boards.gpio.contacts import Bursts, Contacts, Level, header
from pochboard.boards.gpio.strip import Strip
from pochboard.buttons.debounce import Debouncer
from pochboard.config import Gpio
from pochboard.errors import BoardError, StoppedError
from pochboard.lights.display import DisplayConfig, dark_frame
from pochboard.lights.frame import Frame, limit
from pochboard.table.clock import now_us

log = logging.getLogger(__name__)

READ_S: Final = 0.5
"""Levels are read again as often, so that a lost edge heals."""
REFRESH_S: Final = 1.0
"""The frame is sent again as often, so that a disturbed pixel heals and a lost chain is noticed."""
RETRY_S: Final = 1.0
"""How long after a failure the hardware is tried again."""


_ASK: Final = "`pochboard doctor` says what may be the matter."


class GpioBoard:
    """A board on the header of the Pi it runs on.

    Its link is up while buttons and pixels both work. Without a link no press counts, and a
    button that was held when the link came back counts once it was let go.
    """

    kind: Final = "gpio"
    simulated: Final = False

    def __init__(
        self,
        gpio: Gpio,
        look: DisplayConfig,
        *,
        debounce_us: int = 8_000,
        make_header: Callable[[], Any] = header,
    ) -> None:
        """`make_header` gives gpiozero's pins; it is asked again after they have failed."""
        self.link = False
        self.problem: str | None = None
        """Why the link was lost; None while it is up."""
        self._gpio = gpio
        self._look = look
        self._make_header = make_header
        self._sink: Sink | None = None
        self._closed = False
        # Kept while edges and the state of the link are handed in, so that they come in order.
        self._telling = threading.Lock()
        self._ill: set[str] = set()
        self._down: set[str] = set()
        self._up_us = 0
        # The scanning thread's.
        self._edges: queue.SimpleQueue[Level | None] = queue.SimpleQueue()
        self._debounce_us = debounce_us
        self._debouncer = Debouncer(debounce_us)
        self._bursts = Bursts(debounce_us)
        self._contacts: Contacts | None = None
        self._scanning = threading.Thread(target=self._scan, name="gpio-buttons")
        # The showing thread's; the condition guards the newest frame alone.
        self._new = threading.Condition()
        self._newest: Frame = dark_frame(look)
        self._strip: Strip | None = None
        self._showing = threading.Thread(target=self._paint, name="gpio-pixels")

    def start(self, sink: Sink) -> None:
        """Opens buttons and pixels, and begins to hand in edges. Raises BoardError."""
        self._sink = sink
        try:
            self._open_contacts()
            self._show_newest()
        except Exception as error:
            self._drop_contacts()
            self._drop_strip()
            raise BoardError(
                f"The board on the header cannot be used: {_sentence(error)} {_ASK}"
            ) from error
        self._come_up()
        self._scanning.start()
        self._showing.start()

    def show(self, frame: Frame) -> None:
        """Takes the newest frame."""
        with self._new:
            if not self._closed:
                self._newest = frame
                self._new.notify()

    def close(self) -> None:
        """Darkens the board, ends both threads, and lets go of the hardware."""
        with self._new:
            self._closed = True
            self._newest = dark_frame(self._look)
            self._new.notify()
        self._edges.put(None)
        for thread in (self._scanning, self._showing):
            if thread.is_alive():
                thread.join()
        self.link = False

    # What the sink is told, from both threads.

    def _tell(self, say: Callable[[Sink], object]) -> None:
        assert self._sink is not None, "a board is started before it tells anything"
        with contextlib.suppress(StoppedError):
            say(self._sink)

    def _failed(self, part: str, error: Exception) -> None:
        """Part of the hardware does not work: the link is lost."""
        with self._telling:
            if part not in self._ill:
                why = f"The {part} of the board have failed: {_sentence(error)}"
                log.warning("%s", why)
                self.problem = f"{why} {_ASK}"
            self._ill.add(part)
            if self.link:
                self.link = False
                self._down.clear()
                self._tell(lambda sink: sink.release_all())
                self._tell(lambda sink: sink.set_link(False))

    def _worked(self, part: str) -> None:
        """Part of the hardware works; if all does, the link is up."""
        if part not in self._ill:
            return
        with self._telling:
            self._ill.discard(part)
            log.info("The %s of the board work again.", part)
            if not self._ill and not self._closed:
                self._come_up()

    def _come_up(self) -> None:
        self._up_us = now_us()
        self.link, self.problem = True, None
        self._tell(lambda sink: sink.set_link(True))

    def _hand_in(self, edges: list[tuple[str, bool, int]]) -> None:
        with self._telling:
            for button, down, at_us in edges:
                # Who held a button as the link came up has not pressed it on this board.
                if down and self.link and self._bursts.began_us(button) >= self._up_us:
                    self._down.add(button)
                    self._edge(button, down, at_us)
                elif not down and button in self._down:
                    self._down.discard(button)
                    self._edge(button, down, at_us)

    def _edge(self, button: str, down: bool, at_us: int) -> None:
        self._tell(lambda sink: sink.edge(button, down, at_us))

    # The thread of the buttons.

    def _open_contacts(self) -> None:
        assert self._sink is not None, "the sink says which buttons there are"
        pins = msgspec.structs.asdict(self._gpio.pins)
        mine = {button: pins[button] for button in self._sink.buttons}
        self._contacts = Contacts(mine, self._edges, self._make_header)
        self._debouncer, self._bursts = Debouncer(self._debounce_us), Bursts(self._debounce_us)
        levels = self._contacts.read()
        # One that is held may have been read in the middle of a bounce: it has closed by then.
        time.sleep(self._debounce_us / 1_000_000)
        self._feed(sorted([*levels, *self._drained()]))

    def _drop_contacts(self) -> None:
        if self._contacts is not None:
            self._contacts.close()
            self._contacts = None

    def _scan(self) -> None:
        read_us = now_us()
        while not self._closed:
            levels = self._wait_for_levels(read_us)
            if self._closed:
                break
            if now_us() >= read_us:
                again_s = READ_S
                try:
                    if self._contacts is None:
                        levels = []
                        self._drained()  # of contacts that are no more
                        self._open_contacts()
                    assert self._contacts is not None
                    levels += self._contacts.read()
                    self._worked("buttons")
                except Exception as error:  # noqa: BLE001 - whatever the libraries raise is survived
                    self._failed("buttons", error)
                    self._drop_contacts()
                    again_s = RETRY_S
                read_us = now_us() + round(again_s * 1_000_000)
                # What came in meanwhile may be older than what was read.
                levels += self._drained()
            self._feed(sorted(levels))
        self._drop_contacts()

    def _wait_for_levels(self, read_us: int) -> list[Level]:
        """The edges that have come, at the latest when levels are to be read or one is stable."""
        stable_us = self._debouncer.next_us()
        until_us = read_us if stable_us is None else min(read_us, stable_us)
        try:
            first = self._edges.get(timeout=max(0, until_us - now_us()) / 1_000_000)
        except queue.Empty:
            return []
        return ([] if first is None else [first]) + self._drained()

    def _drained(self) -> list[Level]:
        levels = []
        with contextlib.suppress(queue.Empty):
            while True:
                level = self._edges.get_nowait()
                levels += [] if level is None else [level]
        return levels

    def _feed(self, levels: list[Level]) -> None:
        for at_us, button, closed in levels:
            self._hand_in(self._debouncer.feed(button, closed, at_us))
            self._bursts.feed(button, closed, at_us)
        self._hand_in(self._debouncer.due(now_us()))

    # The thread of the pixels.

    def _show_newest(self) -> Frame:
        frame = self._newest
        if self._strip is None:
            self._strip = Strip(self._gpio, self._look.pixels)
        self._strip.write(limit(frame, self._look.limit_ma))
        return frame

    def _drop_strip(self) -> None:
        if self._strip is not None:
            self._strip.close()
            self._strip = None

    def _paint(self) -> None:
        shown: Frame | None = None
        while True:
            with self._new:
                if self._newest is shown and not self._closed:
                    self._new.wait(REFRESH_S)
                closed = self._closed
            try:
                shown = self._show_newest()
                self._worked("pixels")
            except Exception as error:  # noqa: BLE001 - whatever the libraries raise is survived
                self._failed("pixels", error)
                self._drop_strip()
                with self._new:
                    if not self._closed:
                        self._new.wait_for(lambda: self._closed, RETRY_S)
            if closed:
                break
        self._drop_strip()


def _sentence(error: Exception) -> str:
    """What a library raised, as one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."
