"""The statistics of closed nights, kept in a file beside the ledger.

Counting a night means replaying it. The file only saves that work: it is rebuilt from the ledger
when it is missing, damaged or older than the program. Each night is kept with the digest of its
summary, which changes whenever an entry is added to the night.
"""

from __future__ import annotations

import gc
import logging
import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import closing, contextmanager
from itertools import repeat
from pathlib import Path
from typing import Final

import msgspec

from pochboard.errors import LedgerError
from pochboard.history.night_statistics import VERSION, NightStatistics, night_statistics
from pochboard.ledger.replay import replay
from pochboard.store import rows
from pochboard.store.connection import connect
from pochboard.store.durable import read_regular

log = logging.getLogger(__name__)

# Not joined with the nights, whose rulesets fill many pages.
_CLOSED: Final = "SELECT night, digest FROM summaries WHERE standings IS NOT NULL ORDER BY night"


class _Kept(msgspec.Struct, array_like=True, gc=False):
    """A night, and the digest of the summary that it was counted with."""

    digest: bytes
    night: NightStatistics


class _File(msgspec.Struct, array_like=True):
    version: int
    ledger: bytes
    """The id of the ledger."""
    nights: list[_Kept]


_MOST_BYTES: Final = 256 * 1024 * 1024
_DECODER: Final = msgspec.msgpack.Decoder(_File)


class Counted(msgspec.Struct, frozen=True):
    """The statistics of all nights that are over, oldest first."""

    nights: list[NightStatistics]
    pending: int
    """Nights that have not been counted yet."""


@contextmanager
def _without_collection() -> Iterator[None]:
    """Stops the garbage collector while very many objects are made, none of which is garbage.

    It would scan them again and again, which takes longer than making them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            # Moves everything to the oldest generation, so that it is not scanned as young.
            gc.freeze()
            gc.unfreeze()
            gc.enable()


CountNights = Callable[
    [sqlite3.Connection, Sequence[int]], Generator[NightStatistics | None, None, None]
]
"""Counts nights in this order; None for one that cannot be replayed."""


def count_here(
    connection: sqlite3.Connection, numbers: Sequence[int]
) -> Generator[NightStatistics | None, None, None]:
    """Counts nights in this thread."""
    for number in numbers:
        try:
            yield _counted(connection, number)
        except LedgerError as error:
            log.warning("night %d is left out of the statistics: %s", number, error)
            yield None


def _counted(connection: sqlite3.Connection, number: int) -> NightStatistics:
    """Counts a night. Raises LedgerError if it cannot be replayed."""
    stored = rows.get_night(connection, number)
    if stored is None:
        raise LedgerError(f"Night {number} is missing.")
    states = replay(stored).states
    return night_statistics(number, stored.entries, states, imported=stored.imported)


_MANY: Final = 200
"""For this many nights it is worth starting processes that share them."""
_BATCH: Final = 40
"""Nights that a process counts at a time."""


def count_in(path: Path, executor: Callable[[], Executor]) -> CountNights:
    """Counts the nights of this ledger in the processes of an executor, if there are many."""

    def count(
        connection: sqlite3.Connection, numbers: Sequence[int]
    ) -> Generator[NightStatistics | None, None, None]:
        done = 0
        if len(numbers) >= _MANY:
            batches = [numbers[first : first + _BATCH] for first in range(0, len(numbers), _BATCH)]
            try:
                with executor() as processes:
                    for counted in processes.map(_count_batch, repeat(path), batches):
                        yield from _BATCH_DECODER.decode(counted)
                        done += len(batches[done // _BATCH])
            except BrokenExecutor as error:
                log.info("a process that counts nights was killed: %s", error)
        yield from count_here(connection, numbers[done:])

    return count


_BATCH_DECODER: Final = msgspec.msgpack.Decoder(list[NightStatistics | None])


def _count_batch(path: Path, numbers: Sequence[int]) -> bytes:
    """Counts nights in another process."""
    with closing(connect(path, "ro")) as connection:
        return msgspec.msgpack.encode(list(count_here(connection, numbers)))


class NightCounter:
    """Counts the nights of a ledger, each only once. Not thread-safe."""

    def __init__(self, path: Path) -> None:
        """`path` is where the file is, or will be."""
        self._path = path
        self._ledger: bytes | None = None
        """The ledger that `_kept` is about."""
        self._kept: dict[int, _Kept] = {}
        self._unreadable: set[bytes] = set()
        """The digests of nights that cannot be replayed."""

    def count(
        self,
        connection: sqlite3.Connection,
        enough: Callable[[], bool],
        progress: Callable[[float], None],
        count: CountNights,
    ) -> Counted:
        """All nights. Stops counting further ones when that is `enough` for now.

        `count` counts those that have not been counted yet, one after the other.
        """
        ledger = rows.get_identity(connection)
        if self._ledger != ledger:
            self._ledger, self._kept = ledger, self._read(ledger)
        closed: dict[int, bytes] = dict(connection.execute(_CLOSED).fetchall())
        kept = self._kept
        due = [
            number
            for number, digest in closed.items()
            if (number not in kept or kept[number].digest != digest)
            and digest not in self._unreadable
        ]
        done, added, counting = 0, False, count(connection, due)
        for number in due:
            if enough():
                break
            counted, digest = next(counting), closed[number]
            if counted is None:
                self._unreadable.add(digest)
            else:
                kept[number] = _Kept(digest, counted)
                added = True
            done += 1
            progress(done / len(due))
        counting.close()
        if added:
            self._write(_File(VERSION, ledger, list(kept.values())))
        nights = [
            kept[number].night
            for number, digest in closed.items()
            if number in kept and kept[number].digest == digest
        ]
        return Counted(nights, len(due) - done)

    def _read(self, ledger: bytes) -> dict[int, _Kept]:
        try:
            content = read_regular(self._path, _MOST_BYTES)
            with _without_collection():
                file = _DECODER.decode(content)
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError, RecursionError) as error:
            log.info("%s is made again: %s", self._path.name, error)
            return {}
        if (file.version, file.ledger) != (VERSION, ledger):
            return {}
        return {kept.night.number: kept for kept in file.nights}

    def _write(self, file: _File) -> None:
        """Replaces the file; if that fails, the nights are counted again next time."""
        part = self._path.with_name(f"{self._path.name}.part")
        try:
            part.unlink(missing_ok=True)
            with part.open("xb") as new:
                new.write(msgspec.msgpack.encode(file))
            part.replace(self._path)
        except OSError as error:
            log.info("%s cannot be written: %s", self._path.name, error.strerror)
            part.unlink(missing_ok=True)
