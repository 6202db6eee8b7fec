"""A press is decided at its down, even if the table moves on while it is held (BOARD.md 2)."""

from __future__ import annotations

import pytest

from tests.core.panel_driver import PanelDriver, started


@pytest.fixture
def driver() -> PanelDriver:
    return started()


def betting(driver: PanelDriver) -> None:
    """Pochen; A at place 2 deals, so B at place 4 is to act."""
    driver.phone("deal")
    driver.phone("next")


# The phase or the seat to act has changed, and the press would mean something else: refused.


def test_next_meant_to_deal_is_refused_once_a_phone_has_dealt(driver: PanelDriver) -> None:
    driver.down("next")
    driver.wait(0.5)
    driver.phone("deal")
    driver.up("next")
    assert driver.codes() == ["no-meaning"]
    assert driver.phase == "meld"


def test_a_stake_never_becomes_that_of_the_next_seat(driver: PanelDriver) -> None:
    betting(driver)
    driver.press("seat4")
    driver.wait(0.2)
    driver.down("poch")
    driver.phone("pass", seat=2)
    driver.wait(0.4)
    driver.down("seat5")
    driver.wait(0.05)
    driver.up("seat5")
    assert driver.pending == {"chips": 1}
    driver.up("poch")
    assert (driver.codes(), driver.pending) == (["no-meaning"], {"chips": 1})


def test_undo_that_means_undo_in_both_phases_takes_back_what_was_done_meanwhile(
    driver: PanelDriver,
) -> None:
    driver.down("undo")
    driver.phone("deal")
    driver.up("undo")
    assert (driver.codes(), driver.phase) == ([], "idle")
    assert driver.commands[-1] == {"do": "undo"}


# The phase and the seat to act are the same: what was decided at the down holds.


def test_letting_go_of_chips_never_becomes_a_pass(driver: PanelDriver) -> None:
    betting(driver)
    driver.phone("rename", seat=1, name="Z")
    driver.press("seat4", "seat4")
    driver.down("seat4")
    driver.wait(0.5)
    driver.phone("undo")
    driver.wait(0.5)
    driver.up("seat4")
    assert (driver.pending, driver.state.to_act) == ({}, 2)


def test_no_count_again_never_becomes_no_cards(driver: PanelDriver) -> None:
    betting(driver)
    for seat in (2, 3, 4, 1):
        driver.phone("pass", seat=seat)
    driver.phone("out", seat=1)
    driver.press("seat4")
    driver.wait(0.2)
    driver.down("seat4")
    driver.wait(0.4)
    driver.down("undo")
    driver.wait(0.05)
    driver.up("undo")
    assert driver.pending == {}
    driver.wait(0.5)
    driver.up("seat4")
    assert (driver.codes(), driver.pending) == ([], {})


def test_a_stake_puts_in_the_chips_that_are_in_the_hand_when_it_is_made(
    driver: PanelDriver,
) -> None:
    betting(driver)
    driver.phone("rename", seat=1, name="Z")
    driver.press("seat4")
    driver.wait(0.2)
    driver.down("poch")
    driver.phone("undo")
    driver.up("poch")
    assert (driver.codes(), driver.state.pool("poch")) == (["seat-first"], 4)
