"""How the light of the room dims the board (BOARD.md 4).

All times are whole microseconds of a monotonic clock, which it never reads itself.
"""

from __future__ import annotations

from collections import deque
from math import log2
from typing import Final

FULL_LUX: Final = 64.0
"""In a room as light as this, or lighter, the board is as bright as people have chosen."""
STEPS_PER_HALF: Final = 12
"""So many steps halve the brightness. One step is 6 %, too little to be noticed."""
MOST_STEPS: Final = 2 * STEPS_PER_HALF
"""The room dims to a quarter at most, which it does at 4 lux."""

DARKER_US: Final = 8_000_000
"""How long it must have been darker before the board is dimmed: longer than any hand shades it."""
BRIGHTER_US: Final = 2_000_000
"""How long it must have been lighter: longer than a flash."""
_LEAST_CHANGE: Final = 4
"""Smaller differences change nothing, so that the board does not follow each cloud."""


def steps_at(lux: float) -> int:
    """By how many steps a room with this illuminance dims the board.

    The brightness follows the square root of the illuminance: eyes that have adapted to a darker
    room see dim lights better, but not in proportion.
    """
    if lux <= 0:
        return MOST_STEPS
    return min(MOST_STEPS, max(0, round(STEPS_PER_HALF * log2(FULL_LUX / lux) / 2)))


class RoomLight:
    """Follows a light sensor slowly."""

    def __init__(self) -> None:
        self.steps = 0
        """By how many steps the room dims the board now."""
        self._seen: deque[tuple[int, int]] = deque()
        """What was measured lately: when, and how many steps that would be."""
        self._is_first = True
        self._is_changing = False

    def feed(self, lux: float | None, now_us: int) -> int:
        """Takes in the illuminance, and returns the new steps, which are at most one more or less.

        Only the first illuminance applies at once, so that a start in the dark dazzles nobody. None
        means that nothing is measured: the board becomes as bright as people have chosen.
        """
        goal = 0
        if lux is None:
            self._seen.clear()
        else:
            self._seen.append((now_us, steps_at(lux)))
            if self._is_first:
                self._is_first = False
                self.steps = steps_at(lux)
            goal = self._goal(now_us)
        if goal == self.steps:
            self._is_changing = False
        elif self._is_changing or goal == 0 or abs(goal - self.steps) >= _LEAST_CHANGE:
            self._is_changing = True
            self.steps += 1 if goal > self.steps else -1
        return self.steps

    def _goal(self, now_us: int) -> int:
        """The steps that all recent measurements agree on; the present ones if they disagree."""
        while len(self._seen) > 1 and self._seen[1][0] <= now_us - DARKER_US:
            self._seen.popleft()
        darker = min(steps for _, steps in self._seen)
        if darker > self.steps and self._seen[0][0] <= now_us - DARKER_US:
            return darker
        lately = []
        for at_us, steps in reversed(self._seen):
            lately.append(steps)
            if at_us <= now_us - BRIGHTER_US:
                return min(self.steps, max(lately))
        return self.steps
