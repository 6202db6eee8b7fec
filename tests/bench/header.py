"""The board on a Pi's header: how long a press takes, with and without display and piezo."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from pochboard.boards.gpio import oled
from pochboard.boards.gpio.gpio_board import GpioBoard
from pochboard.buttons.press import PressTimes
from pochboard.config import Gpio
from pochboard.table.clock import now_us
from pochboard.table.records import BoardInfo, Setup
from pochboard.table.table import Table
from tests.bench.press import Extras, presses_at_a_board
from tests.bench.table import RESOLVE, Goal, Row, say, timed_store, times
from tests.shell.boards.gpio_rig import PINS, GpioRig
from tests.shell.boards.kit import LOOK

SETTLED_S = 0.012
"""Longer than a contact has to be quiet before it counts."""
_BITS_A_SECOND = 400_000
_BITS_A_BYTE = 9


class Rig(GpioRig):
    """Records when a frame goes to the pixels."""

    def __init__(self) -> None:
        self.frames: list[float] = []
        super().__init__(clock=now_us)

    def _write(self, pin: Any, buffer: bytearray) -> None:
        super()._write(pin, buffer)
        self.frames.append(time.perf_counter())

    def edge(self, button: str, down: bool) -> None:
        """A contact closes or opens, and comes to rest."""
        self.copper.close(PINS[button], down)
        time.sleep(SETTLED_S)


class Bus:
    """An I²C bus that takes as long as a real one, and lets other threads run meanwhile."""

    written = 0

    def __init__(self, device: str) -> None:
        self._device = device

    def writeto(self, _: int, data: bytes) -> None:
        Bus.written += len(data)
        time.sleep(len(data) * _BITS_A_BYTE / _BITS_A_SECOND)

    def close(self) -> None:
        """Nothing is open."""


def press_at_the_header(folder: Path, presses: int, *, extras: bool) -> list[Row]:
    """From the opening of a contact to the frame at the pixels' library that follows its commit.

    With the extras, a display's pictures and tunes of the piezo change with every press.
    """
    say(f"{presses} presses at the header")
    opened, committed = timed_store(folder / f"header{extras:d}.db")
    rig = Rig()
    patch = pytest.MonkeyPatch()
    patch.setattr(oled, "Bus", Bus)
    if not extras:
        rig.board = GpioBoard(Gpio(), LOOK, make_header=rig.copper.header)
    board = rig.board
    info = BoardInfo("gpio", link=True, simulated=False, has_sound=board.has_sound)
    table = Table(opened, Setup(RESOLVE, PressTimes()), info, board.show)
    table.start()
    try:
        board.start(table)
        with Extras(table, board, display=extras, sound=extras):
            taken = presses_at_a_board(table, rig.edge, rig.frames, committed, presses)
        assert bool(rig.heard()) == extras
        assert bool(Bus.written) == extras
    finally:
        board.close()
        table.stop()
        opened.close()
        patch.undo()
        rig.close()
    with_extras = ", with a display and sound" if extras else ""
    what = f"press at the header, 8 ms of debouncing → stored → frame{with_extras}"
    return [times(what, taken, goals=(Goal(10.0), Goal(16.0, "p99")))]
