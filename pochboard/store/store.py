"""The store: what the table writes, and what all threads read."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from msgspec import UNSET, UnsetType

from pochboard.errors import UnknownNightError
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import NightSummary, StoredNight
from pochboard.store import opening as ledger
from pochboard.store import reading
from pochboard.store.connect import as_sentences, connect, transaction
from pochboard.store.reading import PUT_SUMMARY
from pochboard.store.records import (
    PAIRING_LASTS_MS,
    Opening,
    Pairing,
    entry_row,
    summary_row,
    to_json,
)

_PUT_NIGHT: Final = (
    "INSERT INTO nights (number, started_ms, ruleset, heard, imported) VALUES (?, ?, ?, ?, ?)"
)
_PUT_ENTRY: Final = (
    "INSERT INTO entries (night, number, time_ms, command, id, ref, postings)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_DROP_SUMMARY: Final = "DELETE FROM summaries WHERE night = ?"
_PAIRINGS: Final = "SELECT number, label, paired_ms, used_ms FROM pairings"
_MOST: Final = 2**63 - 1


class Store:
    """An open ledger. Every method may be called from any thread; close it when done.

    Every change is one transaction, which is on the disk when the method returns. Whatever keeps
    it from being so raises LedgerError and changes nothing; the store can be used further.
    """

    def __init__(
        self, path: Path, writer: sqlite3.Connection | None, reader: sqlite3.Connection
    ) -> None:
        self._path = path
        self._writer = writer
        self._reader = reader
        # Reading an old night must not hold up a booking, so each connection has its own lock.
        self._writing = threading.Lock()
        self._reading = threading.Lock()

    @staticmethod
    def open(path: Path, *, readonly: bool = False) -> Store:
        """Opens a ledger, once a process; makes it and its folder, or carries it forward.

        With `readonly` beside a running daemon or alone. Raises LedgerError for whatever cannot
        be used, and leaves that byte for byte as it was.
        """
        path = Path(os.path.realpath(path))
        if readonly:
            return Store(path, None, ledger.open_for_reading(path))
        writer = ledger.open_for_writing(path)
        try:
            with as_sentences(path):
                return Store(path, writer, connect(path, "ro"))
        except BaseException:
            writer.close()
            raise

    def close(self) -> None:
        """Closes the file; again without effect."""
        with self._reading, self._writing:
            self._reader.close()
            if self._writer:
                self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        assert self._writer, "a store opened for reading does not write"
        with self._writing, as_sentences(self._path), transaction(self._writer):
            yield self._writer

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with self._reading, as_sentences(self._path):
            yield self._reader

    # Nights

    def append(
        self,
        night: int,
        entry: Entry,
        *,
        opening: Opening | None = None,
        summary: NightSummary | UnsetType | None = UNSET,
    ) -> None:
        """Books an entry, the next one of its night.

        With an opening it begins the night, whose number is `next_number()`. A summary goes into
        the list of nights; None takes it out (an undo of the end); unset leaves it as it is.
        """
        row = entry_row(night, entry)
        with self._write() as connection:
            if opening is not None:
                rules, heard = to_json(opening.ruleset), to_json(opening.heard)
                connection.execute(_PUT_NIGHT, (night, entry.time_ms, rules, heard, 0))
            connection.execute(_PUT_ENTRY, row)
            if summary is None:
                connection.execute(_DROP_SUMMARY, (night,))
            elif summary is not UNSET:
                connection.execute(PUT_SUMMARY, summary_row(night, summary))

    def add_nights(self, nights: Sequence[tuple[StoredNight, NightSummary]]) -> list[int]:
        """Books imported, closed nights whole, all or none; returns their numbers.

        The numbers they come with are not looked at. The night in progress stays current.
        """
        with self._write() as connection:
            first = reading.last_number(connection) + 1
            for number, (night, summary) in enumerate(nights, start=first):
                rules, heard = to_json(night.ruleset), to_json(night.heard)
                connection.execute(_PUT_NIGHT, (number, summary.started_ms, rules, heard, 1))
                rows = (entry_row(number, entry) for entry in night.entries)
                connection.executemany(_PUT_ENTRY, rows)
                connection.execute(PUT_SUMMARY, summary_row(number, summary))
        return list(range(first, first + len(nights)))

    def next_number(self) -> int:
        """The number that the next night gets, imported or played."""
        with self._read() as connection:
            return reading.last_number(connection) + 1

    def current(self) -> StoredNight | None:
        """The newest night that was not imported; what lies in other nights is not read."""
        with self._read() as connection:
            number = reading.current_number(connection)
            return None if number is None else reading.night(connection, number)

    def night(self, number: int) -> StoredNight:
        """A night with its entries. Raises UnknownNightError."""
        with self._read() as connection:
            found = reading.night(connection, number) if 0 < number <= _MOST else None
            if found is None:
                last = reading.last_number(connection)
                has = f"the last one is {last}" if last else "there is none yet"
                raise UnknownNightError(f"There is no night {number}; {has}.")
            return found

    def entries(self, number: int) -> list[Entry]:
        """The entries of a night. Raises UnknownNightError."""
        return self.night(number).entries

    def nights(self) -> list[NightSummary]:
        """The nights that have a summary, oldest first: all but the one in progress."""
        with self._read() as connection:
            return reading.summaries(connection)

    # Pairings

    def pair(self, digest: bytes, label: str, now_ms: int) -> Pairing:
        """Stores a new pairing by the SHA-256 of its token, which must be new."""
        with self._write() as connection:
            cursor = connection.execute(
                "INSERT INTO pairings (digest, label, paired_ms, used_ms) VALUES (?, ?, ?, ?)",
                (digest, label, now_ms, now_ms),
            )
        assert cursor.lastrowid is not None, "a row was just inserted"
        return Pairing(cursor.lastrowid, label, now_ms, now_ms)

    def pairing(self, digest: bytes) -> Pairing | None:
        """The pairing of a token, by its SHA-256, even if it has `ended` and was not dropped."""
        with self._read() as connection:
            row = connection.execute(f"{_PAIRINGS} WHERE digest = ?", (digest,)).fetchone()
        return Pairing(*row) if row else None

    def pairings(self) -> list[Pairing]:
        """All pairings, oldest first."""
        with self._read() as connection:
            rows = connection.execute(f"{_PAIRINGS} ORDER BY number").fetchall()
        return [Pairing(*row) for row in rows]

    def touch(self, number: int, now_ms: int) -> None:
        """Notes that a pairing was used; never back in time."""
        with self._write() as connection:
            connection.execute(
                "UPDATE pairings SET used_ms = max(used_ms, ?) WHERE number = ?", (now_ms, number)
            )

    def unpair(self, number: int) -> bool:
        """Revokes a pairing; False if there is none of this number."""
        if not 0 < number <= _MOST:
            return False
        with self._write() as connection:
            gone = connection.execute("DELETE FROM pairings WHERE number = ?", (number,))
        return gone.rowcount > 0

    def drop_ended_pairings(self, now_ms: int) -> int:
        """Forgets the pairings that were not used for 90 days; returns how many."""
        with self._write() as connection:
            gone = connection.execute(
                "DELETE FROM pairings WHERE used_ms < ?", (now_ms - PAIRING_LASTS_MS,)
            )
        return gone.rowcount
