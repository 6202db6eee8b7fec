"""Plays the nights of docs/STUDY.md, and writes its figures: `make study`.

Everything comes from the rows and the tally that `pochboard simulate` writes too. The same seed
and number of deals give the same files, with any number of processes and on a cluster.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from math import sqrt
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin, get_type_hints

import matplotlib as mpl
import msgspec
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from msgspec.structs import replace

from pochboard.bots.strategy import BOLD, SENSIBLE, Strategy
from pochboard.errors import ConfigError
from pochboard.history.intervals import Interval, Z
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from pochboard.simulate.bots_night import Plan
from pochboard.simulate.report import pool_interval
from pochboard.simulate.runner import Batch, WorkerPool, csv_header, simulate
from pochboard.simulate.tally import Tally

HERE: Final = Path(__file__).resolve().parent
LEAST_NIGHTS: Final = 50
BASE: Final = "modern"
BASE_PLAYERS: Final = 4
NEVER: Final = replace(SENSIBLE, name="never", bluff_rate=0.0)
OFTEN: Final = replace(SENSIBLE, name="often", bluff_rate=BOLD.bluff_rate)
"""Sensible in all but how often they bluff."""
# Distinct for all kinds of colour vision (Okabe and Ito, 2008), plus a brown and a grey.
COLOURS: Final = (
    "#56B4E9", "#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#000000", "#8C6D1F",
    "#7F7F7F",
)  # fmt: skip
STYLE: Final[dict[Any, Any]] = {
    "font.size": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "legend.frameon": False,
}


About = Literal["forehand", "house rule", "pool", "bluffing"]


class Estimate(NamedTuple):
    """A row of figures.csv: a mean with its 95 % interval."""

    about: About
    ruleset: str
    players: int
    what: str
    """`chips`, `out`, the changed parameter, the pool, or how often a seat bluffs."""
    mean: float
    low: float
    high: float
    nights: int
    deals: int


class PerDeal:
    """Something that is counted in each deal, by nights."""

    def __init__(self) -> None:
        self._sums: list[float] = []
        self._deals: list[int] = []

    def add(self, deals: list[float]) -> None:
        """Adds a night."""
        self._sums.append(sum(deals))
        self._deals.append(len(deals))

    def mean(self, base: PerDeal | None = None) -> tuple[float, Interval]:
        """The mean of a deal, with its interval; with a base, how much more it is than there.

        Both have played the same nights, that is with the same cards, so the luck of the cards
        cancels out, and the interval of the difference is narrower than those of the two.
        """
        mean, errors = self._errors()
        if base is not None:
            less, others = base._errors()  # noqa: SLF001 - of the same class
            mean -= less
            errors = [error - other for error, other in zip(errors, others, strict=True)]
        nights = len(errors)
        half = Z * sqrt(sum(error**2 for error in errors) / (nights * (nights - 1)))
        return mean, Interval(mean - half, mean + half)

    def _errors(self) -> tuple[float, list[float]]:
        """The mean, and what each night adds to it (Cochran, Sampling Techniques, chapter 6)."""
        mean = sum(self._sums) / sum(self._deals)
        size = sum(self._deals) / len(self._deals)
        pairs = zip(self._sums, self._deals, strict=True)
        return mean, [(total - mean * deals) / size for total, deals in pairs]


class Counts:
    """What seats won per deal, compared with the mean of the table."""

    def __init__(self) -> None:
        self.forehand, self.out, self.first_seat = PerDeal(), PerDeal(), PerDeal()

    def add(self, plan: Plan, night: list[dict[str, str]]) -> None:
        """Adds a night."""
        chips, out, first_seat = [], [], []
        stacks = dict.fromkeys(plan.seats, plan.stack)
        for row in night:
            live = [int(seat) for seat in row["live"].split()]
            after = {seat: int(row[f"stack_{seat}"]) for seat in plan.seats}
            nets = {seat: after[seat] - _with_rebuy(plan, stacks[seat]) for seat in live}
            mean = sum(nets.values()) / len(live)
            step = 1 if plan.rules.direction == "clockwise" else -1
            forehand = live[(live.index(int(row["dealer"])) + step) % len(live)]
            chips.append(nets[forehand] - mean)
            out.append((row["out"] == str(forehand)) - 1 / len(live))
            first_seat.append(nets.get(1, mean) - mean)
            stacks = after
        self.forehand.add(chips)
        self.out.add(out)
        self.first_seat.add(first_seat)


def _with_rebuy(plan: Plan, chips: int) -> int:
    """A bot that is short of the ante buys in before the deal (docs/BOTS.md)."""
    rules = plan.rules
    if rules.ante_from == "bank" or chips >= rules.ante_due:
        return chips
    return chips + max(plan.stack, rules.ante_due)


def counted(plan: Plan, batches: Iterable[Batch]) -> tuple[Tally, Counts]:
    """Counts what has been played, with rows."""
    tally, counts = Tally(), Counts()
    names = next(csv.reader([csv_header(plan)]))
    for batch in batches:
        tally += batch.tally
        rows = csv.DictReader(batch.rows.splitlines(), names)
        for _, night in groupby(rows, itemgetter("night")):
            counts.add(plan, list(night))
    return tally, counts


def variants(rules: Ruleset) -> Iterator[tuple[str, Ruleset]]:
    """The ruleset with one parameter changed at a time, to each other value of a choice."""
    hints = get_type_hints(Ruleset)
    choices: dict[str, tuple[object, ...]] = {
        "ante": (2,),
        "bluff_penalty": (0, 1, 2),
        "run_bonus": (0, 1, 2),
        "hand": (5, 6, 7),
    }
    for name, hint in hints.items():
        if hint is bool:
            choices[name] = (False, True)
        elif get_origin(hint) is Literal:
            choices[name] = get_args(hint)
    for name, values in choices.items():
        for value in values:
            if value == getattr(rules, name):
                continue
            try:
                yield f"{name} = {value}".lower(), override(rules, {name: value})
            except ConfigError:
                continue  # it cannot be played without a second change


class Played(NamedTuple):
    """The nights of one table."""

    rules: Ruleset
    players: int
    tally: Tally
    counts: Counts

    def estimate(self, about: About, what: str, found: tuple[float, Interval]) -> Estimate:
        """An estimate over these nights."""
        (mean, interval), tally = found, self.tally
        numbers = (mean, interval.low, interval.high, tally.nights, tally.deals)
        return Estimate(about, self.rules.name, self.players, what, *numbers)

    def pools(self) -> Iterator[Estimate]:
        """How often each pool is won."""
        for pool in POOLS:
            interval = pool_interval(self.tally, pool)
            if pool in self.rules.pools and interval is not None:
                mean = self.tally.count("won", pool) / self.tally.deals
                yield self.estimate("pool", pool, (mean, interval))


def study(play: Callable[[Ruleset, int, Strategy], Played]) -> Iterator[Estimate]:
    """All estimates, table by table."""
    for rules in shipped_rulesets().values():
        for players in range(rules.players[0], rules.players[1] + 1):
            usual = play(rules, players, SENSIBLE)
            yield usual.estimate("forehand", "chips", usual.counts.forehand.mean())
            yield usual.estimate("forehand", "out", usual.counts.out.mean())
            yield from usual.pools()
            never, often = (play(rules, players, strategy) for strategy in (NEVER, OFTEN))
            first = usual.counts.first_seat
            yield never.estimate("bluffing", "usual", first.mean(never.counts.first_seat))
            yield often.estimate("bluffing", "often", often.counts.first_seat.mean(first))
    base = play(shipped_rulesets()[BASE], BASE_PLAYERS, SENSIBLE).counts.forehand
    for what, changed in variants(shipped_rulesets()[BASE]):
        played = play(changed, BASE_PLAYERS, SENSIBLE)
        yield played.estimate("house rule", what, played.counts.forehand.mean(base))


# The pictures.


def draw(estimates: list[Estimate]) -> None:
    """Draws all pictures into this folder."""
    tables = [e for e in estimates if e.about == "forehand" and e.what == "chips"]
    with mpl.rc_context(STYLE):
        figure, (left, right) = _figure(2)
        _by_ruleset(left, tables, "chips a deal, more than the mean of the table")
        out = [e for e in estimates if e.about == "forehand" and e.what == "out"]
        _by_ruleset(right, out, "goes out first, % of deals more than its share", 100)
        figure.suptitle("What forehand is worth")
        _save(figure, right, "forehand")

        figure, (left, right) = _figure(2)
        for axes, what, title in (
            (left, "usual", "chips a deal: bluffs as usual, instead of never"),
            (right, "often", "chips a deal: bluffs 2.5 times as often as usual"),
        ):
            some = [e for e in estimates if e.about == "bluffing" and e.what == what]
            _by_ruleset(axes, some, title)
        figure.suptitle("What bluffing is worth to a sensible player among sensible players")
        _save(figure, right, "bluffing")

        figure, (axes,) = _figure(1)
        rules = [e for e in estimates if e.about == "house rule" and e.low < e.high]
        rules.sort(key=lambda e: e.mean)
        for place, e in enumerate(rules):
            axes.plot([e.low, e.high], [place, place], color="#999999", linewidth=2)
            axes.plot(e.mean, place, "o", color="#D55E00", markersize=5)
        axes.set_yticks(range(len(rules)), [e.what for e in rules], fontsize=8)
        axes.axvline(0, color="black", linewidth=0.8)
        axes.set_title(f"{BASE}, {BASE_PLAYERS} players, with one rule changed", loc="left")
        axes.set_xlabel("chips a deal that forehand wins more than without the change")
        _save(figure, None, "house-rules")
        _draw_pools([e for e in estimates if e.about == "pool"])


def _draw_pools(estimates: list[Estimate]) -> None:
    figure = Figure(figsize=(10, 8), dpi=80, layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(3, 3, sharex=True).flat
    names = list(dict.fromkeys(e.ruleset for e in estimates))
    for axes, pool in zip(grid, POOLS, strict=True):
        axes.set_title(pool, loc="left")
        for name, colour, mark in zip(names, COLOURS, "osD^vPXph", strict=False):
            some = [e for e in estimates if (e.ruleset, e.what) == (name, pool)]
            means = [100 * e.mean for e in some]
            ends = [[100 * (e.mean - e.low) for e in some], [100 * (e.high - e.mean) for e in some]]
            axes.errorbar(
                [e.players for e in some], means, ends,
                color=colour, marker=mark, markersize=4, linewidth=1, label=name,
            )  # fmt: skip
        axes.set_ylim(bottom=0)
    grid = figure.axes
    for axes in grid[6:]:
        axes.set_xlabel("players")
    for axes in grid[::3]:
        axes.set_ylabel("% of deals")
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside right center")
    _save(figure, None, "pools")


def _figure(columns: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(10, 7), dpi=90, layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(1, columns, sharey=True, squeeze=False).flat)


def _by_ruleset(axes: Axes, estimates: list[Estimate], title: str, scale: float = 1) -> None:
    """A row for each ruleset, and in it a dot for each number of players."""
    names = list(dict.fromkeys(e.ruleset for e in estimates))
    sizes = sorted({e.players for e in estimates})
    for size, colour in zip(sizes, COLOURS, strict=False):
        for e in estimates:
            if e.players == size:
                place = -names.index(e.ruleset) - 0.1 * (size - sizes[0]) + 0.3
                axes.plot(
                    [scale * e.low, scale * e.high], [place, place], color=colour, linewidth=1.5
                )
                axes.plot(scale * e.mean, place, "o", color=colour, markersize=4)
        axes.plot([], [], "o", color=colour, markersize=4, label=f"{size} players")
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks([-index for index in range(len(names))], names)
    axes.set_xlabel(title)


def _save(figure: Figure, legend: Axes | None, name: str) -> None:
    if legend is not None:
        figure.legend(*legend.get_legend_handles_labels(), loc="outside lower center", ncols=7)
    figure.savefig(HERE / f"{name}.png", metadata={"Software": None})


def main() -> None:
    """Plays, writes figures.csv, and draws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=20_000, help="at most, at each table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draw", action="store_true", help="only draw what figures.csv has")
    parser.add_argument("--cluster", help="the address of a Dask scheduler")
    for name in ("ca", "cert", "key"):
        parser.add_argument(f"--cluster-{name}", type=Path)
    options = parser.parse_args()
    file = HERE / "figures.csv"
    if options.draw:
        with file.open(encoding="utf-8", newline="") as rows:
            draw(
                [msgspec.convert(row, Estimate, strict=False) for row in list(csv.reader(rows))[1:]]
            )
        return
    begun_s = time.monotonic()
    with _player(options) as simulated:

        def played(rules: Ruleset, players: int, first: Strategy) -> Played:
            strategies = (first, *(SENSIBLE,) * (players - 1))
            plan = Plan(rules, strategies, 1, options.seed, rules.stack)
            plan = replace(plan, nights=max(LEAST_NIGHTS, options.deals // plan.most_deals))
            result = Played(rules, players, *counted(plan, simulated(plan, as_rows=True)))
            print(
                f"{time.monotonic() - begun_s:6.0f} s  {rules.name}, {players} players", flush=True
            )
            return result

        estimates = list(study(played))
    with file.open("w", encoding="utf-8", newline="") as rows:
        writer = csv.writer(rows, lineterminator="\n")
        writer.writerow(Estimate._fields)
        writer.writerows(
            e._replace(mean=_short(e.mean), low=_short(e.low), high=_short(e.high))
            for e in estimates
        )
    draw(estimates)
    tables = [e for e in estimates if e.about != "pool" and e.what != "out"]
    print(f"{sum(e.nights for e in tables):,} nights, {sum(e.deals for e in tables):,} deals")


def _short(value: float) -> float:
    return round(value, 5)


@contextmanager
def _player(options: argparse.Namespace) -> Iterator[Callable[..., Generator[Batch]]]:
    if options.cluster:
        from pochboard.simulate.cluster import connect

        files = (options.cluster_ca, options.cluster_cert, options.cluster_key)
        with connect(options.cluster, files if all(files) else None) as cluster:
            yield cluster.simulate
    else:
        jobs = len(os.sched_getaffinity(0))
        with WorkerPool(jobs) as pool:
            yield partial(simulate, executor=pool, jobs=jobs)


if __name__ == "__main__":
    main()
