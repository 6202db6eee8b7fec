"""The referee's verdicts: who wins by the cards, and what decided."""

from __future__ import annotations

import pytest

from pochboard.cards.hands import hand_value, sequence, settle_showdown, showdown
from pochboard.messages.verdicts import (
    Words,
    hand_phrase,
    shown_without_set,
    why_held,
    why_ranked,
)
from pochboard.rules.ruleset_files import override, shipped_rulesets
from pochboard.text.names import CardNaming
from tests.core.play import RULESETS, melding

RULES = shipped_rulesets()


def called(seat: int) -> str:
    return ("Anna", "Ben", "Clara", "van Dyck")[seat - 1]


def shown(hands: dict[int, str]) -> dict[int, list[str]]:
    return {seat: cards.split() for seat, cards in hands.items()}


def why(
    ruleset: str,
    hands: dict[int, str],
    trump: str | None = "H",
    names: CardNaming = "english",
    **chosen: object,
) -> str:
    rules = override(RULES[ruleset], chosen)
    return why_ranked(showdown(shown(hands), rules, trump), rules, Words(called, names))


@pytest.mark.parametrize("ruleset", ["modern", "banker"])
@pytest.mark.parametrize(
    ("hands", "sentence"),
    [
        (
            {1: "KC KD 7H", 2: "QC QD QH"},
            "Ben wins with three queens; Anna has a pair of kings.",
        ),
        # Equal pairs: the trump decides.
        (
            {1: "KC KD", 2: "KS KH"},
            "Ben and Anna have a pair of kings each; Ben’s holds the king of trumps.",
        ),
        ({2: "JC JD"}, "Ben shows a pair of jacks."),
    ],
)
def test_sets(ruleset: str, hands: dict[int, str], sentence: str) -> None:
    assert why(ruleset, hands) == sentence


@pytest.mark.parametrize(
    ("tie_break", "one", "other", "sentence"),
    [
        (
            "trump", "KC KS AD", "KD KH QD",
            "Ben and Anna have a pair of kings each; Ben’s holds the king of trumps.",
        ),
        (
            "side-cards", "KC KS AD", "KD KH QD",
            "Anna and Ben have a pair of kings each; Anna’s ace beats Ben’s queen.",
        ),
        (
            "side-cards", "KC KS AD 8C", "KD KH AS TS",
            ("Ben and Anna have a pair of kings each;"
            " after equal cards, Ben’s 10 beats Anna’s 8."),
        ),
        (
            "side-cards", "KC KS AD 8C 7C", "KD KH AS",
            ("Anna and Ben have a pair of kings each;"
            " Anna has more cards, and the rest are equal."),
        ),
        (
            "side-cards", "KC KS AD", "KD KH",
            "Anna and Ben have a pair of kings each, and only Anna has shown another card.",
        ),
    ],
)  # fmt: skip
def test_why_one_of_two_equal_pairs_wins(
    tie_break: str, one: str, other: str, sentence: str
) -> None:
    assert why("modern", {1: one, 2: other}, tie_break=tie_break) == sentence


@pytest.mark.parametrize(
    ("tie_break", "side_cards", "sentence"),
    [
        ("split", ("AD", "QD"), "Anna and Ben tie with a pair of kings each."),
        (
            "side-cards",
            ("AD", "AS"),
            "Anna and Ben tie with a pair of kings each: their other cards are equally high.",
        ),
        (
            "side-cards",
            ("", ""),
            "Anna and Ben tie with a pair of kings each: they have shown no other cards.",
        ),
    ],
)
def test_why_equal_pairs_tie(tie_break: str, side_cards: tuple[str, str], sentence: str) -> None:
    one, other = side_cards
    hands = {1: f"KC KS {one}", 2: f"KD KH {other}"}
    assert why("modern", hands, tie_break=tie_break) == sentence


