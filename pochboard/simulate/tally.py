"""What is counted over nights. Tallies of parts of the nights add up to that of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from pochboard.rules.board import POOLS
from pochboard.simulate.interval import Ratio
from pochboard.simulate.plan import Plan
from pochboard.simulate.watch import Night, Played

Key = tuple[str | int, ...]
"""What is counted, as in ("won", "ace") or ("stack", seat, deal, bin)."""

_MOST_BINS: Final = 50_000
"""Into so many bins all stacks of all deals are sorted at most, or a few more in long nights."""
_LEAST_BINS: Final = 20
"""So many bins has any stack at least."""


class Tally(msgspec.Struct, frozen=True):
    """Counts of nights. Its size depends on the plan, never on the number of nights.

    All are whole numbers, so that it makes no difference in what order parts are added.
    """

    counts: dict[Key, int] = {}
    most: dict[Key, int] = {}
    """The largest values."""
    ratios: dict[Key, Ratio] = {}

    def __add__(self, other: Tally) -> Tally:
        """The tally of the nights of both."""
        counts, most, ratios = dict(self.counts), dict(self.most), dict(self.ratios)
        for key, count in other.counts.items():
            counts[key] = counts.get(key, 0) + count
        for key, value in other.most.items():
            most[key] = max(most.get(key, value), value)
        for key, ratio in other.ratios.items():
            ratios[key] = ratios[key] + ratio if key in ratios else ratio
        return Tally(counts, most, ratios)

    def count(self, *key: str | int) -> int:
        """A count; 0 for what never happened."""
        return self.counts.get(key, 0)

    def largest(self, *key: str | int) -> int:
        """The largest value; 0 if there was none."""
        return self.most.get(key, 0)

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
        """How many deals had so many live seats."""
        return {int(key[1]): n for key, n in self.counts.items() if key[0] == "live"}


def bin_width(plan: Plan) -> int:
    """How many chips of a stack are counted as one."""
    bins = max(_LEAST_BINS, _MOST_BINS // (len(plan.tempers) * plan.most_deals))
    return plan.most_chips // bins + 1


class Counting:
    """Counts nights of a plan as they come."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._tempers = [temper.name for temper in plan.tempers]
        self._pools: list[tuple[int, str]] = [
            (index, pool) for index, pool in enumerate(POOLS) if pool in plan.rules.pools
        ]
        self._width = bin_width(plan)
        self._counts: dict[Key, int] = {}
        self._most: dict[Key, int] = {}
        self._ratios: dict[Key, Ratio] = {}

    def tally(self) -> Tally:
        """What has been counted so far."""
        return Tally(dict(self._counts), dict(self._most), dict(self._ratios))

    def night(self, night: Night) -> None:
        """Counts one more night."""
        sums: dict[Key, int] = {}
        deals = len(night.deals)
        for deal in night.deals:
            self._deal(deal, sums)
        self._add(("nights",))
        self._add(("deals",), deals)
        self._add(("rebuys",), night.rebuys)
        self._add(("broke",), night.broke)
        self._add(("left",), night.left)
        self._top(("deals",), deals)
        for key, over in self._over(sums, deals).items():
            self._ratio(key, sums.get(key, 0), over)
        self._nets(night)

    def _over(self, sums: Mapping[Key, int], deals: int) -> dict[Key, int]:
        """What each sum of a night falls on."""
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

    def _nets(self, night: Night) -> None:
        """Won and lost by seat and by temperament; who was first at the end, perhaps not alone."""
        best = max(night.nets)
        by_temper: dict[str, list[int]] = {}
        for seat, net in zip(self._plan.seats, night.nets, strict=True):
            temper = self._tempers[seat - 1]
            by_temper.setdefault(temper, []).append(net)
            self._ratio(("net", seat), net, 1)
            if net == best:
                self._add(("best", seat))
        for temper, nets in by_temper.items():
            self._ratio(("net", temper), sum(nets), len(nets))

    def _deal(self, deal: Played, sums: dict[Key, int]) -> None:
        number = deal.deal
        counts = self._counts
        self._add(("live", len(deal.live)))
        self._add(("reached", number))
        for index, pool in self._pools:
            size = deal.sizes[index]
            key: Key = ("size", pool, number)
            counts[key] = counts.get(key, 0) + size
            self._top(("size", pool), size)
        for pool, win in deal.wins.items():
            self._add(("won", pool))
            self._add(("chips", pool), win.chips)
            self._top(("size", pool), win.chips)
            if pool in ("poch", "pinke"):
                key = ("won", pool)
                sums[key] = sums.get(key, 0) + 1
        self._bets(deal, sums)
        self._left(deal, sums)
        width = self._width
        for seat, stack in enumerate(deal.stacks, 1):
            key = ("stack", seat, number)
            counts[key] = counts.get(key, 0) + stack
            key = ("stack", seat, number, stack // width)
            counts[key] = counts.get(key, 0) + 1

    def _bets(self, deal: Played, sums: dict[Key, int]) -> None:
        if deal.opener is None:
            return
        staked = sum(deal.stakes)
        self._top(("staked",), staked)
        how = "unseen" if not deal.showdown else "shown" if deal.winners else "kept"
        for key, value in (("knocked", 1), ("staked", staked), (how, 1)):
            sums[key,] = sums.get((key,), 0) + value
        self._add(("opens", deal.opener))
        for seat in deal.winners:
            self._add(("wins", seat))

    def _left(self, deal: Played, sums: dict[Key, int]) -> None:
        self._add(("out", deal.out))
        for seat in deal.live:
            self._add(("plays", seat))
            if seat != deal.out:
                self._add(("cards", seat), deal.cards[seat - 1])
        self._top(("cards",), max(deal.cards))
        sums["cards",] = sums.get(("cards",), 0) + sum(deal.cards)
        sums["losers",] = sums.get(("losers",), 0) + len(deal.live) - 1

    def _add(self, key: Key, value: int = 1) -> None:
        self._counts[key] = self._counts.get(key, 0) + value

    def _top(self, key: Key, value: int) -> None:
        if value > self._most.get(key, -1):
            self._most[key] = value

    def _ratio(self, key: Key, top: int, bottom: int) -> None:
        self._ratios[key] = self._ratios.get(key, Ratio()).night(top, bottom)
