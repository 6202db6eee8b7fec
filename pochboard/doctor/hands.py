"""Trying a board out: walking its pixels, and waiting for its buttons."""

from __future__ import annotations

import contextlib
import os
import queue
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import Final

import msgspec

from pochboard.boards.base import Board
from pochboard.buttons.press import CONTROLS, Refused
from pochboard.doctor.walk import GREEN, Step
from pochboard.errors import BoardError
from pochboard.lights.display import DisplayConfig, dark_frame, pixel
from pochboard.lights.frame import Frame, limit
from pochboard.lights.palette import FULL, QUARTER, WHITE
from pochboard.rules.board import POOLS
from pochboard.table.clock import now_us

Say = Callable[[str], None]

FOUND_WITHIN_S: Final = 6.0
"""How long a board may take to answer."""
_LOOK_S: Final = 0.1
"""How often it is looked whether all is over."""


class Edge(msgspec.Struct, frozen=True):
    """A button went down or up."""

    button: str
    down: bool
    at_us: int


class Ear:
    """A sink that keeps what the board hands in until it is asked for."""

    def __init__(self, buttons: tuple[str, ...]) -> None:
        self.buttons = buttons
        self._heard: queue.SimpleQueue[Edge | bool] = queue.SimpleQueue()

    def edge(self, button: str, down: bool, at_us: int | None = None) -> Future[list[Refused]]:
        """Keeps an edge."""
        self._heard.put(Edge(button, down, now_us() if at_us is None else at_us))
        done: Future[list[Refused]] = Future()
        done.set_result([])
        return done

    def release_all(self) -> None:
        """What is held is forgotten with the link."""

    def set_link(self, up: bool) -> None:
        """Keeps that the board is there, or is not."""
        self._heard.put(up)

    def next(self) -> Edge | bool | None:
        """What comes next: an edge, or whether the board is there; None if nothing does soon."""
        try:
            return self._heard.get(timeout=_LOOK_S)
        except queue.Empty:
            return None


@contextlib.contextmanager
def at_work(board: Board, ear: Ear, look: DisplayConfig, over: threading.Event) -> Iterator[bool]:
    """The board, started; whatever happens, it is dark and closed in the end.

    Gives whether it was found before all was over. Raises BoardError.
    """
    with _scratch():
        board.start(ear)
        try:
            yield _find(board, over)
        finally:
            board.show(dark_frame(look))
            board.close()


@contextlib.contextmanager
def _scratch() -> Iterator[None]:
    """A folder for the FIFO that lgpio makes when it is imported; where one is named, that."""
    if "LG_WD" in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="pochboard-") as folder:
        os.environ["LG_WD"] = folder
        try:
            yield
        finally:
            del os.environ["LG_WD"]


def _find(board: Board, over: threading.Event) -> bool:
    until_us = now_us() + round(FOUND_WITHIN_S * 1_000_000)
    while not board.link and not over.wait(0.02):
        if now_us() > until_us:
            raise BoardError(why_not(board))
    return board.link


def why_not(board: Board) -> str:
    """Why a board has no link, as far as it says."""
    return getattr(board, "problem", None) or "The board does not work: ask pochboard doctor."


def walk(
    board: Board,
    steps: Iterable[Step],
    *,
    say: Say,
    pause: Callable[[Step], bool],
    shown: Callable[[Step], None] | None = None,
) -> bool:
    """Shows one step after the other; whether it came to the end.

    `pause` waits as long as a step lasts, and says whether all is over; `shown` is told of each.
    """
    for step in steps:
        if step.says:
            say(step.says)
        board.show(step.frame)
        if shown:
            shown(step)
        if pause(step):
            return False
        if not board.link:
            raise BoardError(why_not(board))
    return True


class Trial:
    """Which buttons have been pressed, and what is lit for them."""

    def __init__(
        self, buttons: tuple[str, ...], pins: Mapping[str, str], look: DisplayConfig
    ) -> None:
        """`pins` says of each button where it is, as in `GPIO 4`."""
        self.buttons = buttons
        self.seen: set[str] = set()
        self._pins = pins
        self._look = look
        self._down: dict[str, int] = {}

    @property
    def missing(self) -> list[str]:
        """The buttons that have not been pressed, in their order."""
        return [button for button in self.buttons if button not in self.seen]

    def edge(self, edge: Edge) -> str:
        """Takes in an edge; what is to be said of it."""
        pin = self._pins.get(edge.button)
        named = f"{edge.button} ({pin})" if pin else edge.button
        if edge.down:
            news = edge.button not in self.seen
            self.seen.add(edge.button)
            self._down[edge.button] = edge.at_us
            count = f"   {len(self.seen)} of {len(self.buttons)}" if news else ""
            return f"{named:<20} down{count}"
        since_us = self._down.pop(edge.button, edge.at_us)
        return f"{named:<20} up, held for {(edge.at_us - since_us) / 1_000_000:.2f} s"

    def let_go(self) -> None:
        """The link is lost: nothing is held any more."""
        self._down.clear()

    @property
    def frame(self) -> Frame:
        """White for what is held, green for what has been: a pool its ring, a seat its place.

        `next` and `undo` have no pixels; held, each lights half of the places.
        """
        frame = bytearray(dark_frame(self._look))
        for button in self.buttons:
            if button in self._down:
                self._paint(frame, button, pixel(self._look, WHITE, FULL))
            elif button in self.seen and button not in CONTROLS:
                self._paint(frame, button, pixel(self._look, GREEN, QUARTER))
        return limit(bytes(frame), self._look.limit_ma)

    def _paint(self, frame: bytearray, button: str, colour: bytes) -> None:
        look = self._look
        if button in POOLS:
            frame[look.ring(POOLS.index(button))] = colour * look.pixels_per_ring
            return
        half = look.places // 2
        if button == "next":
            places = range(1, half + 1)
        elif button == "undo":
            places = range(half + 1, look.places + 1)
        else:
            place = int(button.removeprefix("seat"))
            places = range(place, place + 1)
        for place in places:
            frame[look.place(place)] = colour


def try_buttons(board: Board, ear: Ear, trial: Trial, say: Say, over: threading.Event) -> None:
    """Tells of each press until it is over, then which buttons have not been pressed."""
    board.show(trial.frame)
    there = True
    while not over.is_set():
        heard = ear.next()
        if isinstance(heard, Edge):
            say(trial.edge(heard))
            if heard.down and not trial.missing:
                say(f"All {len(trial.buttons)} buttons have been pressed. Ctrl-C ends it.")
        elif heard is False:
            there = False
            trial.let_go()
            say(f"The link is lost: {why_not(board)}")
        elif heard and not there:  # that it was found at first has been seen
            there = True
            say("The board is there again.")
        board.show(trial.frame)
    say(_summary(trial))


def _summary(trial: Trial) -> str:
    if not trial.missing:
        return f"All {len(trial.buttons)} buttons have been pressed."
    return f"Not pressed: {', '.join(trial.missing)}."
