"""What a simulation counts, the ratios that it estimates, and the report of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import Final

import msgspec

from pochboard.cards.exact import expected
from pochboard.history.people import Interval, Z, wilson
from pochboard.rules.accounts import MELD_POOLS, POOLS
from pochboard.simulate.bots_night import DealRecord, Plan, SimulatedNight
from pochboard.text.translator import ENGLISH


class Ratio(msgspec.Struct, frozen=True, gc=False):
    """A ratio estimate over nights, such as chips staked per deal.

    The deals of one night are correlated through the stacks, but nights are independent: nights
    are the clusters from which the variance is estimated. All sums are integers, so that the
    order in which batches are added makes no difference.
    """

    nights: int = 0
    numerator: int = 0
    denominator: int = 0
    numerator_squared: int = 0
    product: int = 0
    denominator_squared: int = 0

    def with_night(self, numerator: int, denominator: int) -> Ratio:
        """The ratio with one more night."""
        return self + Ratio(
            1,
            numerator,
            denominator,
            numerator * numerator,
            numerator * denominator,
            denominator * denominator,
        )

    def __add__(self, other: Ratio) -> Ratio:
        """The nights of both."""
        return Ratio(
            self.nights + other.nights,
            self.numerator + other.numerator,
            self.denominator + other.denominator,
            self.numerator_squared + other.numerator_squared,
            self.product + other.product,
            self.denominator_squared + other.denominator_squared,
        )

    @property
    def mean(self) -> float | None:
        """The estimate; None if the denominator is 0."""
        return self.numerator / self.denominator if self.denominator else None

    @property
    def interval(self) -> Interval | None:
        """The normal interval of the mean; None with fewer than two nights."""
        error = self._standard_error
        if error is None:
            return None
        mean = self.numerator / self.denominator
        return Interval(mean - Z * error, mean + Z * error)

    @property
    def proportion_interval(self) -> Interval | None:
        """The interval of a proportion: Wilson's, with the effective number of trials.

        That is the number of independent trials with the same standard error. None with fewer
        than two nights.
        """
        error = self._standard_error
        if error is None:
            return None
        mean, trials = self.numerator / self.denominator, float(self.denominator)
        if not 0 < mean < 1:
            return wilson(self.numerator, self.denominator)
        if error:
            trials = mean * (1 - mean) / error**2
        return wilson(mean * trials, trials)

    @property
    def _standard_error(self) -> float | None:
        """The standard error of the mean, linearised (Cochran, Sampling Techniques, chapter 6)."""
        if self.nights < 2 or not self.denominator:
            return None
        # The sum over nights of (numerator - mean x denominator) squared, in integers up to the
        # division: the differences are small compared with the sums.
        residuals = (
            self.numerator_squared * self.denominator**2
            - 2 * self.numerator * self.denominator * self.product
            + self.numerator**2 * self.denominator_squared
        ) / self.denominator**2
        return sqrt(residuals * self.nights / (self.nights - 1)) / self.denominator


# Counts.

Key = tuple[str | int, ...]
"""What is counted, such as ("won", "ace") or ("out", seat)."""


class Tally(msgspec.Struct, frozen=True):
    """Counts over nights. Their number depends on the plan, never on the number of nights.

    All are integers, so that the order in which batches are added makes no difference.
    """

    counts: dict[Key, int] = {}
    maxima: dict[Key, int] = {}
    ratios: dict[Key, Ratio] = {}

    def __add__(self, other: Tally) -> Tally:
        """The tally of the nights of both."""
        counts, maxima, ratios = dict(self.counts), dict(self.maxima), dict(self.ratios)
        for key, count in other.counts.items():
            counts[key] = counts.get(key, 0) + count
        for key, value in other.maxima.items():
            maxima[key] = max(maxima.get(key, value), value)
        for key, ratio in other.ratios.items():
            ratios[key] = ratios[key] + ratio if key in ratios else ratio
        return Tally(counts, maxima, ratios)

    def count(self, *key: str | int) -> int:
        """A count; 0 if it never happened."""
        return self.counts.get(key, 0)

    def maximum(self, *key: str | int) -> int:
        """The largest value; 0 if there was none."""
        return self.maxima.get(key, 0)

    def ratio(self, *key: str | int) -> Ratio:
        """A ratio over nights."""
        return self.ratios.get(key, Ratio())

    @property
    def nights(self) -> int:
        """Nights played."""
        return self.count("nights")

    @property
    def deals(self) -> int:
        """Deals played."""
        return self.count("deals")

    @property
    def deals_by_live(self) -> Mapping[int, int]:
        """The number of deals by their number of live seats."""
        return {int(key[1]): n for key, n in self.counts.items() if key[0] == "live"}


class TallyBuilder:
    """Adds up the nights of a plan one by one."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._strategies = [strategy.name for strategy in plan.strategies]
        self._pools: list[tuple[int, str]] = [
            (index, pool) for index, pool in enumerate(POOLS) if pool in plan.rules.pools
        ]
        self._counts: dict[Key, int] = {}
        self._maxima: dict[Key, int] = {}
        self._ratios: dict[Key, Ratio] = {}

    def tally(self) -> Tally:
        """The tally of the nights so far."""
        return Tally(dict(self._counts), dict(self._maxima), dict(self._ratios))

    def add(self, night: SimulatedNight) -> None:
        """Adds a night."""
        sums: dict[Key, int] = {}
        deals = len(night.deals)
        for deal in night.deals:
            self._add_deal(deal, sums)
        self._count(("nights",))
        self._count(("deals",), deals)
        self._count(("rebuys",), night.rebuys)
        self._count(("broke",), night.broke)
        self._count(("left",), night.left)
        self._maximise(("deals",), deals)
        for key, denominator in self._denominators(sums, deals).items():
            self._add_ratio(key, sums.get(key, 0), denominator)
        self._add_nets(night)

    def _denominators(self, sums: Mapping[Key, int], deals: int) -> dict[Key, int]:
        """What each sum over a night is divided by."""
        knocked = sums.get(("knocked",), 0)
        return {
            ("won", "poch"): deals,
            ("won", "pinke"): deals,
            ("knocked",): deals,
            ("unseen",): deals,
            ("shown",): deals,
            ("kept",): deals,
            ("staked",): knocked,
            ("cards",): sums.get(("losers",), 0),
        }

    def _add_nets(self, night: SimulatedNight) -> None:
        """Nets by seat and by strategy, and who finished first, alone or tied."""
        best = max(night.nets)
        by_strategy: dict[str, list[int]] = {}
        for seat, net in zip(self._plan.seats, night.nets, strict=True):
            strategy = self._strategies[seat - 1]
            by_strategy.setdefault(strategy, []).append(net)
            self._add_ratio(("net", seat), net, 1)
            if net == best:
                self._count(("best", seat))
        for strategy, nets in by_strategy.items():
            self._add_ratio(("net", strategy), sum(nets), len(nets))

    def _add_deal(self, deal: DealRecord, sums: dict[Key, int]) -> None:
        self._count(("live", len(deal.live)))
        for index, pool in self._pools:
            self._count(("size", pool), deal.sizes[index])
            self._maximise(("size", pool), deal.sizes[index])
        for pool, win in deal.wins.items():
            self._count(("won", pool))
            self._count(("chips", pool), win.chips)
            self._maximise(("size", pool), win.chips)
            if pool in ("poch", "pinke"):
                sums["won", pool] = sums.get(("won", pool), 0) + 1
        self._add_betting(deal, sums)
        self._add_shedding(deal, sums)

    def _add_betting(self, deal: DealRecord, sums: dict[Key, int]) -> None:
        if deal.opener is None:
            return
        staked = sum(deal.stakes)
        self._maximise(("staked",), staked)
        how = "unseen" if not deal.showdown else "shown" if deal.winners else "kept"
        for key, value in (("knocked", 1), ("staked", staked), (how, 1)):
            sums[key,] = sums.get((key,), 0) + value
        self._count(("opens", deal.opener))
        for seat in deal.winners:
            self._count(("wins", seat))

    def _add_shedding(self, deal: DealRecord, sums: dict[Key, int]) -> None:
        self._count(("out", deal.out))
        for seat in deal.live:
            self._count(("plays", seat))
            if seat != deal.out:
                self._count(("cards", seat), deal.cards[seat - 1])
        self._maximise(("cards",), max(deal.cards))
        sums["cards",] = sums.get(("cards",), 0) + sum(deal.cards)
        sums["losers",] = sums.get(("losers",), 0) + len(deal.live) - 1

    def _count(self, key: Key, value: int = 1) -> None:
        self._counts[key] = self._counts.get(key, 0) + value

    def _maximise(self, key: Key, value: int) -> None:
        if value > self._maxima.get(key, -1):
            self._maxima[key] = value

    def _add_ratio(self, key: Key, numerator: int, denominator: int) -> None:
        self._ratios[key] = self._ratios.get(key, Ratio()).with_night(numerator, denominator)


