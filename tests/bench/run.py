"""Measures what `make bench` prints: each figure with what stands beside it.

Each figure comes from a real part: a real ledger file, a real daemon process, a real web client.
Nothing fails because of a time: a busy machine is not a bug. A whole run is also written to
docs/BENCHMARKS.md; `--only` and `--quick` only print.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from pochboard.bots.betting import DEFAULT_STRATEGIES
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.simulate import Plan, play_batch
from tests.bench.press import press_to_frame
from tests.bench.table import ROOT, Row, here, markdown, put_between, say, text
from tests.bench.web import memory_and_load, requests, starts

DOCUMENT: Final = ROOT / "docs" / "BENCHMARKS.md"
_PLAYERS: Final = 4


def deals_of_bots(nights: int) -> list[Row]:
    """Deals a second on one core, as `pochboard simulate` plays them, of the slowest ruleset."""
    say(f"{nights} nights of bots of each ruleset")
    rates = {}
    for name in shipped_rulesets():
        rules = shipped_rulesets()[name]
        strategies = (*DEFAULT_STRATEGIES, *DEFAULT_STRATEGIES)[:_PLAYERS]
        plan = Plan(rules, strategies, nights, 1, rules.stack)
        begun_s = time.process_time()
        deals = play_batch(plan, range(1, nights + 1)).count("deals")
        rates[name] = deals / (time.process_time() - begun_s)
    slowest = min(rates, key=lambda name: rates[name])
    return [Row(f"deals of {_PLAYERS} bots a second, {slowest}", "/s", rates[slowest])]


GROUPS: Final[dict[str, tuple[Callable[[Path, int], list[Row]], int, int]]] = {
    "press": (press_to_frame, 1000, 20),
    "http": (requests, 500, 10),
    "start": (starts, 10, 1),
    "memory": (memory_and_load, 20, 1),
    "bots": (lambda _, nights: deals_of_bots(nights), 10, 1),
}
"""How to measure each group, and how much of it: in earnest, and to see that it works."""


def measured(names: Sequence[str], folder: Path | None, *, quick: bool = False) -> list[Row]:
    """The rows of these groups."""
    rows: list[Row] = []
    for name in names:
        measure, whole, little = GROUPS[name]
        with tempfile.TemporaryDirectory(dir=folder) as own:
            rows += measure(Path(own), little if quick else whole)
    return rows


def write_down(where: str, rows: Sequence[Row]) -> None:
    """Puts the table into the document."""
    table = f"Measured on {where}.\n\n{markdown(rows)}"
    DOCUMENT.write_text(put_between(DOCUMENT.read_text("utf-8"), "bench", table), "utf-8")


def main(words: Sequence[str] | None = None) -> None:
    """Measures, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=GROUPS, metavar="GROUP", help=", ".join(GROUPS)
    )
    parser.add_argument("--folder", type=Path, help="where to measure; its disk counts")
    parser.add_argument("--quick", action="store_true", help="very little of everything")
    args = parser.parse_args(words)
    # The load of others, before there is one of this.
    where = here()
    rows = measured(args.only or list(GROUPS), args.folder, quick=args.quick)
    print(f"\n{where}\n\n{text(rows)}")
    if not args.only and not args.quick:
        write_down(where, rows)


if __name__ == "__main__":
    # As the daemon does.
    sys.setswitchinterval(0.001)
    main()
