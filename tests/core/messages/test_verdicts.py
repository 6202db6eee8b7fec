"""The referee's verdicts: who wins by the cards, and what decided."""

from __future__ import annotations

import pytest

from pochboard.cards.hands import hand_value
from pochboard.cards.referee import sequence, settle_showdown, showdown
from pochboard.messages.verdicts import (
    Words,
    dealer_takes,
    hand_phrase,
    may_claim,
    shown_without_set,
    why_held,
    why_ranked,
)
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from pochboard.text.names import CardNaming
from pochboard.text.translator import ENGLISH
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
        (
            {1: "KC KD KH KS", 2: "QC QD QH"},
            "Anna wins with four kings; Ben has three queens.",
        ),
        # Equal pairs: the trump decides.
        (
            {1: "KC KD", 2: "KS KH"},
            "Ben and Anna have a pair of kings each; Ben’s holds the king of trumps.",
        ),
        ({2: "JC JD"}, "Ben shows a pair of jacks."),
        # Of two pairs only the higher one counts.
        (
            {1: "KC KD AC AD", 4: "QC QD"},
            "Anna wins with a pair of aces; van Dyck has a pair of queens.",
        ),
        (
            {4: "8C 8D", 2: "7C 7D"},
            "van Dyck wins with a pair of eights; Ben has a pair of sevens.",
        ),
    ],
)
def test_sets(ruleset: str, hands: dict[int, str], sentence: str) -> None:
    assert why(ruleset, hands) == sentence


def test_equal_pairs_without_trump_tie() -> None:
    tie = {2: "KC KD", 1: "KS KH"}
    assert why("modern", tie, None) == "Anna and Ben tie with a pair of kings each."
    below = {**tie, 3: "AC AD"}
    assert why("modern", below, None) == (
        "Clara wins with a pair of aces; Anna and Ben have a pair of kings each."
    )


@pytest.mark.parametrize(
    ("hands", "sentence"),
    [
        ({1: "AC KD", 2: "KC QD"}, "Nobody has a set; Anna has an ace, Ben a king."),
        (
            {1: "AC QD", 2: "AD KC"},
            "Nobody has a set; after equal cards, Ben has a king, Anna a queen.",
        ),
        (
            {1: "AC QD 8S", 2: "AD QC"},
            "Nobody has a set; Anna has one more card than Ben, and the rest are equal.",
        ),
        (
            {1: "AC QD 8S", 2: "AD QC 8H"},
            "Nobody has a set, and Anna and Ben tie: their cards are equally high.",
        ),
        ({1: "8C"}, "Anna has an 8 and no set, and nobody else shows a hand."),
    ],
)
def test_high_cards(hands: dict[int, str], sentence: str) -> None:
    assert why("banker", hands) == sentence


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
            "Ben and Anna have a pair of kings each; after equal cards, Ben’s 10 beats Anna’s 8.",
        ),
        (
            "side-cards", "KC KS AD 8C 7C", "KD KH AS",
            "Anna and Ben have a pair of kings each; Anna has more cards, and the rest are equal.",
        ),
        (
            "suits", "KH KS AD", "KC KD",
            ("Ben and Anna have a pair of kings each; the king of clubs outranks the king of"
            " spades."),
        ),
        (
            "suits", "KC KS AD", "KD KH",
            ("Anna and Ben have a pair of kings each; the king of clubs outranks the king of"
            " hearts."),
        ),
    ],
)  # fmt: skip
def test_why_one_of_two_equal_pairs_wins(
    tie_break: str, one: str, other: str, sentence: str
) -> None:
    assert why("modern", {1: one, 2: other}, tie_break=tie_break) == sentence


def test_side_cards_that_one_player_has_not_shown() -> None:
    verdict = why("modern", {1: "KC KS", 2: "KD KH 7C"}, tie_break="side-cards")
    assert verdict == (
        "Ben and Anna have a pair of kings each, and only Ben has shown another card."
    )


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


def test_the_cards_that_decide_have_the_names_that_were_chosen() -> None:
    hands = {1: "KC KS AD", 2: "KD KH QD"}
    names: CardNaming = "german"
    assert why("modern", hands, names=names, tie_break="suits").endswith(
        "the Eichel-König outranks the Rot-König."
    )
    assert why("modern", hands, names=names, tie_break="side-cards").endswith(
        "Anna’s Daus beats Ben’s Ober."
    )


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
        " Anna and Ben share what only they can win: none of them has shown a set."
    )
    high = override(state.rules, {"high_card": True})
    assert why_ranked(verdict, high, Words(state.name_of)).endswith(
        " Anna and Ben share what only they can win: none of them has shown a hand."
    )


