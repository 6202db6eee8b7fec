"""Settlements in sentences."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pochboard.ledger.settling import Settlement, Transfer, Way, settle_night
from pochboard.text.translator import ENGLISH, Translator, translator
from pochboard.views.nights import ChipWorth, SettlementText, money, settlement_text
from tests.core.play import Night

GERMAN = translator("de")


@pytest.fixture
def night() -> Night:
    """Anna has won the ace and 3 cards, and Ben the king. The other antes went to the bank."""
    played = Night("family", players=2)
    played.do("deal")
    played.do("claim", seat=1, pool="ace")
    played.do("claim", seat=2, pool="king")
    played.do("next")
    played.nobody_bets()
    played.settle(winner=1, cards=3)
    played.do("end")
    return played


def said(
    night: Night,
    way: Way = "pairwise",
    *,
    worth: ChipWorth | None = None,
    share_bank: bool = True,
    t: Translator = ENGLISH,
) -> SettlementText:
    cents = worth.cents if worth else Fraction(1)
    settlement = settle_night(
        night.book.entries, night.book.states, way, share_bank=share_bank, worth=cents
    )
    return settlement_text(settlement, night.book.state, worth, t)


def test_the_bank_is_explained(night: Night) -> None:
    text = said(night, share_bank=False)
    assert (text.chips_label, text.amount_label) == ("Won or lost", None)
    assert text.parties[0].name == "Bank"
    assert text.note == (
        "The bank has the chips that nobody won. Share them, or let the bank keep them."
    )
    assert "Anna pays the bank 6 chips." in [row.text for row in text.transfers]
    assert "The bank received from Anna: left on the board 6." in [
        row.why for row in text.transfers
    ]


@pytest.mark.parametrize(
    ("cents", "signed", "text"),
    [
        (0, False, "0.00 €"),
        (5, False, "0.05 €"),
        (1234, False, "12.34 €"),
        (-1234, False, "−12.34 €"),
        (1234, True, "+12.34 €"),
        (0, True, "±0.00 €"),
    ],
)
def test_money(cents: int, signed: bool, text: str) -> None:
    assert money(cents, "€", ENGLISH, with_sign=signed).replace("\N{NO-BREAK SPACE}", " ") == text
    german = money(cents, "€", GERMAN, with_sign=signed)
    assert german.replace("\N{NO-BREAK SPACE}", " ") == text.replace(".", ",")


@pytest.mark.parametrize(
    ("bank", "note"),
    [
        (1, "This includes the 1 chip that nobody won: the players share it."),
        (-1, "This includes the 1 chip that the bank paid: the players share that."),
        (-2, "This includes the 2 chips that the bank paid: the players share that."),
        (0, None),
    ],
)
def test_what_is_shared(bank: int, note: str | None) -> None:
    settlement = Settlement({1: 1, 2: -1}, {1: 1, 2: -1}, (Transfer(2, 1, 1),), bank)
    assert settlement_text(settlement, Night().book.state, None, ENGLISH).note == note
