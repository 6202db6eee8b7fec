"""Debouncing: raw levels to edges, with one debouncer per board (BOARD.md 2 and 6)."""

from __future__ import annotations

from dataclasses import dataclass


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
