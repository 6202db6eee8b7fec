"""The settings of the board, and the gesture that steps them (BOARD.md 3 and 4)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

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
