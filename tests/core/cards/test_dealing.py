"""Dealing: who gets which cards of the shuffled deck."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.cards.card import deck_of
from pochboard.cards.dealing import deal_out
from pochboard.rules.ruleset import Ruleset, override, parse_ruleset, shipped_rulesets
from tests.core.cards.oracle import full_deck
from tests.core.oracle import from_forehand
from tests.core.play import SEVEN_RULESETS, Night

RULES = shipped_rulesets()


@st.composite
def tables(draw: st.DrawFn) -> tuple[Ruleset, list[int]]:
    """A ruleset, some with another deck or hand, and live seats from forehand on."""
    rules = RULES[draw(st.sampled_from(SEVEN_RULESETS))]
    options: dict[str, Any] = draw(
        st.sampled_from([{}, {}, {"hand": "all-but-one"}, {"hand": 3}, {"hand": 6, "deck": 52}])
    )
    rules = override(rules, options)
    count = draw(st.integers(2, rules.players[1]))
    return rules, draw(st.permutations(range(1, 9)))[:count]


@given(tables(), st.integers(0, 2**32))
def test_no_card_is_lost_or_duplicated(table: tuple[Ruleset, list[int]], seed: int) -> None:
    rules, seats = table
    deck = list(deck_of(rules.deck_for(len(seats))))
    random.Random(seed).shuffle(deck)
    dealt = deal_out(deck, rules, seats)
    assert list(dealt.hands) == seats
    sizes = [len(hand) for hand in dealt.hands.values()]
    assert sizes == list(rules.hand_sizes(len(seats)))
    in_hands = [card for hand in dealt.hands.values() for card in hand]
    # The hands are the top of the deck, then comes the card turned up, then the talon.
    assert set(in_hands) == set(deck[: len(in_hands)])
    assert [dealt.turned, *dealt.talon] == deck[len(in_hands) :]
    if rules.hand == "all-but-one":
        assert dealt.talon == ()


def dealt_by(rules: Ruleset, seats: list[int]) -> dict[int, list[int]]:
    """Which cards of the deck each seat gets, counted from the top as 0, in their order."""
    deck = full_deck(rules.deck_for(len(seats)))
    dealt = deal_out(deck, rules, seats)
    return {seat: [deck.index(card) for card in hand] for seat, hand in dealt.hands.items()}


def test_three_and_two_in_alvensleben() -> None:
    assert dealt_by(RULES["alvensleben-1853"], [4, 1, 2]) == {
        4: [0, 1, 2, 9, 10],
        1: [3, 4, 5, 11, 12],
        2: [6, 7, 8, 13, 14],
    }


@pytest.mark.parametrize("ruleset", [name for name in SEVEN_RULESETS if name[:4] != "alve"])
def test_one_at_a_time_from_forehand_elsewhere(ruleset: str) -> None:
    rules = RULES[ruleset]
    for count in range(2, rules.players[1] + 1):
        seats = list(range(count, 0, -1))
        wanted: dict[int, list[int]] = {seat: [] for seat in seats}
        cards = 5 * count if rules.hand == 5 else rules.deck_for(count) - 1
        for index in range(cards):
            wanted[seats[index % count]].append(index)
        assert dealt_by(rules, seats) == wanted


def test_only_five_card_hands_of_alvensleben_are_dealt_in_packets() -> None:
    one_at_a_time = {1: [0, 2, 4, 6], 2: [1, 3, 5, 7]}
    assert dealt_by(override(RULES["alvensleben-1853"], {"hand": 4}), [1, 2]) == one_at_a_time
    house = parse_ruleset('name = "sunday"\nbase = "alvensleben-1853"\nhand = 4\n', RULES)
    assert dealt_by(house, [1, 2]) == one_at_a_time
    # 31 cards for seven: three hands of 5, the others of 4.
    uneven = override(RULES["alvensleben-1853"], {"hand": "all-but-one", "deck": 32})
    assert dealt_by(uneven, [1, 2, 3, 4, 5, 6, 7]) == {
        seat: list(range(seat - 1, 31, 7)) for seat in range(1, 8)
    }


@pytest.mark.parametrize("direction", ["clockwise", "anticlockwise"])
def test_hand_sizes_match_the_table_in_the_docs(direction: str) -> None:
    # Places 5 2 7 1, seat 2 at place 2 deals: clockwise 5 7 1 2, anticlockwise 1 7 5 2.
    night = Night("modern", 4, places=[5, 2, 7, 1], dealer=2, options={"direction": direction})
    night.do("deal")
    state = night.book.state
    order = from_forehand({1: 5, 2: 2, 3: 7, 4: 1}, 2, direction)
    assert order == ([1, 3, 4, 2] if direction == "clockwise" else [4, 3, 1, 2])
    dealt = deal_out(deck_of(state.deck), state.rules, state.from_forehand)
    assert {seat: len(hand) for seat, hand in dealt.hands.items()} == state.hand_sizes
    assert list(dealt.hands) == order
    # 31 = 8 8 8 7: the dealer has one less.
    assert [len(hand) for hand in dealt.hands.values()] == [8, 8, 8, 7]
    assert dealt.hands[order[0]][0] == deck_of(32)[0]
