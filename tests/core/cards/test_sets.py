"""Sets, and how hands compare at a showdown."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from pochboard.cards.hands import best_set as found_set
from pochboard.cards.hands import hand_value
from pochboard.cards.referee import showdown
from pochboard.rules.ruleset import DECKS
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from tests.core.cards.oracle import best_set, full_deck, ranking
from tests.core.play import RULESETS

RULES = shipped_rulesets()
TIE_BREAKS = ("trump", "side-cards", "suits", "split")


def ranked(hands: dict[int, str], ruleset: str, trump: str | None = "H") -> list[list[int]]:
    """The ranking by the referee; every order in which the hands are shown gives the same."""
    shown = {seat: cards.split() for seat, cards in hands.items()}
    ranked = showdown(shown, RULES[ruleset], trump).ranking
    backwards = {seat: shown[seat][::-1] for seat in reversed(shown)}
    assert showdown(backwards, RULES[ruleset], trump).ranking == ranked
    return [list(tied) for tied in ranked]


@pytest.mark.parametrize("ruleset", RULESETS)
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
        # Of two pairs only the higher counts; of three and a pair only the three.
        ("9C 9D 7S 8D TS", "8C 8H 7C 7H AS"),
        ("9C 9D 7S 7D", "8C 8H AS KD"),
        ("TH TD 7S 8D", "9C 9S 8H 8C"),
        ("8C 8D 8S KH QH", "7C 7D 7S AC AD"),
        ("7C 7D 7S AC AD", "KC KD QH QC JH"),
    ],
)
def test_a_better_set(better: str, worse: str, ruleset: str) -> None:
    assert ranked({1: better, 2: worse}, ruleset) == [[1], [2]] or (
        not best_set(worse.split()) and ranked({1: better, 2: worse}, ruleset) == [[1]]
    )
    assert ranked({1: worse, 2: better}, ruleset)[0] == [2]


@pytest.mark.parametrize(
    ("tie_break", "one", "other", "wanted"),
    [
        # Hearts are trumps, but the ace decides, whoever holds the king of hearts.
        ("side-cards", "KC KS AD", "KD KH QD", [[1], [2]]),
        ("trump", "KC KS AD", "KD KH QD", [[2], [1]]),
        ("suits", "KC KS AD", "KD KH QD", [[1], [2]]),
        ("split", "KC KS AD", "KD KH QD", [[1, 2]]),
        # The next card, and so on; then the hands tie.
        ("side-cards", "KC KS AD 9C 8C", "KD KH AS TD 7D", [[2], [1]]),
        ("side-cards", "KC KS AD 9C 8C", "KD KH AS 9D 7D", [[1], [2]]),
        ("side-cards", "KC KS AD 9C 8C", "KD KH AS 9D 8D", [[1, 2]]),
        # A second pair counts as two single cards.
        ("side-cards", "KC KS QD QC", "KD KH AS 7D", [[2], [1]]),
        ("side-cards", "KC KS QD QC", "KD KH QS JS", [[1], [2]]),
        # If all that can be compared is equal, the hand with more cards wins.
        ("side-cards", "KC KS QD", "KD KH QS 7S", [[2], [1]]),
        ("side-cards", "KC KS", "KD KH 7S", [[2], [1]]),
        ("side-cards", "KC KS", "KD KH", [[1, 2]]),
        # Clubs, then spades, hearts, diamonds; the other cards do not count.
        ("suits", "KD KS AD", "KC KH 7D", [[2], [1]]),
        ("suits", "KD KC 7D", "KS KH AH", [[1], [2]]),
        # No tie-break puts a lower pair first.
        *((tie_break, "KC KS AC", "AD AH 7D", [[2], [1]]) for tie_break in TIE_BREAKS),
    ],
)
def test_equal_pairs_by_each_tie_break(
    tie_break: str, one: str, other: str, wanted: list[list[int]]
) -> None:
    rules = override(RULES["modern"], {"tie_break": tie_break})
    hands = {1: one.split(), 2: other.split()}
    assert [list(tied) for tied in showdown(hands, rules, "H").ranking] == wanted


@pytest.mark.parametrize(
    ("hands", "without_set"),
    [
        ({1: "KC KS 7D", 2: "AC QD"}, (2,)),
        ({1: "KC", 2: "AC QD", 4: "JS"}, (1, 2, 4)),
        ({1: "KC KS", 2: "JD JS JC"}, ()),
        # A player who shows nothing does not count as showing a hand without a set.
        ({1: "KC KS", 2: ""}, ()),
    ],
)
@pytest.mark.parametrize("high_card", [False, True])
def test_seats_that_show_no_set_are_named_where_one_is_needed(
    hands: dict[int, str], without_set: tuple[int, ...], high_card: bool
) -> None:
    shown = {seat: cards.split() for seat, cards in hands.items()}
    rules = override(RULES["alvensleben-1853"], {"high_card": high_card})
    verdict = showdown(shown, rules, "H")
    assert verdict.without_set == without_set
    free = override(rules, {"bet_needs_set": False})
    assert showdown(shown, free, "H").without_set == ()
    # The option changes nothing else.
    assert showdown(shown, free, "H").ranking == verdict.ranking


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


@given(st.permutations(full_deck(52)), st.integers(0, 16), trumps, tie_breaks)
def test_hand_value_names_the_set(
    deck: list[str], size: int, trump: str | None, tie_break: str
) -> None:
    hand = deck[:size]
    wanted = best_set(hand)
    value = hand_value(hand, override(RULES["modern"], {"tie_break": tie_break}), trump)
    assert (value.count, value.height) == found_set(hand)
    assert value.count == len(wanted)
    if not wanted:
        assert len(value.others) == size
        return
    assert value.rank == wanted[0][0]
    side_cards = tie_break == "side-cards" and len(wanted) == 2
    assert len(value.others) == (size - 2 if side_cards else 0)
    if tie_break == "trump" and len(wanted) == 2:
        assert value.suit == any(card[1] == trump for card in wanted)
