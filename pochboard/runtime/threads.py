"""Threads that work in a loop until they are told to end, and the names that the kernel shows."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

Answer = Callable[[], object]
"""What a thread calls to show that it still runs."""

JOIN_S: Final = 3.0
"""How long `close` waits. Python cannot end a thread that hangs in a driver or on a bus."""
_TASKS: Final = Path("/proc/self/task")
_LONGEST: Final = 15
"""In bytes; from TASK_COMM_LEN in linux/sched.h."""


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


def name_threads() -> None:
    """Names every thread, those of libraries' pools too. The main one keeps the process's name."""
    for thread in threading.enumerate():
        if thread is threading.main_thread() or thread.native_id is None:
            continue
        # The thread may have ended, and only Linux has these files.
        with contextlib.suppress(OSError):
            name = _TASKS / str(thread.native_id) / "comm"
            name.write_bytes(thread.name.encode()[:_LONGEST])
