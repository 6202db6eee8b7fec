"""The boards: they report button edges to the table, and show its frames."""

from __future__ import annotations

from typing import assert_never

import msgspec

from pochboard.boards.base import Board, Simulator
from pochboard.config import Config
from pochboard.errors import ConfigError
from pochboard.lights.lights_config import LightsConfig


def lights_of(config: Config) -> LightsConfig:
    """The display settings of the configuration. Raises ConfigError."""
    try:
        return LightsConfig(places=config.number_of_places, **msgspec.structs.asdict(config.lights))
    except ValueError as error:
        raise ConfigError(f"lights: {error}") from None


def make_board(config: Config, lights: LightsConfig) -> Board:
    """The board, not started yet. Its libraries must be installed (`doctor.checked_board`)."""
    debounce_us = round(config.times.debounce_s * 1_000_000)
    match config.board:
        case "simulator":
            return Simulator()
        case "gpio":
            from pochboard.boards.gpio.gpio_board import GpioBoard

            return GpioBoard(config.gpio, lights, debounce_us=debounce_us)
        case "pico":
            from pochboard.boards.pico.pico import make_pico

            return make_pico(config.pico, lights, debounce_us=debounce_us)
        case "none":
            return Board()
        case _:
            assert_never(config.board)
