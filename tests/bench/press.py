"""How long a press takes to the disk and to the lights, beside a bare commit."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from pochboard.buttons.press import PressTimes
from pochboard.rules.commands import parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Store
from pochboard.table.snapshot import BoardInfo, Setup
from pochboard.table.table import Table
from tests.bench.table import Row, say, times

_ROW_BYTES: Final = 320
"""Of an entry's columns, about: command, postings, the chain's value, numbers."""
_REST_S: Final = 0.002
"""Between two presses, so that one finds the machine as a person's press does."""


class _BareCommits:
    """A table of rows as long as entries, each committed by itself, as durable as the ledger."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE rows (row INTEGER PRIMARY KEY, bytes BLOB)")

    def commit(self) -> float:
        """Commits a row; returns the seconds."""
        begun = time.perf_counter()
        self._connection.execute("INSERT INTO rows (bytes) VALUES (zeroblob(?))", (_ROW_BYTES,))
        return time.perf_counter() - begun

    def close(self) -> None:
        self._connection.close()


def press_to_frame(folder: Path, presses: int) -> list[Row]:
    """From the edge of a stake to its entry on the disk and to the frame that follows it.

    Commits of as many bytes on the same disk are made in turn with the presses.
    """
    say(f"{presses} presses")
    committed: list[float] = []
    frames: list[float] = []

    class Timed(Store):
        def append(self, *args: Any, **named: Any) -> None:
            super().append(*args, **named)
            committed.append(time.perf_counter())

    to_disk, to_frame, bare_s = [], [], []
    with (
        Store.open(folder / "press.db") as store,
        closing(_BareCommits(folder / "bare.db")) as bare,
    ):
        store.__class__ = Timed
        table = Table(
            store,
            Setup(resolve_among(shipped_rulesets()), PressTimes()),
            BoardInfo("simulator", link=True, simulated=True),
            lambda _: frames.append(time.perf_counter()),
        )
        table.start()
        try:
            _begin_betting(table)
            for _ in range(presses):
                bare_s.append(bare.commit())
                seat = f"seat{table.snapshot.state.to_act}"
                for button, down in ((seat, True), (seat, False), ("poch", True)):
                    table.edge(button, down).result()
                entries, shown, begun = len(committed), len(frames), time.perf_counter()
                # The stake changes the bet pool's ring and the turn's place, so a frame follows.
                table.edge("poch", False).result()
                to_disk.append(committed[entries] - begun)
                to_frame.append(frames[shown] - begun)
                table.command(parse_command({"do": "undo"}))
                time.sleep(_REST_S)
        finally:
            table.stop()
    beside = ("a bare commit of as many bytes (WAL, FULL)", bare_s)
    return [
        times("press → stored", to_disk, beside=beside),
        times("press → stored → frame", to_frame, beside=beside),
    ]


def _begin_betting(table: Table) -> None:
    """Six players, the first of them to act."""
    players = [f"P{seat}" for seat in range(1, 7)]
    start = {"do": "start", "ruleset": "modern", "players": players, "stack": 10_000}
    for command in (start, {"do": "deal"}, {"do": "next"}):
        table.command(parse_command(command))
