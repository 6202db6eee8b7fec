"""The fingers of house players: presses on the simulated board's buttons."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Final, Protocol

from pochboard.buttons.press import Press, PressTimes
from pochboard.errors import RefusalEvent
from pochboard.table.records import Buttons

SHORT_S: Final = 0.06
_MORE_S: Final = 0.06
"""How much longer than it must a long press is held."""
_ANSWER_S: Final = 10.0
"""The table answers far sooner; longer than this it is gone."""


class Pause(Protocol):
    """Waits so many seconds; false if it was cut short because all is over."""

    def __call__(self, seconds: float) -> bool:
        """Waits."""


class Fingers:
    """Presses buttons as a hand does: down, held, up."""

    def __init__(self, buttons: Buttons, times: PressTimes, pause: Pause) -> None:
        self._buttons = buttons
        self._times = times
        self._pause = pause

    def press(self, press: Press) -> list[RefusalEvent]:
        """Makes a press and returns what of it was refused.

        Raises ConnectionError where presses do not arrive, StoppedError at the end.
        """
        held_s = self._held_s(press)
        answers: list[Future[list[RefusalEvent]]] = []

        def move(*, down: bool) -> None:
            for button in press.buttons:
                answer = self._buttons.edge("house", button, down=down, hold_s=held_s + _ANSWER_S)
                answers.append(answer)

        try:
            move(down=True)
            self._pause(held_s)
        finally:
            move(down=False)
        return [refused for answer in answers for refused in answer.result(_ANSWER_S)]

    def _held_s(self, press: Press) -> float:
        if not press.long:
            return SHORT_S
        both = len(press.buttons) > 1
        return (self._times.both_us if both else self._times.long_us) / 1_000_000 + _MORE_S
