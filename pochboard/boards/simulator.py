"""The simulated board: its buttons are on the page, which draws its pixels by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from pochboard.boards.base import Board, Sink
from pochboard.errors import PochboardError, RefusedInput
from pochboard.runtime.threads import now_us
from pochboard.text.allowed_values import not_one_of


class UnknownButtonError(PochboardError, LookupError):
    """This board has no button with that name."""


class Simulator(Board):
    """A board without hardware. All methods may be called from any thread."""

    kind = "simulator"
    simulated = True

    def start(self, sink: Sink) -> None:
        """Starts reporting to the sink."""
        self._sink = sink

    def press(
        self,
        buttons: Sequence[str],
        held_us: int = 0,
        *,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Future[list[RefusedInput]]:
        """Presses buttons that have been held for so long and go up now, as one press.

        So it is as long as whoever made it says, however long threads and networks wait. Does
        nothing if it is no longer `wanted` when the table handles it. The future lists the presses
        refused meanwhile. Raises UnknownButtonError, and StoppedError once the table has stopped.
        """
        for button in buttons:
            if button not in self._sink.buttons:
                raise UnknownButtonError(
                    not_one_of('"button"', button[:40], list(self._sink.buttons))
                )
        up_us = now_us()
        downs = [(button, True, up_us - held_us) for button in buttons]
        ups = [(button, False, up_us) for button in buttons]
        return self._sink.edges_at_once([*downs, *ups], wanted=wanted)
