"""Measures what `make bench` prints: each figure with what stands beside it, and its goal.

Each figure comes from a real part: a real ledger file, a real daemon process, a real web client.
A goal that is missed fails nothing: a busy machine is not a bug. A whole run is also written to
docs/BENCHMARKS.md and README.md; `--only` measures some groups, and only prints them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from tests.bench import growth
from tests.bench.accounts import verified_night
from tests.bench.bots import decisions
from tests.bench.connections import connection_figures
from tests.bench.disk import bytes_to_the_disk
from tests.bench.frames import frames_a_second
from tests.bench.header import press_at_the_header
from tests.bench.home import press_beside_a_broker
from tests.bench.page import page_figures
from tests.bench.press import press_to_frame
from tests.bench.rules import commands_beside_pokerkit
from tests.bench.serial_line import corrupted_frames, press_over_the_line
from tests.bench.starting import memory_and_load, starts
from tests.bench.statistics import statistics_figures
from tests.bench.table import DOCUMENT, ROOT, Row, Run, compared, missing, put_between, say
from tests.bench.web import events, requests

README: Final = ROOT / "README.md"
IN_README: Final = (
    "press → stored → frame",
    "command over HTTP → event on each of 8 phones in two languages",
    "start → first page",
    "resident memory with 1 phone",
    "page, compressed, with headers",
    "decisions of bots a second, one core, the slowest table",
)
PLOT: Final = ROOT / "docs" / "growth.svg"
KEPT: Final = ROOT / "build" / "bench.json"
KEPT_PART: Final = ROOT / "build" / "bench-part.json"


class Extent(msgspec.Struct, frozen=True):
    """How much of everything is measured."""

    presses: int = 1000
    presses_at_a_board: int = 300
    requests: int = 300
    commands: int = 100
    starts: int = 5
    idle_s: float = 20.0
    pages: int = 5
    rounds: int = 5
    bots_s: float = 0.4
    long_night: int = 100_000
    entries: int = 1_000_000
    frames_s: float = 10.0
    corrupted: int = 200_000
    half_open: int = 2000
    streams: int = 200
    nights: int = 10_000


QUICK: Final = Extent(
    presses=50, presses_at_a_board=20, requests=20, commands=5, starts=2, idle_s=1.0, pages=1,
    rounds=1, bots_s=0.01, long_night=2000, entries=20_000, frames_s=2.0, corrupted=2000,
    half_open=100, streams=20, nights=10,
)  # fmt: skip
"""To see whether everything works; the figures are worth little."""

Group = Callable[[Path, Extent], list[Row]]
GROUPS: Final[dict[str, Group]] = {
    "press": lambda folder, extent: press_to_frame(folder, extent.presses),
    "home": lambda folder, extent: press_beside_a_broker(folder, extent.presses),
    "line": lambda folder, extent: [
        *press_over_the_line(folder, extent.presses_at_a_board),
        *press_over_the_line(folder, extent.presses_at_a_board, display=True, sound=True),
        *corrupted_frames(extent.corrupted),
    ],
    "header": lambda folder, extent: [
        *press_at_the_header(folder, extent.presses_at_a_board, extras=False),
        *press_at_the_header(folder, extent.presses_at_a_board, extras=True),
    ],
    "frames": lambda _, extent: frames_a_second(extent.frames_s),
    "http": lambda folder, extent: requests(folder, extent.requests),
    "events": lambda folder, extent: events(folder, extent.commands),
    "start": lambda folder, extent: starts(folder, extent.entries, extent.starts),
    "memory": lambda folder, extent: memory_and_load(folder, extent.idle_s),
    "page": lambda folder, extent: page_figures(folder, extent.pages),
    "connections": lambda folder, extent: connection_figures(
        folder, half_open=extent.half_open, streams=extent.streams, count=100
    ),
    "rules": lambda _, extent: commands_beside_pokerkit(extent.rounds),
    "bots": lambda _, extent: decisions(extent.bots_s),
    "verify": lambda folder, extent: verified_night(folder, extent.long_night),
    "statistics": lambda folder, extent: statistics_figures(folder, extent.entries),
    "disk": lambda folder, _: bytes_to_the_disk(folder),
    "growth": lambda folder, extent: growth.growth(folder, extent.nights),
}


def measured(names: Sequence[str], extent: Extent, where: Path | None) -> Run:
    """The rows of these groups. One that cannot be measured says why, and the others go on."""
    run, begun = Run.begin(), time.monotonic()
    for name in names:
        with tempfile.TemporaryDirectory(dir=where) as folder:
            group_begun = time.monotonic()
            try:
                run.groups[name] = GROUPS[name](Path(folder), extent)
            except Exception as error:  # noqa: BLE001 - the other groups go on
                traceback.print_exc()
                reason = str(error).splitlines() or [type(error).__name__]
                run.groups[name] = [missing(f"the group {name}", "", reason[0])]
            say(f"{name}: {time.monotonic() - group_begun:.0f} s")
    run.took_s = time.monotonic() - begun
    run.load += f", {os.getloadavg()[0]:.1f} at the end"
    return run


def write_down(
    run: Run, document: Path = DOCUMENT, readme: Path = README, plot: Path = PLOT
) -> None:
    """Puts the tables into the documents, and draws the plot."""
    minutes = max(1, round(run.took_s / 60))
    where = f"Measured on {run.title}; it took {minutes} minutes.\n\n"
    excerpt = run.only(IN_README).markdown(goals=False)
    for file, table in ((document, run.markdown()), (readme, excerpt)):
        text = put_between(file.read_text("utf-8"), "bench", where + table)
        file.write_text(text, "utf-8")
    growth.draw(run.groups["growth"], plot)


def main(words: Sequence[str] | None = None) -> int:
    """Measures, prints the table, keeps it, and compares it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=GROUPS, metavar="GROUP", help=", ".join(GROUPS)
    )
    parser.add_argument("--against", type=Path, help="a run that was kept, to compare with")
    parser.add_argument(
        "--json", type=Path, help=f"where to keep the run, else {KEPT.name} or {KEPT_PART.name}"
    )
    parser.add_argument("--folder", type=Path, help="where to measure; its disk counts")
    parser.add_argument("--quick", action="store_true", help="very little of everything")
    args = parser.parse_args(words)
    # Before anything is measured: a mistyped name should not cost the time of a run.
    before = Run.read(args.against) if args.against else None
    run = measured(args.only or list(GROUPS), QUICK if args.quick else Extent(), args.folder)
    is_whole = not args.only and not args.quick
    run.keep(args.json or (KEPT if is_whole else KEPT_PART))
    print(f"\n{run.title}\n\n{run.text()}")
    if before:
        print(f"\n{compared(before, run)}")
    failed = [name for name, rows in run.groups.items() if rows[0].what == f"the group {name}"]
    if failed:
        print(f"\nnot measured: {', '.join(failed)}")
        return 1
    if is_whole:
        write_down(run)
    return 0


if __name__ == "__main__":
    # As the daemon does.
    sys.setswitchinterval(0.001)
    sys.exit(main())
