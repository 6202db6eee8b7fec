"""How bots bet: what docs/BOTS.md says, and that it makes sense."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from math import comb, sqrt
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from pochboard.bots.betting import choose_bet
from pochboard.bots.strategy import (
    BOLD,
    CAREFUL,
    DEFAULT_STRATEGIES,
    RANDOM,
    SENSIBLE,
    STRATEGIES,
    Strategy,
    View,
)
from pochboard.bots.table import BotCommand, BotTable, play_night
from pochboard.cards.card import deck_of
from pochboard.rules.commands import Pass, Stake
from pochboard.rules.state import State
from tests.core.bots.starts import NIGHTS, any_night, start_of
from tests.core.bots.test_win_chances import strength
from tests.core.play import RULESETS, Night, resolve

PAGE: Final = Path(__file__).parents[3] / "docs" / "BOTS.md"

by_strategy = pytest.mark.parametrize(
    "strategy", DEFAULT_STRATEGIES, ids=lambda strategy: strategy.name
)


def has_set(hand: tuple[str, ...]) -> bool:
    return len({card[0] for card in hand}) < len(hand)


def test_the_document_has_the_numbers() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|\n").split("|")]
        for line in PAGE.read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    table = {row[0]: row[2:] for row in rows}
    assert table["value"] == ["careful", "sensible", "bold"]
    for key in ("knock_chance", "hold_margin", "raise_chance", "raise_limit", "bluff_rate"):
        expected = [getattr(strategy, key) for strategy in (CAREFUL, SENSIBLE, BOLD)]
        assert [float(cell) for cell in table[f"`{key}`"]] == expected, key
    expected = ["yes" if strategy.knocks_alone else "no" for strategy in (CAREFUL, SENSIBLE, BOLD)]
    assert table["`knocks_alone`"] == expected


# Over many nights.


class Bets:
    """What bots did in the betting of many nights."""

    def __init__(self) -> None:
        self.chances = Counter[str]()
        """Turns with no stake on the table and no set, where the last seat left wins unseen."""
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
        if not need and not has_set(hand) and not rules.prove_set:
            self.chances[strategy.name] += 1
            self.bluffs[strategy.name] += chips > 0
            if strategy is SENSIBLE:
                assert (chips > 0) == alone
        if strategy is RANDOM:
            return
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


@pytest.fixture(scope="module")
def bets_of_the_shipped() -> Bets:
    seen = Bets()
    for name in RULESETS:
        for number in range(NIGHTS // 25):
            strategies = dict(enumerate((DEFAULT_STRATEGIES * 2)[number % 3 :][:4], 1))
            table = BotTable(strategies, f"{name} {number}")
            for before, act, _ in play_night(start_of(name, 4), table, resolve()):
                if isinstance(act, BotCommand):
                    seen.watch(table, before, act)
    return seen


def test_bold_knocks_without_a_set_and_careful_never_does(bets_of_the_shipped: Bets) -> None:
    seen = bets_of_the_shipped
    for strategy in DEFAULT_STRATEGIES:
        assert seen.chances[strategy.name] > 100, strategy.name
    chances = seen.chances["bold"]
    share = seen.bluffs["bold"] / chances
    assert share - 1.96 * sqrt(share * (1 - share) / chances) > 0.05
    assert seen.bluffs["careful"] == 0
    assert 0 < seen.bluffs["sensible"] / seen.chances["sensible"] < share


def test_all_strategies_raise_and_bold_does_most(bets_of_the_shipped: Bets) -> None:
    seen = bets_of_the_shipped
    careful, sensible, bold = (
        seen.raises[strategy.name] / seen.turns[strategy.name]
        for strategy in (CAREFUL, SENSIBLE, BOLD)
    )
    assert 0 < careful < sensible < bold


def test_nobody_stakes_what_cannot_be_matched_or_won() -> None:
    seen = Bets()
    for number in range(NIGHTS // 5):
        start, table = any_night(number)
        for before, act, _ in play_night(start, table, resolve()):
            if isinstance(act, BotCommand):
                seen.watch(table, before, act)
    assert seen.turns.total() > NIGHTS


ENOUGH: Final = {"thirty-one": NIGHTS // 3}
"""Nights after which the mean differs from 0 for certain; a night to 31 is short."""


@pytest.mark.parametrize("name", RULESETS)
def test_sensible_wins_against_random_players(name: str) -> None:
    nets = []
    for number in range(ENOUGH.get(name, NIGHTS // 10)):
        seat = number % 4 + 1
        strategies = {**dict.fromkeys((1, 2, 3, 4), RANDOM), seat: SENSIBLE}
        *_, (_, _, end) = play_night(
            start_of(name, 4), BotTable(strategies, f"{name} {number}"), resolve()
        )
        nets += [net for one, _, net in end.standings if one == seat]
    mean = sum(nets) / len(nets)
    variance = sum((net - mean) ** 2 for net in nets) / (len(nets) - 1)
    assert mean - 1.96 * sqrt(variance / len(nets)) > 0


# One bet.


def betting(
    stakes: dict[int, int], stacks: dict[int, int], turned: str = "9S", **options: Any
) -> State:
    """The betting after these stakes (0 is a pass), with seat 1 as the dealer."""
    night = Night(
        "modern", len(stacks), options={"players": [2, len(stacks)], "deck": 32, **options}
    )
    night.do("deal")
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
    command = choose_bet(View(state.to_act, state, hand, "9S"), strategy, Random(seed))
    assert command.seat == state.to_act
    return command.chips if isinstance(command, Stake) else 0


ACES: Final = ("AC", "AD", "AH", "AS", "7C", "8D", "TC")
SEVENS: Final = ("7C", "7D", "8H", "TH", "QC", "KD", "AH")
NOTHING: Final = ("7C", "8D", "9H", "TS", "QC", "KD", "AH")


@by_strategy
@pytest.mark.parametrize("seed", range(20))
def test_nobody_folds_four_aces(strategy: Strategy, seed: int) -> None:
    chance = Random(seed)
    stacks = {seat: chance.choice((3, 12, 60, 500)) for seat in (1, 2, 3, 4)}
    first = chance.randint(1, stacks[2])
    call = chance.choice((0, min(first, stacks[3])))
    for stakes in ({}, {2: first}, {2: first, 3: call}):
        state = betting(stakes, stacks, hand=7)
        seat = state.to_act
        assert seat is not None
        least = max(1, min(state.need(seat), state.stack_of(seat)))
        assert chips_of(state, ACES, strategy, seed) >= least


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {CAREFUL: 0, SENSIBLE: 1, BOLD: 1}),
        ({"prove_set": True}, {CAREFUL: 0, SENSIBLE: 0, BOLD: 0}),
        ({"prove_set": True, "high_card": True}, {CAREFUL: 0, SENSIBLE: 1, BOLD: 1}),
    ],
)
def test_the_last_seat_left_knocks_with_one_chip(
    options: dict[str, Any], expected: dict[Strategy, int]
) -> None:
    state = betting({2: 0, 3: 0}, {1: 50, 2: 50, 3: 50}, hand=7, **options)
    assert state.still_in == (1,)
    assert {strategy: chips_of(state, NOTHING, strategy) for strategy in expected} == expected
    # With a set, everybody does.
    assert [chips_of(state, SEVENS, strategy) for strategy in DEFAULT_STRATEGIES] == [1, 1, 1]


@by_strategy
def test_nobody_holds_with_less_than_the_need_without_all_in(strategy: Strategy) -> None:
    stacks = {1: 9, 2: 50, 3: 50}
    # Two stakes of 20 are in the pool; seat 1 has nine chips.
    dear = betting({2: 20, 3: 20}, stacks, hand=7, all_in=False)
    assert chips_of(dear, ACES, strategy) == 0
    assert chips_of(betting({2: 20, 3: 20}, stacks, hand=7), ACES, strategy) == 9


def test_only_bold_bluffs() -> None:
    state = betting({}, {1: 50, 2: 50, 3: 50}, hand=7)
    tries = {
        strategy: [chips_of(state, NOTHING, strategy, seed) for seed in range(400)]
        for strategy in DEFAULT_STRATEGIES
    }
    assert set(tries[CAREFUL]) == set(tries[SENSIBLE]) == {0}
    assert set(tries[BOLD]) == {0, 1, 2, 3}
    share = sum(chips > 0 for chips in tries[BOLD]) / 400
    # Four standard deviations of 400 tries.
    assert share == pytest.approx(BOLD.bluff_rate, abs=4 * sqrt(0.2 * 0.8 / 400))


def unbeaten_by_one(hand: tuple[str, ...], turned: str) -> float:
    rest = [card for card in deck_of(32) if card not in (*hand, turned)]
    mine = strength(hand, turned[1])
    others = combinations(rest, len(hand))
    return sum(strength(other, turned[1]) <= mine for other in others) / comb(len(rest), len(hand))


@by_strategy
@pytest.mark.parametrize("penalty", [0, 2])
def test_the_numbers_decide(strategy: Strategy, penalty: int) -> None:
    """BOTS.md 2 holds for hands of three cards, with chances found by counting."""
    raise_chance, knock_chance = (
        1 - (1 - least) * 2 / (2 + penalty)
        for least in (strategy.raise_chance, strategy.knock_chance)
    )
    seen = Counter[str]()
    for hand in (("7C", "7D", "JH"), ("TC", "TD", "JH"), ("AC", "AD", "JH"), ("AC", "AD", "AH")):
        one = unbeaten_by_one(hand, "9S")
        for players, stake in product((2, 4, 8), (0, 2, 12, 60)):
            state = betting(
                {2: stake} if stake else {},
                dict.fromkeys(range(1, players + 1), 90),
                hand=3,
                bluff_penalty=penalty,
            )
            pool = state.pool("poch")
            wins = one ** (players - 1 + (0.5 if stake else 0))
            if not stake and wins >= knock_chance:
                what = "knock", 1, 1 + round(wins * strategy.raise_limit / 4)
            elif not stake:
                what = ("try", 0, 3) if strategy is BOLD else ("none", 0, 0)
            elif wins * (pool + stake) < strategy.hold_margin * stake:
                what = "pass", 0, 0
            elif wins >= raise_chance and stake < strategy.raise_limit:
                what = "raise", stake + 1, stake + 3
            else:
                what = "hold", stake, stake
            made = {chips_of(state, hand, strategy, seed) for seed in range(200)}
            assert made == set(range(what[1], what[2] + 1)), (what, hand, players)
            seen[what[0]] += 1
    assert {"knock", "pass", "hold", "raise"} <= set(seen)
    assert seen["try"] + seen["none"]


def test_every_strategy_has_a_name() -> None:
    assert {name: strategy.name for name, strategy in STRATEGIES.items()} == {
        name: name for name in ("careful", "sensible", "bold", "random")
    }
