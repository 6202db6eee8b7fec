"""Cards and their names, and the validation of cards that people enter."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.cards import card as cards
from pochboard.cards.hands import check_cards, check_trump
from pochboard.errors import CardError
from pochboard.rules.ruleset_files import override, shipped_rulesets
from pochboard.text.names import CardNaming, card_name
from tests.core.cards.oracle import full_deck

RULES = shipped_rulesets()
ALL = sorted(full_deck(52))


@pytest.mark.parametrize("names", get_args(CardNaming))
def test_each_card_has_its_own_name_that_can_be_parsed(names: CardNaming) -> None:
    card_names = {card: card_name(card, names) for card in ALL}
    assert len(set(card_names.values())) == 52
    for card, name in card_names.items():
        for text in (name, name.upper(), name.lower(), name.replace("-", " "), f"  {name} "):
            assert cards.parse_card(text) == card


@given(st.text(max_size=12))
def test_any_text_is_a_card_or_refused(text: str) -> None:
    try:
        assert cards.parse_card(text) in ALL
    except CardError as error:
        assert "is not a card" in str(error)  # noqa: PT017 - most texts are refused, some are cards


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


def test_a_low_card_implies_the_number_of_players() -> None:
    # Without a low card, two players may have 16 cards; a low card means at least five, with at
    # most 11.
    hand = full_deck(32)[:12]
    check_cards({1: hand}, RULES["modern"])
    assert "cannot hold 12 cards" in fault({1: hand, 2: ["2C"]})
    assert "cannot hold 12 cards" in fault({1: hand}, turned="2C")


ALL_DEALT = override(RULES["modern"], {"hand": "all"})
HEARTS = override(RULES["modern"], {"hand": "all", "trump": "hearts"})


def test_with_all_cards_dealt_the_card_turned_up_is_in_a_hand() -> None:
    check_cards({1: ["KH", "QH"], 2: ["AS"]}, ALL_DEALT, turned="KH", live=4)
    check_cards({1: ["QH"], 2: ["AS"]}, ALL_DEALT, turned="KH", live=4)
    with pytest.raises(CardError, match="KH appears twice: with seat 1 and with seat 2"):
        check_cards({1: ["KH"], 2: ["KH"]}, ALL_DEALT, turned="KH", live=4)
    with pytest.raises(CardError, match="2H is not in the deck of 32 cards"):
        check_cards({1: ["KH"]}, ALL_DEALT, turned="2H", live=4)


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
