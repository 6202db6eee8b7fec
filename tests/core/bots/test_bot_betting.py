"""How bots bet: as docs/BOTS.md says, and in a way that makes sense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from random import Random
from typing import Any, Final

import pytest

from pochboard.bots.betting import (
    BOLD,
    CAREFUL,
    DEFAULT_STRATEGIES,
    RANDOM,
    SENSIBLE,
    STRATEGIES,
    Strategy,
    View,
    choose_bet,
)
from pochboard.bots.bot_table import BotCommand, BotTable, play_night
from pochboard.cards.card import card_set
from pochboard.rules.commands import Pass, Stake
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.state import State
from tests.core.bots.starts import NIGHTS, any_night, start_of
from tests.core.play import RULESETS, melding, resolve


def has_set(hand: tuple[str, ...]) -> bool:
    return len({card[0] for card in hand}) < len(hand)


# Over many nights.


class Bets:
    """What bots did in the betting of many nights."""

    def __init__(self) -> None:
        self.chances = Counter[str]()
        """Turns with no stake on the table and no set, where only a bluff can win."""
        self.bluffs = Counter[str]()
        self.raises = Counter[str]()
        self.turns = Counter[str]()

    def watch(self, table: BotTable, before: State, act: BotCommand) -> None:
        seat = act.seat
        if seat is None or not isinstance(act.command, Stake | Pass):
            return
        strategy = table.strategies[seat]
        chips = act.command.chips if isinstance(act.command, Stake) else 0
        hand = table.cards.dealt.hands[seat]
        rules, need = before.rules, before.need(seat)
        self.turns[strategy.name] += 1
        self.raises[strategy.name] += need > 0 and chips > need
        alone = before.still_in == (seat,)
        if chips and rules.bet_needs_set:
            assert has_set(hand), "without a set nobody may stake"
        if strategy is RANDOM:
            return
        pays = rules.bet_needs_set or rules.prove_set or rules.high_card
        if not need and not has_set(hand) and not alone and not pays:
            self.chances[strategy.name] += 1
            self.bluffs[strategy.name] += chips > 0
        if not has_set(hand) and rules.prove_set and not rules.high_card:
            assert not chips, "without a set nothing can be won"
        if need and not has_set(hand) and not rules.high_card:
            assert not chips, "without a set nothing can be won at a showdown"
        if alone:
            assert chips <= 1
        else:
            others = [
                before.stack_of(other) + before.committed[other - 1]
                for other in before.still_in
                if other != seat
            ]
            assert chips <= max(need, max(others) - before.committed[seat - 1])


def test_nobody_stakes_what_cannot_be_matched_or_won() -> None:
    seen = Bets()
    for number in range(NIGHTS // 5):
        start, table = any_night(number)
        for before, act, _ in play_night(start, table, resolve()):
            if isinstance(act, BotCommand):
                seen.watch(table, before, act)
    assert seen.turns.total() > NIGHTS


def nights_needed(name: str) -> int:
    """Nights after which the mean differs from 0 for certain.

    A night of one deal each is short, and without an ante in the bet pool there is little to win.
    """
    rules = shipped_rulesets()[name]
    if not set(rules.won_by_betting) & set(rules.ante_pools):
        return NIGHTS // (3 if rules.deals == "round" else 4)
    return NIGHTS // 10


@pytest.mark.parametrize("name", RULESETS)
def test_sensible_wins_against_random_players(name: str) -> None:
    nets, leads = [], []
    for number in range(nights_needed(name)):
        own = number % 4 + 1
        strategies = {**dict.fromkeys((1, 2, 3, 4), RANDOM), own: SENSIBLE}
        *_, (_, _, end) = play_night(
            start_of(name, 4), BotTable(strategies, f"{name} {number}"), resolve()
        )
        net = {seat: chips for seat, _, chips in end.standings}
        nets.append(net[own])
        leads.append(net[own] - sum(net[seat] for seat in net if seat != own) / 3)
    assert surely_positive(leads)
    # Where nobody antes to the bet pool, there is less to win than the antes that are left in the
    # pools.
    if nights_needed(name) != NIGHTS // 4:
        assert surely_positive(nets)


def surely_positive(values: Sequence[float]) -> bool:
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean - 1.96 * sqrt(variance / len(values)) > 0


# One bet.


def betting(
    stakes: dict[int, int], stacks: dict[int, int], turned: str = "9S", **options: Any
) -> State:
    """The betting after these stakes (0 is a pass), with seat 1 as the dealer."""
    night = melding(
        "modern", len(stacks), options={"players": [2, len(stacks)], "deck": 32, **options}
    )
    night.do("turn", card=turned)
    night.have(stacks)
    night.do("next")
    for seat, chips in stakes.items():
        if chips:
            night.do("stake", seat=seat, chips=chips)
        else:
            night.do("pass", seat=seat)
    assert night.book.state.to_act
    return night.book.state


def chips_of(state: State, hand: tuple[str, ...], strategy: Strategy, seed: int = 0) -> int:
    """What the seat to act stakes with this hand; 0 if it passes."""
    assert state.to_act
    command = choose_bet(View(state.to_act, state, card_set(hand), "9S"), strategy, Random(seed))
    assert command.seat == state.to_act
    return command.chips if isinstance(command, Stake) else 0


NOTHING: Final = ("7C", "8D", "9H", "TS", "QC", "KD", "AH")


def staking_share(prize: float, level: int, callers: int) -> float:
    """The share of hands that stake this much, so that a bluff breaks even (BOTS.md 2)."""
    everybody_passes: float = (level / (prize + level)) ** (1 / callers)
    return 1 - everybody_passes


@pytest.mark.parametrize(("penalty", "players"), [(0, 3), (2, 3), (0, 6), (10, 4)])
def test_the_rate_of_bluffs_follows_their_price(penalty: int, players: int) -> None:
    tries = 3000
    stacks = dict.fromkeys(range(1, players + 1), 50)
    state = betting({}, stacks, hand=5, bluff_penalty=penalty)
    prize, callers = state.pool("poch") + 3.0, players - 1
    expected = 0.0
    for seed in range(tries):
        size = Random(seed).uniform(0.25, 0.75)
        chips = max(1, round(size * state.pool("poch")))
        good = staking_share(prize, chips, callers) / 2
        expected += chips / (prize + chips * (1 + penalty)) * good / (1 - good) / tries
    hand = ("7C", "8D", "9H", "TS", "QC")
    rates = {
        strategy: sum(chips_of(state, hand, strategy, seed) > 0 for seed in range(tries)) / tries
        for strategy in DEFAULT_STRATEGIES
    }
    assert rates[CAREFUL] == 0
    # Four standard deviations.
    for strategy, rate in ((SENSIBLE, expected), (BOLD, 2.5 * expected)):
        assert rates[strategy] == pytest.approx(rate, abs=4 * sqrt(rate / tries)), strategy.name


@pytest.mark.parametrize("options", [{}, {"prove_set": True}, {"high_card": True}])
@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=lambda strategy: strategy.name)
def test_nobody_stakes_without_a_set_where_the_rules_forbid_it(
    options: dict[str, Any], strategy: Strategy
) -> None:
    stacks = {1: 50, 2: 50, 3: 50}
    for stakes in ({}, {2: 1}, {2: 0}, {2: 0, 3: 0}):
        state = betting(stakes, stacks, hand=7, bet_needs_set=True, **options)
        made = {chips_of(state, NOTHING, strategy, seed) for seed in range(50)}
        assert made == {0}, stakes
