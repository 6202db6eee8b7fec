"""What is counted over nights, compared with the nights themselves; and its intervals."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from math import comb, sqrt
from random import Random
from statistics import NormalDist

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pochboard.bots.betting import BOLD, CAREFUL, DEFAULT_STRATEGIES, RANDOM, SENSIBLE, Strategy
from pochboard.bots.bot_table import BotCommand, BotTable, play_night
from pochboard.cards.exact import expected
from pochboard.history.people import wilson
from pochboard.rules.accounts import MELD_POOLS, POOLS
from pochboard.rules.commands import Claim, Rebuy, Stake
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from pochboard.rules.seating import always
from pochboard.rules.state import State
from pochboard.simulate.bots_night import Plan, SimulatedNight, simulate_night
from pochboard.simulate.runner import batches, play_batch, simulate
from pochboard.simulate.tally import (
    Ratio,
    Tally,
    TallyBuilder,
    pool_interval,
    report,
)
from tests.not_empty import not_empty

ALL = (SENSIBLE, BOLD, CAREFUL, RANDOM)


def plan(
    ruleset: str = "modern", players: int = 4, nights: int = 6, seed: int = 1, **options: object
) -> Plan:
    rules = override(shipped_rulesets()[ruleset], options)
    strategies: tuple[Strategy, ...] = tuple(
        (*DEFAULT_STRATEGIES, RANDOM)[seat % 4] for seat in range(players)
    )
    return Plan(rules, strategies, nights, seed, rules.stack)


PLANS = {
    "modern": plan(),
    "six": plan(players=6, nights=3),
    "dealer": plan(turned_card="dealer", leftover="split", nights=4, deals=9),
    "prove": plan(prove_set=True, raises="capped", nights=4),
    "high": plan(high_card=True, bluff_penalty=3, all_in=False, nights=4),
    "short": plan(deals="until-short", leftover="split", nights=4, stack=60),
    "banker": plan("banker", 6, 4),
    "pinke to the centre": plan("banker", 4, 4, centre_to_winner=True),
    "alvensleben": plan("alvensleben-1853", 8, 3),
    "thirty-one": plan("thirty-one", 3, 8, last_deal_to_poch=True),
    "philos": plan("philos", 3, 4),
    "pierer": plan("pierer-1844", 5, 3),
}
each_plan = pytest.mark.parametrize("name", PLANS)


@cache
def nights(name: str) -> tuple[SimulatedNight, ...]:
    chosen = PLANS[name]
    return tuple(simulate_night(chosen, number) for number in range(1, chosen.nights + 1))


def counted(chosen: Plan, some: tuple[SimulatedNight, ...] | list[SimulatedNight]) -> Tally:
    builder = TallyBuilder(chosen)
    for night in some:
        builder.add(night)
    return builder.tally()


# The record of a deal.


def states(chosen: Plan, number: int) -> list[tuple[State, object, State]]:
    """The same night played again, command by command."""
    strategies = dict(zip(chosen.seats, chosen.strategies, strict=True))
    table = BotTable(strategies, chosen.seed_of(number))
    played = play_night(chosen.start(number), table, always(chosen.rules))
    return [
        (before, action.command, after)
        for before, action, after in played
        if isinstance(action, BotCommand)
    ]


@each_plan
def test_every_chip_is_accounted_for(name: str) -> None:
    """What the seats gain in a deal, they have won from pools or bought."""
    chosen = PLANS[name]
    rules = chosen.rules
    for number, night in enumerate(nights(name), 1):
        bought = Counter(
            before.deal + 1
            for before, command, _ in states(chosen, number)
            if isinstance(command, Rebuy)
            for _ in range(command.chips)
        )
        had = chosen.stack * len(chosen.strategies)
        assert [deal.deal for deal in night.deals] == list(range(1, len(night.deals) + 1))
        for deal in not_empty(night.deals):
            ante = (
                rules.ante_due(len(deal.live)) * len(deal.live) if rules.ante_from == "seats" else 0
            )
            won = sum(win.chips for win in deal.wins.values())
            had += bought[deal.deal] - ante - sum(deal.stakes) + won
            assert sum(deal.stacks) == had, (number, deal)
            assert min(deal.stacks) >= 0
        assert night.rebuys == sum(
            isinstance(command, Rebuy) for _, command, _ in states(chosen, number)
        )


@each_plan
def test_the_chips_left_at_the_end(name: str) -> None:
    chosen = PLANS[name]
    for night in not_empty(nights(name)):
        deals = len(night.deals)
        from_bank = chosen.rules.ante_due(4) * deals if chosen.rules.ante_from == "bank" else 0
        left = 0 if chosen.rules.leftover == "split" else night.left
        assert sum(night.nets) == from_bank - left


@each_plan
def test_the_report_begins_with_what_a_night_has(name: str) -> None:
    chosen, played = PLANS[name], nights(name)
    heading, *rows = report(chosen, counted(chosen, played)).split("\n\n")[0].splitlines()
    texts = dict(row.strip().split("  ", 1) for row in rows)
    figures = {label: re.findall(r"\d+\.\d\d|\d+$", text) for label, text in texts.items()}

    def a_night(total: int) -> str:
        return f"{total / len(played):.2f}"

    deals = [len(night.deals) for night in played]
    expected = {"deals a night": [a_night(sum(deals)), str(max(deals))]}
    if rebuys := sum(night.rebuys for night in played):
        expected["bought in again"] = [a_night(rebuys)]
    if broke := sum(night.broke for night in played):
        expected["seats out at the end"] = [a_night(broke)]
    expected["chips left on the board"] = [a_night(sum(night.left for night in played))]
    assert figures == expected
    assert heading.endswith(f"{len(played)} nights, {sum(deals)} deals")


def test_a_loss_that_rounds_to_nothing_has_no_sign_of_its_own() -> None:
    chosen = PLANS["modern"]
    tally = counted(chosen, nights("modern"))
    for net, shown in ((-4, "+0.0"), (4, "+0.0"), (-6, "−0.1"), (6, "+0.1")):
        few = Ratio(nights=1, numerator=net, denominator=100)
        ratios = dict.fromkeys(tally.ratios, few)
        text = report(chosen, msgspec.structs.replace(tally, ratios=ratios))
        row = next(line for line in text.splitlines() if line.startswith("1  "))
        assert f" {shown} " in f"{row} ", row


@each_plan
def test_wins_are_those_of_the_claims(name: str) -> None:
    chosen = PLANS[name]
    for number, night in enumerate(nights(name), 1):
        taken: dict[int, dict[str, tuple[int, ...]]] = {}
        stakes: dict[int, list[int]] = {}
        for before, command, after in states(chosen, number):
            if isinstance(command, Claim):
                for pool, seat in after.claims:
                    taken.setdefault(after.deal, {})[pool] = (seat,)
            if isinstance(command, Stake):
                stakes.setdefault(before.deal, []).append(command.seat)
        for deal in not_empty(night.deals):
            claims = {pool: win.seats for pool, win in deal.wins.items() if pool in MELD_POOLS}
            if chosen.rules.turned_card == "nobody":
                assert claims == taken.get(deal.deal, {})
            else:
                assert claims.items() >= taken.get(deal.deal, {}).items()
            staked = stakes.get(deal.deal, [])
            assert deal.opener == (staked[0] if staked else None)
            assert (deal.knocker in staked) if staked else (deal.knocker is None)
            for pool, win in deal.wins.items():
                bet = pool in ("poch", "pinke") or chosen.rules.last_deal_to == "poch"
                assert win.chips == deal.sizes[POOLS.index(pool)] or bet


# What is counted.


@each_plan
def test_counts_are_sums_over_deals(name: str) -> None:
    chosen, whole = PLANS[name], nights(name)
    tally = counted(chosen, whole)
    deals = [deal for night in whole for deal in night.deals]
    assert tally.nights == len(whole)
    assert tally.deals == len(deals) == sum(tally.deals_by_live.values())
    assert tally.deals_by_live == Counter(len(deal.live) for deal in deals)
    for pool in chosen.rules.pools:
        wins = [deal.wins[pool] for deal in deals if pool in deal.wins]
        assert tally.count("won", pool) == len(wins)
        assert tally.count("chips", pool) == sum(win.chips for win in wins)
        sizes = [deal.sizes[POOLS.index(pool)] for deal in deals]
        assert tally.maximum("size", pool) == max(*sizes, *(win.chips for win in wins), 0)
        assert tally.count("size", pool) == sum(sizes)
        if pool not in MELD_POOLS:
            assert (tally.ratio("won", pool).numerator, tally.ratio("won", pool).denominator) == (
                len(wins), len(deals),
            )  # fmt: skip
    staked = [deal for deal in deals if deal.opener]
    assert (tally.ratio("knocked").numerator, tally.ratio("staked").denominator) == (
        len(staked),
    ) * 2
    assert tally.ratio("staked").numerator == sum(sum(deal.stakes) for deal in deals)
    for seat in chosen.seats:
        assert tally.count("out", seat) == sum(deal.out == seat for deal in deals)
        assert tally.count("plays", seat) == sum(seat in deal.live for deal in deals)
        assert tally.ratio("net", seat).numerator == sum(night.nets[seat - 1] for night in whole)
    for strategy in ALL:
        seats = [seat for seat in chosen.seats if chosen.strategies[seat - 1] is strategy]
        assert tally.ratio("net", strategy.name).denominator == len(seats) * len(whole)
        assert tally.ratio("net", strategy.name).numerator == sum(
            night.nets[seat - 1] for night in whole for seat in seats
        )


@settings(max_examples=30)
@given(st.lists(st.booleans(), min_size=6, max_size=6), st.integers(0, 99))
def test_tallies_of_parts_add_up_to_the_whole(cuts: list[bool], shuffle: int) -> None:
    chosen, whole = PLANS["modern"], nights("modern")
    cut: list[list[SimulatedNight]] = [[]]
    for night, new in zip(whole, cuts, strict=True):
        if new:
            cut.append([])
        cut[-1].append(night)
    tallies = [counted(chosen, batch) for batch in cut]
    Random(shuffle).shuffle(tallies)
    total = Tally()
    for tally in tallies:
        total += tally
    assert total == counted(chosen, whole)


# How nights are played.


def test_the_outcome_is_the_same_in_any_parts() -> None:
    chosen = plan("thirty-one", 4, 150)
    cut = list(batches(chosen))
    assert len(cut) > 2
    assert [number for numbers in cut for number in numbers] == list(range(1, 151))
    short = msgspec.structs.replace(chosen, nights=9)
    whole = play_batch(short, range(1, 10), as_rows=True)
    total, rows = Tally(), ""
    for numbers in (range(1, 3), range(3, 4), range(4, 10)):
        batch = play_batch(short, numbers, as_rows=True)
        total, rows = total + batch.tally, rows + batch.rows
    assert (total, rows) == (whole.tally, whole.rows)
    assert whole.rows.count("\r\n") == whole.tally.deals


# The simulation agrees with the exact chances.

RUNS = 40
CARDS = ("ace", "king", "queen", "jack", "ten", "marriage")


@cache
def runs() -> tuple[Tally, ...]:
    """Runs of 25 short nights, each with another seed."""
    tallies = []
    for seed in range(RUNS):
        chosen = plan("thirty-one", 4, 25, seed=seed)
        total = Tally()
        for batch in simulate(chosen):
            total += batch.tally
        tallies.append(total)
    return tuple(tallies)


def tail(trials: int, chance: float, hits: int) -> float:
    """The chance of this many hits or fewer."""
    return sum(comb(trials, n) * chance**n * (1 - chance) ** (trials - n) for n in range(hits + 1))


def coverage(trials: int, chance: float) -> float:
    """How often Wilson's interval contains the truth; it varies with the number of trials."""
    return sum(
        comb(trials, n) * chance**n * (1 - chance) ** (trials - n)
        for n in range(trials + 1)
        if chance in wilson(n, trials)
    )


