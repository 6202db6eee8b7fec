"""What a hand may claim in the meld."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pochboard.cards.hands import cards_for_claim, hand_claims
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from tests.core.cards.oracle import full_deck, sequences
from tests.core.play import MELD, RULESETS

RULES = shipped_rulesets()
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
    assert set(hand_claims(hand, trump, rules)) == wanted


@given(st.sets(st.sampled_from(full_deck(52)), max_size=14), st.sampled_from("CDHS"),
       st.sampled_from(SEQUENCE_RULES))  # fmt: skip
def test_the_cards_shown_for_a_pool(hand: set[str], trump: str, rule: str) -> None:
    rules = override(RULES["modern"], {"sequence": rule})
    due = hand_claims(hand, trump, rules)
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
