"""What each player has to do now, said to that player."""

from __future__ import annotations

from pochboard.buttons.press import Pending
from pochboard.text.translator import ENGLISH
from pochboard.views.seats import seat_rows
from tests.core.play import Night, betting


def tasks(night: Night, pending: Pending | None = None) -> dict[int, str]:
    """The tasks by seat, without those who wait."""
    rows = seat_rows(night.book.state, pending, ENGLISH)
    return {row.seat: row.task for row in rows if row.task}


def test_between_deals_the_dealer_deals_and_who_is_short_buys_in() -> None:
    night = Night(players=3)
    assert tasks(night) == {1: "You deal"}
    night.have({2: 3})
    assert tasks(night) == {1: "You deal", 2: "You need more chips to play on"}


def test_who_has_too_few_chips_is_told_how_many_are_left() -> None:
    night = Night(players=3)
    night.have({3: 11})
    night.do("deal")
    night.do("next")
    night.do("stake", seat=2, chips=5)
    assert tasks(night) == {3: "Your turn: all in with 2, or pass"}


def test_hands_are_shown_and_cards_counted_by_those_who_have_not_done_so() -> None:
    night = betting(players=3)
    for seat in (2, 3):
        night.do("stake", seat=seat, chips=1)
    night.do("pass", seat=1)
    assert tasks(night) == {2: "Show your hand", 3: "Show your hand"}
    assert tasks(night, Pending(hands=(3,))) == {2: "Show your hand"}
    night.do("showdown", ranking=[3])
    assert tasks(night) == {3: "You lead"}
    night.do("out", seat=1)
    left = "How many cards do you have left?"
    assert tasks(night) == {2: left, 3: left}
    assert tasks(night, Pending(counts=(((2, 0),),))) == {3: left}