@pytest.mark.parametrize(
    ("hands", "sentence"),
    [
        ({1: "KC KD", 2: "JS JD"}, None),
        ({1: "KC KD", 3: ""}, None),
        ({1: "KC KD", 2: "AC"}, "Ben has shown no set, but a set is needed to stake."),
        (
            {1: "KC QD", 2: "AC", 3: "7D 7H"},
            "Anna and Ben have shown no set, but a set is needed to stake.",
        ),
    ],
)
def test_who_has_shown_no_set(hands: dict[int, str], sentence: str | None) -> None:
    verdict = showdown(shown(hands), RULES["alvensleben-1853"], "H")
    assert shown_without_set(verdict.without_set, Words(called)) == sentence


def test_a_pot_that_nobody_with_a_set_can_win_is_shared() -> None:
    night = melding(players=3, options={"ante_from": "bank"})
    night.have({1: 9, 2: 9, 3: 2})
    night.do("next")
    for seat, chips in ((2, 9), (3, 2), (1, 9)):
        night.do("stake", seat=seat, chips=chips)
    state = night.book.state
    verdict = settle_showdown(state, shown({3: "8C 8D", 1: "AC", 2: "KC"}), "H")
    assert why_ranked(verdict, state.rules, Words(state.name_of)) == (
        "Clara wins with a pair of eights; Anna and Ben have no set."
        " Anna and Ben share what only they can win: none of them has shown a hand that counts."
    )
    high = override(state.rules, {"high_card": True})
    assert why_ranked(verdict, high, Words(state.name_of)).endswith(
        " Anna and Ben share what only they can win: none of them has shown a hand that counts."
    )


def phrase_of(hand: str, names: CardNaming = "english", **chosen: object) -> str:
    rules = override(RULES["modern"], chosen)
    return hand_phrase(hand_value(hand.split(), rules, "H"), rules, Words(names=names))


@pytest.mark.parametrize(
    ("hand", "phrase"),
    [
        ("QC QD QS 8H", "three queens"),
        ("KC KD AH", "a pair of kings"),
        ("AC KD 8H", "an ace and no set"),
        ("8C 7D", "an 8 and no set"),
    ],
)
def test_a_hand_in_words(hand: str, phrase: str) -> None:
    assert phrase_of(hand) == phrase


TRUMP_789, TRUMP_FIRST, HEIGHT_FIRST, LONGEST = (
    "trump-789", "best-run-trump-first", "best-run-height-first", "longest-run",
)  # fmt: skip


def held(
    rule: str, hands: dict[int, str], trump: str | None = "H", names: CardNaming = "english"
) -> str:
    rules = override(RULES["modern"], {"sequence": rule})
    verdict = sequence(shown(hands), rules, trump)
    return why_held(verdict, rules, trump, Words(called, names))


@pytest.mark.parametrize(
    ("rule", "hands", "sentence"),
    [
        (
            TRUMP_789,
            {1: "7S 8S 9S"},
            "Nobody holds the 7, 8 and 9 of trumps in one hand, so the chips stay where they are.",
        ),
        (TRUMP_789, {1: "AS", 2: "7H 8H 9H"}, "Ben holds 7 8 9 of hearts, the trump suit."),
        (
            TRUMP_FIRST,
            {1: "AS KS QS", 2: "7H 8H 9H"},
            (
                "Ben holds 7 8 9 of hearts, the trump suit; Anna has queen king ace of spades:"
                " trumps win."
            ),
        ),
        (
            HEIGHT_FIRST,
            {1: "AS KS QS", 2: "7H 8H 9H"},
            (
                "Anna holds queen king ace of spades; Ben has 7 8 9 of hearts, the trump suit:"
                " the higher run wins."
            ),
        ),
        (
            LONGEST,
            {1: "AH KH QH", 2: "7S 8S 9S TS"},
            (
                "Ben holds 7 8 9 10 of spades; Anna has queen king ace of hearts, the trump suit:"
                " the longer run wins."
            ),
        ),
    ],
)
def test_runs(rule: str, hands: dict[int, str], sentence: str) -> None:
    assert held(rule, hands) == sentence


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_ruleset_says_where_the_chips_stay(ruleset: str) -> None:
    rules = RULES[ruleset]
    for said in (
        why_ranked(showdown({}, rules, "H"), rules, Words()),
        why_held(sequence({}, rules, "H"), rules, "H", Words()),
    ):
        assert said.startswith("Nobody ")
        assert said.endswith("so the chips stay where they are.")
