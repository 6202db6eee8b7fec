"""How long a press takes to the disk and to the lights."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pochboard.boards.base import Board
from pochboard.buttons.press import PressTimes
from pochboard.daemon.screen_driver import ScreenDriver
from pochboard.daemon.sound_driver import SoundDriver
from pochboard.lights.frame import Frame
from pochboard.rules.commands import parse_command
from pochboard.table.records import BoardInfo, Setup
from pochboard.table.table import Table
from pochboard.views.screen import Reachable
from tests.bench.table import RESOLVE, Row, timed_store


def press_to_frame(folder: Path, presses: int) -> list[Row]:
    """From the edge of a claim to its entry on the disk and to the frame that follows it."""
    frames: list[float] = []

    def show(_: Frame) -> None:
        frames.append(time.perf_counter())

    opened, committed = timed_store(folder / "press.db")
    # A stake makes the bet pool's ring and the turn's place change at once, so a frame follows.
    table = Table(
        opened,
        Setup(RESOLVE, PressTimes()),
        BoardInfo("simulator", link=True, simulated=True),
        show,
    )
    table.start()
    to_disk: list[float] = []
    to_frame: list[float] = []
    try:
        begin_betting(table)
        for _ in range(presses):
            seat = table.snapshot.state.to_act
            assert seat is not None
            button = f"seat{seat}"
            for down in (True, False):
                table.edge(button, down).result()
            table.edge("poch", True).result()
            entries, shown = len(committed), len(frames)
            begun = time.perf_counter()
            table.edge("poch", False).result()
            assert len(committed) == entries + 1, "the press was recorded"
            to_disk.append(committed[-1] - begun)
            assert len(frames) > shown, "the press was shown"
            to_frame.append(frames[shown] - begun)
            table.command(parse_command({"do": "undo"}))
            assert table.snapshot.state.to_act == seat
            time.sleep(0.002)
    finally:
        table.stop()
        opened.close()
    return [
        Row("press → committed, p50 / p99", milliseconds(to_disk), ""),
        Row("press → committed → frame, p50 / p99", milliseconds(to_frame), "≤ 1.5 ms / ≤ 5 ms"),
    ]


def begin_betting(table: Table) -> None:
    """Six players, the first of them to act."""
    players = [f"P{seat}" for seat in range(1, 7)]
    table.command(
        parse_command({"do": "start", "ruleset": "modern", "players": players, "stack": 10_000})
    )
    table.command(parse_command({"do": "deal"}))
    table.command(parse_command({"do": "next"}))


class Extras:
    """What else is active at a board: its display, its sound, or neither."""

    def __init__(
        self, table: Table, board: Board, *, display: bool = False, sound: bool = False
    ) -> None:
        self._drivers: list[ScreenDriver | SoundDriver] = []
        if display:
            self._drivers.append(ScreenDriver(table, board, Reachable))
        if sound:
            self._drivers.append(SoundDriver(table, board, 0.5))

    def __enter__(self) -> None:
        for driver in self._drivers:
            driver.start()

    def __exit__(self, *_: object) -> None:
        for driver in self._drivers:
            driver.close()


def presses_at_a_board(
    table: Table,
    edge: Callable[[str, bool], None],
    frames: list[float],
    committed: list[float],
    presses: int,
) -> list[float]:
    """The seconds from the release of a button at a board to the frame after its commit.

    `frames` and `committed` receive the moments at which frames reached the pixels, and entries the
    disk.
    """
    taken: list[float] = []
    begin_betting(table)
    for _ in range(presses):
        seat = table.snapshot.state.to_act
        for button, down in ((f"seat{seat}", True), (f"seat{seat}", False), ("poch", True)):
            edge(button, down)
        time.sleep(0.03)
        entries = len(committed)
        begun = time.perf_counter()
        edge("poch", False)
        wait_for(lambda count=entries: len(committed) > count)
        at = committed[-1]
        wait_for(lambda at=at: bool(frames) and frames[-1] >= at)
        taken.append(next(came for came in frames if came >= at) - begun)
        table.command(parse_command({"do": "undo"}))
    return taken


def wait_for(holds: Any) -> None:
    """Waits until it holds, as closely as a thread can."""
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline, "the board, the table or the line hangs"
        time.sleep(0.0001)


def milliseconds(seconds: list[float]) -> str:
    """Median and 99th percentile."""
    cuts = statistics.quantiles(seconds, n=100)
    return f"{cuts[49] * 1e3:.2f} ms / {cuts[98] * 1e3:.2f} ms"
