"""Statistics in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pochboard.history.night_statistics import NightStatistics, PersonNight
from pochboard.history.people import overview
from pochboard.text.translator import ENGLISH, Translator
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
