"""A thread that runs jobs from a bounded queue one by one, and timers between them."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from pochboard.errors import PochboardError, StoppedError

log = logging.getLogger(__name__)
T = TypeVar("T")

QUEUE_LENGTH = 256


class Worker:
    """Runs jobs in order, `tick` after those that are queued, and whenever `wait_s` has passed.

    Before `start`, `call` runs its job in the calling thread: the worker's own is not running yet.
    """

    def __init__(
        self, name: str, tick: Callable[[], None], wait_s: Callable[[], float | None]
    ) -> None:
        self._tick = tick
        self._wait_s = wait_s
        # Acquire a slot before the lock; otherwise a full queue would block `stop`.
        self._slots = threading.BoundedSemaphore(QUEUE_LENGTH)
        self._queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=name)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Finishes the queued jobs and ends the thread. Calling it again does nothing."""
        if self._thread.is_alive():
            with contextlib.suppress(StoppedError):
                self._put(self._refuse_more)
            self._thread.join()

    def submit(self, act: Callable[[], T]) -> Future[T]:
        """Queues a job; the future holds its result. Raises StoppedError."""
        future: Future[T] = Future()

        def job() -> None:
            try:
                done = act()
            except Exception as error:
                if not isinstance(error, PochboardError):
                    log.exception("a job failed")
                future.set_exception(error)
            else:
                future.set_result(done)

        self._put(job)
        return future

    def call(self, act: Callable[[], T]) -> T:
        """Queues a job and waits for its result. Raises StoppedError."""
        if self._thread.ident is None or threading.current_thread() is self._thread:
            return act()
        return self.submit(act).result()

    def _put(self, job: Callable[[], None]) -> None:
        self._slots.acquire()
        with self._lock:
            if self._stopping:
                self._slots.release()
                raise StoppedError("The daemon is stopping.")
            self._queue.put(job)

    def _refuse_more(self) -> None:
        with self._lock:
            self._stopping = True

    def _run_job(self, job: Callable[[], None]) -> None:
        self._slots.release()
        job()

    def _run(self) -> None:
        while not (self._stopping and self._queue.empty()):
            try:
                job = self._queue.get(timeout=self._wait_s())
            except queue.Empty:
                pass
            else:
                self._run_job(job)
                # A slow job keeps others waiting. One of them may release a button, which has to
                # come before the timer of the hold: `tick` goes by the time now, and the release
                # by the time when it happened.
                for _ in range(self._queue.qsize()):
                    self._run_job(self._queue.get())
            try:
                self._tick()
            except Exception:
                log.exception("a timer failed")