def phrase_of(hand: str, names: CardNaming = "english", **chosen: object) -> str:
    rules = override(RULES["modern"], chosen)
    return hand_phrase(hand_value(hand.split(), rules, "H"), rules, Words(names=names))


@pytest.mark.parametrize(
    ("hand", "phrase"),
    [
        ("QC QD QS 8H", "three queens"),
        ("KC KD KS KH", "four kings"),
        ("KC KD AH", "a pair of kings"),
        ("KC KH AC", "a pair of kings with the trump"),
        ("AC KD 8H", "an ace and no set"),
        ("TC 7D", "a 10 and no set"),
        ("8C 7D", "an 8 and no set"),
        ("", "nothing"),
    ],
)
def test_a_hand_in_words(hand: str, phrase: str) -> None:
    assert phrase_of(hand) == phrase


@pytest.mark.parametrize(
    ("tie_break", "phrase"),
    [
        ("trump", "a pair of kings with the trump"),
        ("side-cards", "a pair of kings with an ace"),
        ("suits", "a pair of kings"),
        ("split", "a pair of kings"),
    ],
)
def test_a_pair_in_words_says_what_may_decide(tie_break: str, phrase: str) -> None:
    assert phrase_of("KC 7D AS KH", tie_break=tie_break) == phrase
    assert phrase_of("KC KD", tie_break=tie_break) == "a pair of kings"
    assert phrase_of("KC KH KS AD", tie_break=tie_break) == "three kings"


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
        (
            TRUMP_FIRST,
            {1: "7S 8S TS"},
            "Nobody holds three cards of a suit in a row, so the chips stay where they are.",
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
            HEIGHT_FIRST,
            {1: "7S 8S 9S", 2: "7H 8H 9H"},
            "Ben holds 7 8 9 of hearts, the trump suit; Anna has 7 8 9 of spades: trumps win.",
        ),
        (
            LONGEST,
            {1: "AH KH QH", 2: "7S 8S 9S TS"},
            (
                "Ben holds 7 8 9 10 of spades; Anna has queen king ace of hearts, the trump suit:"
                " the longer run wins."
            ),
        ),
        (
            LONGEST,
            {2: "7D 8D 9D", 1: "7S 8S 9S"},
            (
                "Ben holds 7 8 9 of diamonds; Anna has 7 8 9 of spades: equal runs, so the first"
                " seat from forehand takes it."
            ),
        ),
    ],
)
def test_runs(rule: str, hands: dict[int, str], sentence: str) -> None:
    assert held(rule, hands) == sentence


def test_the_strongest_rival_is_named() -> None:
    hands = {1: "7S 8S 9S", 2: "7H 8H 9H", 3: "8C 9C TC"}
    assert held(TRUMP_FIRST, hands).startswith(
        "Ben holds 7 8 9 of hearts, the trump suit; Clara has 8 9 10 of clubs:"
    )


def test_without_a_trump_suit_none_is_preferred() -> None:
    assert held(HEIGHT_FIRST, {1: "7S 8S 9S", 2: "8C 9C TC"}, None) == (
        "Ben holds 8 9 10 of clubs; Anna has 7 8 9 of spades: the higher run wins."
        " No trump suit was given, so no suit is preferred."
    )
    assert held(HEIGHT_FIRST, {1: "7S 8S 9S"}, None) == "Anna holds 7 8 9 of spades."


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_ruleset_says_where_the_chips_stay(ruleset: str) -> None:
    rules = RULES[ruleset]
    for said in (
        why_ranked(showdown({}, rules, "H"), rules, Words()),
        why_held(sequence({}, rules, "H"), rules, "H", Words()),
    ):
        assert said.startswith("Nobody ")
        assert said.endswith("so the chips stay where they are.")


def test_claims_of_a_hand() -> None:
    assert (
        dealer_takes("king", RULES["modern"], ENGLISH)
        == "The dealer takes King for the card turned up."
    )
    assert may_claim("Seat 1", [], RULES["modern"], ENGLISH) == "Seat 1 may claim nothing."
    assert may_claim("Seat 1", ["marriage", "king"], RULES["modern"], ENGLISH) == (
        "Seat 1 may claim Marriage and King."
    )
