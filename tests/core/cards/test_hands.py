"""Dealt hands: sets, runs, what they may claim, and how they compare."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from pochboard.cards.card import card_set, deal_out, deck_of
from pochboard.cards.hands import cards_for_claim, hand_claims, sequence, showdown
from pochboard.rules.ruleset import DECKS, Ruleset
from pochboard.rules.ruleset_files import override, shipped_rulesets
from tests.core.cards.oracle import full_deck, ranking, sequence_holder, sequences
from tests.core.play import MELD, RULESETS

RULES = shipped_rulesets()
TIE_BREAKS = ("trump", "side-cards", "suits", "split")


def ranked(hands: dict[int, str], ruleset: str, trump: str | None = "H") -> list[list[int]]:
    """The ranking by the referee; every order in which the hands are shown gives the same."""
    shown = {seat: cards.split() for seat, cards in hands.items()}
    ranked = showdown(shown, RULES[ruleset], trump).ranking
    backwards = {seat: shown[seat][::-1] for seat in reversed(shown)}
    assert showdown(backwards, RULES[ruleset], trump).ranking == ranked
    return [list(tied) for tied in ranked]


@pytest.mark.parametrize(
    ("tie_break", "one", "other", "wanted"),
    [
        # Hearts are trumps, but the ace decides, whoever holds the king of hearts.
        ("side-cards", "KC KS AD", "KD KH QD", [[1], [2]]),
        ("trump", "KC KS AD", "KD KH QD", [[2], [1]]),
        ("suits", "KC KS AD", "KD KH QD", [[1], [2]]),
        ("split", "KC KS AD", "KD KH QD", [[1, 2]]),
    ],
)
def test_equal_pairs_by_each_tie_break(
    tie_break: str, one: str, other: str, wanted: list[list[int]]
) -> None:
    rules = override(RULES["modern"], {"tie_break": tie_break})
    hands = {1: one.split(), 2: other.split()}
    assert [list(tied) for tied in showdown(hands, rules, "H").ranking] == wanted


@st.composite
def shown_hands(draw: st.DrawFn) -> dict[int, list[str]]:
    """Hands of one deck, often of few ranks, so that equal hands are common."""
    ranks = draw(st.sampled_from(["AKQJT987", "AK", "AKQJ", "789", "23456789TJQKA"]))
    size = draw(st.sampled_from(DECKS))
    deck = [card for card in full_deck(size) if card[0] in ranks]
    left = draw(st.permutations(deck))
    hands = {}
    for seat in draw(st.permutations(range(1, 7)))[: draw(st.integers(1, 6))]:
        size = draw(st.integers(0, 11))
        hands[seat], left = left[:size], left[size:]
    return hands


trumps = st.sampled_from(["C", "D", "H", "S", None])
tie_breaks = st.sampled_from(TIE_BREAKS)


@settings(max_examples=400)
@given(shown_hands(), trumps, tie_breaks, st.booleans())
def test_any_hands_are_ranked_as_the_rules_say(
    hands: dict[int, list[str]], trump: str | None, tie_break: str, high_card: bool
) -> None:
    rules = override(RULES["modern"], {"tie_break": tie_break, "high_card": high_card})
    ranked = showdown(hands, rules, trump).ranking
    assert [set(tied) for tied in ranked] == ranking(hands, trump, tie_break, high_card=high_card)
    assert sum(map(len, ranked)) == len({seat for tied in ranked for seat in tied})
    event(f"{tie_break}: a tie" if any(len(tied) > 1 for tied in ranked) else "no tie")


TRUMP_789, TRUMP_FIRST, HEIGHT_FIRST, LONGEST = SEQUENCE_RULES = (
    "trump-789", "best-run-trump-first", "best-run-height-first", "longest-run",
)  # fmt: skip


@pytest.mark.parametrize("ruleset", RULESETS)
def test_each_ruleset_by_its_sequence_rule(ruleset: str) -> None:
    # 7 8 9 of trumps, a higher run, a longer run, and high trumps that are too few for a run.
    hands = {1: "7H 8H 9H", 2: "QS KS AS", 3: "7C 8C 9C TC JC", 4: "AH KH 7D"}
    wanted = {TRUMP_789: 1, TRUMP_FIRST: 1, HEIGHT_FIRST: 2, LONGEST: 3}
    verdict = sequence({seat: cards.split() for seat, cards in hands.items()}, RULES[ruleset], "H")
    assert verdict.seat == wanted[RULES[ruleset].sequence]


hands_from_forehand = st.builds(
    lambda deck, sizes, seats: {
        seat: deck[sum(sizes[:index]) : sum(sizes[: index + 1])]
        for index, seat in enumerate(seats[: len(sizes)])
    },
    st.permutations(full_deck(32)),
    st.lists(st.integers(0, 12), min_size=1, max_size=5),
    st.permutations(range(1, 6)),
)


@given(hands_from_forehand, trumps, st.sampled_from(SEQUENCE_RULES))
def test_any_hands_as_the_rules_say(
    hands: dict[int, list[str]], trump: str | None, rule: str
) -> None:
    wanted = sequence_holder(hands, trump, rule)
    rules = override(RULES["modern"], {"sequence": rule})
    verdict = sequence(hands, rules, trump)
    assert verdict.seat == wanted
    if verdict.seat is not None:
        assert verdict.run
        assert verdict.run.cards in sequences(hands[verdict.seat])
    event("nobody" if wanted is None else f"{rule}")


SEQUENCE_RULES = ("trump-789", "best-run-trump-first", "best-run-height-first", "longest-run")
PAY = {"ace": "A", "king": "K", "queen": "Q", "jack": "J", "ten": "T"}


@given(st.sets(st.sampled_from(full_deck(52)), max_size=12), st.sampled_from(RULESETS),
       st.sampled_from("CDHS"))  # fmt: skip
def test_every_hand_may_claim_what_it_holds(hand: set[str], ruleset: str, trump: str) -> None:
    rules = RULES[ruleset]
    wanted = {pool for pool, rank in PAY.items() if rank + trump in hand}
    if {"king", "queen"} <= wanted:
        wanted.add("marriage")
    if rules.sequence == "trump-789":
        if all(rank + trump in hand for rank in "789"):
            wanted.add("sequence")
    elif sequences(hand):
        wanted.add("sequence")
    assert set(hand_claims(card_set(hand), trump, rules)) == wanted


@given(st.sets(st.sampled_from(full_deck(52)), max_size=14), st.sampled_from("CDHS"),
       st.sampled_from(SEQUENCE_RULES))  # fmt: skip
def test_the_cards_shown_for_a_pool(hand: set[str], trump: str, rule: str) -> None:
    rules = override(RULES["modern"], {"sequence": rule})
    due = hand_claims(card_set(hand), trump, rules)
    for pool in MELD:
        shown = cards_for_claim(pool, hand, trump, rules)
        # The cards are from the hand, and there are some exactly if the pool may be claimed.
        assert set(shown) <= hand
        assert bool(shown) is (pool in due)
        if pool in PAY and shown:
            assert shown == (PAY[pool] + trump,)
    if "marriage" in due:
        assert set(cards_for_claim("marriage", hand, trump, rules)) == {"K" + trump, "Q" + trump}
    if "sequence" in due:
        shown = cards_for_claim("sequence", hand, trump, rules)
        assert shown in sequences(hand)
        if rule == "trump-789":
            assert shown == ("7" + trump, "8" + trump, "9" + trump)


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
