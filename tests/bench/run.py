"""What `make bench` measures, printed as a table. Nothing fails because of a time.

Each figure comes from a real part: a real ledger file, a real daemon process, a real web client.
The goal beside it is what the project aims at on a small x86 machine with two cores.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.bench.connections import connection_figures
from tests.bench.header import press_at_the_header
from tests.bench.nights import deals_a_second
from tests.bench.page import page_figures
from tests.bench.press import press_to_frame
from tests.bench.process import process_figures
from tests.bench.rules import commands_beside_pokerkit
from tests.bench.serial_line import corrupted_frames, frames_over_the_line, press_over_the_line
from tests.bench.statistics import statistics_figures
from tests.bench.table import say


def main() -> None:
    """Measures everything and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=1_000_000, help="corrupted ones")
    parser.add_argument("--seconds", type=float, default=10.0, help="of frames over the line")
    parser.add_argument("--nights", type=int, default=100, help="of bots, each ruleset")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--idle", type=float, default=30.0, help="seconds")
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--half-open", type=int, default=2000, help="connections")
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="where to measure; its disk counts")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as name:
        folder = Path(name)
        say(f"{args.presses} presses")
        rows = press_to_frame(folder, args.presses)
        say(f"{args.presses} presses over a serial line")
        rows += press_over_the_line(folder, args.presses)
        rows += press_over_the_line(folder, args.presses, display=True)
        rows += press_over_the_line(folder, args.presses, display=True, sound=True)
        say(f"{args.presses} presses at the header")
        rows += press_at_the_header(folder, args.presses, extras=False)
        rows += press_at_the_header(folder, args.presses, extras=True)
        say("frames over the line, and its noise")
        rows += frames_over_the_line(args.seconds)
        rows += corrupted_frames(args.frames)
        say("rules and book beside PokerKit")
        rows += commands_beside_pokerkit(args.rounds)
        say("bots")
        rows += deals_a_second(args.nights)
        say(f"statistics of {args.entries:,} entries")
        (folder / "statistics").mkdir()
        rows += statistics_figures(folder / "statistics", args.entries)
        rows += process_figures(folder, idle_s=args.idle, entries=args.entries)
        rows += page_figures(folder / "page", args.rounds)
        rows += connection_figures(
            folder / "connections", half_open=args.half_open, streams=args.streams, times=100
        )
    wide = [max(len(row[column]) for row in rows) for column in range(3)]
    print(f"\n{'':<{wide[0]}}  {'measured':>{wide[1]}}  goal")
    for row in rows:
        print(f"{row.what:<{wide[0]}}  {row.found:>{wide[1]}}  {row.goal}")


if __name__ == "__main__":
    main()
