"""The loop that threads share: waking, pings, and its end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pochboard.runtime.threads import LoopThread
from tests.shell.server_kit import LONG_S, wait_until


class Counting(LoopThread):
    """Counts its turns; each of them can be held up."""

    def __init__(self, *, pauses: bool = False) -> None:
        super().__init__("counting", join_s=0.01)
        self.turns = 0
        self.may_work = threading.Event()
        self.may_work.set()
        self.begins = threading.Event()
        self._sleep = self._pause if pauses else self._wait

    def wake(self) -> None:
        self._wake()

    def _run(self) -> None:
        while not self._closing:
            self.begins.set()
            self.may_work.wait(LONG_S)
            self.turns += 1
            self._sleep(LONG_S)


@contextmanager
def counting(*, pauses: bool = False) -> Iterator[Counting]:
    loop = Counting(pauses=pauses)
    loop.start()
    try:
        wait_until("its first turn", lambda: loop.turns == 1)
        yield loop
    finally:
        loop.may_work.set()
        loop.close()
        wait_until("its end", lambda: not loop.is_alive())


def test_a_ping_is_answered_once_by_the_loop_itself() -> None:
    answers: list[str] = []
    with counting() as loop:
        loop.ping(lambda: answers.append(threading.current_thread().name))
        wait_until("an answer", lambda: bool(answers))
        loop.wake()
        wait_until("further turns", lambda: loop.turns >= 3)
    assert answers == ["counting"]


def test_a_pause_ends_early_only_for_the_end_and_still_answers() -> None:
    answered = threading.Event()
    with counting(pauses=True) as loop:
        loop.ping(answered.set)
        assert answered.wait(LONG_S)
        loop.wake()
        assert loop.turns == 1


def test_a_loop_that_hangs_is_left_behind(caplog: pytest.LogCaptureFixture) -> None:
    with counting() as loop:
        loop.may_work.clear()
        loop.begins.clear()
        loop.wake()
        assert loop.begins.wait(LONG_S)
        loop.close()
        assert loop.is_alive()
        assert loop._thread.daemon, "it does not keep the process from ending"
        assert "the thread counting does not end" in caplog.text
