"""Flips each bit of a small ledger and its log: found, named or harmless, never silent.

A flip is *found* if the ledger is refused, and *named* if reading a night or verifying says what is
wrong. It is *harmless* if all nights, entries and summaries are read as stored.
"""

from __future__ import annotations

import argparse
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

import msgspec

from pochboard.errors import LedgerError, UnknownNightError
from pochboard.rules.commands import parse_command
from pochboard.store import Store
from pochboard.table.journal import Journal
from tests.torture.evenings import RESOLVE, counted_clock, imported
from tests.torture.shim import memory_folder
from tests.torture.workers import campaign

End = Literal["found", "named", "harmless", "silent"]
Files = dict[str, bytes]
LEDGERS: Final = ("closed", "killed")
"""A ledger that was closed properly, and one with a log, as a kill leaves it."""
_LEDGER: Final = "ledger.db"
_FLIPPED: Final = (_LEDGER, f"{_LEDGER}-wal")
_PIECE: Final = 2000


class Flip(msgspec.Struct, frozen=True):
    """One bit of one file."""

    ledger: str
    file: str
    offset: int
    bit: int


def files_of(ledger: str) -> Files:
    """The files of a small ledger: a closed night, one from paper, one in progress, two phones."""
    with counted_clock(), memory_folder() as folder:
        path = folder / _LEDGER
        with Store.open(path) as store:
            journal = Journal(store, RESOLVE)
            _send(journal, do="start", ruleset="modern", players=["Änne", "Ben", "Clara"])
            _send(journal, do="rebuy", seat=2, chips=7)
            _send(journal, do="end")
            store.pair(b"1" * 32, "Annas iPhone", 99)
            _send(journal, do="start", ruleset="modern", players=["Änne", "Ben", "Clara"])
            store.checkpoint()
            _send(journal, do="deal", id="deal-1")
            store.add_nights([imported()])
            store.pair(b"2" * 32, "tablet", 100)
            _send(journal, do="claim", seat=1, pool="ace")
            killed = _read(folder)
        closed = _read(folder)
    return closed if ledger == "closed" else killed


def _send(journal: Journal, **command: Any) -> None:
    before = len(journal.book.entries)
    step = journal.apply(parse_command(command))
    assert journal.book.entries, step
    assert len(journal.book.entries) != before, step


def flips(files: Files, ledger: str) -> Iterator[Flip]:
    """Every bit of the ledger and its log."""
    for name in _FLIPPED:
        for offset in range(len(files.get(name, b""))):
            for bit in range(8):
                yield Flip(ledger, name, offset, bit)


def read_all(store: Store) -> list[object]:
    """Everything that people have stored."""
    nights = [store.night(number) for number in range(1, store.next_number())]
    return [nights, store.current(), store.all_nights()]


def _is_whole(store: Store, expected: list[object]) -> bool:
    try:
        return read_all(store) == expected
    except UnknownNightError:
        return False  # its number is the one that has changed


def end_of(flip: Flip, files: Files, expected: list[object], folder: Path) -> End:
    """The outcome of a flip. Uses an empty folder, and leaves it empty."""
    try:
        for name, content in files.items():
            if name == flip.file:
                changed = bytearray(content)
                changed[flip.offset] ^= 1 << flip.bit
                content = bytes(changed)  # noqa: PLW2901 - the one that is flipped
            (folder / name).write_bytes(content)
        try:
            store = Store.open(folder / _LEDGER)
        except LedgerError:
            return "found"
        with store:
            try:
                if _is_whole(store, expected):
                    return "harmless"
                return "silent" if store.verify(replayed=True).ok else "named"
            except LedgerError:
                return "named"
    finally:
        for path in folder.iterdir():
            path.unlink()


def play(ledger: str, chosen: Sequence[Flip]) -> list[tuple[Flip, End]]:
    """The outcomes of some flips of one ledger."""
    files = files_of(ledger)
    with memory_folder() as folder, _nothing_logged():
        for name, content in files.items():
            (folder / name).write_bytes(content)
        with Store.open(folder / _LEDGER) as store:
            expected = read_all(store)
        for path in folder.iterdir():
            path.unlink()
        return [(flip, end_of(flip, files, expected, folder)) for flip in chosen]


@contextmanager
def _nothing_logged() -> Iterator[None]:
    logging.disable()
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def _read(folder: Path) -> Files:
    """All files except the shared memory, which SQLite makes from the log."""
    files = sorted(path for path in folder.iterdir() if not path.name.endswith("-shm"))
    return {path.name: path.read_bytes() for path in files}


def main() -> None:
    """Flips the bits, and fails if the outcome of one was silent."""

    def flipped(args: argparse.Namespace) -> tuple[str, list[str]]:
        silent: list[str] = []
        ends: Counter[tuple[str, End]] = Counter()
        with ProcessPoolExecutor(args.jobs) as executor:
            for ledger in LEDGERS:
                chosen = list(flips(files_of(ledger), ledger))
                if args.flips is not None and args.flips < len(chosen):
                    chosen = Random(args.seed).sample(chosen, args.flips)
                pieces = [chosen[at : at + _PIECE] for at in range(0, len(chosen), _PIECE)]
                for found in executor.map(play, [ledger] * len(pieces), pieces):
                    ends.update((flip.file, end) for flip, end in found)
                    silent += [str(flip) for flip, end in found if end == "silent"]
        counts = ", ".join(f"{file} {count:,} {end}" for (file, end), count in ends.items())
        return f"{ends.total():,} bits ({counts})", silent

    campaign("flipped bits", flipped, flips=None)


if __name__ == "__main__":
    main()
