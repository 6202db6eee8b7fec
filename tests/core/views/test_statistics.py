"""Statistics in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from pochboard.history.night_statistics import NightStatistics, PersonNight
from pochboard.history.people import Interval, overview
from pochboard.messages.labels import decimal, interval_text
from pochboard.text.translator import ENGLISH, Translator, translator
from pochboard.views.statistics import StatisticsText, statistics_text


def night(number: int, *people: PersonNight, chips: int = 0) -> NightStatistics:
    won = [(1, 0, chips)] if chips else []
    return NightStatistics(number, 0, "modern", False, 2, list(people), won)


def said(
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


def test_before_the_first_night() -> None:
    text = said(pending=3)
    assert text.summary == (
        "There are no statistics yet. They begin with the first finished night in which cards were"
        " dealt."
    )
    assert (text.people, text.pending) == ((), 3)


def test_one_night() -> None:
    one = anna(knocks=1, knocks_won=1, knocks_unseen=1, showdowns=1, largest_poch=1, outs=1,
               cards_left=3)  # fmt: skip
    text = said(night(1, one, ben(), chips=1))
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
    assert text.heads[0].text == "Anna has won 1 chip from Ben in 1 night."
    assert [course.name for course in text.courses] == ["Anna", "Ben"]


def test_even_and_alone() -> None:
    assert said(night(1, anna(), ben())).heads[0].text == "Anna and Ben are even after 1 night."
    alone = PersonNight("Anna", deals=1)
    single = NightStatistics(1, 0, "modern", False, 1, [alone], [])
    text = said(single)
    assert text.summary == "1 night, 1 deal, 1 person."
    assert "Out first in 0 of 1 deal." in text.people[0].facts


def test_luck() -> None:
    one = anna(luck=2.6, luck_squares=4.0)
    one.expected[0], one.variance[0], one.wins[0] = 1.4, 1.0, 4
    row = said(night(1, one, ben())).people[0]
    assert row.luck == (
        "Luck: 4 pools won with cards, where 1.4 are expected. In 95 of 100 cases chance alone"
        " gives 0.0 to 5.3."
    )
    assert row.pools[0].expected == "1.4 (0.0 to 3.4)"
    assert row.pools[7].expected is None


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0.0"), (27.44, "27.4"), (-0.26, "−0.3"), (-0.01, "0.0")]
)
def test_decimals(value: float, text: str) -> None:
    assert decimal(value, ENGLISH) == text
    assert decimal(value, translator("de")) == text.replace(".", ",")


def test_an_interval() -> None:
    assert interval_text(Interval(-1, 2.5), ENGLISH) == "−1.0 to 2.5"
