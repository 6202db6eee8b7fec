"""Threads that work in a loop until they are told to end, and what notices if a part fails.

`HealthMonitor` asks each part, `ErrorBoundary` catches what fails while it only shows the table.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

import msgspec

from pochboard.errors import PochboardError
from pochboard.messages.labels import fault_text
from pochboard.runtime.process import ServiceManager
from pochboard.text.lazy import LazyText, lazy_gettext, lazy_text
from pochboard.text.unicode_names import shown

log = logging.getLogger(__name__)
T = TypeVar("T")
D = TypeVar("D")

Answer = Callable[[], object]
"""What a thread calls to show that it still runs."""

JOIN_S: Final = 3.0
"""How long `close` waits. Python cannot end a thread that hangs in a driver or on a bus."""


class LoopThread(ABC):
    """A thread that repeats something from `start` until `close`. Each can be used once.

    Its loop runs while it is not `_closing`, and sleeps in `_wait`.
    """

    def __init__(self, name: str, join_s: float | None = JOIN_S) -> None:
        """`close` waits for the end of the loop, at most for `join_s`."""
        self._closing = False
        self._join_s = join_s
        self._woken = threading.Event()
        self._asked: Answer | None = None
        # A thread that `close` no longer waits for must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name=name, daemon=join_s is not None)

    @abstractmethod
    def _run(self) -> None:
        """The loop."""

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def is_alive(self) -> bool:
        """False before `start`, and once the loop has ended or failed."""
        return self._thread.is_alive()

    def ping(self, answer: Answer) -> None:
        """Asks the thread to call `answer` soon, instead of an earlier one. Does not wait."""
        self._asked = answer
        self._wake()

    def close(self) -> None:
        """Ends the thread. May be called again, and before `start`."""
        self._closing = True
        self._wake()
        self._join()

    def _join(self) -> None:
        if self._thread.is_alive():
            self._thread.join(self._join_s)
            if self._thread.is_alive():
                log.warning("the thread %s does not end", self._thread.name)

    def _wake(self) -> None:
        """Ends the wait of the loop, or the next one if it is not waiting. Does not wait itself."""
        self._woken.set()

    # For the loop.

    def _wait(self, seconds: float | None = None) -> bool:
        """Answers a ping, then waits to be woken, at most so long. Returns whether it was woken."""
        self._answer_ping()
        woken = self._woken.wait(seconds)
        self._woken.clear()
        return woken

    def _pause(self, seconds: float) -> None:
        """Waits, however often it is woken meanwhile; only `close` ends it early."""
        until_s = time.monotonic() + seconds
        while not self._closing and (left_s := until_s - time.monotonic()) > 0:
            self._wait(left_s)

    def _answer_ping(self) -> None:
        asked, self._asked = self._asked, None
        if asked is not None:
            asked()


Faults = Mapping[str, str]
"""The parts that do not work, each with the reason as a sentence; empty if it does not respond."""
_NEEDED: Final = frozenset({"table", "store", "board", "web"})
"""People cannot play without these: a round trip completes only once they have responded."""
Ask = Callable[[Answer], object]

STATUS: Final = "The table is set."
"""What systemd shows while all parts respond."""
INTERVAL_S: Final = 15.0
"""The pause between two round trips."""
PATIENCE: Final = 5
"""For how many turns a part may stay silent before it is reported."""
_TURNS: Final = 15
"""The number of turns in one interval; a turn is normally a second."""


class Part(msgspec.Struct, frozen=True):
    """A part of the daemon."""

    name: str
    ask: Ask = lambda answer: answer()
    """Asks the part's own thread to call back. Must not wait; it is repeated until the call."""
    is_alive: Callable[[], bool] = lambda: True
    problem: Callable[[], str] = lambda: ""
    """Why it does not work although it answers, as a sentence; empty if it works."""


class HealthMonitor(LoopThread):
    """Asks all parts for an answer, and reports those that fail. Start it last, close it first.

    A round trip ends when every necessary part has answered; only then does the next one begin. The
    store is checked in its own thread, because a failing disk can block a thread for ever.
    """

    def __init__(
        self,
        manager: ServiceManager | None = None,
        died: Callable[[str], None] = lambda _: None,
        interval_s: float = INTERVAL_S,
    ) -> None:
        """`manager` learns of each round trip, and of what fails; by default none does.

        The monitor's thread calls `died` for each part whose thread has ended, once.
        """
        super().__init__("health")
        self.faults: Faults = {}
        """May be read from any thread."""
        self._manager = manager or ServiceManager({})
        watchdog_s = self._manager.watchdog_s
        self._interval_s = interval_s if watchdog_s is None else min(interval_s, watchdog_s / 2)
        self._turn_s = self._interval_s / _TURNS
        self._died = died
        self._parts: list[Part] = []
        self._dead: set[str] = set()
        self._answered = threading.Condition()
        self._missing: set[str] = set()
        self._reasons: dict[str, str] = {}
        self._hurried = False
        self._checker = ThreadPoolExecutor(1, "health-store")
        self._checking: Future[object] | None = None

    def restarts(self, faults: Faults) -> bool:
        """Whether the daemon is restarted if these faults last."""
        return self._manager.watchdog_s is not None and any(
            not reason and part in _NEEDED for part, reason in faults.items()
        )

    def watch(self, parts: Sequence[Part], store_check: Callable[[], None]) -> None:
        """Starts the first round trip. `store_check` may block, and raises PochboardError."""

        def problem() -> str:
            try:
                store_check()
            except PochboardError as error:
                return lazy_text(error)
            except Exception as error:
                log.exception("the store cannot be checked")
                return str(error) or repr(error)
            return ""

        self._parts = [*parts, Part("store", self._ask_store, problem=problem)]
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
        while not self._closing:
            self._round_trip()
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
            for part in self._parts:
                if part.name not in self._dead and not part.is_alive():
                    self._dead.add(part.name)
                    self._died(part.name)
            if not missing or turn >= PATIENCE:
                self._publish({**reasons, **dict.fromkeys(missing, "")})
            if not missing or (turn >= PATIENCE and not missing & _NEEDED):
                # The answer that the ledger cannot be written counts too, because a restart would
                # not fix that.
                self._manager.notify("WATCHDOG=1")
                return

    def _note(self, name: str, reason: str) -> None:
        """Records the answer of a part; with a reason, the part has said that it does not work."""
        with self._answered:
            if reason:
                self._reasons[name] = reason
            self._missing.discard(name)
            if not self._missing:
                self._answered.notify_all()

    def _ask_store(self, answer: Answer) -> None:
        if self._checking is None or self._checking.done():
            self._checking = self._checker.submit(answer)

    def _publish(self, faults: Faults) -> None:
        if faults == self.faults:
            return
        self.faults = faults
        text = STATUS
        if faults:
            text = fault_text(faults.items(), restarts=self.restarts(faults))
            log.error("%s", text)
        else:
            log.warning("All parts of the daemon respond again.")
        self._manager.notify(f"STATUS={shown(text)}")


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
