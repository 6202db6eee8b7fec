"""Seats, plaques, pools and standings as they are shown."""

from __future__ import annotations

from pochboard.buttons.press import Lobby, Pending
from pochboard.text.translator import ENGLISH
from pochboard.views.board import PoolDetail, pool_details
from pochboard.views.seats import Plaque, rim, seat_rows
from tests.core.panel_driver import started
from tests.core.play import Night, melding
from tests.core.views.moments import legal


def flags(night: Night, seat: int, pending: Pending | None = None) -> list[tuple[str, str]]:
    rows = {row.seat: row for row in seat_rows(night.book.state, pending, ENGLISH)}
    return [(flag.name, flag.text) for flag in rows[seat].flags]


def plaques(night: Night, pending: Pending | None = None) -> dict[int, Plaque]:
    return {place.place: place for place in rim(night.book.state, pending, ENGLISH)}


def test_seats_are_listed_by_place_and_those_that_left_last() -> None:
    night = Night(players=4, places=[7, 1, 4, 2])
    night.do("leave", seat=2)
    night.have({3: 61, 4: 48})
    rows = seat_rows(night.book.state, None, ENGLISH)
    assert [(row.seat, row.place, row.name) for row in rows] == [
        (4, 2, "David"),
        (3, 4, "Clara"),
        (1, 7, "Anna"),
        (2, None, "Ben"),
    ]
    assert [(row.stack, row.net_text) for row in rows] == [
        (48, "−2"),
        (61, "+11"),
        (50, "±0"),
        (0, "±0"),
    ]
    assert flags(night, 2) == [("left", "left")]


def test_flags_of_a_deal() -> None:
    night = Night()
    assert flags(night, 1) == [("dealer", "deals next")]
    night.do("deal")
    assert flags(night, 1) == [("dealer", "dealer")]
    night.do("next")
    assert flags(night, 2) == [("turn", "to act")]
    assert flags(night, 2, Pending(chips=3)) == [("turn", "to act"), ("hand", "3 in hand")]
    night.do("stake", seat=2, chips=2)
    assert flags(night, 2) == [("knocker", "knocked"), ("committed", "2 staked")]
    night.do("pass", seat=3)
    assert flags(night, 3) == [("passed", "passed")]
    night.do("stake", seat=1, chips=2)
    assert flags(night, 1, Pending(hands=(2, 1)))[-1] == ("hand", "hand 2")
    night.do("showdown", ranking=[2])
    assert flags(night, 2) == [("leads", "leads")]
    night.do("out", seat=3)
    assert flags(night, 2) == [("counting", "counting")]
    assert flags(night, 3) == [("winner", "finished")]
    counted = Pending(counts=(((1, 1), (2, 4)),))
    assert flags(night, 1, counted)[-1] == ("cards", "1 card")
    assert flags(night, 2, counted) == [("cards", "4 cards")]


def test_who_leads_and_who_is_out_of_cards_is_marked_on_the_rim() -> None:
    night = Night(places=[2, 5, 7])
    night.shed()
    assert [place for place, one in plaques(night).items() if one.turn] == [5]
    night.do("out", seat=3)
    assert [place for place, one in plaques(night).items() if one.turn] == [7]


def test_places_that_are_in_for_the_next_night() -> None:
    night = Night(places=[2, 5, 7])
    night.do("end")
    lobby = Pending(lobby=Lobby(places=(1, 5), chosen=5, armed=True))
    shown = {place.place: place for place in rim(night.book.state, lobby, ENGLISH, (), {5: "Ben"})}
    assert list(shown) == [1, 5]
    assert (shown[1].name, shown[1].detail, shown[1].dealer) == ("Place 1", "plays", False)
    assert shown[1].label == "Place 1"
    assert (shown[5].name, shown[5].detail, shown[5].dealer) == ("Ben", "deals", True)
    assert shown[5].label == "Place 5: Ben, deals first"
    assert all(place.selected for place in shown.values())


def test_the_rim_names_those_with_whom_the_next_night_starts() -> None:
    driver = started(places=(2, 4, 5))
    driver.phone("join", name="Zoe", place=7)
    driver.phone("leave", seat=4)
    driver.phone("end")
    driver.press("seat7")  # Zoe's place is in again, though she has left
    driver.press("next")
    panel = driver.panel
    shown = rim(driver.state, panel.pending, ENGLISH, (), panel.lobby_names())
    driver.press("next")
    assert [row.name for row in shown] == list(driver.state.names) == ["A", "B", "C", "Zoe"]


def details(night: Night) -> dict[str, PoolDetail]:
    shown = pool_details(night.book.state, legal(night).claims, ENGLISH)
    return {row.pool: row for row in shown}


def test_pools() -> None:
    night = melding("alvensleben-1853")
    night.fill(ace=1, king=1, jack=0)
    night.do("turn", card="KH")
    shown = details(night)
    assert list(shown) == [
        "ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch", "pinke",
    ]  # fmt: skip
    assert shown["ace"] == PoolDetail(
        pool="ace",
        name="Ace",
        chips=1,
        blocked=False,
        claimable=True,
        label="Ace, 1 chip, can be claimed",
    )
    assert shown["ten"].label == "Ten, 3 chips, can be claimed"
    assert (shown["king"].blocked, shown["king"].label) == (True, "King, 1 chip, blocked")
    assert shown["marriage"].label == "Marriage, 3 chips, blocked"
    assert shown["jack"].label == "Jack, 0 chips"
    assert (shown["poch"].claimable, shown["poch"].label) == (False, "Poch, 0 chips")
    assert (shown["pinke"].chips, shown["pinke"].name, shown["pinke"].label) == (
        None,
        "",
        "The middle",
    )
