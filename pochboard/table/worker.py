"""A thread that runs jobs from a bounded queue one by one, and timers between them."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

import msgspec

from pochboard.errors import PochboardError, StoppedError
from pochboard.runtime.threads import LoopThread
from pochboard.table.clock import now_us

log = logging.getLogger(__name__)
T = TypeVar("T")

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
