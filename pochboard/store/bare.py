"""A commit without a ledger around it, to measure beside those of the ledger."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Final

_BYTES: Final = 320
"""Of an entry's columns, about: command, postings, the chain's value, numbers."""


class BareCommit:
    """A table of rows as long as entries, each committed by itself, as durable as the ledger."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE rows (row INTEGER PRIMARY KEY, bytes BLOB)")

    def commit(self) -> float:
        """Commits a row; returns the seconds."""
        begun = time.perf_counter()
        self._connection.execute("INSERT INTO rows (bytes) VALUES (zeroblob(?))", (_BYTES,))
        return time.perf_counter() - begun

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()
