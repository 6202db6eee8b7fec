"""Sets, and how hands compare at a showdown."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from pochboard.cards.hands import hand_value, rank_hands
from pochboard.cards.referee import showdown
from pochboard.rules.ruleset import shipped_rulesets
from tests.core.cards.oracle import best_set, compare, full_deck, ranking
from tests.core.play import SEVEN_RULESETS

RULES = shipped_rulesets()
ANY_HAND = [name for name in SEVEN_RULESETS if RULES[name].high_card]
SETS_ALONE = [name for name in SEVEN_RULESETS if not RULES[name].high_card]


def test_rulesets_in_which_a_hand_without_a_set_may_win() -> None:
    assert ANY_HAND == ["banker", "thirty-one"]


def ranked(hands: dict[int, str], ruleset: str, trump: str | None = "H") -> list[list[int]]:
    """The ranking by the referee; every order in which the hands are shown gives the same."""
    shown = {seat: cards.split() for seat, cards in hands.items()}
    found = showdown(shown, RULES[ruleset], trump).ranking
    backwards = {seat: shown[seat][::-1] for seat in reversed(shown)}
    assert showdown(backwards, RULES[ruleset], trump).ranking == found
    return [list(tied) for tied in found]


@pytest.mark.parametrize("ruleset", SEVEN_RULESETS)
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        # Four > three > pair, whatever the ranks.
        ("7C 7D 7H 7S 8D", "AC AD AH KS KC"),
        ("7C 7D 7S 8D 9C", "AC AH KS QC JD"),
        ("7C 7D 8S TD 9C", "AC KH QS JC TH"),
        # Then the rank.
        ("8C 8D 8H 8S", "7C 7D 7H 7S"),
        ("8C 8D 8S", "7C 7D 7H"),
        ("8C 8D", "7C 7H"),
        ("TC TD", "9C 9H"),
        ("JC JD", "TC TH"),
        ("QC QD", "JC JH"),
        ("KC KD", "QC QH"),
        ("AC AD", "KC KH"),
        # Equal pairs: the one with the trump; the other cards say nothing.
        ("9C 9H 7S 8D", "9D 9S AH KH"),
        # Two pairs count as the higher one, three and a pair as the three.
        ("9C 9D 7S 8D TS", "8C 8H 7C 7H AS"),
        ("9C 9D 7S 7D", "8C 8H AS KD"),
        ("9H 9D 7S 8D", "9C 9S 8H 8C"),
        ("8C 8D 8S KH QH", "7C 7D 7S AC AD"),
        ("7C 7D 7S AC AD", "KC KD QH QC JH"),
    ],
)
def test_a_better_set(better: str, worse: str, ruleset: str) -> None:
    assert ranked({1: better, 2: worse}, ruleset) == [[1], [2]] or (
        not best_set(worse.split()) and ranked({1: better, 2: worse}, ruleset) == [[1]]
    )
    assert ranked({1: worse, 2: better}, ruleset)[0] == [2]


@pytest.mark.parametrize("ruleset", SEVEN_RULESETS)
def test_equal_pairs_without_their_trump_tie(ruleset: str) -> None:
    hands = {3: "9C 9D AH", 1: "9S 9H 7C"}
    assert ranked(hands, ruleset, "H") == [[1], [3]]
    assert ranked(hands, ruleset, "S") == [[1], [3]]
    assert ranked(hands, ruleset, "D") == [[3], [1]]
    assert ranked(hands, ruleset, None) == [[1, 3]]


def test_a_trump_among_three_or_four_does_not_count() -> None:
    # Three of a rank can be equal in no real deal; the worth itself does not tell them apart.
    for trump in ("H", "S", None):
        assert hand_value(["9C", "9D", "9H"], trump) == hand_value(["9C", "9D", "9S"], None)


@pytest.mark.parametrize("ruleset", SETS_ALONE)
def test_without_high_card_only_sets_are_ranked(ruleset: str) -> None:
    assert ranked({1: "AH KS QD JC 9S", 2: "7C 7D 8S 9D TS"}, ruleset) == [[2]]
    assert ranked({1: "AH KS QD JC 9S", 2: "7C 8D 9C TD AS"}, ruleset) == []
    assert ranked({1: "AH"}, ruleset) == []
    assert ranked({1: "", 2: "7C 7D"}, ruleset) == [[2]]


@pytest.mark.parametrize("ruleset", ANY_HAND)
@pytest.mark.parametrize(
    ("hands", "wanted"),
    [
        # A set always beats no set.
        ({1: "AH KS QD JC 9S", 2: "7C 7D 8S 9D TS"}, [[2], [1]]),
        # The highest card, then the next, and so on.
        ({1: "AC 7D 8S", 2: "KC QD JS"}, [[1], [2]]),
        ({1: "AC QD 8S 7C", 2: "AD JC TS 9C"}, [[1], [2]]),
        ({1: "AC QD 9S TC 7S", 2: "AD QC TS 9C 8S"}, [[2], [1]]),
        # No trump decides here, and equal hands tie.
        ({1: "AC QD 9S TC 7S", 2: "AH QH 9H TH 7H"}, [[1, 2]]),
        ({1: "7C", 2: "8C", 3: "8H", 4: "9S"}, [[4], [2, 3], [1]]),
        # Equal as far as the shorter hand goes: the longer one has a next highest card.
        ({1: "AC QD", 2: "AH QH 7H"}, [[2], [1]]),
        # The order of heights is that of the cards, not of their letters.
        ({1: "TC 9D 8S", 2: "JC 9H 7S"}, [[2], [1]]),
        ({1: "KC 9D 8S", 2: "QC JH TS"}, [[1], [2]]),
        # Who shows nothing is not ranked.
        ({1: "", 2: "7C"}, [[2]]),
        ({1: ""}, []),
    ],
)
def test_with_high_card(hands: dict[int, str], wanted: list[list[int]], ruleset: str) -> None:
    assert ranked(hands, ruleset) == wanted


@st.composite
def shown_hands(draw: st.DrawFn) -> dict[int, list[str]]:
    """Hands of one deck, often of few ranks, so that equal hands are common."""
    ranks = draw(st.sampled_from(["AKQJT987", "AK", "789", "23456789TJQKA"]))
    deck = [card for card in full_deck(52) if card[0] in ranks]
    left = draw(st.permutations(deck))
    hands = {}
    for seat in draw(st.permutations(range(1, 7)))[: draw(st.integers(1, 6))]:
        size = draw(st.integers(0, 11))
        hands[seat], left = left[:size], left[size:]
    return hands


trumps = st.sampled_from(["C", "D", "H", "S", None])


@given(shown_hands(), trumps, st.booleans())
def test_any_hands_are_ranked_as_the_rules_say(
    hands: dict[int, list[str]], trump: str | None, high_card: bool
) -> None:
    found = rank_hands(hands, trump, high_card=high_card)
    assert [set(tied) for tied in found] == ranking(hands, trump, high_card=high_card)
    assert sum(map(len, found)) == len({seat for tied in found for seat in tied})
    event("a tie" if any(len(tied) > 1 for tied in found) else "no tie")


@given(shown_hands(), trumps)
def test_hand_values_order_hands(hands: dict[int, list[str]], trump: str | None) -> None:
    for one, other in combinations(hands.values(), 2):
        values = hand_value(one, trump), hand_value(other, trump)
        assert (values[0] > values[1]) - (values[0] < values[1]) == compare(one, other, trump)


@given(st.permutations(full_deck(52)), st.integers(0, 16), trumps)
def test_hand_value_names_the_set(deck: list[str], size: int, trump: str | None) -> None:
    hand = deck[:size]
    wanted = best_set(hand)
    found = hand_value(hand, trump)
    assert found.count == len(wanted)
    if wanted:
        assert found.rank == wanted[0][0]
        assert found.heights == ()
        if len(wanted) == 2:
            assert found.trump is any(card[1] == trump for card in wanted)
    else:
        assert len(found.heights) == size
