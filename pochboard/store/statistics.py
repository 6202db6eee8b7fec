"""The statistics of closed nights, kept in a file beside the ledger.

Counting a night means replaying it. The file only saves that work: it is rebuilt from the ledger
when it is missing, damaged or older than the program. Each night is kept with the digest of its
summary, which changes whenever an entry is added to the night.
"""

from __future__ import annotations

import gc
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from pochboard.errors import LedgerError
from pochboard.history.night_statistics import VERSION, NightStatistics, night_statistics
from pochboard.ledger.replay import replay
from pochboard.store import rows
from pochboard.store.durable import read_regular

log = logging.getLogger(__name__)

_CLOSED: Final = (
    "SELECT n.number, s.digest FROM nights n JOIN summaries s ON s.night = n.number"
    " WHERE s.standings IS NOT NULL ORDER BY n.number"
)


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
            gc.enable()


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

    def count(self, connection: sqlite3.Connection, enough: Callable[[], bool]) -> Counted:
        """All nights. Stops counting further ones when that is `enough` for now."""
        ledger = rows.get_identity(connection)
        if self._ledger != ledger:
            self._ledger, self._kept = ledger, self._read(ledger)
        closed: dict[int, bytes] = dict(connection.execute(_CLOSED).fetchall())
        found, kept, pending = [], self._kept, 0
        added = False
        for number, digest in closed.items():
            known = kept.get(number)
            if known is None or known.digest != digest:
                if digest in self._unreadable:
                    continue
                if enough():
                    pending += 1
                    continue
                known = self._count(connection, number, digest)
                if known is None:
                    self._unreadable.add(digest)
                    continue
                kept[number] = known
                added = True
            found.append(known.night)
        if added:
            self._write(_File(VERSION, ledger, list(kept.values())))
        return Counted(found, pending)

    def _count(self, connection: sqlite3.Connection, number: int, digest: bytes) -> _Kept | None:
        try:
            stored = rows.get_night(connection, number)
            assert stored is not None, "its summary was just read"
            states = replay(stored).states
        except LedgerError as error:
            log.warning("night %d is left out of the statistics: %s", number, error)
            return None
        counted = night_statistics(number, stored.entries, states, imported=stored.imported)
        return _Kept(digest, counted)

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
