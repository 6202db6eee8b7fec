"""The last fault that the daemon has logged, and how much each part of it may log."""

from __future__ import annotations

import copy
import logging
import time
from collections.abc import Callable
from typing import Final

import msgspec

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


class Fault(msgspec.Struct, frozen=True):
    """A warning or an error."""

    time_ms: int
    text: str


class LastFault(logging.Handler):
    """Remembers the last warning or error. Does not affect other handlers."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.fault: Fault | None = None
        self._limit = LogLimit()

    def emit(self, record: logging.LogRecord) -> None:
        """Remembers a record, and prints it unless its part writes too much."""
        text = self._limit.limited(record.name, record.getMessage())
        if text is None:
            return
        self.fault = Fault(round(record.created * 1000), text)
        # Python itself prints warnings only if there is no handler at all.
        if not logging.getLogger().handlers and logging.lastResort is not None:
            shown = copy.copy(record)
            shown.msg, shown.args = text, None
            logging.lastResort.handle(shown)

    def listen(self) -> None:
        """Begins to listen."""
        logging.getLogger("pochboard").addHandler(self)

    def unlisten(self) -> None:
        """Stops listening. May be called again."""
        logging.getLogger("pochboard").removeHandler(self)
