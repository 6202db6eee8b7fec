"""The statistics of closed nights, kept in a file beside the ledger.

Counting a night means replaying it. The file only saves that work: it is rebuilt from the ledger
when it is missing, damaged or older than the program. Each night is kept with the digest of its
summary, which changes whenever an entry is added to the night.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from pochboard.errors import LedgerError
from pochboard.history.night_statistics import VERSION, NightStatistics, night_statistics
from pochboard.ledger.replay import replay
from pochboard.store import rows
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
    ) -> Counted:
        """All nights. Stops counting further ones when that is `enough` for now."""
        ledger = rows.get_identity(connection)
        if self._ledger != ledger:
            self._ledger, self._kept = ledger, self._read(ledger)
        closed: dict[int, bytes] = dict(connection.execute(_CLOSED).fetchall())
        due = [
            number
            for number, digest in closed.items()
            if not self._is_kept(number, digest) and digest not in self._unreadable
        ]
        done = 0
        for number in due:
            if enough():
                break
            self._count(connection, number, closed[number])
            done += 1
            progress(done / len(due))
        if done:
            self._write(_File(VERSION, ledger, list(self._kept.values())))
        nights = [
            self._kept[number].night
            for number, digest in closed.items()
            if self._is_kept(number, digest)
        ]
        return Counted(nights, len(due) - done)

    def _is_kept(self, number: int, digest: bytes) -> bool:
        return number in self._kept and self._kept[number].digest == digest

    def _count(self, connection: sqlite3.Connection, number: int, digest: bytes) -> None:
        stored, states = None, None
        try:
            stored = rows.get_night(connection, number)
            states = replay(stored).states if stored else None
        except LedgerError as error:
            log.warning("night %d is left out of the statistics: %s", number, error)
        if stored and states:
            night = night_statistics(number, stored.entries, states, imported=stored.imported)
            self._kept[number] = _Kept(digest, night)
        else:
            self._unreadable.add(digest)

    def _read(self, ledger: bytes) -> dict[int, _Kept]:
        try:
            file = _DECODER.decode(read_regular(self._path, _MOST_BYTES))
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
            part.unlink(missing_ok=True)  # wherever a link of this name may lead
            with part.open("xb") as new:
                new.write(msgspec.msgpack.encode(file))
            part.replace(self._path)
        except OSError as error:
            log.info("%s cannot be written: %s", self._path.name, error.strerror)
            with contextlib.suppress(OSError):
                part.unlink()
