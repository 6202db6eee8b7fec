"""The rig of the simulated board, which simulates its hardware itself."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from pochboard.boards.simulator import Simulator
from pochboard.lights.frame import Frame
from pochboard.table.clock import now_us

_LONG_S = 60.0


class SimulatorRig:
    """Presses on the page. It has no cable to lose."""

    name = "simulator"
    slack_us = 0
    now_us = staticmethod(now_us)

    def __init__(self) -> None:
        self.board = Simulator()

    def move(self, button: str, down: bool, chatter: random.Random | None = None) -> None:
        """Nothing bounces on a page."""
        self.board.edges("finger", (button,), down=down, hold_s=_LONG_S)

    def wait_until_presses_are_dropped(self) -> None:
        """Without a link there is nothing to press."""

    def lose_link(self) -> None:
        pytest.skip("there is no cable")

    regain_link = break_down = repair = lose_link

    def shown(self) -> Sequence[Frame]:
        return [self.board.frame]

    def screen(self) -> bytes:
        return self.board.screen

    def contrast(self) -> int:
        return self.board.contrast

    def unplug_display(self, gone: bool) -> None:
        """Does nothing: the display is drawn, and has no plug."""

    def heard(self) -> Sequence[int]:
        tune = self.board.tune
        return [] if tune is None or not tune.volume else [hz for hz, _ in tune.notes if hz]

    def is_silent(self) -> bool:
        return True  # pages play by themselves

    def close(self) -> None:
        pass
