"""What only shows the table may fail; playing may not."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TypeVar

log = logging.getLogger(__name__)
T = TypeVar("T")
D = TypeVar("D")


class ErrorBoundary:
    """Catches the errors of words, views, lights, sounds and drivers. Thread-safe.

    A part that fails is logged once, and again only after it has worked in between.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._logged: set[str] = set()
        self._failing: set[str] = set()
        self.changed: Callable[[], None] = lambda: None
        """Called, from any thread, when `fails` may have changed. It must not wait."""

    @property
    def fails(self) -> bool:
        """Whether a part has failed since the newest entry, and not worked since."""
        return bool(self._failing)

    def begin_entry(self) -> None:
        """There is a new entry: what failed at an earlier one may never be tried again."""
        if self._failing:
            with self._lock:
                self._failing.clear()
            self.changed()

    def attempt(self, where: str, part: str, act: Callable[[], T], default: D, /) -> T | D:
        """What `act` returns; `default` if it fails. `where` is the night and the entry."""
        try:
            result = act()
        except Exception:
            with self._lock:
                first = part not in self._logged
                self._logged.add(part)
                self._failing.add(part)
            if first:
                log.exception("The %s failed at %s. The table goes on.", part, where)
            self.changed()
            return default
        if part in self._logged:
            with self._lock:
                self._logged.discard(part)
                self._failing.discard(part)
            self.changed()
        return result
