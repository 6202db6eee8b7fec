"""What stands between the table and a board: edges come in, frames go out."""

from pochboard.boards.base import Board, Sink
from pochboard.boards.choose import make_board
from pochboard.boards.simulator import Simulator

__all__ = ["Board", "Simulator", "Sink", "make_board"]
