"""Plays the nights of a plan, in parts and by several processes, and hands them over in order."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Final

import msgspec

from pochboard.errors import SimulationError
from pochboard.simulate.plan import Plan
from pochboard.simulate.rows import rows
from pochboard.simulate.tally import Counting, Tally
from pochboard.simulate.watch import watch_night

_PART_DEALS: Final = 240
"""About as many deals make a part: some tenths of a second."""
_AHEAD: Final = 2
"""Parts that a process is given before its first is fetched, so that it never waits."""


class Part(msgspec.Struct, frozen=True):
    """Some nights in a row, played."""

    nights: int
    tally: Tally
    rows: str
    """Their deals as CSV; empty where nobody asked."""


def play_part(plan: Plan, numbers: range, *, as_rows: bool) -> Part:
    """Plays the nights of these numbers."""
    counting = Counting(plan)
    written = []
    for number in numbers:
        night = watch_night(plan, number)
        counting.night(night)
        if as_rows:
            written.append(rows(plan, night.deals))
    return Part(len(numbers), counting.tally(), "".join(written))


def parts(plan: Plan) -> Iterator[range]:
    """The numbers of all nights, cut into parts."""
    size = _nights_a_part(plan)
    for first in range(1, plan.nights + 1, size):
        yield range(first, min(first + size, plan.nights + 1))


def _nights_a_part(plan: Plan) -> int:
    return max(1, _PART_DEALS // plan.most_deals)


def simulate(plan: Plan, jobs: int, *, as_rows: bool = False) -> Generator[Part]:
    """Plays all nights of the plan by so many processes, and gives the parts in their order.

    The outcome is the same for any number of processes. Closing the iterator ends them at once.
    Raises SimulationError if one of them was ended from outside.
    """
    wanted = parts(plan)
    if jobs == 1:
        for numbers in wanted:
            yield play_part(plan, numbers, as_rows=as_rows)
        return
    # More processes than parts would only be started and ended.
    useful = min(jobs, ceil(plan.nights / _nights_a_part(plan)))
    with _workers(plan, useful, as_rows=as_rows) as workers:
        yield from _in_order(workers, wanted)


def _in_order(workers: Sequence[Connection], wanted: Iterator[range]) -> Iterator[Part]:
    """Gives the parts to the workers in turn and takes them back in the same turn."""
    given: list[Connection] = []
    try:
        for _ in range(_AHEAD):
            for worker in workers:
                numbers = next(wanted, None)
                if numbers is not None:
                    worker.send(numbers)
                    given.append(worker)
        while given:
            worker = given.pop(0)
            part = worker.recv()
            if isinstance(part, BaseException):
                raise part
            numbers = next(wanted, None)
            if numbers is not None:
                worker.send(numbers)
                given.append(worker)
            yield part
    except (EOFError, ConnectionError):
        raise SimulationError("A process that played nights was ended from outside.") from None


@contextmanager
def _workers(plan: Plan, jobs: int, *, as_rows: bool) -> Iterator[Sequence[Connection]]:
    """Processes that play parts; they are ended on leaving, whatever they are at."""
    context = multiprocessing.get_context("spawn")
    # Python's own helper, which it would start with the first process, lets Ctrl-C through.
    resource_tracker.ensure_running()
    processes, ends = [], []
    try:
        for _ in range(jobs):
            ours, theirs = context.Pipe()
            ends.append(ours)
            with theirs, _no_interrupt():
                process = context.Process(target=_work, args=(theirs, plan, as_rows), daemon=True)
                process.start()
                processes.append(process)
        yield ends
    finally:
        for end in ends:
            end.close()
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
            process.close()


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal; those started here leave it to us.

    A process inherits what is held back, so that it is not even interrupted as it starts; here it
    comes through afterwards.
    """
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _work(ours: Connection, plan: Plan, as_rows: bool) -> None:
    """A process: plays the parts it is given until nobody is there any more."""
    try:
        while True:
            numbers = ours.recv()
            try:
                part: Part | Exception = play_part(plan, numbers, as_rows=as_rows)
            except Exception as error:  # noqa: BLE001 - raised again where the part is awaited
                part = error
            ours.send(part)
    except (EOFError, ConnectionError):
        return
