"""The settings of the board, and the gesture that steps them (BOARD.md 3 and 4)."""

from __future__ import annotations

import pytest

from pochboard.buttons.press import BUTTONS
from pochboard.buttons.settings import BoardSettings, SettingsGesture

FIRST = BoardSettings()


def armed() -> SettingsGesture:
    """A gesture with `next` held, which has acted as long."""
    gesture = SettingsGesture()
    assert gesture.takes("next", True) is False, "the panel sees it"
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
    assert [one.step("brightness") for one in round_] == [(4, 4), (3, 4), (2, 4), (1, 4)]
    # A phone can also choose night mode with another step.
    assert BoardSettings("medium", night=True).stepped("brightness") == FIRST
    assert BoardSettings("medium", night=True).step("brightness") == (1, 4)


def test_undo_steps_the_brightness_while_next_is_held_on() -> None:
    gesture = armed()
    for _ in range(3):
        assert gesture.takes("undo", True) == "brightness"
        assert gesture.takes("undo", False) is True, "its release is no press either"
    assert gesture.takes("next", False) is False
    assert gesture.takes("undo", True) is False


def test_undo_released_after_next_does_not_reach_the_panel() -> None:
    gesture = armed()
    assert gesture.takes("undo", True) == "brightness"
    assert gesture.takes("next", False) is False
    assert gesture.takes("undo", False) is True
    assert gesture.takes("undo", True) is False
    assert gesture.takes("undo", False) is False


def test_a_button_that_went_down_before_belongs_to_the_panel() -> None:
    gesture = SettingsGesture()
    assert gesture.takes("undo", True) is False
    assert gesture.takes("next", True) is False
    gesture.arm()
    assert gesture.takes("undo", False) is False, "the panel has seen its down"
    assert gesture.takes("undo", True) == "brightness"


@pytest.mark.parametrize("button", [one for one in BUTTONS if one not in ("next", "undo")])
def test_other_players_press_on(button: str) -> None:
    gesture = armed()
    assert gesture.takes(button, True) is False
    assert gesture.takes(button, False) is False
    assert gesture.takes("undo", True) == "brightness"


def test_a_release_without_effect_ends_it() -> None:
    gesture = armed()
    gesture.takes("undo", True)
    gesture.release(("next", "undo"))
    assert gesture.takes("undo", True) is False
    # An arm that comes after the release, as if `next` had been held long enough before it.
    gesture.arm()
    assert gesture.takes("undo", False) is False


def test_what_the_question_whether_to_switch_off_takes_changes_nothing() -> None:
    gesture = armed()
    gesture.passes_by("undo", True)
    gesture.passes_by("undo", False)
    assert gesture.takes("undo", True) == "brightness", "next is still held"
    gesture.passes_by("next", False)
    assert gesture.takes("undo", False) is True
    assert gesture.takes("undo", True) is False
