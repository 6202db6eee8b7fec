"""Presses the buttons of the simulated board for the bots."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from pochboard.bots.presses import NEXT
from pochboard.buttons.press import Press, PressTimes
from pochboard.errors import RefusalEvent
from pochboard.table.records import Buttons

_MARGIN_S: Final = 0.06
"""How much longer than necessary a button is held, and how much later `next` is pressed."""
_ANSWER_S: Final = 10.0
"""The longest wait for the table, which answers far sooner unless it has stopped."""


class Pause(Protocol):
    """Waits, at most until the bots stop playing. Returns whether they still play."""

    def __call__(self, seconds: float) -> bool:
        """Waits."""


class ButtonDriver:
    """Makes presses that mean the same however busy the machine is.

    A thread may be kept waiting for longer than a long press takes. So a short press is never
    timed here, and a long press, once begun, is never cut short.
    """

    def __init__(self, buttons: Buttons, times: PressTimes, pause: Pause) -> None:
        self._buttons = buttons
        self._times = times
        self._pause = pause
        self._next_at_s = 0.0
        """The earliest time of the next press of `next`, on the monotonic clock."""

    def press(
        self, press: Press, *, wanted: Callable[[], bool] = lambda: True
    ) -> list[RefusalEvent]:
        """Makes a press and returns what was refused.

        Does nothing if the bots are dismissed before it begins. A short press that is no longer
        `wanted` when the table handles it does nothing either. Raises ConnectionError if the
        board has lost its link, and StoppedError if it has stopped.
        """
        if press == NEXT and not self._pause(self._next_at_s - time.monotonic()):
            return []
        if press.long:
            refused = self._hold(press)
        else:
            (button,) = press.buttons
            refused = self._buttons.tap(button, wanted=wanted).result(_ANSWER_S)
        if press == NEXT:
            # Pressed again too soon, `next` would be refused (BOARD.md 3).
            self._next_at_s = time.monotonic() + self._times.too_soon_us / 1e6 + _MARGIN_S
        return refused

    def _hold(self, press: Press) -> list[RefusalEvent]:
        both = len(press.buttons) > 1
        held_s = (self._times.both_us if both else self._times.long_us) / 1e6 + _MARGIN_S
        hold_s = held_s + _ANSWER_S
        answers = self._buttons.edges("bots", press.buttons, down=True, hold_s=hold_s)
        try:
            time.sleep(held_s)
        finally:
            answers += self._buttons.edges("bots", press.buttons, down=False)
        return [refused for answer in answers for refused in answer.result(_ANSWER_S)]
