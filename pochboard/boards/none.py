"""No board: the machine only collects the nights of other boards (docs/COLLECTION.md)."""

from __future__ import annotations

from typing import Final

from pochboard import ssd1306
from pochboard.boards.base import Sink, Tune
from pochboard.lights.frame import Frame
from pochboard.runtime.threads import Answer
from pochboard.screen import Bitmap


class NoBoard:
    """Has neither buttons nor lights."""

    kind: Final = "none"
    simulated: Final = False
    link: Final = True
    problem: Final = None
    closed: Final = frozenset[str]()
    has_display: Final = False
    has_sound: Final = False
    sound_problem: Final = None

    def start(self, sink: Sink) -> None:
        """There is nothing to report."""

    def show(self, frame: Frame) -> None:
        """Shows nothing."""

    def show_screen(self, bitmap: Bitmap, contrast: int = ssd1306.CONTRAST) -> None:
        """Shows nothing."""

    def play(self, tune: Tune) -> None:
        """Plays nothing."""

    def ping(self, answer: Answer) -> None:
        """Answers at once."""
        answer()

    def ping_display(self, answer: Answer) -> None:
        """Answers at once."""
        answer()

    def is_alive(self) -> bool:
        """It has no threads."""
        return True

    def close(self) -> None:
        """There is nothing to end."""
