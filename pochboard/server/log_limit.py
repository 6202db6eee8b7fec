"""How much each part of the program may write to the log.

Whatever a faulty board or a hostile client sends, the journal stays small, and what others wrote
stays in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

BURST: Final = 20
"""So many messages of a part are written at once."""
AGAIN_S: Final = 10.0
"""After that, one in this time."""
LONGEST: Final = 1_000
"""The most characters of a message."""


class _Budget:
    """What a part has left."""

    def __init__(self, now_s: float) -> None:
        self.left = float(BURST)
        self.at_s = now_s
        self.left_out = 0


class LogLimit:
    """Decides which messages are written. Not thread-safe."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._budgets: dict[str, _Budget] = {}

    def limited(self, part: str, text: str) -> str | None:
        """A message of a part as it is to be written; None if it is left out.

        The next one that is written says how many were left out.
        """
        now_s = self._now_s()
        budget = self._budgets.setdefault(part, _Budget(now_s))
        budget.left = min(float(BURST), budget.left + (now_s - budget.at_s) / AGAIN_S)
        budget.at_s = now_s
        if budget.left < 1:
            budget.left_out += 1
            return None
        budget.left -= 1
        left_out, budget.left_out = budget.left_out, 0
        if len(text) > LONGEST:
            text = f"{text[:LONGEST]} …"
        if left_out:
            text += f" (left out before this: {left_out} messages of {part})"
        return text
