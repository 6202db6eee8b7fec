"""What a simulation counts, and the ratios that it estimates."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import msgspec

from pochboard.history.people import Interval, Z, wilson
from pochboard.rules.accounts import POOLS
from pochboard.simulate.bots_night import DealRecord, Plan, SimulatedNight


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
