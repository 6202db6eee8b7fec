"""What only shows the table may fail; playing may not."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final, TypeVar

from pochboard.text.lazy import LazyText, lazy_gettext

log = logging.getLogger(__name__)
T = TypeVar("T")
D = TypeVar("D")

_PROBLEM: Final = lazy_gettext(
    "The program failed to show something, so part of this page or of the board may be missing or"
    " wrong. The ledger is right, and you can play on or undo. The log says what failed: please"
    " report it."
)


class ErrorBoundary:
    """Catches the errors of words, views, lights, sounds and drivers. Thread-safe.

    A part that fails is logged once, and again only after it has worked in between.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._logged: set[str] = set()
        self._failing: set[str] = set()
        self._moment: tuple[int | None, int] = None, 0
        self.failed: Callable[[], None] = lambda: None
        """Called, from any thread, when a part begins to fail. It must not wait."""

    @property
    def problem(self) -> LazyText:
        """What to do, if a part has failed since the newest entry and not worked since."""
        return _PROBLEM if self._failing else LazyText("")

    def begin_entry(self, night: int | None, entry: int) -> None:
        """There is a new entry: what failed at an earlier one may never be tried again."""
        with self._lock:
            self._moment = night, entry
            self._failing.clear()

    def attempt(self, part: str, act: Callable[[], T], default: D, /) -> T | D:
        """What `act` returns; `default` if it fails."""
        try:
            result = act()
        except Exception:
            with self._lock:
                first, begins = part not in self._logged, part not in self._failing
                self._logged.add(part)
                self._failing.add(part)
            if first:
                log.exception(
                    "The %s failed at night %s, entry %d. The table goes on.", part, *self._moment
                )
            if begins:
                self.failed()
            return default
        if part in self._logged:
            with self._lock:
                self._logged.discard(part)
                self._failing.discard(part)
        return result
