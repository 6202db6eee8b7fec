"""Cards and their names, and the validation of cards that people enter."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.cards import card as cards
from pochboard.cards.referee import check_cards, check_trump
from pochboard.errors import CardError
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from pochboard.text.names import CardNaming, card_name, suit_name
from tests.core.cards.oracle import full_deck
from tests.not_empty import not_empty

RULES = shipped_rulesets()
ALL = sorted(full_deck(52))


@pytest.mark.parametrize("names", get_args(CardNaming))
def test_each_card_has_its_own_name_that_can_be_parsed(names: CardNaming) -> None:
    card_names = {card: card_name(card, names) for card in ALL}
    assert len(set(card_names.values())) == 52
    for card, name in card_names.items():
        for text in (name, name.upper(), name.lower(), name.replace("-", " "), f"  {name} "):
            assert cards.parse_card(text) == card


SUIT_WORDS = {
    "C": ("clubs", "acorns", "Kreuz", "Treff", "Eichel", "Eicheln", "♣", "♧", "C"),
    "S": ("spades", "leaves", "Pik", "Grün", "Gruen", "Gras", "Laub", "Blatt", "♠", "♤", "S"),
    "H": ("hearts", "Herz", "Rot", "♥", "♡", "♥\ufe0f", "H"),
    "D": ("diamonds", "bells", "Karo", "Schellen", "Schelle", "♦", "♢", "D"),
}


def test_codes_with_rank_and_suit_in_any_order_and_case() -> None:
    for card in ALL:
        rank, suit = card[0], card[1]
        for text in (card, card.lower(), suit + rank):
            assert cards.parse_card(text) == card
    assert [cards.parse_card(text) for text in ("10h", "h10", "As", "Sa", "DA")] == [
        "TH", "TH", "AS", "AS", "AD",
    ]  # fmt: skip


@given(st.text(max_size=12))
def test_any_text_is_a_card_or_refused(text: str) -> None:
    try:
        assert cards.parse_card(text) in ALL
    except CardError as error:
        assert "is not a card" in str(error)  # noqa: PT017 - most texts are refused, some are cards


def test_only_the_beginning_of_a_long_text_is_repeated() -> None:
    for parse in (cards.parse_card, cards.parse_suit):
        with pytest.raises(CardError, match=rf"^'{'x' * 40}' is not a "):
            parse("x" * 41)


def test_the_error_says_how_to_write_a_card_or_a_suit() -> None:
    with pytest.raises(CardError) as card:
        cards.parse_card("Joker")
    assert str(card.value) == (
        "'Joker' is not a card: write a rank of 23456789TJQKA and a suit of CDHS, as in TH,"
        " or a name, as in Herz-König"
    )
    with pytest.raises(CardError) as suit:
        cards.parse_suit("Trumpf")
    assert str(suit.value) == (
        "'Trumpf' is not a suit: C, D, H or S is expected, or a name, as Herz"
    )


def test_suit_names_and_signs() -> None:
    for suit, words in SUIT_WORDS.items():
        for word in (suit, suit.lower(), *words):
            assert cards.parse_suit(word) == suit
    for names in not_empty(get_args(CardNaming)):
        assert [cards.parse_suit(suit_name(suit, names)) for suit in "CDHS"] == list("CDHS")
    for text in ("", "X", "KH", "Trumpf"):
        with pytest.raises(CardError, match="is not a suit"):
            cards.parse_suit(text)


# Validation.


def one_sentence(text: str) -> None:
    assert text
    assert "\n" not in text
    assert ". " not in text


def fault(hands: dict[int, list[str]], ruleset: str = "modern", **given_: Any) -> str:
    """The sentence that refuses the cards."""
    with pytest.raises(CardError) as error:
        check_cards(hands, RULES[ruleset], **given_)
    one_sentence(str(error.value))
    return str(error.value)


def test_a_card_that_is_not_in_the_deck_is_refused() -> None:
    deck_32 = "2H is not in the deck of 32 cards"
    assert fault({1: ["2H"]}, live=4) == deck_32
    assert fault({1: ["AH"]}, live=4, turned="2H") == deck_32
    assert fault({1: ["2H"]}, "thirty-one") == deck_32
    assert fault({1: ["2H"]}, "thirty-one", live=6) == deck_32
    check_cards({1: ["2H"]}, RULES["modern"], live=5)
    # Without a number of players, there may be five at the table.
    check_cards({1: ["2H"]}, RULES["modern"])
    check_cards({1: ["2H"]}, RULES["alvensleben-1853"], live=3)


def test_a_card_that_appears_twice_is_refused() -> None:
    assert fault({1: ["KH", "AH", "KH"]}) == "KH appears twice with seat 1"
    assert fault({1: ["KH"], 2: ["AS", "KH"]}) == ("KH appears twice: with seat 1 and with seat 2")
    assert fault({1: ["AH"], 2: ["KH"]}, turned="KH") == (
        "KH appears twice: turned up and with seat 2"
    )
    assert fault({1: ["KH"], 2: ["KH"]}, name_of=lambda seat: ("Anna", "Ben")[seat - 1]) == (
        "KH appears twice: with Anna and with Ben"
    )


def test_a_low_card_implies_the_number_of_players() -> None:
    # Without a low card, two players may have 16 cards; a low card means at least five, with at
    # most 11.
    hand = full_deck(32)[:12]
    check_cards({1: hand}, RULES["modern"])
    assert "cannot hold 12 cards" in fault({1: hand, 2: ["2C"]})
    assert "cannot hold 12 cards" in fault({1: hand}, turned="2C")


def test_more_hands_than_players_are_refused() -> None:
    hands = {seat: [ALL[seat]] for seat in range(1, 8)}
    assert fault(hands) == "7 hands are too many for modern"
    four = {seat: [card] for seat, card in enumerate(full_deck(32)[:4], 1)}
    assert fault(four, "banker", live=3) == "4 hands are too many for 3 players"
    check_cards(four, RULES["banker"], live=4)
    check_cards(hands, RULES["alvensleben-1853"])


@pytest.mark.parametrize("live", [1, 7])
def test_a_number_of_players_that_the_ruleset_does_not_allow_is_refused(live: int) -> None:
    # A night must begin with three players but may continue with two.
    assert fault({}, live=live) == f"modern is for 2 to 6 players, not {live}"
    for count in (2, 6):
        check_cards({}, RULES["modern"], live=count)


def test_hand_sizes_that_do_not_occur_together_are_refused() -> None:
    # 31 cards among three: 11 10 10. Among two, since nobody else shows any: 16 15.
    deck = full_deck(32)
    for live, sizes in ((3, (11, 11)), (3, (10, 11, 11)), (None, (16, 16)), (4, (8, 8, 8, 8))):
        hands, top, seat = {}, 0, 0
        for seat, size in enumerate(sizes, 1):
            hands[seat] = deck[top : top + size]
            top += size
        sentence = fault(hands, live=live)
        largest_first = ", ".join(map(str, sorted(sizes, reverse=True)))
        assert sentence == f"no deal has hands of {largest_first} cards together"
        # A hand with one card fewer is possible.
        hands[seat] = hands[seat][1:]
        check_cards(hands, RULES["modern"], live=live)


ALL_DEALT = override(RULES["modern"], {"hand": "all"})
HEARTS = override(RULES["modern"], {"hand": "all", "trump": "hearts"})


def test_with_all_cards_dealt_the_card_turned_up_is_in_a_hand() -> None:
    check_cards({1: ["KH", "QH"], 2: ["AS"]}, ALL_DEALT, turned="KH", live=4)
    check_cards({1: ["QH"], 2: ["AS"]}, ALL_DEALT, turned="KH", live=4)
    with pytest.raises(CardError, match="KH appears twice: with seat 1 and with seat 2"):
        check_cards({1: ["KH"], 2: ["KH"]}, ALL_DEALT, turned="KH", live=4)
    with pytest.raises(CardError, match="2H is not in the deck of 32 cards"):
        check_cards({1: ["KH"]}, ALL_DEALT, turned="2H", live=4)


def test_trump() -> None:
    rules = RULES["modern"]
    assert check_trump(rules, None, None) is None
    assert check_trump(rules, "H", None) == "H"
    assert check_trump(rules, None, "7S") == "S"
    assert check_trump(rules, "S", "7S") == "S"
    for trump in "CDH":
        with pytest.raises(CardError) as error:
            check_trump(rules, trump, "7S")
        assert str(error.value) == (
            f"7S is turned up, so spades are trumps, not {suit_name(trump)}"
        )


def test_a_fixed_trump_suit_needs_no_card_and_allows_no_other() -> None:
    assert check_trump(HEARTS, None, None) == "H"
    assert check_trump(HEARTS, "H", None) == "H"
    for trump, turned, sentence in (
        ("S", None, "hearts are always trumps in modern, not spades"),
        (None, "7S", "no card is turned up in modern, where hearts are always trumps"),
        (None, "7H", "no card is turned up in modern, where hearts are always trumps"),
        ("S", "7S", "no card is turned up in modern, where hearts are always trumps"),
    ):
        with pytest.raises(CardError) as error:
            check_trump(HEARTS, trump, turned)
        assert str(error.value) == sentence
