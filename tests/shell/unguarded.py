"""Changes to stored rows, which the triggers of a ledger refuse."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def unguarded(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection whose changes no trigger refuses."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        kept = connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall()
        for name, _ in kept:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
        for _, script in kept:
            connection.execute(script)
