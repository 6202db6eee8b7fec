"""Runs, and who takes the sequence pool."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from pochboard.cards.hands import best_run, sequence_winner
from pochboard.cards.referee import sequence
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from tests.core.cards.oracle import better_run, full_deck, sequence_holder, sequences
from tests.core.play import RULESETS

RULES = shipped_rulesets()
TRUMP_789, TRUMP_FIRST, HEIGHT_FIRST, LONGEST = SEQUENCE_RULES = (
    "trump-789", "best-run-trump-first", "best-run-height-first", "longest-run",
)  # fmt: skip


def taken(hands: dict[int, str], rule: str, trump: str | None = "H") -> int | None:
    rules = override(RULES["modern"], {"sequence": rule, "deck": 52})
    verdict = sequence({seat: cards.split() for seat, cards in hands.items()}, rules, trump)
    return verdict.seat


@pytest.mark.parametrize(
    ("hands", "winners"),
    [
        # The winners by trump-789, best-run-trump-first, best-run-height-first and longest-run;
        # hearts are trumps, and the hands are in order from forehand.
        #
        # Nobody qualifies: two in a row, three of one rank, three of two suits, a gap.
        ({1: "7H 8H TH", 2: "9C 9D 9S", 3: "JS QS KC AC"}, (None, None, None, None)),
        # No run wraps round: the ace is never below the two or the seven.
        ({1: "KS AS 2S 3S", 2: "AH 7H 8H"}, (None, None, None, None)),
        ({1: "AC 2C 3C 4C", 2: "AC 7C 8C"}, (None, 1, 1, 1)),
        # 7 8 9 of trumps against a higher run of another suit, and a longer one.
        ({1: "7H 8H 9H", 2: "TS JS QS"}, (1, 1, 2, 2)),
        ({1: "TS JS QS KS", 2: "7H 8H 9H"}, (2, 2, 1, 1)),
        # 7 8 9 within a longer run of trumps, against a higher run of trumps.
        ({1: "JH QH KH", 2: "7H 8H 9H TH"}, (2, 1, 1, 2)),
        ({1: "7H 8H 9H TH JH QH", 2: "9C TC JC QC KC AC"}, (1, 1, 2, 2)),
        # 7 8 9 of a suit that is not trumps.
        ({1: "7S 8S 9S"}, (None, 1, 1, 1)),
        # A lower, longer run.
        ({1: "8C 9C TC JC", 2: "QS KS AS"}, (None, 2, 2, 1)),
        # Equal height: the trump, wherever it sits.
        ({1: "TS JS QS", 2: "TH JH QH"}, (None, 2, 2, 2)),
        # Equal height, the other longer: length counts before trump only where length counts.
        ({1: "9S TS JS QS", 2: "TH JH QH"}, (None, 2, 2, 1)),
        # Equal height, no trump: nearer to forehand; longest-run looks at the length first.
        ({3: "TS JS QS", 1: "9C TC JC QC"}, (None, 3, 3, 1)),
        ({3: "TS JS QS", 1: "TC JC QC", 2: "TD JD QD"}, (None, 3, 3, 3)),
        ({2: "2S 3S 4S", 3: "TC JC QC", 1: "TD JD QD"}, (None, 3, 3, 3)),
        # Two runs of trumps in different hands.
        ({1: "2H 3H 4H 5H", 2: "QH KH AH"}, (None, 2, 2, 1)),
        # The best of the runs in one hand counts.
        ({1: "9C TC JC", 2: "7S 8S 9S QD KD AD"}, (None, 2, 2, 2)),
        ({1: "9C TC JC", 2: "2H 3H 4H 6D 7D 8D"}, (None, 2, 1, 1)),
        ({1: "9C TC JC QC", 2: "2S 3S 4S 5S 6S AS KS QS"}, (None, 2, 2, 2)),
        # Ranks are compared by height: the ten follows the nine, although its code is a letter.
        ({1: "8D 9D TD", 2: "7S 8S 9S"}, (None, 1, 1, 1)),
        # An empty hand, and a hand shown out of order.
        ({1: "", 2: "9H 7H 8H"}, (2, 2, 2, 2)),
    ],
)
def test_who_takes_the_pool(
    hands: dict[int, str], winners: tuple[int | None, int | None, int | None, int | None]
) -> None:
    assert tuple(taken(hands, rule) for rule in SEQUENCE_RULES) == winners


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
trumps = st.sampled_from(["C", "D", "H", "S", None])


@given(hands_from_forehand, trumps, st.sampled_from(SEQUENCE_RULES))
def test_any_hands_as_the_rules_say(
    hands: dict[int, list[str]], trump: str | None, rule: str
) -> None:
    wanted = sequence_holder(hands, trump, rule)
    rules = override(RULES["modern"], {"sequence": rule})
    verdict = sequence(hands, rules, trump)
    assert verdict.seat == wanted
    best = sequence_winner(hands, trump, rules)
    assert (best and best[0]) == wanted
    if best:
        assert best[1].cards in sequences(hands[best[0]])
        assert verdict.run == best[1]
    event("nobody" if wanted is None else f"{rule}")


@given(
    st.permutations(full_deck(52)), st.integers(0, 26), trumps, st.sampled_from(SEQUENCE_RULES[1:])
)
def test_a_hand_shows_its_best_run(
    deck: list[str], size: int, trump: str | None, rule: str
) -> None:
    hand = deck[:size]
    best = best_run(hand, trump, override(RULES["modern"], {"sequence": rule}))
    possible = sequences(hand)
    if best is None:
        assert possible == []
    else:
        assert best.cards in possible
        assert best.cards[-1][1] == best.suit
        assert not any(better_run(rival, best.cards, trump, rule) for rival in possible)
        # The whole run is shown: no longer run of the hand contains it.
        assert not any(set(best.cards) < set(run) for run in possible)
