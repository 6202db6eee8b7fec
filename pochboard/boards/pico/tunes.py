"""What the host sends to the board's piezo: the newest tune, until the board has begun it.

Like `Link` it has no port and no clock.
"""

from __future__ import annotations

from typing import Final

from pochboard import wire
from pochboard.boards.base import Tune

AGAIN_US: Final = 100_000
"""An unanswered tune is sent again after this time."""
LATE_US: Final = 1_000_000
"""A tune that the board has not begun by then no longer fits what happens, and is dropped."""


class Tunes:
    """The host's end for one board. Times are microseconds of a monotonic clock."""

    def __init__(self) -> None:
        self._tune: Tune | None = None
        """The tune to play, until the board has begun it."""
        self._number = 0
        self._again_us = 0
        self._late_us = 0

    def play(self, tune: Tune, now_us: int) -> None:
        """Plays a tune instead of the current one."""
        self._tune = tune
        self._number = self._number % wire.MAX_NUMBER + 1
        self._again_us = now_us
        self._late_us = now_us + LATE_US

    def played(self, number: int) -> None:
        """The board has begun the tune of this number."""
        if number == self._number:
            self._tune = None

    def due_us(self) -> int | None:
        """When something is due next; None if nothing is."""
        return None if self._tune is None else min(self._again_us, self._late_us)

    def to_send(self, now_us: int) -> bytes:
        """The message to send now, framed; or nothing."""
        if self._tune is None:
            return b""
        if now_us >= self._late_us:
            self._tune = None
            return b""
        if now_us < self._again_us:
            return b""
        self._again_us = now_us + AGAIN_US
        return wire.frame(wire.pack_tune(self._number, self._tune.volume, self._tune.notes))
