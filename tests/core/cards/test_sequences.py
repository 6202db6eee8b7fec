"""Runs, and who takes the sequence pool."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from pochboard.cards.hands import sequence_winner
from pochboard.cards.referee import sequence
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from tests.core.cards.oracle import full_deck, sequence_holder, sequences
from tests.core.play import RULESETS

RULES = shipped_rulesets()
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
