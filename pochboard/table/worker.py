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


class _Job:
    """A call to be made by the thread."""

    def __init__(self, act: Callable[[], Any], future: Future[Any]) -> None:
        self._act = act
        self._future = future

    def run(self) -> None:
        """Makes the call and sets the future's result."""
        try:
            done = self._act()
        except Exception as error:
            if not isinstance(error, PochboardError):
                log.exception("a job failed")
            self._future.set_exception(error)
        except BaseException:
            self.cancel()  # the thread dies
            raise
        else:
            self._future.set_result(done)

    def cancel(self) -> None:
        """Sets an exception: the call will not be made."""
        self._future.set_exception(StoppedError("The daemon is stopping."))


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
        self._put(_Job(act, future))
        return future

    def call(self, act: Callable[[], T]) -> T:
        """Queues a job and waits for its result. Raises StoppedError."""
        if self._thread.ident is None or threading.current_thread() is self._thread:
            return act()
        return self.submit(act).result()

    def _wake(self) -> None:
        if self._queue.empty():
            self._queue.put(None)

    def _put(self, job: _Job) -> None:
        self._slots.acquire()
        with self._lock:
            if self._closing:
                self._slots.release()
                raise StoppedError("The daemon is stopping.")
            self._queue.put(job)

    def _refuse_more(self) -> None:
        with self._lock:
            self._closing = True

    def _run_job(self, job: _Job | None) -> None:
        if job is not None:
            self._slots.release()
            job.run()

    def _run(self) -> None:
        try:
            self._run_jobs()
        finally:
            # If the thread dies of an error, nothing may keep waiting for it.
            self._refuse_more()
            with contextlib.suppress(queue.Empty):
                while True:
                    job = self._queue.get_nowait()
                    if job is not None:
                        job.cancel()

    def _run_jobs(self) -> None:
        while not (self._closing and self._queue.empty()):
            try:
                job = self._queue.get(timeout=self._wait_s())
            except queue.Empty:
                # After a stall, a board tells of presses that came before what is due.
                if (late_us := self._late_us()) > _STALL_US:
                    time.sleep(min(late_us / 2_000_000, _CATCH_UP_S))
                    for _ in range(self._queue.qsize()):
                        self._run_job(self._queue.get())
            else:
                self._run_job(job)
                # A slow job keeps others waiting. One of them may release a button, which has to
                # come before the timer of the hold: a timer goes by the time now, and the release
                # by the time when it happened.
                for _ in range(self._queue.qsize()):
                    self._run_job(self._queue.get())
            try:
                self._run_first_due()
            except Exception:
                log.exception("a timer failed")
                self._rests_until_us = now_us() + _AGAIN_US
            self._answer_ping()

    def _run_first_due(self) -> None:
        clock_us = now_us()
        if clock_us < self._rests_until_us:
            return
        for timer in self._timers:
            due_us = timer.when()
            if due_us is not None and due_us <= clock_us:
                timer.do()
                return

    def _late_us(self) -> int:
        """How late the timer is that is due first."""
        dues_us = [due_us for timer in self._timers if (due_us := timer.when()) is not None]
        return now_us() - min(dues_us, default=now_us())

    def _wait_s(self) -> float | None:
        """Seconds until a timer is due; None if none will be."""
        dues_us = [due_us for timer in self._timers if (due_us := timer.when()) is not None]
        if not dues_us:
            return None
        due_us = max(min(dues_us), self._rests_until_us)
        return max(0.0, (due_us - now_us()) / 1_000_000)
