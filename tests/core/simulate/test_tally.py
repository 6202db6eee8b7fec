"""What is counted over nights, compared with the nights themselves; and its intervals."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from math import comb, sqrt
from random import Random
from statistics import NormalDist

import pytest

from pochboard.bots.betting import DEFAULT_STRATEGIES, RANDOM, Strategy
from pochboard.cards.exact import expected
from pochboard.history import wilson
from pochboard.rules.accounts import FIRST_SEAT
from pochboard.rules.commands import AnyCommand, Deal, Out, Pass, Rebuy, Settle, Showdown, Stake
from pochboard.rules.ruleset_files import override, shipped_rulesets
from pochboard.rules.state import State
from pochboard.simulate import Plan, Ratio, Tally, play_batch, simulate
from pochboard.simulate.report import pool_interval, report
from tests.not_empty import not_empty


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
    "three": plan(deals=3, nights=3),
    "short": plan(deals="until-short", leftover="split", nights=4, stack=60),
    "banker": plan("banker", 6, 4),
    "pinke to the centre": plan("banker", 4, 4, centre_to_winner=True),
    "alvensleben": plan("alvensleben-1853", 8, 3),
    "thirty-one": plan("thirty-one", 3, 8, last_deal_to="poch"),
    "philos": plan("philos", 3, 4),
    "pierer": plan("pierer-1844", 5, 3),
}
each_plan = pytest.mark.parametrize("name", PLANS)
Steps = list[tuple[State, AnyCommand, State]]


@cache
def nights(name: str) -> list[Steps]:
    chosen = PLANS[name]
    return [list(chosen.play(number)) for number in range(1, chosen.nights + 1)]


@cache
def tally_of(name: str) -> Tally:
    chosen = PLANS[name]
    return play_batch(chosen, range(1, chosen.nights + 1))


def steps(name: str) -> Steps:
    return [step for night in nights(name) for step in night]


def everything(tally: Tally) -> object:
    return +tally.counts, +tally.maxima, tally.ratios


# What is counted.


def staked(before: State, command: AnyCommand) -> tuple[int, int]:
    """The chips that a command stakes, and the stakes of this betting that nobody has matched."""
    committed, chips = list(before.committed), 0
    if isinstance(command, Stake):
        chips = command.chips
        committed[command.seat - 1] += chips
    *_, second, first = sorted([0, 0, *committed])
    return chips, first - second


@each_plan
def test_wins_are_the_chips_that_leave_the_pools(name: str) -> None:
    chosen, tally = PLANS[name], tally_of(name)
    wins: Counter[str] = Counter()
    chips: Counter[str] = Counter()
    for before, command, after in not_empty(steps(name)):
        if before.phase == "meld" and after.phase != "meld":
            continue  # the last deal moves chips between pools
        if isinstance(command, Showdown) and not command.ranking:
            continue  # the chips stay
        more, unmatched = staked(before, command)
        for pool in chosen.rules.pools:
            bet = pool == chosen.rules.bet_pool
            had = before.pool(pool) + (more if bet else 0)
            centre = isinstance(command, Settle) and chosen.rules.centre_to_winner
            if after.phase == "closed" and not (centre and pool == "pinke"):
                continue  # what is left is not won
            if had > after.pool(pool) and had > unmatched * bet:
                wins[pool] += 1
                chips[pool] += had - unmatched * bet
    for pool in chosen.rules.pools:
        assert (tally.count("won", pool), tally.count("chips", pool)) == (wins[pool], chips[pool])
    most = [after.pool(pool) for _, _, after in steps(name) for pool in chosen.rules.won_by_betting]
    assert tally.maximum("staked") <= max(most)
    back = sum(staked(b, c)[1] for b, c, a in steps(name) if b.committed and not a.committed)
    assert tally.ratio("staked").numerator == sum(staked(b, c)[0] for b, c, _ in steps(name)) - back


@each_plan
def test_the_chips_left_at_the_end(name: str) -> None:
    chosen, tally = PLANS[name], tally_of(name)
    from_bank = 0
    if chosen.rules.ante_from == "bank":
        from_bank = sum(
            after.rules.ante_due(len(after.live))
            for _, command, after in steps(name)
            if isinstance(command, Deal)
        )
    left = 0 if chosen.rules.leftover == "split" else tally.count("left")
    nets = sum(tally.ratio("net", seat).numerator for seat in chosen.seats)
    assert nets == from_bank - left
    ends = [night[-1] for night in not_empty(nights(name))]
    if chosen.rules.leftover == "bank" and not chosen.rules.centre_to_winner:
        assert tally.count("left") == sum(sum(s.balances[1:FIRST_SEAT]) for s, _, _ in ends)


@each_plan
def test_counts_are_sums_over_deals(name: str) -> None:
    chosen, tally = PLANS[name], tally_of(name)
    all_steps = steps(name)
    deals = [after for _, command, after in all_steps if isinstance(command, Deal)]
    assert tally.count("nights") == len(nights(name))
    assert tally.count("deals") == len(deals) == sum(tally.deals_by_live.values())
    assert tally.deals_by_live == Counter(len(deal.live) for deal in deals)
    for pool in chosen.rules.pools:
        sizes = [deal.pool(pool) for deal in deals]
        assert tally.count("size", pool) == sum(sizes)
        assert tally.maximum("size", pool) >= max(sizes)
        if pool in ("poch", "pinke"):
            won = tally.ratio("won", pool)
            assert (won.numerator, won.denominator) == (tally.count("won", pool), len(deals))
    first = [
        command.seat
        for before, command, _ in all_steps
        if isinstance(command, Stake) and not any(before.committed)
    ]
    assert [tally.count("opens", seat) for seat in chosen.seats] == [
        first.count(seat) for seat in chosen.seats
    ]
    ends = [tally.ratio(key).numerator for key in ("unseen", "shown", "kept")]
    shows = [command.ranking for _, command, _ in all_steps if isinstance(command, Showdown)]
    assert tally.ratio("knocked").numerator == tally.ratio("staked").denominator == len(first)
    assert ends == [len(first) - len(shows), sum(map(bool, shows)), shows.count([])]
    wins = Counter[int]()
    for before, command, after in all_steps:
        if isinstance(command, Showdown) and command.ranking:
            best = command.ranking[0]
            wins.update(best if isinstance(best, list) else [best])
        elif isinstance(command, Stake | Pass) and after.phase == "shed" and any(before.committed):
            (winner,) = (seat for seat in before.still_in if seat != before.to_act)
            wins[winner] += 1
        elif isinstance(command, Stake) and after.phase == "shed":
            wins[command.seat] += 1
    assert wins == {seat: tally.count("wins", seat) for seat in wins}
    settled = [(s, command) for s, command, _ in all_steps if isinstance(command, Settle)]
    outs = [command.seat for _, command, _ in all_steps if isinstance(command, Out)]
    for seat in chosen.seats:
        assert tally.count("out", seat) == outs.count(seat)
        assert tally.count("plays", seat) == sum(seat in state.live for state, _ in settled)
        held = [command.cards.get(str(seat), 0) for _, command in settled]
        assert tally.count("cards", seat) == sum(held)
    assert tally.maximum("cards") == max(max(c.cards.values()) for _, c in settled)
    cards = tally.ratio("cards")
    assert cards.numerator == sum(sum(c.cards.values()) for _, c in settled)
    assert cards.denominator == sum(len(c.cards) for _, c in settled)
    assert tally.count("rebuys") == sum(isinstance(command, Rebuy) for _, command, _ in all_steps)


@each_plan
def test_nets_are_those_of_the_nights(name: str) -> None:
    chosen, tally = PLANS[name], tally_of(name)
    ends = [night[-1][2] for night in nights(name)]
    nets = [[s.stack_of(seat) - s.bought[seat - 1] for seat in chosen.seats] for s in ends]
    for seat in chosen.seats:
        mine = [night[seat - 1] for night in nets]
        ratio = tally.ratio("net", seat)
        assert (ratio.numerator, ratio.denominator) == (sum(mine), len(nets))
        best = [max(night) for night in nets]
        assert tally.count("best", seat) == sum(map(int.__eq__, mine, best))
    for strategy in {strategy.name for strategy in chosen.strategies}:
        seats = [s for s in chosen.seats if chosen.strategies[s - 1].name == strategy]
        ratio = tally.ratio("net", strategy)
        assert ratio.denominator == len(seats) * len(nets)
        assert ratio.numerator == sum(night[seat - 1] for night in nets for seat in seats)


@each_plan
def test_the_report_begins_with_what_a_night_has(name: str) -> None:
    chosen, played, tally = PLANS[name], len(nights(name)), tally_of(name)
    heading, *rows = report(chosen, tally).split("\n\n")[0].splitlines()
    texts = dict(row.strip().split("  ", 1) for row in rows)
    figures = {label: re.findall(r"[-−]?\d+\.\d\d|\d+$", text) for label, text in texts.items()}
    deals = [sum(isinstance(c, Deal) for _, c, _ in night) for night in nights(name)]
    out = sum(len(night[-1][2].names) - len(night[-1][2].live) for night in nights(name))
    expected = {"deals a night": [f"{sum(deals) / played:.2f}", str(max(deals))]}
    for label, count in (
        ("bought in again", tally.count("rebuys")),
        ("seats out at the end", out),
        ("chips left on the board", tally.count("left")),
    ):
        if count or label.startswith("chips"):
            expected[label] = [f"{count / played:.2f}"]
    assert figures == expected
    assert heading.endswith(f"{played} nights, {sum(deals)} deals")


def test_a_loss_that_rounds_to_nothing_has_no_sign_of_its_own() -> None:
    chosen = PLANS["modern"]
    for net, shown in ((-4, "+0.0"), (4, "+0.0"), (-6, "−0.1"), (6, "+0.1")):
        tally = play_batch(chosen, range(1, 3))
        tally.ratios = dict.fromkeys(tally.ratios, Ratio(nights=1, numerator=net, denominator=100))
        text = report(chosen, tally)
        row = next(line for line in text.splitlines() if line.startswith("1  "))
        assert f" {shown} " in f"{row} ", row


def test_each_night_is_played_once_and_parts_add_up_in_any_order() -> None:
    chosen = plan("thirty-one", 4, 150)
    parts = list(simulate(chosen))
    assert len(parts) > 2
    Random(1).shuffle(parts)
    total = Tally()
    for part in parts:
        total.add(part)
    assert everything(total) == everything(play_batch(chosen, range(1, 151)))


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
            total.add(batch)
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
        share += coverage(tally.count("deals"), chance) / RUNS
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


def ratio(nights: list[tuple[int, int]]) -> Ratio:
    total = Ratio()
    for top, bottom in nights:
        total += Ratio.of_night(top, bottom)
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
