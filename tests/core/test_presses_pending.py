"""Selected seats, chips, hands and cards:

what makes them pending, and what drops them (BOARD.md 3).
"""

from __future__ import annotations

from typing import Any

import pytest

from pochboard.buttons.button_meaning import count_on_phone
from pochboard.buttons.panel import carry_out
from pochboard.errors import Refusal
from tests.core.panel_driver import PanelDriver, started


def melding(**fields: Any) -> PanelDriver:
    driver = started(**fields)
    driver.phone("deal")
    return driver


def betting(**fields: Any) -> PanelDriver:
    """A at place 2 deals, so B at place 4 is to act."""
    driver = melding(**fields)
    driver.phone("next")
    return driver


def shedding(**fields: Any) -> PanelDriver:
    driver = betting(**fields)
    for seat in (2, 3, 4, 1):
        driver.phone("pass", seat=seat)
    return driver


def counting(**fields: Any) -> PanelDriver:
    driver = shedding(**fields)
    driver.phone("out", seat=1)
    return driver


# A selected seat.


@pytest.mark.parametrize("make", [started, melding, shedding])
def test_a_selected_seat_is_dropped_after_five_seconds(make: Any) -> None:
    driver = make()
    driver.down("seat2")
    driver.up("seat2")
    driver.wait(4.999_999)
    assert driver.pending == {"place": 2}
    driver.wait(0.000_001)
    assert (driver.pending, driver.codes()) == ({}, [])


def test_the_five_seconds_run_from_when_the_press_was_accepted() -> None:
    driver = started()
    driver.down("seat2")
    driver.wait(2)
    driver.up("seat2")  # in idle it acts at up
    driver.wait(4.999_999)
    assert driver.pending == {"place": 2}
    driver.wait(0.000_001)
    assert driver.pending == {}
    driver = melding()
    driver.down("seat2")  # in the meld at down
    driver.wait(4.999_999)
    assert driver.pending == {"place": 2}
    driver.wait(0.000_001)
    assert driver.pending == {}


@pytest.mark.parametrize(
    ("make", "do", "fields"),
    [
        (started, "deal", {}),
        (started, "end", {}),
        (melding, "next", {}),
        (melding, "void", {}),
        (shedding, "out", {"seat": 2}),
        (shedding, "void", {}),
    ],
)
def test_a_new_phase_or_winner_drops_a_selected_seat_whoever_sends_it(
    make: Any, do: str, fields: dict[str, Any]
) -> None:
    driver = make()
    driver.press("seat4")
    driver.phone(do, **fields)
    assert "place" not in driver.pending


# Buying in.


# Chips.


def test_the_first_chip_is_the_need_and_each_further_press_one_more() -> None:
    driver = betting()
    driver.press("seat4", "seat4", "seat4", "poch")
    assert driver.state.to_act == 3
    driver.press("seat5")
    assert driver.pending == {"chips": 3}
    driver.press("seat5", "seat5")
    assert driver.pending == {"chips": 5}
    driver.press("poch")
    driver.phone("pass", seat=4)
    driver.phone("stake", seat=1, chips=5)
    # B has put in three of the five.
    driver.press("seat4")
    assert driver.pending == {"chips": 2}


# Hands.


def three_pots() -> PanelDriver:
    """B, C and D are all in with 1, 3 and 5; A has staked 5.

    Everybody is eligible for the first pot, C, D and A for the second, and D and A for the third.
    """
    driver = started(stack=50)
    for seat, chips in ((2, 1), (3, 3), (4, 5), (1, 9)):
        driver.phone(
            "adjust",
            **{"from": f"seat:{seat}", "to": "bank", "chips": 41 - chips, "reason": "uneven"},
        )
    driver.phone("deal")
    driver.phone("next")
    for seat, chips in ((2, 1), (3, 3), (4, 5), (1, 5)):
        driver.phone("stake", seat=seat, chips=chips)
    assert driver.phase == "showdown"
    return driver


def test_the_showdown_is_sent_as_soon_as_every_pot_is_decided() -> None:
    driver = three_pots()
    driver.press("seat4", "seat5")
    assert (driver.pending, driver.phase) == ({"hands": [2, 3]}, "showdown")
    driver.press("seat2")
    assert driver.commands[-1] == {"do": "showdown", "ranking": [2, 3, 1]}
    assert (driver.pending, driver.phase) == ({}, "shed")


# Cards, and who is out.


# Cards that phones count.


def count(driver: PanelDriver, seat: int, cards: int | None) -> str | None:
    """A phone counts; returns the code of the refusal."""
    counted = count_on_phone(seat, cards, driver.state, driver.panel.pending)
    if isinstance(counted, Refusal):
        return counted.code
    driver.refused += carry_out(driver.panel.count(counted), driver.player.execute)
    return None


def test_the_last_count_of_the_phones_settles_the_deal() -> None:
    driver = counting()
    count(driver, 2, 4)
    count(driver, 4, 0)
    assert (driver.phase, driver.pending) == ("shed", {"cards": {2: 4, 4: 0}})
    count(driver, 3, 1)
    assert driver.commands[-1] == {"do": "settle", "cards": {"2": 4, "3": 1, "4": 0}}
    assert (driver.phase, driver.pending) == ("idle", {})


@pytest.mark.parametrize(
    ("seat", "cards", "code"),
    [
        (1, 0, "bad-argument"),
        (9, 0, "unknown-seat"),
        (2, 8, None),
        (2, 9, "too-many-cards"),
        (2, None, None),
    ],
)
def test_each_count_is_checked_alone(seat: int, cards: int | None, code: str | None) -> None:
    assert count(counting(), seat, cards) == code


def test_a_count_from_a_phone_does_not_settle_while_presses_may_go_on() -> None:
    driver = counting()
    driver.press("seat4", "seat4")
    count(driver, 3, 1)
    count(driver, 4, 0)
    assert (driver.phase, driver.pending) == ("shed", {"cards": {2: 2, 3: 1, 4: 0}})
    driver.press("seat4")
    assert driver.press("next") is None
    assert driver.commands[-1] == {"do": "settle", "cards": {"2": 3, "3": 1, "4": 0}}


def settled() -> PanelDriver:
    driver = counting()
    for seat, cards in ((2, 4), (3, 1), (4, 0)):
        count(driver, seat, cards)
    return driver


def test_an_undo_of_the_settling_brings_the_counts_back_so_that_one_is_corrected() -> None:
    driver = settled()
    driver.phone("undo")
    assert driver.pending == {"cards": {2: 4, 3: 1, 4: 0}, "kept": True}
    count(driver, 3, 2)
    assert driver.commands[-1] == {"do": "settle", "cards": {"2": 4, "4": 0, "3": 2}}
    assert driver.phase == "idle"
