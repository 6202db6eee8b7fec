"""Evenings of bots and phones with a real daemon and many faults, all from one seed.

    python -m tests.torture.soak --evenings 1000

Every evening follows a plan that depends on its number and the seed: board, ruleset, players, and
which fault comes before which step. `--only` repeats one house of evenings, `--plan` prints plans.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from pochboard.demo.options import DemoOptions
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.state import BETWEEN_NIGHTS
from tests.torture.house import FAULTS, House

PER_HOUSE: Final = 10
"""Evenings with the same ledger and board."""
PHONES: Final = 3
STEPS: Final = 400
"""An upper limit for the steps of an evening."""
CALM: Final = 3
"""Every third house has no restarts, so that its daemon runs for all its evenings."""
RESTARTS: Final = {"kill", "stop"}
ELSEWHERE: Final = {"simulator": {"lose_link", "noise"}, "pico": {"vanish"}}
"""The faults that each board cannot have."""
LIKELY: Final = {
    "undo": 0.02, "sleep": 0.03, "vanish": 0.005, "lose_link": 0.005, "noise": 0.02,
    "fill_disk": 0.02, "jump_clock": 0.01, "kill": 0.01, "stop": 0.005,
}  # fmt: skip
"""How likely each fault is before a step."""
_BOARDS: Final = ("simulator", "simulator", "pico")


class Plan(msgspec.Struct, frozen=True):
    """What happens in one evening."""

    number: int
    board: str
    options: DemoOptions
    by_press: float
    """The share of commands that are pressed on the board; phones send the others."""
    faults: dict[int, str]
    """The faults before each step."""

    def __str__(self) -> str:
        """On one line."""
        options = self.options
        faults = " ".join(f"{step}:{name}" for step, name in self.faults.items())
        return (
            f"{self.board} {options.ruleset} {options.players} players {options.options} {faults}"
        )


def plan_of(seed: str, number: int) -> Plan:
    """The plan of an evening, counted from 0."""
    house, chance = number // PER_HOUSE, Random(f"{seed} evening {number}")
    board = Random(f"{seed} house {house}").choice(_BOARDS)
    left_out = ELSEWHERE[board] | (RESTARTS if house % CALM == 0 else set())
    likely = {name: part for name, part in LIKELY.items() if name not in left_out}
    faults = {}
    for step in range(1, STEPS):
        (name,) = chance.choices(["", *likely], [1 - sum(likely.values()), *likely.values()])
        if name:
            faults[step] = name
    options = DemoOptions(
        ruleset=chance.choice(tuple(shipped_rulesets())),
        players=chance.randint(3, 6),
        options={"deals": chance.randint(1, 3)},
    )
    return Plan(number, board, options, chance.choice((0.0, 0.5, 1.0)), faults)


def play(house: House, plan: Plan, seed: str) -> Counter[str]:
    """Plays an evening, then checks everything. Returns how often each fault came."""
    chance = Random(f"{seed} during {plan.number}")
    happened: Counter[str] = Counter()
    house.begin(plan.options, f"{seed} {plan.number}")
    step = 0
    while house.play_on(by_press=chance.random() < plan.by_press):
        step += 1
        name = plan.faults.get(step)
        if name and house.book.state.phase not in BETWEEN_NIGHTS:
            FAULTS[name](house, chance)
            happened[name] += 1
    house.check()
    return happened


def play_house(
    seed: str, first: int, evenings: int, folder: Path, say: Callable[[str], None]
) -> Counter[str]:
    """Plays the evenings of one house, from the evening `first` on."""
    happened: Counter[str] = Counter()
    chance = Random(f"{seed} line {first}")
    with House(folder, plan_of(seed, first).board, chance, PHONES) as house:
        for number in range(first, first + evenings):
            plan, begun = plan_of(seed, number), time.monotonic()
            found = play(house, plan, seed)
            happened += found
            size = house.size
            say(
                f"evening {number + 1}: {plan.board} {plan.options.ruleset}"
                f" {len(house.book.entries)} entries, {dict(found) or 'calm'},"
                f" {size.threads} threads, {size.files} files, {size.mb:.0f} MB,"
                f" {time.monotonic() - begun:.1f} s"
            )
        happened["starts"] += house.starts
    return happened


def _say(line: str) -> None:
    print(line, flush=True)


def _play(seed: str, first: int, evenings: int) -> Counter[str]:
    with tempfile.TemporaryDirectory(prefix="soak") as folder:
        return play_house(seed, first, evenings, Path(folder), _say)


def main() -> None:
    """Plays the evenings, and stops with a failure at the first problem."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--evenings", type=int, default=1000)
    parser.add_argument("--seed", default=str(random.randrange(10**9)))
    parser.add_argument("--only", type=int, help="only the house with this evening")
    parser.add_argument("--plan", action="store_true", help="print the plans and end")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="houses at once")
    args = parser.parse_args()
    _say(f"soak, --seed {args.seed} --evenings {args.evenings}")
    firsts = range(0, args.evenings, PER_HOUSE)
    if args.only is not None:
        first = (args.only - 1) // PER_HOUSE * PER_HOUSE
        firsts = range(first, first + 1)
    houses = {
        first: PER_HOUSE if args.only else min(PER_HOUSE, args.evenings - first) for first in firsts
    }
    if args.plan:
        for first, evenings in houses.items():
            for number in range(first, first + evenings):
                _say(f"{number + 1} {plan_of(args.seed, number)}")
        return
    begun, happened = time.monotonic(), Counter[str]()
    with ThreadPoolExecutor(args.jobs) as executor:
        runs = {
            executor.submit(_play, args.seed, first, evenings): first
            for first, evenings in houses.items()
        }
        for one in as_completed(runs):
            try:
                happened += one.result()
            except Exception:  # noqa: BLE001 - whatever it is, the seed has to be printed
                executor.shutdown(wait=False, cancel_futures=True)
                traceback.print_exc()
                again = f"--seed {args.seed} --only {runs[one] + 1}"
                sys.exit(
                    f"soak: a problem in the house of evening {runs[one] + 1}: FAILED, {again}"
                )
    counts = ", ".join(f"{name} {count}" for name, count in sorted(happened.items()))
    seconds = time.monotonic() - begun
    _say(f"soak: {sum(houses.values())} evenings ({counts}), {seconds:.0f} s: passed")


if __name__ == "__main__":
    main()
