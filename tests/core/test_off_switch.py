"""The gesture that switches the machine off (BOARD.md 3)."""

from __future__ import annotations

import pytest

from pochboard.buttons.panel import SIGN_US, OffSign, OffSwitch
from pochboard.buttons.press import PressTimes

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
