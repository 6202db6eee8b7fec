"""Dealing: who gets which cards of the shuffled deck."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pochboard.cards.card import deal_out, deck_of
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from tests.core.cards.oracle import full_deck
from tests.core.play import RULESETS

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


def test_with_a_fixed_trump_suit_no_card_is_turned_up_and_a_talon_may_remain() -> None:
    deck = full_deck(32)
    rules = override(RULES["thirty-one"], {"trump": "hearts"})
    dealt = deal_out(deck, rules, [1, 2, 3])
    assert dealt.turned is None
    assert [*dealt.talon] == deck[15:]
    dealt = deal_out(deck, override(rules, {"hand": "all"}), [1, 2, 3])
    assert (dealt.turned, dealt.talon) == (None, ())
