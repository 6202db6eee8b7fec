"""Plays thousands of nights of bots without a board, and counts what happens."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from functools import partial
from math import ceil, sqrt
from multiprocessing import get_context, parent_process
from typing import Final

import msgspec

from pochboard.bots.betting import Strategy
from pochboard.bots.bot_table import BotTable, PlayCard, most_deals, play_night
from pochboard.errors import SimulationError
from pochboard.history import Interval, Z, wilson
from pochboard.rules import commands
from pochboard.rules.accounts import FIRST_SEAT
from pochboard.rules.betting import betting_end
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.seating import always
from pochboard.rules.state import State


class Plan(msgspec.Struct, frozen=True):
    """Everything that decides the outcome of a simulation, and nothing else."""

    rules: Ruleset
    """The ruleset, with its options applied."""
    strategies: tuple[Strategy, ...]
    """One per seat, seat 1 first."""
    nights: int
    seed: int
    stack: int
    """Each seat's chips at the start."""

    @property
    def seats(self) -> range:
        """The seats, numbered from 1."""
        return range(1, len(self.strategies) + 1)

    def play(self, night: int) -> Iterable[tuple[State, commands.AnyCommand, State]]:
        """A night, command by command, from a seed of its own: state before, command, after.

        The first dealer moves one seat from night to night.
        """
        table = BotTable(
            dict(zip(self.seats, self.strategies, strict=True)),
            f"simulate {self.seed} night {night}",
        )
        start = commands.Start(
            ruleset=self.rules.name,
            players=tuple(f"Seat {seat}" for seat in self.seats),
            dealer=(night - 1) % len(self.strategies) + 1,
            stack=self.stack,
        )
        for before, action, after in play_night(start, table, always(self.rules)):
            if type(action) is not PlayCard:
                yield before, action, after


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

    @classmethod
    def of_night(cls, top: int, bottom: int) -> Ratio:
        """The ratio of one night."""
        return cls(1, top, bottom, top * top, top * bottom, bottom * bottom)

    def __add__(self, other: Ratio) -> Ratio:
        """The nights of both."""
        of_both = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True)
        return Ratio(*map(sum, of_both))

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


Key = tuple[str | int, ...]
"""What is counted, such as ("won", "ace") or ("out", seat)."""


class Tally:
    """Counts over nights. Their number depends on the plan, never on the number of nights.

    All are integers, so that the order in which batches are added makes no difference.
    """

    def __init__(self) -> None:
        self.counts: Counter[Key] = Counter()
        self.maxima: Counter[Key] = Counter()
        self.ratios: dict[Key, Ratio] = {}

    def add(self, other: Tally) -> None:
        """Adds the nights of another one."""
        self.counts.update(other.counts)
        for key, value in other.maxima.items():
            self.reach(key, value)
        for key, ratio in other.ratios.items():
            self.add_ratio(key, ratio)

    def reach(self, key: Key, value: int) -> None:
        """Notes a value that may be the largest."""
        self.maxima[key] = max(self.maxima[key], value)

    def add_ratio(self, key: Key, ratio: Ratio) -> None:
        """Adds the ratio of a night, or of several."""
        self.ratios[key] = self.ratio(*key) + ratio

    def count(self, *key: str | int) -> int:
        """A count; 0 if it never happened."""
        return self.counts[key]

    def maximum(self, *key: str | int) -> int:
        """The largest value; 0 if there was none."""
        return self.maxima[key]

    def ratio(self, *key: str | int) -> Ratio:
        """A ratio over nights."""
        return self.ratios.get(key, Ratio())

    @property
    def deals_by_live(self) -> Mapping[int, int]:
        """The number of deals by their number of live seats."""
        return {int(key[1]): n for key, n in self.counts.items() if key[0] == "live"}


