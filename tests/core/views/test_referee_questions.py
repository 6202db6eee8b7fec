"""What the referee asks for, and how its answer is offered."""

from __future__ import annotations

import pytest

from pochboard.cards.card import Card
from pochboard.cards.hands import settle_showdown
from pochboard.messages.verdicts import Words
from pochboard.text.translator import ENGLISH
from pochboard.views.referee import (
    CardGrid,
    referee_question,
    showdown_verdict,
)
from tests.core.play import Night, betting, melding


def showdown(**options: object) -> Night:
    night = betting(places=[7, 2, 5], options=options)
    for seat in (2, 3):
        night.do("stake", seat=seat, chips=1)
    night.do("pass", seat=1)
    return night


def meld(ruleset: str = "modern", card: str | None = None, **options: object) -> Night:
    night = melding(ruleset, places=[7, 2, 5], options=options)
    if card:
        night.do("turn", card=card)
    return night


def test_the_showdown_asks_those_still_in_for_any_cards() -> None:
    asked = referee_question(showdown().book.state, ENGLISH)
    assert asked is not None
    assert (asked.question, asked.seats, asked.trump) == ("showdown", (2, 3), None)
    assert asked.label == "Decide by the cards"
    grid = asked.grids[""]
    assert grid.hint == "Choose who shows, then tap the set."
    assert grid.rows == tuple(tuple(rank + suit for rank in "AKQJT987") for suit in "CSHD")


def test_without_a_turned_card_the_trump_suit_is_asked_for_first() -> None:
    asked = referee_question(meld().book.state, ENGLISH)
    assert asked is not None
    assert asked.trump is None
    assert set(asked.grids) == {"", "C", "D", "H", "S"}
    choose = "Choose the trump suit first: the 7, 8 and 9 of trumps in one hand take it."
    assert asked.grids[""] == CardGrid(choose, ())
    assert asked.grids["S"].rows == (("7S", "8S", "9S"),)


@pytest.mark.parametrize("tie_break", ["trump", "side-cards", "suits", "split"])
def test_the_trump_suit_is_asked_for_only_if_it_counts(tie_break: str) -> None:
    for night, wanted in (
        (showdown(tie_break=tie_break), tie_break == "trump"),
        (showdown(tie_break=tie_break, hand="all", trump="hearts"), False),
        (meld(tie_break=tie_break), True),
        (meld(card="AH", tie_break=tie_break), False),
    ):
        asked = referee_question(night.book.state, ENGLISH)
        assert asked is not None
        assert asked.asks_trump is wanted


def test_a_sequence_that_is_blocked_or_empty_is_not_asked_for() -> None:
    assert referee_question(meld(card="8H").book.state, ENGLISH) is None
    night = meld()
    night.do("claim", seat=1, pool="sequence")
    assert referee_question(night.book.state, ENGLISH) is None


@pytest.mark.parametrize(
    ("hands", "label", "missing"),
    [
        ({2: ("KH", "QS"), 3: ("AH", "7S")}, "Record: nobody has a set", ()),
        ({3: ("KH", "KS")}, "Record: Clara wins", ("Ben has shown nothing.",)),
        ({2: ("KH", "KS"), 3: ("KC", "KD")}, "Record: Ben and Clara tie", ()),
    ],
)
def test_what_is_recorded(
    hands: dict[int, tuple[Card, ...]], label: str, missing: tuple[str, ...]
) -> None:
    state = showdown(tie_break="split").book.state
    ranking = settle_showdown(state, hands, None)
    verdict = showdown_verdict(state, hands, ranking, Words(state.name_of, "english", ENGLISH))
    assert (verdict.label, verdict.missing) == (label, missing)
