"""When a press acts: short, long, overlapping, both, too soon (BOARD.md 2)."""

from __future__ import annotations

import pytest

from pochboard.buttons.panel import carry_out
from pochboard.buttons.press import BUTTONS, PressTimes
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


def test_what_has_only_a_short_meaning_acts_at_down() -> None:
    driver = meld()
    driver.down("seat2")
    assert driver.pending == {"place": 2}
    driver.down("ace")
    assert driver.commands[-1] == {"do": "claim", "pool": "ace", "seat": 1}
    driver.wait(3.5)
    driver.up("seat2", "ace")
    assert (driver.codes(), driver.pending) == ([], {"place": 2, "kept": True})


def test_leaving_takes_three_seconds(idle: PanelDriver) -> None:
    idle.down("seat4")
    idle.wait(2.999_999)
    assert 2 in idle.state.live
    idle.wait(0.000_001)
    assert 2 not in idle.state.live
    idle.up("seat4")
    assert (idle.codes(), idle.pending) == ([], {})


def test_a_hold_that_is_too_short_to_leave_selects(idle: PanelDriver) -> None:
    assert idle.hold("seat4", 2.9) is None
    assert idle.pending == {"place": 4}


def test_next_opens_pairing_after_three_seconds(idle: PanelDriver) -> None:
    idle.down("next")
    idle.wait(2.999_999)
    assert idle.player.pairings == 0
    idle.wait(0.000_001)
    assert idle.player.pairings == 1
    idle.wait(5)
    idle.up("next")
    assert (idle.codes(), idle.player.pairings, idle.phase) == ([], 1, "idle")


def test_next_let_go_before_three_seconds_is_short(idle: PanelDriver) -> None:
    assert idle.hold("next", 2.9) is None
    assert idle.phase == "meld"


def test_a_second_down_without_an_up_and_an_up_without_a_down_do_nothing(
    betting: PanelDriver,
) -> None:
    betting.up("seat4")
    betting.down("seat4", "seat4")
    betting.up("seat4", "seat4")
    assert (betting.codes(), betting.pending) == ([], {"chips": 1})


@pytest.mark.parametrize("held", [("seat4",), ("next",), ("undo",), ("next", "undo")])
def test_a_lost_link_releases_all_and_nothing_acts(
    betting: PanelDriver, held: tuple[str, ...]
) -> None:
    betting.down(*held)
    before = len(betting.commands)
    assert carry_out(betting.panel.release(BUTTONS, betting.now_us), betting.player.execute) == []
    betting.wait(5)
    betting.up(*held)
    assert (betting.codes(), betting.pending) == ([], {})
    assert (len(betting.commands), betting.player.pairings) == (before, 0)
    assert betting.press("seat4") is None
    assert betting.pending == {"chips": 1}


# A button that is held only for the time that its phone has reported.


def know(driver: PanelDriver, button: str, until_us: int | None) -> None:
    effects = driver.panel.known_down(button, until_us, driver.now_us)
    driver.refused += carry_out(effects, driver.player.execute)


def let_go(driver: PanelDriver, *buttons: str) -> None:
    assert carry_out(driver.panel.release(buttons, driver.now_us), driver.player.execute) == []


def test_a_silent_phone_never_passes(betting: PanelDriver) -> None:
    know(betting, "seat4", betting.now_us)
    betting.down("seat4")
    know(betting, "seat4", betting.now_us + 799_999)
    betting.wait(60)
    let_go(betting, "seat4")
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


def test_a_tap_is_short_however_late_its_release_arrives(betting: PanelDriver) -> None:
    know(betting, "seat4", betting.now_us)
    betting.down("seat4")
    know(betting, "seat4", betting.now_us + 80_000)
    betting.wait(1.9)
    betting.up("seat4")
    assert (betting.codes(), betting.pending) == ([], {"chips": 1})


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


@pytest.mark.parametrize("gone", ["next", "undo"])
def test_when_one_of_both_is_released_without_effect_neither_acts(
    betting: PanelDriver, gone: str
) -> None:
    betting.down("next", "undo")
    let_go(betting, gone)
    betting.wait(5)
    betting.up("next", "undo")
    assert (betting.codes(), betting.phase, betting.player.pairings) == ([], "pochen", 0)


