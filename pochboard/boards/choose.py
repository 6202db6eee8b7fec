"""The choice of a board by its name in the configuration."""

from __future__ import annotations

from typing import Final

from pochboard.boards.base import Board
from pochboard.boards.simulator import Simulator
from pochboard.errors import ConfigError

_LATER: Final = {
    "gpio": "the board on the Pi's own header",
    "pico": "the board with a Pico on USB",
}


def make_board(name: str, *, debounce_s: float = 0.008) -> Board:
    """The board of a name in the configuration. Raises ConfigError."""
    if name == "simulator":
        return Simulator(debounce_us=round(debounce_s * 1_000_000))
    if name in _LATER:
        raise ConfigError(
            f'board: "{name}", {_LATER[name]}, comes with a later version; "simulator" is there now'
        )
    raise ConfigError(f'board: there is no board "{name}"; use "simulator"')