@pytest.mark.parametrize("pool", CARDS)
def test_intervals_hold_the_exact_chance_as_often_as_they_should(pool: str) -> None:
    rules = plan("thirty-one", 4).rules
    inside, share = 0, 0.0
    for tally in runs():
        chance = expected(rules, tally.deals_by_live)[pool]
        interval = pool_interval(tally, pool)
        assert interval is not None
        inside += chance in interval
        share += coverage(tally.deals, chance) / RUNS
    assert 0.92 < share < 0.98
    # Not too rarely, and not so often that the intervals must be too wide.
    assert tail(RUNS, share, inside) > 0.001
    assert 1 - tail(RUNS, share, inside - 1) > 0.001


Z = NormalDist().inv_cdf(0.975)


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
        # The same with hits and misses swapped.
        (20, 20, 0.8389, 1.0000),
        (28, 29, 0.8282, 0.9939),
    ],
)
def test_wilson(hits: int, trials: int, low: float, high: float) -> None:
    interval = wilson(hits, trials)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


@pytest.mark.parametrize("trials", [100, 400])
@pytest.mark.parametrize("chance", [0.05, 0.1694, 0.5, 0.875])
def test_wilson_holds_the_truth_as_often_as_it_should(chance: float, trials: int) -> None:
    held = sum(
        comb(trials, hits) * chance**hits * (1 - chance) ** (trials - hits)
        for hits in range(trials + 1)
        if chance in wilson(hits, trials)
    )
    assert 0.93 < held < 0.97


