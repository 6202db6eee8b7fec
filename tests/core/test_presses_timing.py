"""When a press acts: short, long, overlapping, both, too soon (BOARD.md 2)."""

from __future__ import annotations

import pytest

from pochboard.buttons.panel import carry_out
from pochboard.buttons.press import PressTimes
from tests.core.panel_driver import PanelDriver, started

# In idle a seat's long press takes 3 s; in the betting, as everywhere else, 0.8 s.


@pytest.fixture
def idle() -> PanelDriver:
    return started()


@pytest.fixture
def betting() -> PanelDriver:
    """B, who sits at place 4, is to act."""
    driver = started()
    driver.phone("deal")
    driver.phone("next")
    return driver


def meld() -> PanelDriver:
    driver = started()
    driver.phone("deal")
    return driver


def test_the_times_are_those_of_the_contract() -> None:
    assert PressTimes() == PressTimes(
        long_us=800_000,
        next_long_us=3_000_000,
        leave_us=3_000_000,
        both_us=2_000_000,
        overlap_us=300_000,
        select_us=5_000_000,
        too_soon_us=1_000_000,
        lobby_us=10_000_000,
        off_us=8_000_000,
        off_ask_us=10_000_000,
    )


# Short and long.


def test_what_has_been_held_acts_as_long_while_held_and_its_up_does_nothing(
    betting: PanelDriver,
) -> None:
    betting.down("seat4")
    betting.wait(0.8)
    assert betting.state.to_act == 3
    betting.wait(1)
    betting.up("seat4")
    assert (betting.codes(), betting.pending, betting.state.to_act) == ([], {}, 3)


def test_next_opens_pairing_after_three_seconds(idle: PanelDriver) -> None:
    idle.down("next")
    idle.wait(2.999_999)
    assert idle.player.pairings == 0
    idle.wait(0.000_001)
    assert idle.player.pairings == 1
    idle.wait(5)
    idle.up("next")
    assert (idle.codes(), idle.player.pairings, idle.phase) == ([], 1, "idle")


@pytest.mark.parametrize("held", [("seat4",), ("next",), ("undo",), ("next", "undo")])
def test_a_lost_link_releases_all_and_nothing_acts(
    betting: PanelDriver, held: tuple[str, ...]
) -> None:
    betting.down(*held)
    before = len(betting.commands)
    betting.panel.release()
    betting.wait(5)
    betting.up(*held)
    assert (betting.codes(), betting.pending) == ([], {})
    assert (len(betting.commands), betting.player.pairings) == (before, 0)
    assert betting.press("seat4") is None
    assert betting.pending == {"chips": 1}


# A button that is held only for the time that its phone has reported.


def know(driver: PanelDriver, button: str, until_us: int) -> None:
    effects = driver.panel.known_down(button, until_us, driver.now_us)
    driver.refused += carry_out(effects, driver.player.execute)


def test_a_silent_phone_never_passes(betting: PanelDriver) -> None:
    know(betting, "seat4", betting.now_us)
    betting.down("seat4")
    know(betting, "seat4", betting.now_us + 799_999)
    betting.wait(60)
    betting.panel.release()
    betting.up("seat4")
    assert (betting.codes(), betting.pending, betting.state.to_act) == ([], {}, 2)


def test_a_phone_passes_once_it_has_reported_a_hold_that_is_long_enough(
    betting: PanelDriver,
) -> None:
    know(betting, "seat4", betting.now_us)
    betting.down("seat4")
    down_us = betting.now_us
    betting.wait(1.2)
    assert betting.state.to_act == 2
    know(betting, "seat4", down_us + 800_000)
    assert betting.state.to_act == 3
    betting.up("seat4")
    assert (betting.codes(), betting.pending) == ([], {})


def test_both_act_only_if_both_are_known_to_be_held(betting: PanelDriver) -> None:
    know(betting, "undo", betting.now_us)
    betting.down("next", "undo")
    down_us = betting.now_us
    betting.wait(3)
    assert betting.phase == "pochen"
    know(betting, "undo", down_us + 2_000_000)
    assert betting.phase == "idle"
    betting.up("next", "undo")
    assert betting.codes() == []


# Overlapping presses.


def test_another_button_completes_a_quick_press_as_short_in_the_order_of_the_downs(
    betting: PanelDriver,
) -> None:
    betting.down("seat4")
    betting.wait(0.299_999)
    betting.down("poch")
    assert betting.pending == {"chips": 1}
    betting.up("poch", "seat4")
    assert betting.commands[-1] == {"do": "stake", "seat": 2, "chips": 1}


def test_an_older_hold_goes_on_undisturbed(betting: PanelDriver) -> None:
    betting.down("seat4")
    betting.wait(0.3)
    betting.down("ace")
    betting.up("ace")
    betting.wait(0.499_999)
    assert (betting.pending, betting.state.to_act) == ({}, 2)
    betting.wait(0.000_001)
    assert betting.state.to_act == 3


# Both.


@pytest.mark.parametrize("order", [("next", "undo"), ("undo", "next")])
def test_both_are_long_two_seconds_after_the_second_down(
    idle: PanelDriver, order: tuple[str, str]
) -> None:
    first, second = order
    idle.down(first)
    idle.wait(0.5)
    idle.down(second)
    idle.wait(1.999_999)
    assert idle.phase == "idle"
    idle.wait(0.000_001)
    assert idle.phase == "closed"
    idle.up(first)
    idle.wait(5)
    idle.up(second)
    assert (idle.codes(), idle.phase, idle.player.pairings) == ([], "closed", 0)
    assert [command["do"] for command in idle.commands] == ["start", "end"]


@pytest.mark.parametrize("order", [("next", "undo"), ("undo", "next")])
@pytest.mark.parametrize("gap_s", [0, 0.1, 0.299_999, 0.3, 0.799_999])
@pytest.mark.parametrize("held_s", [0.05, 0.9, 1.999_999])
@pytest.mark.parametrize("let_go", [0, 1])
def test_both_let_go_early_are_refused_once(
    idle: PanelDriver, order: tuple[str, str], gap_s: float, held_s: float, let_go: int
) -> None:
    idle.down(order[0])
    idle.wait(gap_s)
    idle.down(order[1])
    idle.wait(held_s)
    idle.up(order[let_go])
    assert idle.codes() == ["no-meaning"]
    idle.wait(6)
    idle.up(order[1 - let_go])
    assert (idle.codes(), idle.phase, idle.player.pairings) == ([], "idle", 0)
    assert len(idle.commands) == 1


# Too soon.


def test_a_short_next_within_a_second_of_an_accepted_one_is_too_soon(idle: PanelDriver) -> None:
    assert idle.press("next") is None
    idle.down("next")
    idle.wait(0.999_999)
    idle.up("next")
    assert (idle.codes(), idle.phase) == (["too-soon"], "meld")
    idle.wait(0.000_001)
    idle.down("next")
    idle.up("next")
    assert (idle.codes(), idle.phase) == ([], "pochen")


# A refused press changes nothing and restarts no timer.


def test_a_refused_press_keeps_the_time_of_the_selected_seat() -> None:
    driver = meld()
    driver.down("seat2")
    driver.up("seat2")
    driver.wait(4)
    driver.down("poch")
    driver.up("poch")
    assert driver.codes() == ["no-meaning"]
    driver.wait(0.999_999)
    assert driver.pending == {"place": 2}
    driver.wait(0.000_001)
    assert driver.pending == {}
