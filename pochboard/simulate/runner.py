"""Plays the nights of a plan on any executor, in batches, and returns the batches in order.

The deals are also written as CSV (RFC 4180; columns in docs/SIMULATE.md).
"""

from __future__ import annotations

import csv
import io
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager, suppress
from functools import partial
from math import ceil
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any, Final, ParamSpec, TypeAlias, TypeVar

import msgspec

from pochboard.errors import SimulationError
from pochboard.rules.accounts import POOLS
from pochboard.simulate.bots_night import DealRecord, Plan, simulate_night
from pochboard.simulate.tally import Tally, TallyBuilder
from pochboard.text.lazy import os_reason


def csv_header(plan: Plan) -> str:
    """The names of the columns, as a row."""
    pools = [pool for pool in POOLS if pool in plan.rules.pools]
    names = ["night", "deal", "dealer", "live", "turned"]
    for pool in pools:
        names += [pool, f"{pool}_winner", f"{pool}_won"]
    names += ["knocker", "temper", "staked", "showdown", "bets_winner", "out"]
    names += [f"cards_{seat}" for seat in plan.seats]
    names += [f"stack_{seat}" for seat in plan.seats]
    return _as_csv([names])


def csv_rows(plan: Plan, deals: Iterable[DealRecord]) -> str:
    """A row for each deal. Seats are numbers; several in one field are separated by spaces."""
    pools = [(index, pool) for index, pool in enumerate(POOLS) if pool in plan.rules.pools]
    strategies = [strategy.name for strategy in plan.strategies]

    def row(deal: DealRecord) -> list[object]:
        values: list[object] = [
            deal.night, deal.deal, deal.dealer, _seats(deal.live), deal.turned,
        ]  # fmt: skip
        for index, pool in pools:
            win = deal.wins.get(pool)
            values += [deal.sizes[index], _seats(win.seats) if win else "", win.chips if win else 0]
        knocker = deal.knocker
        values += [
            knocker or "",
            strategies[knocker - 1] if knocker else "",
            sum(deal.stakes),
            int(deal.showdown),
            _seats(deal.winners),
            deal.out,
            *[held if seat in deal.live else "" for seat, held in enumerate(deal.cards, 1)],
            *deal.stacks,
        ]
        return values

    return _as_csv(map(row, deals))


def _seats(seats: tuple[int, ...]) -> str:
    return " ".join(map(str, seats))


