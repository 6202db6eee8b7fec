"""Debouncing: raw levels to edges, with one debouncer per board (BOARD.md 2 and 6)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class _Line:
    level: bool = False
    raw: bool = False
    since_us: int = 0


Edge = tuple[str, bool, int]
"""A button, whether it went down, and when that level began."""


class Debouncer:
    """Reports a level once it has been stable for `stable_us`, with the time when it began."""

    def __init__(self, stable_us: int = 8_000) -> None:
        self._stable_us = stable_us
        self._lines: dict[str, _Line] = {}

    def feed(self, button: str, down: bool, at_us: int) -> list[Edge]:
        """Takes in a raw level. Returns the levels that became stable before it, oldest first."""
        edges = self.due(at_us)
        line = self._lines.setdefault(button, _Line())
        if down != line.raw:
            line.raw, line.since_us = down, at_us
            # Moved to the end, so that lines that change in the same microsecond keep their order.
            self._lines[button] = self._lines.pop(button)
        return edges

    def due(self, now_us: int) -> list[Edge]:
        """The levels that have become stable by now, oldest first."""
        edges = [
            (button, line.raw, line.since_us)
            for button, line in self._lines.items()
            if line.raw != line.level and now_us - line.since_us >= self._stable_us
        ]
        for button, down, _ in edges:
            self._lines[button].level = down
        return sorted(edges, key=lambda edge: edge[2])

    def next_us(self) -> int | None:
        """When the next level becomes stable if nothing moves, or None."""
        return min(
            (
                line.since_us + self._stable_us
                for line in self._lines.values()
                if line.raw != line.level
            ),
            default=None,
        )
