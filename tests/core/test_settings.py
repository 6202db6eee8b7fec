"""Gestures at the board: the settings, and the one that switches the machine off (BOARD.md 3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.buttons.panel import SIGN_US, OffSign, OffSwitch
from pochboard.buttons.press import PressTimes
from pochboard.buttons.settings import BoardSettings, SettingName, SettingsGesture

FIRST = BoardSettings()
LONG_US = 800_000


class Gesture(SettingsGesture):
    """A gesture at a board with a piezo, or without one."""

    def __init__(self, *, has_sound: bool = False) -> None:
        super().__init__(LONG_US)
        self._has_sound = has_sound

    def edge(self, button: str, down: bool, at_us: int = 0) -> SettingName | bool:
        return self.consumes(button, down, at_us, has_sound=self._has_sound)


def armed(*, has_sound: bool = False) -> Gesture:
    """A gesture with `next` held, which has acted as long."""
    gesture = Gesture(has_sound=has_sound)
    assert gesture.edge("next", True) is False, "the panel sees it"
    gesture.arm()
    return gesture


def test_the_steps_go_round_and_each_is_half_as_bright() -> None:
    round_: list[BoardSettings] = []
    settings = FIRST
    while not round_ or settings != FIRST:
        round_.append(settings)
        settings = settings.stepped("brightness")
    assert round_ == [
        BoardSettings("bright"),
        BoardSettings("medium"),
        BoardSettings("dim"),
        BoardSettings("dim", night=True),
    ]
    assert [settings.step("brightness") for settings in round_] == [(4, 4), (3, 4), (2, 4), (1, 4)]
    # A phone can also choose night mode with another step.
    assert BoardSettings("medium", night=True).stepped("brightness") == FIRST
    assert BoardSettings("medium", night=True).step("brightness") == (1, 4)


def test_what_the_question_whether_to_switch_off_takes_changes_nothing() -> None:
    gesture = armed()
    gesture.forget("undo", True)
    gesture.forget("undo", False)
    assert gesture.edge("undo", True) == "brightness", "next is still held"
    gesture.forget("next", False)
    assert gesture.edge("undo", False) is True
    assert gesture.edge("undo", True) is False


def test_undo_held_long_steps_the_volume_of_a_board_with_a_piezo() -> None:
    gesture = armed(has_sound=True)
    assert gesture.edge("undo", True, 0) is True, "it is not decided yet"
    assert (gesture.due_us(), gesture.tick(LONG_US - 1)) == (LONG_US, None)
    assert gesture.tick(LONG_US) == "volume"
    assert (gesture.due_us(), gesture.tick(9 * LONG_US)) == (None, None), "one step for each press"
    assert gesture.edge("undo", False, 9 * LONG_US) is True
    # Released earlier, it is a step of the brightness, also after `next`.
    assert gesture.edge("undo", True, 0) is True
    assert gesture.edge("next", False, 1) is False
    assert gesture.edge("undo", False, LONG_US - 1) == "brightness"
    assert gesture.tick(9 * LONG_US) is None
    assert gesture.edge("undo", True, 0) is False


def test_undo_acts_as_long_only_if_it_is_known_to_have_been_held_so_long() -> None:
    gesture = armed(has_sound=True)
    gesture.edge("undo", True, 0)
    gesture.known_down("undo", LONG_US - 1)
    gesture.known_down("next", LONG_US)
    assert (gesture.due_us(), gesture.tick(LONG_US)) == (None, None)
    gesture.known_down("undo", LONG_US)
    assert gesture.tick(LONG_US) == "volume"


@given(
    has_sound=st.booleans(),
    moves=st.lists(st.tuples(st.sampled_from(["undo", "next", "ace", "arm"]), st.booleans())),
)
def test_the_panel_sees_a_press_of_undo_whole_or_not_at_all(
    has_sound: bool, moves: list[tuple[str, bool]]
) -> None:
    gesture = Gesture(has_sound=has_sound)
    down: dict[str, bool] = {}
    seen: dict[str, bool] = {}
    next_acted = False
    for number, (button, is_down) in enumerate(moves):
        at_us = number * LONG_US // 2
        gesture.tick(at_us)
        if button == "arm":
            gesture.arm()
            next_acted = down.get("next", False)
        elif down.get(button, False) != is_down:
            down[button] = is_down
            passed = gesture.edge(button, is_down, at_us) is False
            if button == "next":
                next_acted = False
            if is_down:
                # Only a press that begins while `next` is held on belongs to the settings.
                assert passed is not (button == "undo" and next_acted)
                seen[button] = passed
            else:
                assert passed is seen[button]


TIMES = PressTimes()
HELD_US = TIMES.off_us


def switch(*, allowed: bool = True) -> OffSwitch:
    return OffSwitch(TIMES, allowed=allowed)


def asking() -> OffSwitch:
    """A switch whose question is open since `HELD_US`, with `next` still held."""
    off = switch()
    assert not off.consumes("next", True, 0), "the panel sees the press too"
    assert off.tick(HELD_US - 1) is None
    assert off.tick(HELD_US) == "asks"
    assert off.sign == OffSign(HELD_US, HELD_US + TIMES.off_ask_us)
    return off


def test_next_held_asks_and_next_again_switches_off() -> None:
    off = asking()
    assert off.consumes("next", False, HELD_US + 1), "the release belongs to the question"
    pressed_us = HELD_US + 2_000_000
    assert off.consumes("next", True, pressed_us)
    assert off.sign == OffSign(pressed_us, pressed_us + SIGN_US, confirmed=True)
    assert off.consumes("seat1", True, pressed_us + 1), "nothing can be pressed any more"
    off.cancel()
    assert off.sign.confirmed
    assert off.due_us() == pressed_us + SIGN_US
    assert off.tick(pressed_us + SIGN_US) == "off"
    assert off.due_us() is None
    assert off.sign.confirmed, "the board stays dark"


@pytest.mark.parametrize("button", ["undo", "seat3", "pinke"])
def test_any_other_button_cancels_and_does_nothing_else(button: str) -> None:
    off = asking()
    off.consumes("next", False, HELD_US + 1)
    assert off.consumes(button, True, HELD_US + 2)
    assert off.sign is None
    assert not off.consumes(button, False, HELD_US + 3)
    assert not off.consumes("seat1", True, HELD_US + 4)


def test_the_question_is_dropped_after_its_time_or_when_somebody_plays_on() -> None:
    off = asking()
    assert off.tick(HELD_US + TIMES.off_ask_us - 1) is None
    assert off.sign is not None
    assert off.tick(HELD_US + TIMES.off_ask_us) is None
    assert off.sign is None
    off = asking()
    off.cancel()
    assert off.sign is None


def test_another_button_in_between_means_something_else() -> None:
    off = switch()
    off.consumes("next", True, 0)
    off.consumes("undo", True, 100)
    assert off.due_us() is None
    off.consumes("undo", False, 200)
    assert off.due_us() is None
    off.consumes("next", False, 300)
    off.consumes("undo", True, 400)
    off.consumes("next", True, 500)
    assert off.due_us() is None, "both are held"
