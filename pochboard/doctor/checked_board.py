"""The configured board: checked, opened for a test, and recorded."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Final, assert_never

from pochboard.boards.base import Board
from pochboard.boards.choose import make_board
from pochboard.buttons.press import CONTROLS, SEAT_BUTTONS
from pochboard.config import Config
from pochboard.doctor.check import require
from pochboard.doctor.recording import RecordingSink
from pochboard.errors import BoardError
from pochboard.lights.lights_config import LightsConfig, dark_frame
from pochboard.rules.accounts import POOLS
from pochboard.table.clock import now_us

CONNECT_S: Final = 6.0
"""How long a board may take to connect."""


def checked_board(config: Config, lights: LightsConfig) -> Board:
    """The configured board, not started yet.

    Raises BoardError, with the fix, if this machine lacks something that the board needs to start.
    """
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


def buttons_of(config: Config) -> tuple[str, ...]:
    """The buttons of the configured board."""
    return (*POOLS, *SEAT_BUTTONS[: config.number_of_places], *CONTROLS)


@contextlib.contextmanager
def opened_board(
    board: Board, sink: RecordingSink, lights: LightsConfig, stop: threading.Event
) -> Iterator[bool]:
    """Starts the board; in the end it is dark and closed, even after an error.

    Yields whether it connected before `stop` was set. Raises BoardError.
    """
    board.start(sink)
    try:
        yield _connected(board, stop)
    finally:
        board.show(dark_frame(lights))
        board.close()


def _connected(board: Board, stop: threading.Event) -> bool:
    until_us = now_us() + round(CONNECT_S * 1_000_000)
    while not board.link and not stop.wait(0.02):
        if now_us() > until_us:
            raise BoardError(why_no_link(board))
    return board.link


def why_no_link(board: Board) -> str:
    """Why a board has no link, if it knows."""
    if board.problem is not None:
        return str(board.problem)
    return "The board does not work. Run pochboard doctor."
