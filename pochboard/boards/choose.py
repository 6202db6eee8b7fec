"""The choice of a board by its name in the configuration."""

from __future__ import annotations

from typing import assert_never

import msgspec

from pochboard.boards.base import Board
from pochboard.boards.checks import require
from pochboard.boards.simulator import Simulator
from pochboard.config import Config
from pochboard.errors import ConfigError
from pochboard.lights.display import DisplayConfig


def make_display(config: Config) -> DisplayConfig:
    """The lights as the configuration has them. Raises ConfigError."""
    try:
        return DisplayConfig(places=config.places, **msgspec.structs.asdict(config.lights))
    except ValueError as error:
        raise ConfigError(f"lights: {error}") from None


def make_board(config: Config, look: DisplayConfig) -> Board:
    """The board of the configuration. Raises ConfigError, BoardError."""
    debounce_us = round(config.times.debounce_s * 1_000_000)
    match config.board:
        case "simulator":
            return Simulator(debounce_us=debounce_us)
        case "gpio":
            from pochboard.boards.gpio.board import GpioBoard
            from pochboard.boards.gpio.checks import gpio_checks

            require(gpio_checks(config.gpio, look))
            return GpioBoard(config.gpio, look, debounce_us=debounce_us)
        case "pico":
            from pochboard.boards.pico.checks import library_check

            # A board that is not plugged in yet may still be: only what it needs here has to be.
            require([library_check()])
            from pochboard.boards.pico.settings import make_pico

            return make_pico(config.pico, look)
        case _:
            assert_never(config.board)
