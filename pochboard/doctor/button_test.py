"""The test of the buttons: each press is printed and lit."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import msgspec

from pochboard.boards.base import Board
from pochboard.boards.pico.firmware_installer import button_pins
from pochboard.buttons.press import CONTROLS
from pochboard.config import Config
from pochboard.doctor.board import why_no_link
from pochboard.doctor.check import Echo
from pochboard.doctor.pixel_test import GREEN
from pochboard.doctor.recording import RecordedEdge, RecordingSink
from pochboard.lights.display import DisplayConfig, dark_frame, pixel
from pochboard.lights.frame import Frame, limit
from pochboard.lights.palette import FULL, QUARTER, WHITE
from pochboard.rules.accounts import POOLS
from pochboard.text.lazy import LazyText, lazy_gettext


def pins_of(config: Config) -> Mapping[str, str]:
    """The pin of each button, as labelled on the board; empty for the simulated board."""
    if config.board == "gpio":
        pins = msgspec.structs.asdict(config.gpio.pins)
        return {button: f"GPIO {number}" for button, number in pins.items()}
    return button_pins() if config.board == "pico" else {}


class ButtonTest:
    """Which buttons have been pressed, and what the board shows for them."""

    def __init__(
        self, buttons: tuple[str, ...], pins: Mapping[str, str], display: DisplayConfig
    ) -> None:
        """`pins` names the pin of each button, such as `GPIO 4`."""
        self.buttons = buttons
        self.pressed: set[str] = set()
        self._pins = pins
        self._display = display
        self._down: dict[str, int] = {}

    @property
    def missing(self) -> list[str]:
        """The buttons that have not been pressed, in board order."""
        return [button for button in self.buttons if button not in self.pressed]

    def edge(self, edge: RecordedEdge) -> str:
        """Takes in an edge; returns the line to print."""
        pin = self._pins.get(edge.button)
        label = f"{edge.button} ({pin})" if pin else edge.button
        if edge.down:
            is_new = edge.button not in self.pressed
            self.pressed.add(edge.button)
            self._down[edge.button] = edge.at_us
            down = lazy_gettext("down")
            if not is_new:
                return LazyText("{label:<20} {down}", label=label, down=down)
            count = lazy_gettext("{count} of {all}", count=len(self.pressed), all=len(self.buttons))
            return LazyText("{label:<20} {down}   {count}", label=label, down=down, count=count)
        since_us = self._down.pop(edge.button, edge.at_us)
        up = lazy_gettext("up, held for {time:.2f} s", time=(edge.at_us - since_us) / 1_000_000)
        return LazyText("{label:<20} {up}", label=label, up=up)

    def release_all(self) -> None:
        """The link is lost, so no button counts as held."""
        self._down.clear()

    @property
    def frame(self) -> Frame:
        """White for held buttons, green for those pressed before: a pool's ring, a seat's place.

        `next` and `undo` have no pixels: while held, each lights half of the places.
        """
        frame = bytearray(dark_frame(self._display))
        for button in self.buttons:
            if button in self._down:
                self._paint(frame, button, pixel(self._display, WHITE, FULL))
            elif button in self.pressed and button not in CONTROLS:
                self._paint(frame, button, pixel(self._display, GREEN, QUARTER))
        return limit(bytes(frame), self._display.limit_ma)

    def _paint(self, frame: bytearray, button: str, colour: bytes) -> None:
        display = self._display
        if button in POOLS:
            frame[display.ring(POOLS.index(button))] = colour * display.pixels_per_ring
            return
        half = display.places // 2
        if button == "next":
            places = range(1, half + 1)
        elif button == "undo":
            places = range(half + 1, display.places + 1)
        else:
            place = int(button.removeprefix("seat"))
            places = range(place, place + 1)
        for place in places:
            frame[display.place(place)] = colour

    def run(self, board: Board, sink: RecordingSink, echo: Echo, stop: threading.Event) -> None:
        """Prints each press until `stop` is set, then the buttons that were not pressed."""
        all_pressed = lazy_gettext(
            "All {count} buttons have been pressed.", count=len(self.buttons)
        )
        board.show(self.frame)
        connected = True
        while not stop.is_set():
            event = sink.next()
            if isinstance(event, RecordedEdge):
                echo(self.edge(event))
                if event.down and not self.missing:
                    echo(
                        lazy_gettext("{all_pressed} Press Ctrl-C to stop.", all_pressed=all_pressed)
                    )
            elif event is False:
                connected = False
                self.release_all()
                echo(lazy_gettext("The link is lost. {why}", why=why_no_link(board)))
            elif event and not connected:  # the first connection is not news
                connected = True
                echo(lazy_gettext("The board is back."))
            board.show(self.frame)
        echo(
            lazy_gettext("Not pressed: {buttons}.", buttons=", ".join(self.missing))
            if self.missing
            else all_pressed
        )
