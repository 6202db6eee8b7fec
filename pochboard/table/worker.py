"""A thread with a bounded queue of jobs and a timer: one thing after the other."""

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
    """Runs jobs in their order, and `tick` after each and whenever `wait_s` has passed.

    Before `start` a job asked for runs at once in the thread that asks: there is only one then.
    """

    def __init__(
        self, name: str, tick: Callable[[], None], wait_s: Callable[[], float | None]
    ) -> None:
        self._tick = tick
        self._wait_s = wait_s
        # A slot is taken before the door, so that a full queue never keeps `stop` waiting there.
        self._slots = threading.BoundedSemaphore(QUEUE_LENGTH)
        self._queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._door = threading.Lock()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=name)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Finishes the jobs in hand and ends the thread; asked again, does nothing."""
        if self._thread.is_alive():
            with contextlib.suppress(StoppedError):
                self._put(self._close_door)
            self._thread.join()

    def post(self, act: Callable[[], T]) -> Future[T]:
        """Has the thread act; the future holds what came of it. Raises StoppedError."""
        future: Future[T] = Future()

        def job() -> None:
            try:
                done = act()
            except Exception as error:
                if not isinstance(error, PochboardError):
                    log.exception("a request failed")
                future.set_exception(error)
            else:
                future.set_result(done)

        self._put(job)
        return future

    def ask(self, act: Callable[[], T]) -> T:
        """Has the thread act and waits for what comes of it. Raises StoppedError."""
        if self._thread.ident is None or threading.current_thread() is self._thread:
            return act()
        return self.post(act).result()

    def _put(self, job: Callable[[], None]) -> None:
        self._slots.acquire()
        with self._door:
            if self._stopping:
                self._slots.release()
                raise StoppedError("The daemon is stopping.")
            self._queue.put(job)

    def _close_door(self) -> None:
        with self._door:
            self._stopping = True

    def _run(self) -> None:
        while not (self._stopping and self._queue.empty()):
            try:
                job = self._queue.get(timeout=self._wait_s())
            except queue.Empty:
                pass
            else:
                self._slots.release()
                job()
            try:
                self._tick()
            except Exception:
                log.exception("a timer failed")