def ratio(nights: list[tuple[int, int]]) -> Ratio:
    total = Ratio()
    for top, bottom in nights:
        total = total.with_night(top, bottom)
    return total


def test_the_mean_of_nights() -> None:
    nets = [2, 4, 4, 4, 5, 5, 7, 9]
    net_ratio = ratio([(net, 1) for net in nets])
    assert net_ratio.mean == 5
    assert net_ratio.interval is not None
    # The squares of the differences sum to 32, over 7 degrees of freedom.
    half = Z * sqrt(32 / 7 / 8)
    assert net_ratio.interval.low == pytest.approx(5 - half)
    assert net_ratio.interval.high == pytest.approx(5 + half)
    assert net_ratio.interval.half_width == pytest.approx(half)


def test_a_share_of_deals_that_hang_together_is_wider() -> None:
    # All deals of a night have the same result, so 40 nights say no more than 40 deals would.
    together = ratio([(10 * (night % 2), 10) for night in range(40)]).proportion_interval
    apart = ratio([(5, 10), *[(4, 10), (6, 10)] * 20]).proportion_interval
    assert together is not None
    assert apart is not None
    assert together.half_width == pytest.approx(wilson(19.5, 39).half_width)
    assert apart.half_width < wilson(205, 410).half_width < together.half_width
