"""Threads that work in a loop until they are told to end, and what notices if a part fails.

`HealthMonitor` asks each part, `ErrorBoundary` catches what fails while it only shows the table.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, Protocol, TypeVar

import msgspec

from pochboard.errors import PochboardError, StoppedError
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


def now_us() -> int:
    """The monotonic clock, in microseconds."""
    return time.monotonic_ns() // 1000


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


# A thread that runs jobs from a bounded queue one by one, and timers between them.

QUEUE_LENGTH = 256
_AGAIN_US = 1_000_000
"""How long timers rest after one of them has failed: it may still be due."""
_STALL_US = 30_000
"""A timer that is later than this shows that the whole process stood still."""
_CATCH_UP_S = 0.25
"""How long other threads get at most after a stall, before timers act."""


class Timer(msgspec.Struct, frozen=True):
    """Something to be done at a time that may change."""

    when: Callable[[], int | None]
    """The time by `now_us`; None as long as there is nothing to do."""
    do: Callable[[], object]
    """Does it, and with that sets `when` to a later time or to None."""


class Change(Protocol):
    """Changes something in the table's thread, publishes that, and returns what came of it."""

    def __call__(self, act: Callable[[], T], /) -> T:
        """Returns what `act` returns. Raises StoppedError."""


_Job = tuple[Callable[[], Any], Future[Any]]
"""A call to be made by the thread, and where its result goes."""


def _stopping() -> StoppedError:
    return StoppedError("The daemon is stopping.")


class Worker(LoopThread):
    """Runs jobs in order, and after those that are queued the first timer that is due.

    Before `start`, `call` runs its job in the calling thread: the worker's own is not running yet.
    """

    def __init__(self, name: str, timers: Sequence[Timer] = ()) -> None:
        """If several timers are due at once, the order of `timers` decides."""
        # What is queued, such as storing a command, is finished however long that takes.
        super().__init__(name, join_s=None)
        self._timers = timers
        self._rests_until_us = 0
        # Acquire a slot before the lock; otherwise a full queue would block `close`.
        self._slots = threading.BoundedSemaphore(QUEUE_LENGTH)
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        """Jobs; None only wakes the thread, and does not count towards the length."""
        self._lock = threading.Lock()

    def close(self) -> None:
        """Finishes the queued jobs and ends the thread. May be called again."""
        if self.is_alive():
            with contextlib.suppress(StoppedError):
                self.submit(self._refuse_more)
            self._join()

    def submit(self, act: Callable[[], T]) -> Future[T]:
        """Queues a job; the future holds its result. Raises StoppedError."""
        future: Future[T] = Future()
        self._slots.acquire()
        with self._lock:
            if self._closing:
                self._slots.release()
                raise _stopping()
            self._queue.put((act, future))
        return future

    def call(self, act: Callable[[], T]) -> T:
        """Queues a job and waits for its result. Raises StoppedError."""
        if self._thread.ident is None or threading.current_thread() is self._thread:
            return act()
        return self.submit(act).result()

    def _wake(self) -> None:
        if self._queue.empty():
            self._queue.put(None)

    def _refuse_more(self) -> None:
        with self._lock:
            self._closing = True

    def _run_job(self, job: _Job | None) -> None:
        if job is None:
            return
        self._slots.release()
        act, future = job
        try:
            future.set_result(act())
        except Exception as error:
            if not isinstance(error, PochboardError):
                log.exception("a job failed")
            future.set_exception(error)
        except BaseException:
            future.set_exception(_stopping())  # the thread dies
            raise

    def _run(self) -> None:
        try:
            while not (self._closing and self._queue.empty()):
                self._run_queued()
                try:
                    self._run_first_due()
                except Exception:
                    log.exception("a timer failed")
                    self._rests_until_us = now_us() + _AGAIN_US
                self._answer_ping()
        finally:
            # If the thread dies of an error, nothing may keep waiting for it.
            self._refuse_more()
            while not self._queue.empty():
                job = self._queue.get()
                if job is not None:
                    job[1].set_exception(_stopping())

    def _run_queued(self) -> None:
        """Runs the jobs that there are, or waits for one until a timer is due."""
        try:
            job = self._queue.get(timeout=self._wait_s())
        except queue.Empty:
            late_us = now_us() - (self._due_us() or now_us())
            if late_us <= _STALL_US:
                return
            # After a stall, a board tells of presses that came before what is due.
            time.sleep(min(late_us / 2_000_000, _CATCH_UP_S))
        else:
            self._run_job(job)
        # A slow job keeps others waiting. One of them may release a button, which has to come
        # before the timer of the hold: a timer goes by the time now, and the release by the time
        # when it happened.
        for _ in range(self._queue.qsize()):
            self._run_job(self._queue.get())

    def _run_first_due(self) -> None:
        clock_us = now_us()
        if clock_us < self._rests_until_us:
            return
        for timer in self._timers:
            due_us = timer.when()
            if due_us is not None and due_us <= clock_us:
                timer.do()
                return

    def _due_us(self) -> int | None:
        """When the first timer is due; None if none will be."""
        dues_us = (timer.when() for timer in self._timers)
        return min((due_us for due_us in dues_us if due_us is not None), default=None)

    def _wait_s(self) -> float | None:
        """Seconds until a timer may run; None if none will."""
        due_us = self._due_us()
        if due_us is None:
            return None
        return max(0.0, (max(due_us, self._rests_until_us) - now_us()) / 1_000_000)


# What notices if a part fails.

Faults = Mapping[str, str]
"""The parts that do not work, each with the reason as a sentence; empty if it does not respond."""
_NEEDED: Final = frozenset({"table", "store", "board", "web"})
"""People cannot play without these: a round trip completes only once they have responded."""
Ask = Callable[[Answer], object]

STATUS: Final = "The table is set."
"""The status that systemd shows while all parts respond."""
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
