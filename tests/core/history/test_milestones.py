"""What a night adds to those before it."""

from __future__ import annotations

from pochboard.history.milestones import LEAST_NIGHTS, ROUND_DEALS, milestones
from pochboard.history.night_statistics import NightStatistics, PersonNight, night_statistics
from pochboard.messages.nights import milestone_sentence
from tests.core.play import Night, betting


def earlier(*, deals: int = 1, poch: int = 0, won: int = 0, back: int = 0) -> NightStatistics:
    """A night in which Ben won chips from Anna, and she some back; Clara looked on."""
    people = [PersonNight("Anna"), PersonNight("Ben", largest_poch=poch), PersonNight("Clara")]
    return NightStatistics(1, 0, "modern", False, deals, people, [(0, 1, won), (1, 0, back)])


def said(night: Night, *past: NightStatistics) -> dict[int, str]:
    found = milestones(past, night.book.entries, night.book.states)
    return {milestone.entry: milestone_sentence(milestone) for milestone in found}


def test_the_hundredth_deal_is_said_of_its_entry() -> None:
    night = Night(players=3)
    night.whole_deal()
    last = night.do("deal").entry.number
    assert said(night, earlier(deals=ROUND_DEALS - 2)) == {
        last: "This is deal number 100 of all nights."
    }
    # A misdeal does not count, and the deal that takes its place does.
    night.do("void")
    assert said(night, earlier(deals=ROUND_DEALS - 2)) == {}
    again = night.do("deal").entry.number
    assert list(said(night, earlier(deals=ROUND_DEALS - 2))) == [again]


def a_poch(night: Night, chips: int) -> int:
    """Anna wins three antes and the matched stakes of Ben; returns the entry."""
    night.do("stake", seat=1, chips=chips)
    night.do("stake", seat=2, chips=chips)
    night.do("pass", seat=3)
    return night.do("showdown", ranking=[1, 2]).entry.number


def test_a_poch_is_a_record_of_the_nights_since_the_last_one_as_large() -> None:
    night = betting(players=3, dealer=3)
    entry = a_poch(night, 5)
    won = 3 + 5
    lower, equal = earlier(poch=won - 1), earlier(poch=won)
    many = [lower] * LEAST_NIGHTS
    assert said(night, *many) == {entry: "The largest Poch of all nights: a gain of 8 for Anna."}
    assert said(night, equal, *many) == {
        entry: "The largest Poch in 3 nights: a gain of 8 for Anna."
    }
    assert said(night, *many, equal) == {}
    assert said(night, *many[1:]) == {}
    night.do("undo")
    assert said(night, *many) == {}


def test_a_lower_poch_of_the_same_night_is_no_record() -> None:
    night = betting(players=3, dealer=3)
    first = a_poch(night, 5)
    night.settle(winner=2)
    night.do("dealer", seat=3)
    night.do("deal")
    night.do("next")
    a_poch(night, 2)
    assert list(said(night, *[earlier()] * LEAST_NIGHTS)) == [first]


def test_revenge_is_for_at_least_what_was_lost_the_last_time_both_played() -> None:
    night = Night(players=3, dealer=3, options={"ante_pools": ["poch"]})
    night.shed()
    night.do("out", seat=1)
    night.do("settle", cards={"2": 6, "3": 0})
    end = night.do("end").entry.number
    counted = night_statistics(1, night.book.entries, night.book.states)
    won = {pair[:2]: pair[2] for pair in counted.won_from}
    assert won[(1, 0)] == 6, "Ben has paid Anna six cards"
    sentence = "Revenge: Anna has won 6 from Ben, after losing 6 the last time."
    assert said(night, earlier(won=6)) == {end: sentence}
    assert said(night, earlier(won=9), earlier(won=6)) == {end: sentence}
    assert said(night, earlier(won=6), earlier(won=7)) == {}
    assert said(night, earlier(won=0)) == {}
    assert said(night, earlier(won=10, back=4)) == {end: sentence}
    assert said(night, earlier(won=4, back=10)) == {}
