"""Checks whether every part of the daemon responds, by regular round trips through all of them."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

import msgspec

from pochboard.errors import PochboardError
from pochboard.runtime.threads import Answer, LoopThread, name_threads
from pochboard.text.lazy import lazy_text

log = logging.getLogger(__name__)

Faults = Mapping[str, str]
"""The parts that do not work, each with the reason as a sentence; empty if it does not respond."""
_NEEDED: Final = frozenset({"table", "store", "board", "web"})
"""People cannot play without these: a round trip completes only once they have responded."""
Ask = Callable[[Answer], None]

INTERVAL_S: Final = 15.0
"""The pause between two round trips."""
PATIENCE: Final = 5
"""For how many turns a part may stay silent before it is reported."""
_TURNS: Final = 15
"""The number of turns in one interval; a turn is normally a second."""


class Part(msgspec.Struct, frozen=True):
    """A part of the daemon."""

    name: str
    ask: Ask
    """Asks the part's own thread to call back. Must not wait; it is repeated until the call."""
    is_alive: Callable[[], bool]
    problem: Callable[[], str] = lambda: ""
    """Why it does not work although it answers, as a sentence; empty if it works."""


class HealthMonitor(LoopThread):
    """Asks all parts for an answer, and records those that fail. Start it last, close it first.

    A round trip ends when every necessary part has answered; only then does the next one begin. The
    store is checked in its own thread, because a failing disk can block a thread for ever.
    """

    def __init__(
        self,
        *,
        completed: Callable[[], None] = lambda: None,
        changed: Callable[[Faults], None] = lambda _: None,
        died: Callable[[str], None] = lambda _: None,
        interval_s: float = INTERVAL_S,
        restarts: bool = False,
    ) -> None:
        """The monitor's thread calls these; `died` gets each part whose thread has ended, once.

        `restarts` says whether the daemon is restarted when round trips no longer complete.
        """
        super().__init__("health")
        self.faults: Faults = {}
        """May be read from any thread."""
        self._restarts = restarts
        self._completed = completed
        self._changed = changed
        self._died = died
        self._interval_s = interval_s
        self._turn_s = interval_s / _TURNS
        self._parts: list[Part] = []
        self._dead: set[str] = set()
        self._answered = threading.Condition()
        self._missing: set[str] = set()
        self._reasons: dict[str, str] = {}
        self._hurried = False
        self._store_check: Callable[[], None] | None = None
        self._checker = ThreadPoolExecutor(1, "health-store")
        self._checking: Future[None] | None = None

    def restarts(self, faults: Faults) -> bool:
        """Whether the daemon is restarted if these faults last."""
        return self._restarts and any(
            not reason and part in _NEEDED for part, reason in faults.items()
        )

    def watch(self, parts: Sequence[Part], store_check: Callable[[], None]) -> None:
        """Starts the first round trip. `store_check` may block, and raises PochboardError."""
        self._parts = [*parts, Part("store", self._check_store, lambda: True)]
        self._store_check = store_check
        self.start()

    def hurry(self, name: str) -> None:
        """The part has a problem: asks all parts at once, unless it is known. Does not wait."""
        with self._answered:
            self._hurried = name not in self.faults
            self._answered.notify_all()

    def close(self) -> None:
        """Ends the threads. May be called again."""
        super().close()
        self._checker.shutdown()

    def _wake(self) -> None:
        with self._answered:
            self._answered.notify_all()

    def _run(self) -> None:
        name_threads()
        while not self._closing:
            self._round_trip()
            name_threads()  # those started since
            with self._answered:
                self._answered.wait_for(lambda: self._closing or self._hurried, self._interval_s)
                self._hurried = False

    def _round_trip(self) -> None:
        """Returns once every necessary part has answered and the others have had their time."""
        with self._answered:
            self._missing = {part.name for part in self._parts}
            self._reasons = {}
        for turn in itertools.count(1):
            for part in self._parts:
                if part.name in self._missing:
                    part.ask(lambda part=part: self._note(part.name, part.problem()))  # type: ignore[misc]
            with self._answered:
                # Count turns, not time: if the process or the machine was suspended meanwhile, only
                # one turn has passed.
                self._answered.wait_for(lambda: self._closing or not self._missing, self._turn_s)
                if self._closing:
                    return
                missing, reasons = set(self._missing), dict(self._reasons)
            self._look_for_dead()
            if not missing or turn >= PATIENCE:
                self._publish({**reasons, **dict.fromkeys(missing, "")})
            if not missing or (turn >= PATIENCE and not missing & _NEEDED):
                self._completed()
                return

    def _note(self, name: str, reason: str = "") -> None:
        """Records the answer of a part; with a reason, the part has said that it does not work."""
        with self._answered:
            if reason:
                self._reasons[name] = reason
            self._missing.discard(name)
            if not self._missing:
                self._answered.notify_all()

    def _check_store(self, _: Answer) -> None:
        assert self._store_check is not None, "it has been started"
        if self._checking is None or self._checking.done():
            self._checking = self._checker.submit(self._store_check)
            self._checking.add_done_callback(self._store_checked)

    def _store_checked(self, done: Future[None]) -> None:
        error = done.exception()
        if error is not None and not isinstance(error, PochboardError):
            log.error("the store cannot be checked", exc_info=error)
        self._note("store", "" if error is None else _reason(error))

    def _look_for_dead(self) -> None:
        for part in self._parts:
            if part.name not in self._dead and not part.is_alive():
                self._dead.add(part.name)
                self._died(part.name)

    def _publish(self, faults: Faults) -> None:
        if faults != self.faults:
            self.faults = faults
            self._changed(faults)


def _reason(error: BaseException) -> str:
    return lazy_text(error) if isinstance(error, PochboardError) else str(error) or repr(error)
