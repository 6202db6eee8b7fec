"""How long the statistics of many nights take, from a ledger on the disk, beside hledger's."""

from __future__ import annotations

import shutil
import time
from itertools import chain
from pathlib import Path
from typing import Final

from pochboard.cli.common import cores
from pochboard.history.people import overview
from pochboard.simulate.runner import WorkerPool
from pochboard.store import Store
from tests.bench.accounts import journal_of, run_s
from tests.bench.nights import bot_night, fill_with_nights
from tests.bench.table import Goal, Row, say, times

_AGAIN: Final = 5
_NIGHTS_FOR_HLEDGER: Final = 40
"""hledger gets only the nights that differ: it takes ten times as long for ten times as many, and a
million entries would not fit into a Pi's memory."""
_ENTRIES_OF_AN_EVENING: Final = 317


def statistics_figures(folder: Path, entries: int) -> list[Row]:
    """Counts all nights of a ledger of about this many entries, then only reads what was kept."""
    path = folder / "ledger.db"
    say(f"a ledger of {entries:,} entries")
    total = fill_with_nights(path, max(1, round(entries / _ENTRIES_OF_AN_EVENING)))
    say("its statistics")
    first_s, _ = _timed(path)
    kept_s = [_timed(path)[0] for _ in range(_AGAIN)]
    open_s = []
    with Store.open(path, readonly=True) as store:
        store.statistics()
        for _ in range(_AGAIN):
            begun_s = time.perf_counter()
            overview(store.statistics().nights)
            open_s.append(time.perf_counter() - begun_s)
    beside = _hledger(folder, total)
    return [
        times("statistics of a million entries, kept", kept_s, beside=beside, goals=(Goal(80.0),)),
        times("the same while the ledger is open", open_s, goals=(Goal(80.0),)),
        times(
            "the same for the first time, when each night is replayed",
            [first_s],
            "s",
            beside=beside,
            goals=(Goal(8.0),),
        ),
        Row(
            "the file that keeps them",
            "MB",
            path.with_suffix(".statistics").stat().st_size / 1e6,
            goals=(),
        ),
    ]


def _timed(path: Path) -> tuple[float, int]:
    begun_s = time.perf_counter()
    with Store.open(path, readonly=True) as store:
        counted = overview(store.statistics(executor=lambda: WorkerPool(cores())).nights)
    return time.perf_counter() - begun_s, counted.nights


def _hledger(folder: Path, entries: int) -> tuple[str, list[float]]:
    """Seconds of its report of balances, scaled to so many entries."""
    if shutil.which("hledger") is None:
        return "hledger is not installed", []
    say("hledger's report")
    nights = [bot_night(number) for number in range(_NIGHTS_FOR_HLEDGER)]
    journal = folder / "nights.journal"
    journal.write_text(
        "".join(chain.from_iterable(journal_of(night, "hledger") for night in nights)), "utf-8"
    )
    read = sum(len(stored.entries) for stored, _ in nights)
    # Each night asserts the balances at its own end.
    spent = run_s("hledger", "--ignore-assertions", "--file", str(journal), "balance")
    return f"hledger balance, of {read:,} entries and scaled", [spent * entries / read]