def _as_csv(values: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(values)
    return text.getvalue()


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Opens a temporary file that replaces `path` on success; after an error `path` is unchanged.

    Raises SimulationError, at once if the file cannot be written.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        raise SimulationError(f"{path} cannot be written: it is not a regular file.")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if target.exists():
            # Renaming needs write permission for the folder only: check that for the file too.
            target.open("ab").close()
        file = part.open("xb")
    except OSError as error:
        raise SimulationError(f"{path} cannot be written: {os_reason(error)}.") from None
    try:
        try:
            with file:
                yield file
            part.replace(target)
        except OSError as error:
            raise SimulationError(f"{path} cannot be written: {os_reason(error)}.") from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise


P = ParamSpec("P")
T = TypeVar("T")

_BATCH_DEALS: Final = 240
"""A batch has about this many deals, which take some tenths of a second."""
_QUEUED_PER_JOB: Final = 2
"""Batches submitted for each process: one to play, and one to continue with at once."""


class Batch(msgspec.Struct, frozen=True):
    """The outcome of some consecutive nights."""

    nights: int
    tally: Tally
    rows: str
    """The deals as CSV; empty unless rows were requested."""


def play_batch(plan: Plan, numbers: range, *, as_rows: bool) -> Batch:
    """Plays the nights of these numbers."""
    builder = TallyBuilder(plan)
    written = []
    for number in numbers:
        night = simulate_night(plan, number)
        builder.add(night)
        if as_rows:
            written.append(csv_rows(plan, night.deals))
    return Batch(len(numbers), builder.tally(), "".join(written))


def batches(plan: Plan) -> Iterator[range]:
    """The numbers of all nights, divided into batches."""
    size = _nights_per_batch(plan)
    for first in range(1, plan.nights + 1, size):
        yield range(first, min(first + size, plan.nights + 1))


def _nights_per_batch(plan: Plan) -> int:
    return max(1, _BATCH_DEALS // plan.most_deals)


def simulate(
    plan: Plan,
    executor: Executor,
    *,
    jobs: int = 1,
    as_rows: bool = False,
    patience_s: float | None = None,
) -> Generator[Batch]:
    """Plays all nights of the plan on the executor, and yields the batches in order.

    `jobs` is the number of batches that the executor can play at a time. Neither it nor the
    executor changes the outcome. Closing the generator cancels the batches that have not begun.
    The executor stays open. Raises SimulationError if the executor breaks, and TimeoutError if the
    next batch does not come within `patience_s`.
    """
    remaining = batches(plan)
    pending: deque[Future[Batch]] = deque()

    def submit_next() -> None:
        numbers = next(remaining, None)
        if numbers is not None:
            pending.append(executor.submit(play_batch, plan, numbers, as_rows=as_rows))

    try:
        for _ in range(jobs if jobs == 1 else jobs * _QUEUED_PER_JOB):
            submit_next()
        while pending:
            batch = pending.popleft().result(patience_s)
            submit_next()
            yield batch
    except BrokenExecutor:
        raise SimulationError("A worker process was killed; the simulation has stopped.") from None
    finally:
        for future in pending:
            future.cancel()


def make_executor(plan: Plan, jobs: int) -> Executor:
    """An executor with this many local processes; with one job, this process itself."""
    # A process without a batch to play would be useless.
    useful = min(jobs, ceil(plan.nights / _nights_per_batch(plan)))
    return InlineExecutor() if useful == 1 else WorkerPool(useful)


class InlineExecutor(Executor):
    """Runs each call at once, in the thread that submits it."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Runs the call; the future is done when this returns."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - raised again by result()
            future.set_exception(error)
        return future


class WorkerPool(Executor):
    """Processes that leave Ctrl-C to this one, and end with it even if it is killed.

    Each has a pipe of its own, whose end shows that it was killed. In Python's pool all send
    through one: if one is killed while it sends, the others keep that open, and the pool waits for
    the rest for ever.
    """

    def __init__(self, jobs: int) -> None:
        """Starts the processes."""
        self._calls: SimpleQueue[tuple[Future[Any], _Call] | None] = SimpleQueue()
        self._is_shut_down = False
        # Starting the tracker unblocks SIGINT (see `_interrupt_blocked`), so do it beforehand.
        resource_tracker.ensure_running()
        context = multiprocessing.get_context("spawn")
        self._threads = []
        with _interrupt_blocked():
            for _ in range(jobs):
                here, there = context.Pipe()
                process = context.Process(target=_work, args=(there,), daemon=True)
                process.start()
                there.close()
                thread = threading.Thread(target=self._serve, args=(here, process), daemon=True)
                thread.start()
                self._threads.append(thread)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Submits a call. Its future raises BrokenExecutor if the process that makes it ends."""
        if self._is_shut_down:
            raise RuntimeError("the pool is shut down")
        future: Future[T] = Future()
        self._calls.put((future, partial(fn, *args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the processes once all calls were made, or cancelled. May be called again."""
        self._is_shut_down = True
        while cancel_futures and not self._calls.empty():
            with suppress(Empty):
                if call := self._calls.get_nowait():
                    call[0].cancel()
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads if wait else ():
            thread.join()

    def _serve(self, connection: Connection, process: BaseProcess) -> None:
        """Lets a process make one call after another. Once it was killed, all of them fail."""
        with connection:
            while item := self._calls.get():
                future, call = item
                if not future.set_running_or_notify_cancel():
                    continue
                result = None
                try:
                    connection.send(call)
                    result, raised = connection.recv()
                except (EOFError, OSError):
                    raised = BrokenExecutor("a worker process has ended")
                except Exception as error:  # noqa: BLE001 - raised again by result()
                    raised = error
                if raised is None:
                    future.set_result(result)
                else:
                    future.set_exception(raised)
        process.join()


_Call: TypeAlias = Callable[[], object]


def _work(connection: Connection) -> None:
    """Makes the calls that come, until the other end is closed or its process is gone."""
    with suppress(EOFError, OSError):
        while True:
            call: _Call = connection.recv()
            result, raised = None, None
            try:
                result = call()
            except Exception as error:  # noqa: BLE001 - raised again by result()
                raised = error
            connection.send((result, raised))


@contextmanager
def _interrupt_blocked() -> Iterator[None]:
    """Blocks SIGINT in this context. A process started here inherits that, and never sees Ctrl-C.

    A terminal sends SIGINT to all its processes. This process receives it after the context.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
