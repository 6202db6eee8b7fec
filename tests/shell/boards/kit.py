"""The conformance suite's rig for each board, which simulates the hardware behind it.

A rig makes its board and replaces its contacts, cable and pixels. On one side, the suite moves
contacts and breaks things. On the other side, it checks what the sink receives and what the pixels
show. To add a board, write a class with the methods of `Rig` in a new module, and name it in
`RIGS` of `tests/shell/boards/test_conformance.py`, which then runs on it.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import NamedTuple, Protocol

from pochboard.boards.base import Board
from pochboard.buttons.press import BUTTONS
from pochboard.errors import RefusedInput, StoppedError
from pochboard.lights.frame import Frame
from pochboard.lights.lights_config import LightsConfig
from pochboard.runtime.threads import now_us

LOOK = LightsConfig()
"""The look of the boards of all rigs: 116 pixels, 3000 mA."""


class Rig(Protocol):
    """A board that is made but not started, and its hardware. Tests do not call its parts.

    Whoever uses it starts the board, closes it, and then closes the rig; both may happen with
    the link lost.
    """

    @property
    def name(self) -> str:
        """The name the board is chosen by."""

    @property
    def board(self) -> Board:
        """The one board of this rig."""

    @property
    def slack_us(self) -> int:
        """How far the time of an edge may differ from that of its contact, because of scan and
        clock."""

    def now_us(self) -> int:
        """The monotonic clock of the board's process."""

    def wait_until_presses_are_dropped(self) -> None:
        """Waits until a press no longer counts, once the link is lost; before, it may be late."""

    def move(self, button: str, down: bool, chatter: random.Random | None = None) -> None:
        """Moves a raw contact, and returns when it rests; with `chatter` it bounces up to 5 ms."""

    def lose_link(self) -> None:
        """Separates the board from the program: a cable is pulled, or a device vanishes.

        Contacts may be moved meanwhile; that returns as if they had been read.
        """

    def regain_link(self) -> None:
        """Undoes `lose_link`."""

    def break_down(self) -> None:
        """From now on whatever drives the hardware raises an exception when it is used.

        A board without anything that can raise loses its link instead.
        """

    def repair(self) -> None:
        """Undoes `break_down`."""

    def shown(self) -> Sequence[Frame]:
        """What the pixels have shown, as red, green, blue; the last is what they show now.

        A rig that cannot look back gives the last alone. Before the first frame it may be empty.
        """

    def screen(self) -> bytes:
        """What somebody sees on the board's display."""

    def contrast(self) -> int:
        """How bright the lit pixels of the display are, 0 to 255."""

    def unplug_display(self, gone: bool) -> None:
        """The plug of the display comes loose, or is put in again; it then has lost its memory."""

    def heard(self) -> Sequence[int]:
        """The pitches of all notes that have sounded."""

    def is_silent(self) -> bool:
        """Whether nothing sounds now."""

    def close(self) -> None:
        """Takes the rig apart: no thread, port or file of it is left."""


class RecordedEdge(NamedTuple):
    """A button went down or up."""

    button: str
    down: bool
    at_us: int


class FakeSink:
    """A sink that records what it receives."""

    def __init__(self, buttons: tuple[str, ...] = BUTTONS) -> None:
        self.buttons = buttons
        self.edges: list[RecordedEdge] = []
        self.links: list[bool] = []
        self.known_us: dict[str, int] = {}
        """Until when each button is known to be down, if it is; by boards that say so."""
        self.has_sound: bool | None = None
        self.released = 0
        self.stopped = False
        """Whether it accepts nothing more, like a table that has stopped."""
        self._lock = threading.Lock()

    @property
    def presses(self) -> list[tuple[str, bool]]:
        """The edges without their times."""
        return [(edge.button, edge.down) for edge in list(self.edges)]

    @property
    def link(self) -> bool | None:
        """The last reported state of the link, or None."""
        return self.links[-1] if self.links else None

    def edge(self, button: str, down: bool, at_us: int | None = None) -> Future[list[RefusedInput]]:
        with self._lock:
            if self.stopped:
                raise StoppedError("The table has ended.")
            self.edges.append(RecordedEdge(button, down, now_us() if at_us is None else at_us))
        done: Future[list[RefusedInput]] = Future()
        done.set_result([])
        return done

    def edges_at_once(self, edges: Sequence[tuple[str, bool, int]]) -> Future[list[RefusedInput]]:
        return [self.edge(*edge) for edge in edges][-1]

    def known_down(self, button: str, until_us: int) -> None:
        with self._lock:
            if self.stopped:
                raise StoppedError("The table has ended.")
            self.known_us[button] = until_us

    def release_all(self) -> None:
        with self._lock:
            if self.stopped:
                raise StoppedError("The table has ended.")
            self.released += 1

    def set_link(self, up: bool, *, has_sound: bool | None = None) -> None:
        with self._lock:
            if self.stopped:
                raise StoppedError("The table has ended.")
            self.links.append(up)
            if has_sound is not None:
                self.has_sound = has_sound
