"""The buttons of a board, the times of presses, and debouncing (BOARD.md 1 to 3 and 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

from pochboard.rules.accounts import POOLS

SEAT_BUTTONS: Final = tuple(f"seat{place}" for place in range(1, 9))
CONTROLS: Final = ("next", "undo")
PAIRING_BUTTON: Final = "next"
"""The button that opens pairing when it is held (BOARD.md 5)."""
BUTTONS: Final = (*POOLS, *SEAT_BUTTONS, *CONTROLS)
"""The 19 buttons of a board with eight places, in the order of BOARD.md 1."""


class PressTimes(msgspec.Struct, frozen=True):
    """The times of BOARD.md 2 and 3, in microseconds."""

    long_us: int = 800_000
    next_long_us: int = 3_000_000
    leave_us: int = 3_000_000
    both_us: int = 2_000_000
    overlap_us: int = 300_000
    select_us: int = 5_000_000
    too_soon_us: int = 1_000_000
    lobby_us: int = 10_000_000
    off_us: int = 8_000_000
    off_ask_us: int = 10_000_000


class Press(msgspec.Struct, frozen=True):
    """A button pressed short or held for its long meaning, or two held together."""

    buttons: tuple[str, ...]
    long: bool = False


@dataclass(slots=True)
class _Contact:
    level: bool = False
    raw: bool = False
    since_us: int = 0


Edge = tuple[str, bool, int]
"""A button, whether it went down, and when that level began."""


class Debouncer:
    """Reports a level once it has been stable for `stable_us`, with the time when it began."""

    def __init__(self, stable_us: int = 8_000) -> None:
        self._stable_us = stable_us
        self._contacts: dict[str, _Contact] = {}

    def feed(self, button: str, down: bool, at_us: int) -> list[Edge]:
        """Takes in a raw level. Returns the levels that became stable before it, oldest first."""
        edges = self.due(at_us)
        contact = self._contacts.setdefault(button, _Contact())
        if down != contact.raw:
            contact.raw, contact.since_us = down, at_us
            # Moved to the end, so that what changes in the same microsecond keeps its order.
            self._contacts[button] = self._contacts.pop(button)
        return edges

    def due(self, now_us: int) -> list[Edge]:
        """The levels that have become stable by now, oldest first."""
        edges = [
            (button, contact.raw, contact.since_us)
            for button, contact in self._contacts.items()
            if contact.raw != contact.level and now_us - contact.since_us >= self._stable_us
        ]
        for button, down, _ in edges:
            self._contacts[button].level = down
        return sorted(edges, key=lambda edge: edge[2])

    def next_us(self) -> int | None:
        """When the next level becomes stable if nothing moves, or None."""
        return min(
            (
                contact.since_us + self._stable_us
                for contact in self._contacts.values()
                if contact.raw != contact.level
            ),
            default=None,
        )
