"""How long a press takes to the disk and to the lights."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from pochboard.boards.base import Board
from pochboard.daemon.screen_driver import ScreenDriver
from pochboard.daemon.sound_driver import SoundDriver
from pochboard.doctor.speed import PressRig, begin_betting
from pochboard.rules.commands import parse_command
from pochboard.store.bare import BareCommit
from pochboard.table.table import Table
from pochboard.views.screen import Reachable
from tests.bench.table import Goal, Row, say, timed_store, times


class TimedRig(PressRig):
    """A rig that also says when entries were on the disk."""

    def __init__(self, file: Path) -> None:
        self._opened, self.committed = timed_store(file)
        super().__init__(self._opened)

    def __exit__(self, *done: object) -> None:
        """Stops the table and closes the ledger."""
        super().__exit__(*done)
        self._opened.close()

    def taken(self) -> tuple[float, float]:
        """A press: the seconds from its edge to the disk, and to the frame."""
        entries = len(self.committed)
        begun, lit = self.press()
        return self.committed[entries] - begun, lit - begun


def press_to_frame(folder: Path, presses: int) -> list[Row]:
    """From the edge of a stake to its entry on the disk and to the frame that follows it.

    Bare commits of as many bytes on the same disk are made in turn with the presses.
    """
    say(f"{presses} presses")
    taken, bare_s = [], []
    with (
        TimedRig(folder / "press.db") as rig,
        closing(BareCommit(folder / "bare.db")) as bare,
    ):
        for _ in range(presses):
            bare_s.append(bare.commit())
            taken.append(rig.taken())
    to_disk, to_frame = (list(each) for each in zip(*taken, strict=True))
    beside = ("a bare commit of as many bytes (WAL, FULL)", bare_s)
    return [
        times("press → stored", to_disk, beside=beside, goals=(Goal(1.8, "ratio"),)),
        times("press → stored → frame", to_frame, beside=beside, goals=(Goal(2.2, "ratio"),)),
    ]


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
