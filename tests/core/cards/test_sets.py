"""Sets, and how hands compare at a showdown."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from pochboard.cards.referee import showdown
from pochboard.rules.ruleset import DECKS
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from tests.core.cards.oracle import full_deck, ranking

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
