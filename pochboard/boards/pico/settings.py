"""The `pico` board as the configuration and the look have it."""

from __future__ import annotations

from collections.abc import Callable

from pochboard.boards.pico.board import Pico
from pochboard.boards.pico.link import Layout
from pochboard.boards.pico.ports import Port, find_ports
from pochboard.config import PicoTable
from pochboard.lights.display import DisplayConfig


def layout_of(table: PicoTable, look: DisplayConfig) -> Layout:
    """How the board is laid out."""
    pixel_bytes = 4 if table.kind == "rgbw" else 3
    return Layout(look.pixels_per_ring, look.places, look.limit_ma, pixel_bytes)


def ports_of(table: PicoTable) -> Callable[[], list[Port]]:
    """Where the board may be: at the port that is configured, else wherever one is found."""
    if not table.port:
        return find_ports

    def configured() -> list[Port]:
        # Listed also while it is not there: then it is said of this port why it cannot be opened.
        console = any(port.console for port in find_ports() if port.device == table.port)
        return [Port(table.port, console)]

    return configured


def make_pico(table: PicoTable, look: DisplayConfig) -> Pico:
    """The board, not started yet."""
    return Pico(layout_of(table, look), ports=ports_of(table), order=table.order)
