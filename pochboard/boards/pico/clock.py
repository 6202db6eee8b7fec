"""The board's clock, converted to the host's."""

from __future__ import annotations

from typing import Final

from pochboard import wire

_HALF: Final = wire.TICKS // 2
_DRIFT: Final = 200
"""How far the two clocks may drift apart, in parts per million; crystals drift less."""


class BoardClock:
    """Converts the board's milliseconds to microseconds of the host's clock.

    Messages may wait in buffers, so each gives an upper bound for the offset between the clocks.
    The lowest bound counts, corrected for drift. An edge then has the right time even if its
    message is read late (PROTOCOL.md 4).
    """

    def __init__(self) -> None:
        self._ticks = 0
        self._ms = 0
        self._offset_us: int | None = None
        self._heard_us = 0

    def forget(self) -> None:
        """Forgets the offset: the board may have restarted."""
        self._offset_us = None

    def heard(self, ticks: int, now_us: int) -> None:
        """Takes in the clock reading of a message that is read now."""
        if self._offset_us is None:
            self._ticks, self._ms = ticks, 0
        else:
            since_ms = self._since(ticks)
            if since_ms > 0:
                self._ticks, self._ms = ticks, self._ms + since_ms
        offset_us = now_us - self._ms * 1000
        if self._offset_us is not None:
            drifted_us = (now_us - self._heard_us) * _DRIFT // 1_000_000
            offset_us = min(offset_us, self._offset_us + drifted_us)
        self._offset_us, self._heard_us = offset_us, now_us

    def at_us(self, ticks: int) -> int:
        """The host's time of a reading of the board's clock. Call `heard` first."""
        assert self._offset_us is not None, "a message has been heard"
        return self._offset_us + (self._ms + self._since(ticks)) * 1000

    def _since(self, ticks: int) -> int:
        """Milliseconds from the newest reading to this one, negative for an earlier one."""
        since_ms = wire.ticks_between(self._ticks, ticks)
        return since_ms - wire.TICKS if since_ms >= _HALF else since_ms
