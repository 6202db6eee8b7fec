"""A simulated board with a display and a piezo, which remembers what they were told."""

from __future__ import annotations

from pochboard import ssd1306
from pochboard.boards.base import Tune
from pochboard.boards.simulator import Simulator
from pochboard.screen import BLANK, Bitmap


class RecordingBoard(Simulator):
    has_display = has_sound = True
    screen: Bitmap = BLANK
    contrast = ssd1306.CONTRAST
    tune: Tune | None = None

    def show_screen(self, bitmap: Bitmap, contrast: int = ssd1306.CONTRAST) -> None:
        self.screen, self.contrast = bitmap, contrast

    def play(self, tune: Tune) -> None:
        self.tune = tune
