"""How long a press takes to the disk and to the lights."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from pochboard.buttons.press import PressTimes
from pochboard.lights.frame import Frame
from pochboard.rules.commands import parse_command
from pochboard.table.records import BoardInfo, Setup
from pochboard.table.table import Table
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
        players = [f"P{seat}" for seat in range(1, 7)]
        table.command(
            parse_command({"do": "start", "ruleset": "modern", "players": players, "stack": 10_000})
        )
        table.command(parse_command({"do": "deal"}))
        table.command(parse_command({"do": "next"}))
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
            assert len(committed) == entries + 1, "the press was booked"
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


def milliseconds(seconds: list[float]) -> str:
    """Median and 99th percentile."""
    cuts = statistics.quantiles(seconds, n=100)
    return f"{cuts[49] * 1e3:.2f} ms / {cuts[98] * 1e3:.2f} ms"
