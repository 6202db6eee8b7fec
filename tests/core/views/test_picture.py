"""The picture of a night agrees with its result."""

from __future__ import annotations

from pochboard.ledger.replay import StoredNight
from pochboard.table.snapshot import ReplayedNight
from pochboard.views.nights import NightPicture, night_picture
from tests.core.play import Night


def picture_of(night: Night) -> NightPicture:
    state, entries = night.book.states[-1], night.book.entries
    stored = StoredNight(1, state.rules, {}, imported=False, entries=entries)
    return night_picture(ReplayedNight(stored, night.book))


def played(*, leftover: str = "bank") -> Night:
    """Two deals of three players; Ben takes King in the first, and chips are left at the end."""
    night = Night(players=3, dealer=3, options={"leftover": leftover})
    for deal in range(2):
        night.do("deal")
        if not deal:
            night.do("claim", seat=2, pool="king")
        night.do("next")
        night.nobody_bets()
        night.settle(winner=2)
    return night


def test_the_board_is_drawn_as_it_was_left() -> None:
    night = played()
    before = dict(night["pools"])
    assert picture_of(night) == NightPicture((), ()), "the night is open"
    night.do("end")
    assert {pool.pool: pool.chips for pool in picture_of(night).pools} == before


def test_a_course_has_a_point_for_each_deal_and_one_more_if_chips_are_shared() -> None:
    night = played()
    night.do("end")
    assert {len(course.net) for course in picture_of(night).courses} == {3}
    shared = played(leftover="split")
    shared.do("end")
    assert {len(course.net) for course in picture_of(shared).courses} == {4}
