"""A simulation on any `concurrent.futures.Executor`."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

import pytest

from pochboard.bots.strategy import BOLD, CAREFUL, RANDOM, SENSIBLE
from pochboard.errors import SimulationError
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.ruleset_validation import override
from pochboard.simulate.bots_night import Plan
from pochboard.simulate.runner import InlineExecutor, WorkerPool, batches, play_batch, simulate
from tests.shell.server_kit import LONG_S


def plan(nights: int, **options: object) -> Plan:
    rules = override(shipped_rulesets()["thirty-one"], options)
    return Plan(rules, (SENSIBLE, BOLD, CAREFUL, RANDOM), nights, 1, rules.stack)


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_any_executor_gives_the_same(jobs: int) -> None:
    chosen = plan(8, deals=240)
    assert len(list(batches(chosen))) == 8, "more than are submitted ahead"
    with InlineExecutor() as inline, ThreadPoolExecutor(jobs) as threads:
        alone = list(simulate(chosen, inline, as_rows=True))
        assert list(simulate(chosen, threads, jobs=jobs, as_rows=True)) == alone
        # Rows are written only on request; the counts are the same.
        without = list(simulate(chosen, inline, jobs=jobs))
    assert [batch.tally for batch in without] == [batch.tally for batch in alone]
    assert not any(batch.rows for batch in without)


class LaterExecutor(Executor):
    """Runs nothing until it is told to, as a busy cluster would."""

    def __init__(self) -> None:
        self.calls: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls.append((future, partial(fn, *args, **kwargs)))
        return future


def test_parts_come_in_order_whichever_is_ready_first() -> None:
    chosen = plan(190)
    executor = LaterExecutor()
    played = simulate(chosen, executor, jobs=2)
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(next, played)
        while len(executor.calls) < 4:
            time.sleep(0.001)
        for future, call in reversed(executor.calls):
            future.set_result(call())
        batch = first.result()
    assert batch == play_batch(chosen, next(batches(chosen)), as_rows=False)
    played.close()
    assert len(executor.calls) == 4, "190 nights are four batches"


@pytest.fixture(scope="module")
def tracker() -> None:
    """The process that multiprocessing starts once, and that ends with this one."""
    resource_tracker.ensure_running()


def killed_while_it_sends() -> bytes:
    """Kills its process when half of its result is sent, as the kernel may."""

    def send_half(connection: Connection, message: bytes) -> None:
        os.write(connection.fileno(), message[: len(message) // 2])
        os.kill(os.getpid(), signal.SIGKILL)

    Connection._send = send_half  # type: ignore[attr-defined, method-assign, unused-ignore]
    return bytes(100_000)


@pytest.mark.usefixtures("tracker")
def test_a_worker_that_is_killed_while_it_sends_breaks_the_pool() -> None:
    with WorkerPool(2) as pool:
        killed = pool.submit(killed_while_it_sends)
        with pytest.raises(BrokenExecutor):
            killed.result(LONG_S)


@pytest.mark.usefixtures("tracker")
def test_a_pool_of_workers_runs_calls_and_raises_their_errors() -> None:
    with WorkerPool(2) as pool:
        futures = [pool.submit(divmod, number, 3) for number in range(20)]
        assert [future.result() for future in futures] == [divmod(n, 3) for n in range(20)]
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result()
        cancelled = [pool.submit(time.sleep, 0.2) for _ in range(8)][-1]
        assert cancelled.cancel()
    with pytest.raises(RuntimeError, match="shut down"):
        pool.submit(divmod, 1, 1)


def test_a_broken_executor_ends_the_simulation() -> None:
    executor = LaterExecutor()
    played = simulate(plan(600), executor, jobs=2)
    with ThreadPoolExecutor(1) as thread:
        first = thread.submit(next, played)
        while len(executor.calls) < 4:
            time.sleep(0.001)
        executor.calls[0][0].set_exception(BrokenExecutor("a node is down"))
        with pytest.raises(SimulationError, match="A worker process was killed"):
            first.result()