_NONE: Final = "–"
"""Stands in a cell without a value."""


def report(plan: Plan, tally: Tally) -> str:
    """All tables, as text."""
    blocks = [
        _heading(plan, tally),
        _pools(plan, tally),
        _betting(tally),
        _seats(plan, tally),
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def pool_interval(tally: Tally, pool: str) -> Interval | None:
    """The interval of how often a pool is won per deal.

    Claims depend on the cards alone, so their deals are independent. Betting and shedding depend
    on the stacks too, so their deals are correlated within a night.
    """
    if pool in MELD_POOLS:
        return wilson(tally.count("won", pool), tally.deals)
    return tally.ratio("won", pool).proportion_interval


def pools_within_interval(tally: Tally, exact: Mapping[str, float]) -> list[str]:
    """The pools whose interval contains the exact chance.

    Pools with a chance of 0 are left out: their interval could not miss.
    """
    pools = []
    for pool, chance in exact.items():
        interval = pool_interval(tally, pool)
        if chance and interval and chance in interval:
            pools.append(pool)
    return pools


def _heading(plan: Plan, tally: Tally) -> list[str]:
    rules = plan.rules
    nights, deals = tally.nights, tally.deals
    counted = f"{nights:,} {'night' if nights == 1 else 'nights'}"
    counted += f", {deals:,} {'deal' if deals == 1 else 'deals'}"
    heading = f"{rules.name} with {len(plan.strategies)} players, seed {plan.seed}: {counted}"
    a_night, most = ENGLISH.number(deals / nights, ".2f"), tally.maximum("deals")
    rows = [
        (
            "deals a night",
            f"{a_night}, at most {most}",
        )
    ]
    rebuys, broke, left = (tally.count(key) for key in ("rebuys", "broke", "left"))
    if rebuys:
        times = f"{ENGLISH.number(rebuys / nights, '.2f')} times a night"
        rows.append(("bought in again", times))
    if broke:
        seats = f"{ENGLISH.number(broke / nights, '.2f')} a night"
        rows.append(("seats out at the end", seats))
    number = ENGLISH.number(left / nights, ".2f")
    if not left:
        chips = f"{number} a night"
    elif rules.leftover == "split":
        chips = f"{number} a night, shared out"
    else:
        chips = f"{number} a night, to the bank"
    rows.append(("chips left on the board", chips))
    wide = max(25, *(len(label) + 2 for label, _ in rows))
    return [heading, *(f"  {label:<{wide}}{text}" for label, text in rows)]


def _pools(plan: Plan, tally: Tally) -> list[str]:
    exact = expected(plan.rules, tally.deals_by_live)
    deals = tally.deals
    inside = pools_within_interval(tally, exact)
    rows = []
    for pool in POOLS:
        if pool not in plan.rules.pools:
            continue
        won = tally.count("won", pool)
        chance = exact.get(pool)
        rows.append((
            str(plan.rules.pool_name(pool)),
            _percent(won / deals),
            _range(pool_interval(tally, pool)),
            _NONE if chance is None else _percent(chance),
            # Blank where there is no exact chance to compare with.
            "" if not chance else ("in" if pool in inside else "out"),
            ENGLISH.number(tally.count("size", pool) / deals, ".2f"),
            str(tally.maximum("size", pool)),
            ENGLISH.number(tally.count("chips", pool) / won, ".2f") if won else _NONE,
        ))  # fmt: skip
    counted = [pool for pool, chance in exact.items() if chance]
    closing = "There is no exact chance for any pool here."
    if counted:
        closing = (
            (
                f"{len(inside)} of {len(counted)} interval contains the exact chance; 95 of 100"
                " do in the long run."
            )
            if len(counted) == 1
            else (
                f"{len(inside)} of {len(counted)} intervals contain the exact chance; 95 of 100"
                " do in the long run."
            )
        )
    columns = (
        "Pool",
        "won a deal",
        "95 % interval",
        "exact",
        "",
        "size",
        "largest",
        "a win",
    )
    return [*_table(columns, rows, left=(0, 4)), closing]


def _betting(tally: Tally) -> list[str]:
    rows = []
    for key, label in (
        ("knocked", "somebody stakes"),
        ("unseen", "won unseen"),
        ("shown", "won at a showdown"),
        ("kept", "nobody shows a set"),
    ):
        ratio = tally.ratio(key)
        share = _percent(ratio.mean or 0.0)
        rows.append((label, share, _range(ratio.proportion_interval), "of all deals", ""))
    for key, label, over in (
        ("staked", "chips staked", "a deal with stakes"),
        ("cards", "cards left", "each loser"),
    ):
        ratio = tally.ratio(key)
        mean = _NONE if ratio.mean is None else ENGLISH.number(ratio.mean, ".2f")
        rows.append((label, mean, _range(ratio.interval, 1), over, str(tally.maximum(key))))
    columns = (
        "Betting and shedding",
        "mean",
        "95 % interval",
        "",
        "largest",
    )
    return _table(columns, rows, left=(0, 3))


def _seats(plan: Plan, tally: Tally) -> list[str]:
    names = [strategy.name for strategy in plan.strategies]
    rows = []
    for seat, name in zip(plan.seats, names, strict=True):
        rows.append((str(seat), name, *_net(tally.ratio("net", seat)), *_ways(tally, [seat])))
    strategies = list(dict.fromkeys(names))
    if 1 < len(strategies) < len(names):
        rows.append(("",) * 8)
        for name in strategies:
            seats = [seat for seat in plan.seats if names[seat - 1] == name]
            rows.append(
                (
                    "all",
                    name,
                    *_net(tally.ratio("net", name)),
                    *_ways(tally, seats, len(seats)),
                )
            )
    columns = (
        "Seat",
        "strategy",
        "net a night",
        "first",
        "knocks",
        "poch",
        "out",
        "cards",
    )
    return [
        *_table(columns, rows, left=(0, 1)),
        (
            "net: chips won or lost, with the 95 % interval; first: nights in which nobody\n"
            "had more; knocks, poch, out: deals in which the seat stakes first, wins the\n"
            "betting, goes out first; cards: how many it has left on average if it does not."
        ),
    ]


def _net(ratio: Ratio) -> tuple[str]:
    # Adding 0.0 turns a rounded -0.0 into 0.0.
    mean, interval = round(ratio.mean or 0.0, 1) + 0.0, ratio.interval
    text = ENGLISH.number(mean, "+.1f")
    return (f"{text} ± {ENGLISH.number(interval.half_width, '.1f')}" if interval else text,)


def _ways(tally: Tally, seats: Sequence[int], share: int = 1) -> tuple[str, ...]:
    """The shares of nights and deals in which these seats come first, knock, win and go out."""

    def total(key: str) -> int:
        return sum(tally.count(key, seat) for seat in seats)

    plays, out = total("plays"), total("out")
    lost = plays - out
    return (
        _percent(total("best") / tally.nights / share, 1),
        *(_percent(total(key) / plays, 1) for key in ("opens", "wins", "out")),
        ENGLISH.number(total("cards") / lost, ".2f") if lost else _NONE,
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int]) -> list[str]:
    """Lines of columns as wide as needed; those in `left` are aligned left, the others right."""
    cells_by_row = [columns, *rows]
    lines = []
    widths = [max(len(row[index]) for row in cells_by_row) for index in range(len(columns))]
    for row in cells_by_row:
        cells = [
            cell.ljust(width) if index in left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def _percent(share: float, digits: int = 2) -> str:
    return f"{ENGLISH.number(100 * share, f'.{digits}f')} %"


def _range(interval: Interval | None, scale: int = 100) -> str:
    if interval is None:
        return _NONE
    low, high = (ENGLISH.number(scale * bound, ".2f") for bound in (interval.low, interval.high))
    return f"{low} – {high}"