def test_a_button_pressed_on_the_board_needs_no_report_from_a_phone(betting: PanelDriver) -> None:
    know(betting, "seat4", betting.now_us)
    know(betting, "seat4", None)
    assert betting.long("seat4") is None
    assert betting.state.to_act == 3


# Overlapping presses.


def test_another_button_completes_a_quick_press_as_short_in_the_order_of_the_downs(
    betting: PanelDriver,
) -> None:
    betting.down("seat4")
    betting.wait(0.299_999)
    betting.down("poch")
    assert betting.pending == {"chips": 1}
    betting.up("seat4")
    assert betting.pending == {"chips": 1}
    betting.up("poch")
    assert betting.commands[-1] == {"do": "stake", "seat": 2, "chips": 1}


def test_an_older_hold_goes_on_undisturbed(betting: PanelDriver) -> None:
    betting.down("seat4")
    betting.wait(0.3)
    betting.down("ace")
    betting.up("ace")
    assert (betting.codes(), betting.pending) == (["no-meaning"], {})
    betting.wait(0.499_999)
    assert betting.state.to_act == 2
    betting.wait(0.000_001)
    assert betting.state.to_act == 3


def test_one_finger_held_and_many_quick_ones_on_another_button(betting: PanelDriver) -> None:
    betting.down("next")
    betting.wait(0.5)
    betting.press("seat4", "seat4", "seat4")
    assert (betting.codes(), betting.pending) == ([], {"chips": 3})
    betting.up("next")
    assert betting.codes() == ["pool-first"]


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


def test_next_completed_by_a_third_button_makes_no_press_of_both(idle: PanelDriver) -> None:
    idle.down("next")
    idle.wait(0.1)
    idle.down("seat2")
    assert idle.phase == "meld"
    idle.wait(0.1)
    idle.down("undo")
    idle.wait(0.05)
    idle.up("undo", "next", "seat2")
    # The undo drops the seat that was selected meanwhile.
    assert (idle.codes(), idle.pending, idle.phase) == ([], {}, "meld")


def test_a_third_button_soon_after_the_second_down_refuses_both(idle: PanelDriver) -> None:
    idle.down("next")
    idle.wait(0.5)
    idle.down("undo")
    idle.wait(0.299_999)
    idle.down("seat1")
    assert [refused.buttons for refused in idle.refused] == [("next", "undo")]
    assert (idle.codes(), idle.pending) == (["no-meaning"], {"place": 1})
    idle.wait(3)
    idle.up("next", "undo", "seat1")
    assert (idle.codes(), idle.phase) == ([], "idle")


def test_a_third_button_later_leaves_both_undisturbed(idle: PanelDriver) -> None:
    idle.down("next", "undo")
    idle.wait(0.3)
    idle.down("seat1")
    idle.wait(1.7)
    idle.up("next", "undo", "seat1")
    assert (idle.codes(), idle.phase) == ([], "closed")


def test_both_complete_a_third_that_was_quick(betting: PanelDriver) -> None:
    betting.down("next")
    betting.wait(0.5)
    betting.down("seat4")
    betting.wait(0.2)
    betting.down("undo")
    assert betting.pending == {"chips": 1}
    betting.wait(2)
    assert (betting.codes(), betting.commands[-1]) == ([], {"do": "void"})


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


def test_too_soon_comes_before_all_else(idle: PanelDriver) -> None:
    idle.phone("deal")
    idle.press("next")
    idle.wait(0.2)
    # In the betting, next has no meaning. Later, chips are in the hand.
    assert idle.hold("next", 0.05, gap_s=0.1) == "too-soon"
    idle.press("seat4")
    assert idle.hold("next", 0.05, gap_s=0.1) == "too-soon"
    idle.wait(1)
    assert idle.press("next") == "pool-first"


def test_a_next_from_a_phone_makes_none_at_the_board_too_soon(idle: PanelDriver) -> None:
    idle.phone("deal")
    assert idle.hold("next", 0.05, gap_s=0.05) is None


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


def test_a_refused_press_says_which_buttons_and_why(betting: PanelDriver) -> None:
    betting.press("seat5")
    betting.both(0.5)
    assert [refused.buttons for refused in betting.refused] == [("seat5",), ("next", "undo")]
    assert all(refused.refusal.sentence.endswith(".") for refused in betting.refused)
