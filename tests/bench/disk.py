"""How many bytes go to the disk for a command, an evening and a year.

They are those that the kernel counts for this process (`write_bytes` in `/proc/self/io`): whole
pages of 4 KiB that were written to files, without what the file system writes for itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from pochboard.ledger.book import Step
from pochboard.rules.commands import AnyCommand
from pochboard.store import Store
from pochboard.table.journal import Journal
from tests.bench.nights import DEALS, commands_of_bots
from tests.bench.table import RESOLVE, Goal, Row, missing, say

_ROW_BYTES: Final = 320
"""About as many as the columns of an entry have."""
_EVENINGS_A_YEAR: Final = 52
_GOALS: Final = (Goal(0.4, "ratio"),)
_BESIDE: Final = "bare commits to a rollback journal (DELETE, EXTRA, 4 KiB pages)"


def bytes_to_the_disk(folder: Path) -> list[Row]:
    """An evening of bots, command by command, beside as many bare commits."""
    say("bytes to the disk")
    commands = list(commands_of_bots("evening", DEALS))
    alone = _written(lambda: _play(folder / "alone.db", commands, rests=False))
    evening = _written(lambda: _play(folder / "evening.db", commands, rests=True))
    others = _written(lambda: _commit_bare(folder / "bare.db", len(commands)))
    if not others:
        return [missing("bytes to the disk", "kB", f"{folder} is not on a disk", _GOALS)]
    rows = []
    for what, ours, theirs in (
        ("bytes to the disk for a command", alone / len(commands), others / len(commands)),
        (f"for an evening of {len(commands)} commands, with its checkpoints", evening, others),
        (
            "for a year of such evenings, one a week (estimate: 52 times as much)",
            _EVENINGS_A_YEAR * evening,
            _EVENINGS_A_YEAR * others,
        ),
    ):
        rows.append(Row(what, "kB", ours / 1000, None, _BESIDE, theirs / 1000, _GOALS))
    return rows


def _play(file: Path, commands: list[AnyCommand], *, rests: bool) -> None:
    """Records them. With rests the log is copied after each deal, as the table does."""
    with Store.open(file) as store:
        journal = Journal(store, RESOLVE)
        for command in commands:
            assert isinstance(journal.apply(command), Step)
            if rests and journal.state.phase == "idle":
                store.checkpoint()


def _commit_bare(file: Path, commits: int) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 4096")
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA synchronous = EXTRA")
        connection.execute("CREATE TABLE rows (row INTEGER PRIMARY KEY, bytes BLOB)")
        for _ in range(commits):
            connection.execute("INSERT INTO rows (bytes) VALUES (zeroblob(?))", (_ROW_BYTES,))


def _written(act: Callable[[], object]) -> int:
    """The bytes that something writes."""
    before = _so_far()
    act()
    return _so_far() - before


def _so_far() -> int:
    counts = Path("/proc/self/io").read_text("ascii")
    return int(counts.partition("\nwrite_bytes:")[2].split()[0])
