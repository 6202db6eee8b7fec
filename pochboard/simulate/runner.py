"""Plays the nights of a plan in batches, in this process or several, and returns them in order.

The deals are also written as CSV (RFC 4180; columns in docs/SIMULATE.md).
"""

from __future__ import annotations

import csv
import io
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from functools import partial
from itertools import islice
from math import ceil
from multiprocessing import get_context, parent_process
from typing import Final

import msgspec

from pochboard.errors import SimulationError
from pochboard.rules.accounts import POOLS
from pochboard.simulate.bots_night import DealRecord, Plan, simulate_night
from pochboard.simulate.tally import Tally, TallyBuilder


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


def simulate(plan: Plan, jobs: int = 1, *, as_rows: bool = False) -> Generator[Batch]:
    """Plays all nights of the plan in so many processes, and yields the batches in order.

    Their number does not change the outcome. Raises SimulationError if one of them is killed.
    """
    play = partial(play_batch, plan, as_rows=as_rows)
    # A process without a batch to play would be useless.
    jobs = min(jobs, ceil(plan.nights / _nights_per_batch(plan)))
    if jobs == 1:
        yield from map(play, batches(plan))
        return
    remaining = batches(plan)
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_end_with_parent)
    try:
        pending = deque(_submit(pool, play, islice(remaining, jobs * _QUEUED_PER_JOB)))
        while pending:
            batch = pending.popleft().result()
            pending.extend(_submit(pool, play, islice(remaining, 1)))
            yield batch
    except BrokenExecutor:
        raise SimulationError("A worker process was killed; the simulation has stopped.") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _submit(
    pool: Executor, play: Callable[[range], Batch], parts: Iterable[range]
) -> list[Future[Batch]]:
    """Submits batches. Processes that start meanwhile never see Ctrl-C, which is for this one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return [pool.submit(play, numbers) for numbers in parts]
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """Ends this process when its parent is gone, even if that was killed."""
    parent = parent_process()
    assert parent, "this runs in a process of the pool"

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
