"""How long the statistics of many nights take, from a ledger on the disk."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from pochboard.bots.bot_table import BotCommand, BotTable, play_night
from pochboard.bots.strategy import DEFAULT_STRATEGIES
from pochboard.history.people import overview
from pochboard.ledger.book import Book, Step
from pochboard.ledger.replay import NightSummary, StoredNight, summarize
from pochboard.rules.commands import Start
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.store import Store
from tests.bench.table import Row

PLAYERS: Final = ("Anna", "Ben", "Clara", "David")
_DIFFERENT: Final = 40
"""Nights that are really played; the ledger repeats them."""


def statistics_figures(folder: Path, entries: int) -> list[Row]:
    """Counts all nights of a ledger of this many entries, then only reads what was kept."""
    path = folder / "ledger.db"
    nights = [_night(number) for number in range(_DIFFERENT)]
    with Store.open(path) as store:
        total = 0
        while total < entries:
            store.add_nights(nights)
            total += sum(len(night.entries) for night, _ in nights)
    begun_s = time.perf_counter()
    with Store.open(path, readonly=True) as store:
        counted = overview(store.statistics().nights)
    first_s = time.perf_counter() - begun_s
    times_s = []
    for _ in range(5):
        begun_s = time.perf_counter()
        with Store.open(path, readonly=True) as store:
            again = overview(store.statistics().nights)
        times_s.append(time.perf_counter() - begun_s)
        assert again == counted
    with Store.open(path, readonly=True) as store:
        store.statistics()
        begun_s = time.perf_counter()
        overview(store.statistics().nights)
        open_s = time.perf_counter() - begun_s
    size = (folder / "ledger.statistics").stat().st_size
    what = f"statistics of {total:,} entries in {counted.nights:,} nights"
    return [
        Row(what, f"{1000 * min(times_s):.0f} ms", "≤ 100 ms"),
        Row("the same while the ledger is open", f"{1000 * open_s:.0f} ms", "≤ 100 ms"),
        Row("the same for the first time, when each night is replayed", f"{first_s:.0f} s", ""),
        Row("the file that keeps them", f"{size / 1e6:.1f} MB", ""),
    ]


def _night(number: int) -> tuple[StoredNight, NightSummary]:
    """A night of bots."""
    resolve = resolve_among(shipped_rulesets())
    book = Book(resolve)
    table = BotTable(
        dict(enumerate((*DEFAULT_STRATEGIES, *DEFAULT_STRATEGIES)[: len(PLAYERS)], 1)),
        f"night {number}",
    )
    start = Start(ruleset="modern", players=PLAYERS, options={"deals": 22}, stack=1000)
    for _, action, _ in play_night(start, table, resolve):
        if isinstance(action, BotCommand):
            step = book.consider(action.command, 1_700_000_000_000 + number)
            assert isinstance(step, Step)
            book.accept(step)
    night = StoredNight(0, book.state.rules, {}, imported=False, entries=book.entries)
    return night, summarize(0, book.entries, book.state)
