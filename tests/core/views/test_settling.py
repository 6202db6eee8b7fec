"""Settlements and statistics in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

import pytest

from pochboard.history import NightStatistics, PersonNight, overview
from pochboard.ledger.settling import Settlement, Transfer, Way, settle_night
from pochboard.text.translator import ENGLISH, Translator, translator
from pochboard.views.nights import ChipWorth, SettlementText, money, settlement_text
from pochboard.views.statistics import StatisticsText, statistics_text
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
    assert (text.chips_label, text.parties[0].amount_text) == ("Won or lost", None)
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
        (1, "This includes everybody’s share of the 1 chip that nobody won."),
        (-1, "This includes everybody’s share of the 1 chip that the bank paid."),
        (-2, "This includes everybody’s share of the 2 chips that the bank paid."),
        (0, None),
    ],
)
def test_what_is_shared(bank: int, note: str | None) -> None:
    settlement = Settlement({1: 1, 2: -1}, {1: 1, 2: -1}, (Transfer(2, 1, 1),), bank)
    assert settlement_text(settlement, Night().book.state, None, ENGLISH).note == note


def counted(number: int, *people: PersonNight, chips: int = 0) -> NightStatistics:
    won = [(1, 0, chips)] if chips else []
    return NightStatistics(number, 0, "modern", False, 2, list(people), won)


def told(
    *nights: NightStatistics,
    t: Translator = ENGLISH,
    pending: int = 0,
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> StatisticsText:
    return statistics_text(overview(nights, aliases), pending, aliases, t)


def anna(**fields: float) -> PersonNight:
    one = PersonNight("Anna", net=5, won_night=True, deals=2)
    for name, value in fields.items():
        setattr(one, name, value)
    return one


def ben() -> PersonNight:
    return PersonNight("Ben", net=-5, deals=2)


def test_one_night() -> None:
    one = anna(knocks=1, knocks_won=1, knocks_unseen=1, showdowns=1, largest_poch=1, outs=1,
               cards_left=3)  # fmt: skip
    text = told(counted(1, one, ben(), chips=1))
    assert text.summary == "1 night, 2 deals, 2 people."
    assert text.people[0].facts == (
        "1 of 1 night won.",
        "Net: +5.",
        "Best night: +5, night 1.",
        "Largest Poch: 1 chip, night 1.",
        "1 knock, 1 won, 1 of them without a showdown.",
        "0 of 1 showdown won.",
        "Out first in 1 of 2 deals.",
        "Cards left when somebody else goes out: 3.0 on average.",
    )
    assert text.heads[0] == "Anna has won 1 chip from Ben in 1 night."


def test_luck() -> None:
    one = anna(luck=2.6, luck_squares=4.0)
    one.expected[0], one.variance[0], one.wins[0] = 1.4, 1.0, 4
    row = told(counted(1, one, ben())).people[0]
    assert row.luck == (
        "Luck: 4 pools won with cards, where 1.4 are expected. In 95 of 100 cases chance alone"
        " gives 0.0 to 5.3."
    )
    assert row.pools[0].expected == "1.4 (0.0 to 3.4)"
    assert row.pools[7].expected is None
