"""Evenings of bots and phones with a real daemon and many faults, all from one seed.

    python -m tests.torture.soak --evenings 1000

Every evening follows a plan that depends on its number and the seed: board, ruleset, players, and
which fault comes before which step. `--only` repeats the house with one evening.
"""

from __future__ import annotations

import argparse
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

from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.state import BETWEEN_NIGHTS
from pochboard.table.bot_runner import BotOptions
from tests.torture.house import FAULTS, House
from tests.torture.workers import campaign

PER_HOUSE: Final = 10
"""Evenings with the same ledger and board."""
PHONES: Final = 3
STEPS: Final = 400
"""An upper limit for the steps of an evening."""
CALM: Final = 3
"""Every third house has no restarts, so that its daemon runs for all its evenings."""
RESTARTS: Final = {"kill", "stop"}
ELSEWHERE: Final = {"simulator": {"lose_link", "noise"}, "pico": set[str]()}
"""The faults that each board cannot have."""
LIKELY: Final = {
    "undo": 0.02, "sleep": 0.03, "lose_link": 0.005, "noise": 0.02,
    "fill_disk": 0.02, "jump_clock": 0.01, "kill": 0.01, "stop": 0.005,
}  # fmt: skip
"""How likely each fault is before a step."""
_BOARDS: Final = ("simulator", "simulator", "pico")


class Plan(msgspec.Struct, frozen=True):
    """What happens in one evening."""

    number: int
    board: str
    options: BotOptions
    by_press: float
    """The share of commands that are pressed on the board; phones send the others."""
    faults: dict[int, str]
    """The faults before each step."""


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
    options = BotOptions(
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


def main() -> None:
    """Plays the evenings, and fails if anything disagrees."""

    def played(args: argparse.Namespace) -> tuple[str, list[str]]:
        happened, problems = Counter[str](), []

        def one(first: int) -> Counter[str]:
            evenings = min(PER_HOUSE, args.evenings - first)
            with tempfile.TemporaryDirectory(prefix="soak") as folder:
                return play_house(args.seed, first, evenings, Path(folder), print)

        firsts = range(0, args.evenings, PER_HOUSE)
        if args.only is not None:
            firsts = range((args.only - 1) // PER_HOUSE * PER_HOUSE, args.evenings)[:1]
        with ThreadPoolExecutor(args.jobs) as executor:
            runs = {executor.submit(one, first): first for first in firsts}
            for run in as_completed(runs):
                try:
                    happened += run.result()
                except Exception:  # noqa: BLE001 - whatever it is, the seed has to be printed
                    problems.append(f"--only {runs[run] + 1}: {traceback.format_exc()}")
        return f"{args.evenings} evenings ({dict(sorted(happened.items()))})", problems

    campaign("soak", played, evenings=1000, only=None)


if __name__ == "__main__":
    main()
