"""`pochboard doctor` and `status`: is everything well, and what to do if not."""

from __future__ import annotations

from typing import assert_never

from pochboard.boards import make_board
from pochboard.boards.base import Board
from pochboard.config import Config
from pochboard.lights.lights_config import LightsConfig


def checked_board(config: Config, lights: LightsConfig) -> Board:
    """The configured board, not started yet.

    Raises BoardError, with the fix, if this machine lacks something that the board needs to start.
    """
    from pochboard.doctor.check import require

    match config.board:
        case "simulator" | "none":
            pass  # they need nothing but Python
        case "gpio":
            from pochboard.doctor.gpio import gpio_checks

            require(gpio_checks(config.gpio, lights))
        case "pico":
            from pochboard.doctor.pico import library_check

            # Only what it needs here: the board itself may be plugged in later.
            require([library_check()])
        case _:
            assert_never(config.board)
    return make_board(config, lights)
