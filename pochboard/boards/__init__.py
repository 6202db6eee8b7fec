"""The boards: they report button edges to the table, and show its frames."""

from pochboard.boards.base import Board, Problem, Sink
from pochboard.boards.choose import make_board
from pochboard.boards.simulator import Simulator

__all__ = ["Board", "Problem", "Simulator", "Sink", "make_board"]
