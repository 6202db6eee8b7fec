"""Plays a score sheet line by line on the contacts of a real board, on the sheet's clock."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol

import pytest

from pochboard.errors import Refusal, RefusedInput
from pochboard.rules.commands import parse_command
from pochboard.sheets import (
    DoLine,
    ExpectLine,
    NightLine,
    PressLine,
    RejectLine,
    Sheet,
    WaitLine,
    _unexpected,
)
from pochboard.table.snapshot import Listener
from pochboard.table.table import Table

NIGHTS = Path(__file__).parents[2] / "nights"


class SheetClock:
    """A monotonic clock that is moved by hand: hours of a sheet take seconds, on any machine."""

    def __init__(self) -> None:
        self.us = 1_000_000_000
        self._begin_us = self.us

    def __call__(self) -> int:
        return self.us

    def until(self, at_us: int) -> None:
        """Advances to a time of the sheet; never goes back."""
        self.us = max(self.us, self._begin_us + at_us)


def sheet_clock(monkeypatch: pytest.MonkeyPatch, *packages: str) -> SheetClock:
    """A clock for all modules of these packages that read the monotonic one."""
    clock = SheetClock()
    for name, module in list(sys.modules.items()):
        if name.startswith(packages) and hasattr(module, "now_us"):
            monkeypatch.setattr(module, "now_us", clock)
    return clock


class Between(Listener):
    """Passes a board's edges on to the table, and records which ones the table has handled."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.buttons = table.buttons
        self.edges: list[tuple[str, bool]] = []
        """The edges as the board reported them."""
        self.done: list[tuple[str, bool]] = []
        """Those of them that the table has handled."""
        self.refused: list[str] = []
        self.known_down = table.known_down
        self.release_all = table.release_all
        self.set_link = table.set_link
        table.listen(self)

    def edge(self, button: str, down: bool, at_us: int | None = None) -> Future[list[RefusedInput]]:
        self.edges.append((button, down))
        future = self._table.edge(button, down, at_us)
        future.add_done_callback(lambda _: self.done.append((button, down)))
        return future

    def edges_at_once(self, edges: Sequence[tuple[str, bool, int]]) -> Future[list[RefusedInput]]:
        return [self.edge(*edge) for edge in edges][-1]

    def on_refused(self, refused: RefusedInput) -> None:
        if refused.buttons:
            self.refused.append(refused.code)


class Players(Protocol):
    """The players, who press the buttons of a board."""

    table: Table

    def until(self, at_us: int) -> None:
        """Advances the sheet's clock."""

    def press(self, line: PressLine) -> list[str]:
        """Presses as a line says; returns the codes of the refusals."""


def play_night(players: Players, night: str) -> None:
    """Plays a sheet of tests/nights; every line of it has to hold, and the night to end."""
    table, held = players.table, 0
    for line in Sheet((NIGHTS / f"{night}.jsonl").read_bytes()):
        match line:
            case PressLine():
                codes = players.press(line)
                assert set(codes) == ({line.refused} if line.refused else set()), line
            case WaitLine():
                players.until(line.until_us)
            case DoLine():
                assert not isinstance(table.command(parse_command(line.command)), Refusal), line
            case RejectLine():
                refusal = table.command(parse_command(line.command))
                assert isinstance(refusal, Refusal), line
                assert refusal.code == line.code
            case NightLine():
                pass
            case ExpectLine():
                assert _unexpected(line.values, table.snapshot.state) is None, line
                held += 1
    assert held >= 40
    assert table.snapshot.state.phase == "closed"
