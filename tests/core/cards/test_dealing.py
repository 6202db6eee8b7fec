"""Dealing: who gets which cards of the shuffled deck."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.cards.card import deal_out, deck_of
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from tests.core.cards.oracle import full_deck
from tests.core.oracle import from_forehand
from tests.core.play import RULESETS, melding

RULES = shipped_rulesets()


@st.composite
def tables(draw: st.DrawFn) -> tuple[Ruleset, list[int]]:
    """A ruleset, some with another deck or hand, and live seats from forehand on."""
    rules = RULES[draw(st.sampled_from(RULESETS))]
    options: dict[str, Any] = draw(
        st.sampled_from([{}, {}, {"hand": "all-but-one"}, {"hand": 3}, {"hand": 6, "deck": 52}])
    )
    options["trump"] = draw(st.sampled_from(["turned", "clubs", "hearts"]))
    if options["trump"] != "turned" and options.get("hand", rules.hand) == "all-but-one":
        options["hand"] = "all"
    if draw(st.booleans()):
        options["hand"] = "all"
    options["packets"] = draw(st.lists(st.integers(1, 10), min_size=1, max_size=4))
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
    # The hands come from the top of the deck, then the card turned up, then the talon.
    assert set(in_hands) == set(deck[: len(in_hands)])
    left = deck[len(in_hands) :]
    if rules.trump != "turned":
        assert dealt.turned is None
        assert [*dealt.talon] == left
    elif rules.hand == "all":
        assert dealt.turned == deck[-1]
        assert not left
    else:
        assert [dealt.turned, *dealt.talon] == left
    if isinstance(rules.hand, str):
        assert dealt.talon == ()


@given(tables())
def test_packets_go_round_until_the_hands_are_full(table: tuple[Ruleset, list[int]]) -> None:
    rules, seats = table
    packets = list(rules.packets)
    missing = dict(zip(seats, rules.hand_sizes(len(seats)), strict=True))
    wanted: dict[int, list[int]] = {seat: [] for seat in seats}
    card = 0
    while any(missing.values()):
        packet = packets.pop(0)
        packets.append(packet)
        for seat in seats:
            for _ in range(packet):
                if missing[seat]:
                    wanted[seat].append(card)
                    missing[seat] -= 1
                    card += 1
    assert dealt_by(rules, seats) == wanted


def dealt_by(rules: Ruleset, seats: list[int]) -> dict[int, list[int]]:
    """Which cards of the deck each seat gets, counted from the top as 0, in their order."""
    deck = full_deck(rules.deck_for(len(seats)))
    dealt = deal_out(deck, rules, seats)
    return {seat: [deck.index(card) for card in hand] for seat, hand in dealt.hands.items()}


@pytest.mark.parametrize(
    ("options", "live", "holder", "sizes"),
    [
        # All hands are equal: the last card is the dealer's.
        ({}, 4, 4, (8, 8, 8, 8)),
        # The first seats get one more card, so the last card is theirs.
        ({}, 3, 2, (11, 11, 10)),
        ({}, 5, 2, (11, 11, 10, 10, 10)),
        ({"deck": 40}, 3, 1, (14, 13, 13)),
        # With packets, another seat may get the last card.
        ({"packets": [3]}, 3, 3, (11, 11, 10)),
    ],
)
def test_with_all_cards_dealt_the_last_one_is_shown_in_a_hand(
    options: dict[str, Any], live: int, holder: int, sizes: tuple[int, ...]
) -> None:
    rules = override(RULES["modern"], {"hand": "all", **options})
    deck = full_deck(rules.deck_for(live))
    dealt = deal_out(deck, rules, range(1, live + 1))
    assert tuple(len(hand) for hand in dealt.hands.values()) == sizes
    assert dealt.turned == deck[-1] == dealt.hands[holder][-1]


def test_with_a_fixed_trump_suit_no_card_is_turned_up_and_a_talon_may_remain() -> None:
    deck = full_deck(32)
    rules = override(RULES["thirty-one"], {"trump": "hearts"})
    dealt = deal_out(deck, rules, [1, 2, 3])
    assert dealt.turned is None
    assert [*dealt.talon] == deck[15:]
    dealt = deal_out(deck, override(rules, {"hand": "all"}), [1, 2, 3])
    assert (dealt.turned, dealt.talon) == (None, ())


@pytest.mark.parametrize("direction", ["clockwise", "anticlockwise"])
def test_hand_sizes_follow_the_direction(direction: str) -> None:
    # Places 5 2 7 1, seat 2 at place 2 deals: clockwise 5 7 1 2, anticlockwise 1 7 5 2.
    night = melding("modern", 4, places=[5, 2, 7, 1], dealer=2, options={"direction": direction})
    state = night.book.state
    order = from_forehand({1: 5, 2: 2, 3: 7, 4: 1}, 2, direction)
    assert order == ([1, 3, 4, 2] if direction == "clockwise" else [4, 3, 1, 2])
    dealt = deal_out(deck_of(state.deck), state.rules, state.from_forehand)
    assert {seat: len(hand) for seat, hand in dealt.hands.items()} == state.hand_sizes
    assert list(dealt.hands) == order
    # 31 = 8 8 8 7: the dealer has one fewer.
    assert [len(hand) for hand in dealt.hands.values()] == [8, 8, 8, 7]
    assert dealt.hands[order[0]][0] == deck_of(32)[0]
