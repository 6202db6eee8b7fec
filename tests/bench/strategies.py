"""How the bots' strategies do against each other: `python -m tests.bench.strategies`.

Every mix of four strategies with at least one sensible bot plays the same cards in four seatings: a
random order, turned by a seat at a time. The luck of cards and seats cancels out, so only the
betting is left. Prints the tables of docs/BOTS.md 6.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import sqrt
from random import Random
from statistics import NormalDist, fmean, stdev
from typing import Final

import msgspec

from pochboard.bots.betting import STRATEGIES
from pochboard.bots.bot_table import BotTable, play_night
from pochboard.rules.commands import Command, Next, Settle, Stake, Start
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.rules.state import State

SEATS: Final = 4
WAR: Final = 5
"""So many raises after the knock are a war."""
LEVEL: Final = 0.05
"""The chance that any comparison of a ruleset finds a winner where there is none."""
CLOSEST: Final = 3
"""How many of the comparisons are printed, those worst for sensible first."""

Mix = tuple[str, ...]


class Betting(msgspec.Struct):
    """What strategies did and won, each by name; nets and seats are those of whole nights."""

    deals: int = 0
    wars: int = 0
    net: Counter[str] = msgspec.field(default_factory=Counter)
    lost: Counter[str] = msgspec.field(default_factory=Counter)
    """Chips lost in betting, over all deals in which betting cost the seat chips."""
    squares: Counter[str] = msgspec.field(default_factory=Counter)
    """The sum of the squares of what betting brought."""
    seats: Counter[str] = msgspec.field(default_factory=Counter)
    """Deals times seats."""

    def add(self, other: Betting) -> None:
        """Adds what another one counted."""
        self.deals += other.deals
        self.wars += other.wars
        for mine, theirs in (
            (self.net, other.net),
            (self.lost, other.lost),
            (self.squares, other.squares),
            (self.seats, other.seats),
        ):
            for name, number in theirs.items():
                mine[name] += number

    def mean(self, name: str) -> float:
        """The mean net of a strategy, per deal and seat."""
        return self.net[name] / self.seats[name]


def mixes() -> Iterator[Mix]:
    """All mixes of strategies in which sensible meets another."""
    for mix in combinations_with_replacement(STRATEGIES, SEATS):
        if "sensible" in mix and len(set(mix)) > 1:
            yield mix


def play(ruleset: str, mix: Mix, seed: str) -> Betting:
    """A night of the same cards for each rotation of a random seating."""
    order = list(mix)
    Random(f"{mix} {seed}").shuffle(order)
    betting = Betting()
    for turn in range(SEATS):
        betting.add(_play_night(ruleset, order[turn:] + order[:turn], seed))
    return betting


def _play_night(ruleset: str, names: Sequence[str], seed: str) -> Betting:
    found, before_bets, raises = Betting(), State(), 0
    strategies = {seat: STRATEGIES[name] for seat, name in enumerate(names, 1)}
    start = Start(ruleset=ruleset, players=tuple(f"Seat {seat}" for seat in strategies))
    after = State()
    for before, action, after in play_night(
        start, BotTable(strategies, seed), resolve_among(shipped_rulesets())
    ):
        if not isinstance(action, Command):
            continue
        match action:
            case Next():
                before_bets, raises = after, -1
            case Stake(seat=seat, chips=chips):
                raises += chips > before.need(seat)
            case Settle():
                found.deals += 1
                found.wars += raises >= WAR
            case _:
                pass
        if before.phase in ("pochen", "showdown") and after.phase == "shed":
            for seat in after.live:
                won = after.stack_of(seat) - before_bets.stack_of(seat)
                name = names[seat - 1]
                found.seats[name] += 1
                found.lost[name] += max(-won, 0)
                found.squares[name] += won * won
    for seat, _, net in after.standings:
        found.net[names[seat - 1]] += net
    return found


class Comparison(msgspec.Struct, frozen=True):
    """What a strategy wins more than sensible in a mix, per deal."""

    mix: Mix
    name: str
    mean: float
    error: float
    """The standard error of the mean."""

    @property
    def z(self) -> float:
        """The difference in standard errors; above 0 the strategy wins more than sensible."""
        return self.mean / self.error

    def __str__(self) -> str:
        mix = ", ".join(self.mix)
        return (
            f"{self.name} {self.mean:+.3f}, standard error {self.error:.3f}, z {self.z:+.1f}: {mix}"
        )


def compare(mix: Mix, name: str, nights: Sequence[Betting]) -> Comparison:
    """Compares a strategy with sensible over the nights of a mix."""
    leads = [night.mean(name) - night.mean("sensible") for night in nights]
    return Comparison(mix, name, fmean(leads), stdev(leads) / sqrt(len(leads)))


def report(ruleset: str, deals: int, seed: str) -> None:
    """Plays every mix for so many deals; prints a row of each table, and what beats sensible.

    So many comparisons at 95 % each would find a winner by chance, so their level is Bonferroni's.
    """
    everything, comparisons = Betting(), list[Comparison]()
    for mix in mixes():
        nights: list[Betting] = []
        total = Betting()
        while total.deals < deals:
            nights.append(play(ruleset, mix, f"{seed} {len(nights)}"))
            total.add(nights[-1])
        everything.add(total)
        comparisons += [compare(mix, name, nights) for name in sorted(set(mix) - {"sensible"})]
    cells = [ruleset, f"{100 * everything.wars / everything.deals:.2f} %"]
    for name in ("careful", "sensible", "bold"):
        seats = everything.seats[name]
        cells += [
            f"{everything.lost[name] / seats:.2f}",
            f"{sqrt(everything.squares[name] / seats):.1f}",
            f"{everything.mean(name):+.2f}",
        ]
    print(f"| {' | '.join(cells)} |")
    level = NormalDist().inv_cdf(1 - LEVEL / 2 / len(comparisons))
    comparisons.sort(key=lambda one: one.z, reverse=True)
    for one in comparisons[:CLOSEST]:
        print(f"  {'beats sensible' if one.z > level else 'closest'}: {one}")
    beaten = sum(one.z > level for one in comparisons)
    print(f"  {beaten} of {len(comparisons)} beat sensible with z above {level:.2f}", flush=True)


def main() -> None:
    """Prints a row for each ruleset: wars; chips lost in betting, their spread, and the net."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=10_000, help="of each mix")
    parser.add_argument("--rulesets", nargs="*", default=shipped_rulesets())
    parser.add_argument("--seed", default="strategies", help="other cards and other bets")
    args = parser.parse_args()
    for ruleset in args.rulesets:
        report(ruleset, args.deals, args.seed)


if __name__ == "__main__":
    main()
