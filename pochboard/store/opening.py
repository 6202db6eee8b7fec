"""Opening a ledger: checks that leave it untouched, then making it or carrying it forward."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from pochboard.errors import LedgerError
from pochboard.store import schema
from pochboard.store.connect import as_sentences, connect
from pochboard.store.header import (
    companion,
    read_version,
    refuse_orphans,
    refuse_unwritable,
    size_of,
)

CHECKED_WHOLE: Final = 4 * 1024 * 1024
"""Up to this size in bytes all pages are checked at the start; above, those that are read."""


def open_for_writing(path: Path) -> sqlite3.Connection:
    """The writer's connection; makes the ledger or carries it forward. Raises LedgerError."""
    version = read_version(path, schema.NEWEST)
    refuse_unwritable(path)
    with as_sentences(path):
        if version == 0:
            refuse_orphans(path)
            _create(path)
        else:
            _refuse_damaged(path, version)
        connection = connect(path, "rw")
        try:
            # Asked again: after a crash in a step forward the file's header is ahead of what this,
            # the first reading of it, takes back.
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version < schema.NEWEST:
                _journal(connection, "DELETE")
                # As sure as WAL with FULL; it costs more, but only here.
                connection.execute("PRAGMA synchronous = EXTRA")
                schema.migrate(connection)
                connection.execute("PRAGMA synchronous = FULL")
            _journal(connection, "WAL")
        except BaseException:
            connection.close()
            raise
        return _touched(connection)


def open_for_reading(path: Path) -> sqlite3.Connection:
    """A reader's connection, beside a running daemon or alone. Raises LedgerError."""
    version = read_version(path, schema.NEWEST)
    if version == 0:
        raise LedgerError(f"There is no ledger at {path} yet; `pochboard run` begins one.")
    if version < schema.NEWEST:
        raise LedgerError(
            f"{path} was written by an older pochboard (ledger version {version}); "
            "`pochboard run` carries it forward."
        )
    with as_sentences(path):
        _refuse_damaged(path, version)
        # Readers share memory with the writer through a file beside the ledger. Where that cannot
        # be made, and nothing but the ledger is there, nobody writes: it is read as it stands.
        alone = not companion(path, "-wal").exists()
        if alone and not os.access(path.parent, os.W_OK | os.X_OK, effective_ids=True):
            return connect(path, "ro&immutable=1")
        try:
            return _touched(connect(path, "ro"))
        except sqlite3.OperationalError as error:
            raise LedgerError(
                f"{path} cannot be read now ({error}): reading beside a running daemon, or after "
                f"a crash, needs the permission to write to the folder {path.parent}."
            ) from error


def _touched(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The connection once it has read something: only then does it open the log of its file.

    A writer that does not would leave the log of another connection behind when it closes.
    """
    try:
        connection.execute("SELECT 1 FROM nights LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _create(path: Path) -> None:
    """Makes an empty ledger under another name and moves it in place: it is whole or not there."""
    made = companion(path, ".new")
    for suffix in ("", "-wal", "-shm", "-journal"):
        companion(made, suffix).unlink(missing_ok=True)
    try:
        with closing(connect(made, "rwc")) as connection:
            connection.execute("PRAGMA page_size = 1024")
            schema.migrate(connection)
            _journal(connection, "WAL")
        _sync(made)
        made.replace(path)
        _sync(path.parent)
    except OSError as error:
        raise LedgerError(f"{path} cannot be made: {error.strerror}.") from None
    finally:
        made.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refuse_damaged(path: Path, version: int) -> None:
    """Looks inside without leaving a trace. Raises LedgerError."""
    if size_of(companion(path, "-journal")):
        # A step forward was cut short. Only a writer can take it back, so only it can look.
        return
    log, shared = companion(path, "-wal"), companion(path, "-shm")
    logged, had_shared = size_of(log) > 0, shared.exists()
    if logged and not os.access(path.parent, os.W_OK | os.X_OK, effective_ids=True):
        return
    try:
        with closing(connect(path, "ro" if logged else "ro&immutable=1")) as connection:
            _look_inside(path, connection, version)
    except BaseException:
        if logged and not had_shared:
            shared.unlink(missing_ok=True)
        raise


def _look_inside(path: Path, connection: sqlite3.Connection, version: int) -> None:
    wrong = ", ".join(schema.differences(connection, version)[:1])
    if wrong:
        wrong = f"it lacks the {wrong}"
    elif size_of(path) <= CHECKED_WHOLE:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        wrong = "" if found == "ok" else " ".join(str(found).replace("*", "").split())
    if wrong:
        raise LedgerError(
            f"{path} is damaged ({wrong}). Restore it from a backup, or move it away to begin anew."
        )


def _journal(connection: sqlite3.Connection, mode: str) -> None:
    (found,) = connection.execute(f"PRAGMA journal_mode = {mode}").fetchone()
    if found.upper() != mode:
        raise sqlite3.OperationalError(f"journal mode {mode} cannot be had, it is {found}")
