"""The interface of all boards."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Protocol

from pochboard.buttons.press import Refused
from pochboard.lights.frame import Frame


class Sink(Protocol):
    """Where a board hands in what happens on it: the table. From any thread."""

    @property
    def buttons(self) -> tuple[str, ...]:
        """The buttons this board has."""

    def edge(self, button: str, down: bool, at_us: int | None = None) -> Future[list[Refused]]:
        """A debounced button went down or up; `at_us` on the monotonic clock, or now."""

    def release_all(self) -> None:
        """Every held button goes up without a meaning."""

    def set_link(self, up: bool) -> None:
        """The board is there, or is not."""


class Board(Protocol):
    """A board. It is made, started once, and closed once."""

    @property
    def kind(self) -> str:
        """The name it is chosen by."""

    @property
    def simulated(self) -> bool:
        """Whether its buttons are on the page."""

    @property
    def link(self) -> bool:
        """Whether the board is there now."""

    def start(self, sink: Sink) -> None:
        """Begins to hand in edges."""

    def show(self, frame: Frame) -> None:
        """Takes the newest frame; from the table's thread, so it must not wait."""

    def close(self) -> None:
        """Ends all threads of the board; nothing is handed in after it."""
