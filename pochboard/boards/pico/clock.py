"""The board's clock, as the host reads it."""

from __future__ import annotations

from typing import Final

from pochboard import wire

_HALF: Final = wire.TICKS // 2
_DRIFT: Final = 200
"""Millionths by which the two clocks may part: crystals keep within less."""


class BoardClock:
    """Turns the board's milliseconds into microseconds of the host's clock.

    Messages may wait in buffers, so what one of them says is true of a moment at or before it is
    read. The message that came quickest is believed, for as long as the clocks keep together:
    then an edge has its time however late its message is read (PROTOCOL.md 4).
    """

    def __init__(self) -> None:
        self._ticks = 0
        self._ms = 0
        self._offset_us: int | None = None
        self._heard_us = 0

    def forget(self) -> None:
        """The board may have started anew."""
        self._offset_us = None

    def heard(self, ticks: int, now_us: int) -> None:
        """A message that is read now says what the clock was."""
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
        """When the clock showed this, as far as is known; to be asked after `heard`."""
        assert self._offset_us is not None, "a message has said what the clock is"
        return self._offset_us + (self._ms + self._since(ticks)) * 1000

    def _since(self, ticks: int) -> int:
        """Milliseconds from the newest reading to this one; below 0 for an earlier one."""
        since_ms = wire.ticks_between(self._ticks, ticks)
        return since_ms - wire.TICKS if since_ms >= _HALF else since_ms