class _Night:
    """Counts the commands of one night."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self.sums: Counter[str] = Counter()
        """What ratios are made of."""
        self._opened = False
        """Whether somebody has staked in this deal."""

    def record(self, before: State, command: commands.AnyCommand, after: State) -> None:
        """Counts a command, with the states before and after it."""
        # Comparing types takes a third of the time of a `match`.
        kind = type(command)
        if type(command) is commands.Stake or kind is commands.Pass or kind is commands.Showdown:
            if type(command) is commands.Stake and not self._opened:
                self._opened = True
                self._tally.counts["opens", command.seat] += 1
            self._end_betting(before, command, after)
        elif kind is commands.Turn or kind is commands.Claim:
            for pool, _ in after.claims[len(before.claims) :]:
                self._win(before, pool)
        elif kind is commands.Deal:
            self._deal(after)
        elif kind is commands.Rebuy:
            self._tally.counts["rebuys",] += 1
        elif type(command) is commands.Settle:
            self._settle(before, command)
        if after.phase == "closed":
            kept = before.rules.centre_to_winner and kind is commands.Settle
            left = sum(before.balances[1:FIRST_SEAT]) - (before.pool("pinke") if kept else 0)
            self._tally.counts["left",] += left

    def _deal(self, state: State) -> None:
        self._opened = False
        self.sums["deals"] += 1
        self._tally.counts["live", len(state.live)] += 1
        for pool in state.rules.pools:
            self._tally.counts["size", pool] += state.pool(pool)
            self._tally.reach(("size", pool), state.pool(pool))

    def _win(self, state: State, pool: str) -> None:
        chips = state.pool(pool)
        if chips:
            self.sums[f"won {pool}"] += 1
            self._tally.counts["won", pool] += 1
            self._tally.counts["chips", pool] += chips
            self._tally.reach(("size", pool), chips)

    def _end_betting(self, before: State, command: commands.AnyCommand, after: State) -> None:
        """Counts the stakes, all of which lie in the bet pool, and who wins the main pot."""
        end = betting_end(before, command, after)
        if end is None:
            return
        staked = sum(end.staked.committed)
        shown = type(command) is commands.Showdown
        self.sums["knocked"] += 1
        self.sums["staked"] += staked
        self.sums["unseen" if not shown else "shown" if end.winners else "kept"] += 1
        self._tally.reach(("staked",), staked)
        for seat in end.winners:
            self._tally.counts["wins", seat] += 1
        if end.winners:
            for pool in before.rules.won_by_betting:
                self._win(end.staked, pool)

    def _settle(self, before: State, command: commands.Settle) -> None:
        assert before.winner is not None, "somebody went out first"
        if before.rules.centre_to_winner:
            self._win(before, "pinke")
        self._tally.counts["out", before.winner] += 1
        for seat in before.live:
            self._tally.counts["plays", seat] += 1
        for holder, cards in command.cards.items():
            self._tally.counts["cards", int(holder)] += cards
            self._tally.reach(("cards",), cards)
            self.sums["cards"] += cards
            self.sums["losers"] += 1


_OVER: Final = {
    ("won", "poch"): ("won poch", "deals"),
    ("won", "pinke"): ("won pinke", "deals"),
    ("knocked",): ("knocked", "deals"),
    ("unseen",): ("unseen", "deals"),
    ("shown",): ("shown", "deals"),
    ("kept",): ("kept", "deals"),
    ("staked",): ("staked", "knocked"),
    ("cards",): ("cards", "losers"),
}
"""By ratio, the sums over a night that are divided."""


def count_night(plan: Plan, number: int, tally: Tally) -> None:
    """Plays night `number` of the plan, and adds it to the tally."""
    night, state = _Night(tally), State()
    for before, action, after in plan.play(number):
        night.record(before, action, after)
        state = after
    deals = night.sums["deals"]
    tally.counts.update({("nights",): 1, ("deals",): deals})
    tally.counts["broke",] += len(state.names) - len(state.live)
    tally.reach(("deals",), deals)
    for key, (top, bottom) in _OVER.items():
        tally.add_ratio(key, Ratio.of_night(night.sums[top], night.sums[bottom]))
    nets = [state.stack_of(seat) - state.bought[seat - 1] for seat in state.seats]
    by_strategy: dict[str, list[int]] = {}
    for seat, strategy, net in zip(plan.seats, plan.strategies, nets, strict=True):
        by_strategy.setdefault(strategy.name, []).append(net)
        tally.add_ratio(("net", seat), Ratio.of_night(net, 1))
        # Several may be first, tied.
        tally.counts["best", seat] += net == max(nets)
    for name, each in by_strategy.items():
        tally.add_ratio(("net", name), Ratio.of_night(sum(each), len(each)))


_BATCH_DEALS: Final = 240
"""A batch has about this many deals, which take some tenths of a second."""
_QUEUED_PER_JOB: Final = 2
"""Batches submitted for each process: one to play, and one to continue with at once."""


def play_batch(plan: Plan, numbers: range) -> Tally:
    """Plays the nights of these numbers."""
    tally = Tally()
    for number in numbers:
        count_night(plan, number, tally)
    return tally


def simulate(plan: Plan, jobs: int = 1) -> Generator[Tally]:
    """Plays all nights of the plan in so many processes, and yields a tally for some at a time.

    The number of processes does not change the outcome. Raises SimulationError if one is killed.
    """
    deals = len(plan.strategies) if plan.rules.deals == "round" else most_deals(plan.rules)
    size, nights = max(1, _BATCH_DEALS // deals), range(1, plan.nights + 1)
    batches = (nights[first : first + size] for first in range(0, plan.nights, size))
    play = partial(play_batch, plan)
    # A process without a batch to play would be useless.
    jobs = min(jobs, ceil(plan.nights / size))
    if jobs == 1:
        yield from map(play, batches)
        return
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_end_with_parent)
    pending: deque[Future[Tally]] = deque()
    try:
        for numbers in batches:
            if len(pending) == jobs * _QUEUED_PER_JOB:
                yield pending.popleft().result()
            # Processes that start meanwhile never see Ctrl-C, which is for this one.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                pending.append(pool.submit(play, numbers))
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        while pending:
            yield pending.popleft().result()
    except BrokenExecutor:
        raise SimulationError("A worker process was killed; the simulation has stopped.") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """Ends this process when its parent is gone, even if that was killed."""
    parent = parent_process()
    assert parent, "this runs in a process of the pool"

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
