"""Connections to the ledger file, and SQLite's errors as sentences."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from pochboard.errors import LedgerError

BUSY_S: Final = 5.0
"""How long to wait for another program that has the ledger locked."""

Mode = Literal["rwc", "rw", "ro", "ro&immutable=1"]
"""How to open: `immutable` reads the file alone, without locks and without files beside it."""


def connect(path: Path, mode: Mode) -> sqlite3.Connection:
    """A connection on which every statement is a transaction of its own until BEGIN.

    It may be used from any thread, one at a time.
    """
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_S,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing: commits at the end, takes everything back on any exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has taken it back itself where the disk was full or failed.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def as_sentences(path: Path) -> Iterator[None]:
    """Raises SQLite's errors as LedgerError with a sentence that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise LedgerError(sentence(path, error)) from error
    except UnicodeDecodeError as error:
        # So Python gives up on a message of SQLite that quotes a damaged schema.
        said = " ".join(error.object.decode("utf-8", "backslashreplace").split())
        raise LedgerError(_DAMAGED.format(path=path, error=said)) from error


def sentence(path: Path, error: sqlite3.Error) -> str:
    """What is wrong with the ledger file, and what to do."""
    kind = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_").split("_")[0]
    if isinstance(error, sqlite3.ProgrammingError):
        kind = "CLOSED"
    said = " ".join(str(error).split())
    return _SENTENCES.get(kind, _DAMAGED).format(path=path, error=said)


_DAMAGED: Final = (
    "{path} is damaged ({error}). Restore it from a backup, or move it away to begin anew."
)
_PERMISSION: Final = (
    "{path} cannot be opened for this ({error}). "
    "Check the permissions of the file and of its folder."
)
_LOCKED: Final = "{path} is locked by another program. End that program and try again."
_SENTENCES: Final = {
    "FULL": "There is no room for {path}: the disk is full. Make room and try again.",
    "BUSY": _LOCKED,
    "LOCKED": _LOCKED,
    "READONLY": _PERMISSION,
    "CANTOPEN": _PERMISSION,
    "PERM": _PERMISSION,
    "IOERR": "The disk failed while {path} was in use ({error}). Check the disk.",
    "CONSTRAINT": "{path} does not take this: {error}. Was it written by another program?",
    "CLOSED": "{path} is closed.",
}
