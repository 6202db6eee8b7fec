"""How house players bet: what HOUSE.md says of them, and that it is good sense."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from math import comb, sqrt
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from pochboard.cards.card import deck_of
from pochboard.players.acts import Do
from pochboard.players.bets import bet
from pochboard.players.house import House
from pochboard.players.night import play_night
from pochboard.players.temper import BOLD, CAREFUL, HOUSE, RANDOM, SENSIBLE, TEMPERS, Temper
from pochboard.players.view import View
from pochboard.rules.commands import Pass, Stake
from pochboard.rules.state import State
from tests.core.play import SEVEN_RULESETS, Night, resolve
from tests.core.players.starts import NIGHTS, any_night, start_of
from tests.core.players.test_house_chances import strength

PAGE: Final = Path(__file__).parents[3] / "docs" / "HOUSE.md"

by_temper = pytest.mark.parametrize("temper", HOUSE, ids=lambda temper: temper.name)


def has_set(hand: tuple[str, ...]) -> bool:
    return len({card[0] for card in hand}) < len(hand)


def test_the_page_has_the_numbers() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|\n").split("|")]
        for line in PAGE.read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    table = {row[0]: row[2:] for row in rows}
    assert table["number"] == ["careful", "sensible", "bold"]
    for key in ("opens", "margin", "raises", "most", "bluffs"):
        expected = [getattr(temper, key) for temper in (CAREFUL, SENSIBLE, BOLD)]
        assert [float(cell) for cell in table[f"`{key}`"]] == expected, key
    expected = ["yes" if temper.alone else "no" for temper in (CAREFUL, SENSIBLE, BOLD)]
    assert table["`alone`"] == expected


# Over many nights.


class Bets:
    """What players did in the betting of many nights."""

    def __init__(self) -> None:
        self.chances = Counter[str]()
        """Turns with no stake on the table and no set, where left alone one wins unseen."""
        self.bluffs = Counter[str]()
        self.raises = Counter[str]()
        self.turns = Counter[str]()

    def watch(self, house: House, before: State, act: Do) -> None:
        seat = act.seat
        if seat is None or not isinstance(act.command, Stake | Pass):
            return
        temper = house.tempers[seat]
        chips = act.command.chips if isinstance(act.command, Stake) else 0
        hand = house.arbiter.cards.hands[seat]
        rules, need = before.rules, before.need(seat)
        self.turns[temper.name] += 1
        self.raises[temper.name] += need > 0 and chips > need
        alone = before.still_in == (seat,)
        if not need and not has_set(hand) and not rules.prove_set:
            self.chances[temper.name] += 1
            self.bluffs[temper.name] += chips > 0
            if temper is SENSIBLE:
                assert (chips > 0) == alone
        if temper is RANDOM:
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
    for name in SEVEN_RULESETS:
        for number in range(NIGHTS // 25):
            tempers = dict(enumerate((HOUSE * 2)[number % 3 :][:4], 1))
            house = House(tempers, f"{name} {number}")
            for before, act, _ in play_night(start_of(name, 4), house, resolve()):
                if isinstance(act, Do):
                    seen.watch(house, before, act)
    return seen


def test_bold_knocks_without_a_set_and_careful_never(bets_of_the_shipped: Bets) -> None:
    seen = bets_of_the_shipped
    for temper in HOUSE:
        assert seen.chances[temper.name] > 100, temper.name
    chances = seen.chances["bold"]
    share = seen.bluffs["bold"] / chances
    assert share - 1.96 * sqrt(share * (1 - share) / chances) > 0.05
    assert seen.bluffs["careful"] == 0
    assert 0 < seen.bluffs["sensible"] / seen.chances["sensible"] < share


def test_everybody_raises_and_the_bold_most(bets_of_the_shipped: Bets) -> None:
    seen = bets_of_the_shipped
    careful, sensible, bold = (
        seen.raises[temper.name] / seen.turns[temper.name] for temper in (CAREFUL, SENSIBLE, BOLD)
    )
    assert 0 < careful < sensible < bold


def test_nobody_stakes_what_cannot_be_matched_or_won() -> None:
    seen = Bets()
    for number in range(NIGHTS // 5):
        start, house = any_night(number)
        for before, act, _ in play_night(start, house, resolve()):
            if isinstance(act, Do):
                seen.watch(house, before, act)
    assert seen.turns.total() > NIGHTS


ENOUGH: Final = {"thirty-one": NIGHTS // 3}
"""Nights by which the mean is told from nought; a night to 31 is a short one."""


@pytest.mark.parametrize("name", SEVEN_RULESETS)
def test_sensible_wins_against_players_at_random(name: str) -> None:
    nets = []
    for number in range(ENOUGH.get(name, NIGHTS // 10)):
        seat = number % 4 + 1
        tempers = {**dict.fromkeys((1, 2, 3, 4), RANDOM), seat: SENSIBLE}
        *_, (_, _, end) = play_night(
            start_of(name, 4), House(tempers, f"{name} {number}"), resolve()
        )
        nets += [net for one, _, net in end.standings if one == seat]
    mean = sum(nets) / len(nets)
    variance = sum((net - mean) ** 2 for net in nets) / (len(nets) - 1)
    assert mean - 1.96 * sqrt(variance / len(nets)) > 0


# One bet.


def betting(
    stakes: dict[int, int], stacks: dict[int, int], turned: str = "9S", **options: Any
) -> State:
    """A betting in which the seats have staked (0: passed) in turn, seat 1 having dealt."""
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


def chips_of(state: State, hand: tuple[str, ...], temper: Temper, seed: int = 0) -> int:
    """What the seat to act stakes with this hand; 0 where it passes."""
    assert state.to_act
    command = bet(View(state.to_act, state, hand, "9S"), temper, Random(seed))
    assert command.seat == state.to_act
    return command.chips if isinstance(command, Stake) else 0


ACES: Final = ("AC", "AD", "AH", "AS", "7C", "8D", "TC")
SEVENS: Final = ("7C", "7D", "8H", "TH", "QC", "KD", "AH")
NOTHING: Final = ("7C", "8D", "9H", "TS", "QC", "KD", "AH")


@by_temper
@pytest.mark.parametrize("seed", range(20))
def test_nobody_folds_four_aces(temper: Temper, seed: int) -> None:
    chance = Random(seed)
    stacks = {seat: chance.choice((3, 12, 60, 500)) for seat in (1, 2, 3, 4)}
    first = chance.randint(1, stacks[2])
    call = chance.choice((0, min(first, stacks[3])))
    for stakes in ({}, {2: first}, {2: first, 3: call}):
        state = betting(stakes, stacks, hand=7)
        seat = state.to_act
        assert seat is not None
        least = max(1, min(state.need(seat), state.stack_of(seat)))
        assert chips_of(state, ACES, temper, seed) >= least


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {CAREFUL: 0, SENSIBLE: 1, BOLD: 1}),
        ({"prove_set": True}, {CAREFUL: 0, SENSIBLE: 0, BOLD: 0}),
        ({"prove_set": True, "high_card": True}, {CAREFUL: 0, SENSIBLE: 1, BOLD: 1}),
    ],
)
def test_left_alone_one_chip_is_enough(
    options: dict[str, Any], expected: dict[Temper, int]
) -> None:
    state = betting({2: 0, 3: 0}, {1: 50, 2: 50, 3: 50}, hand=7, **options)
    assert state.still_in == (1,)
    assert {temper: chips_of(state, NOTHING, temper) for temper in expected} == expected
    # With a set there is nothing to fear.
    assert [chips_of(state, SEVENS, temper) for temper in HOUSE] == [1, 1, 1]


@by_temper
def test_where_one_must_hold_in_full_nobody_holds_with_less(temper: Temper) -> None:
    stacks = {1: 9, 2: 50, 3: 50}
    # Two stakes of 20 lie there; seat 1 has nine chips.
    dear = betting({2: 20, 3: 20}, stacks, hand=7, all_in=False)
    assert chips_of(dear, ACES, temper) == 0
    assert chips_of(betting({2: 20, 3: 20}, stacks, hand=7), ACES, temper) == 9


def test_only_the_bold_try_it_on_nothing() -> None:
    state = betting({}, {1: 50, 2: 50, 3: 50}, hand=7)
    tries = {
        temper: [chips_of(state, NOTHING, temper, seed) for seed in range(400)] for temper in HOUSE
    }
    assert set(tries[CAREFUL]) == set(tries[SENSIBLE]) == {0}
    assert set(tries[BOLD]) == {0, 1, 2, 3}
    share = sum(chips > 0 for chips in tries[BOLD]) / 400
    # Four standard deviations of 400 tries.
    assert share == pytest.approx(BOLD.bluffs, abs=4 * sqrt(0.2 * 0.8 / 400))


def unbeaten_by_one(hand: tuple[str, ...], turned: str) -> float:
    rest = [card for card in deck_of(32) if card not in (*hand, turned)]
    mine = strength(hand, turned[1])
    others = combinations(rest, len(hand))
    return sum(strength(other, turned[1]) <= mine for other in others) / comb(len(rest), len(hand))


@by_temper
@pytest.mark.parametrize("penalty", [0, 2])
def test_the_numbers_decide(temper: Temper, penalty: int) -> None:
    """What HOUSE.md says of opens, margin, raises and most, counted for hands of three cards."""
    raises, opens = (1 - (1 - least) * 2 / (2 + penalty) for least in (temper.raises, temper.opens))
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
            if not stake and wins >= opens:
                what = "knock", 1, 1 + round(wins * temper.most / 4)
            elif not stake:
                what = ("try", 0, 3) if temper is BOLD else ("none", 0, 0)
            elif wins * (pool + stake) < temper.margin * stake:
                what = "pass", 0, 0
            elif wins >= raises and stake < temper.most:
                what = "raise", stake + 1, stake + 3
            else:
                what = "hold", stake, stake
            made = {chips_of(state, hand, temper, seed) for seed in range(200)}
            assert made == set(range(what[1], what[2] + 1)), (what, hand, players)
            seen[what[0]] += 1
    assert {"knock", "pass", "hold", "raise"} <= set(seen)
    assert seen["try"] + seen["none"]


def test_all_temperaments_have_a_name() -> None:
    assert {name: temper.name for name, temper in TEMPERS.items()} == {
        name: name for name in ("careful", "sensible", "bold", "random")
    }
