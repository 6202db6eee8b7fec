"""Opening a ledger: it is checked first, or created if there is none."""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from pochboard.errors import LedgerError, NoLedgerError
from pochboard.store import rows, schema
from pochboard.store.beside import (
    HeadFile,
    read_mark,
)
from pochboard.store.checks import (
    check_end,
    check_file,
    check_no_orphaned_log,
    companion,
    has_hot_journal,
    require_ours,
    size_of,
)
from pochboard.store.connection import check_disk, connect, ledger_errors, ledger_file
from pochboard.store.durable import sync
from pochboard.store.sqlite_pages import is_schema_huge
from pochboard.text.lazy import lazy_gettext, os_reason

log = logging.getLogger(__name__)


def open_for_writing(path: Path) -> tuple[sqlite3.Connection, HeadFile]:
    """The writer's connection, and the head of the chain.

    Creates the ledger if there is none. Raises LedgerError, and DamagedLedgerError for a
    ledger that `open_damaged` may be able to read.
    """
    with ledger_errors(path):
        exists = check_file(path)
        _require_writable(path)
        if not exists:
            check_no_orphaned_log(path)
            _create(path)
        connection = connect(path, "rw")
        try:
            # This first statement rolls back what a crash cut short.
            require_ours(path, connection)
            head = _open_head(path, connection)
        except BaseException:
            connection.close()
            raise
        try:
            # From now on the header says that there is a log (see `_check_complete`).
            _set_journal_mode(connection, "WAL")
            _open_log(connection)
            # If the file could not be opened for writing, SQLite has opened it for reading, and
            # reports this only on a write. Find out now: after the first entry failed, nothing
            # could be recorded until the next start.
            connection.execute("DELETE FROM pairings WHERE 0")
        except BaseException:
            head.close()
            connection.close()
            raise
        return connection, head


def close_writer(connection: sqlite3.Connection, path: Path) -> None:
    """Closes the writer's connection. Copies the log into the ledger, which then has none.

    Another program that is reading can prevent this, or a disk that fails. The log then stays, as
    after a crash.
    """
    try:
        # On a disk that has become read-only, SQLite would try for a minute.
        check_disk(path)
        connection.execute("PRAGMA busy_timeout = 200")
        _set_journal_mode(connection, "DELETE")
    except (sqlite3.Error, LedgerError) as error:
        log.warning("the write-ahead log could not be copied into the ledger: %s", error)
    finally:
        connection.close()


def open_damaged(path: Path) -> sqlite3.Connection | None:
    """A connection that reads what it can of a damaged ledger. Raises LedgerError.

    Returns None if not even the lists of nights and pairings can be read, or if reading would run
    what somebody has put into the file.
    """
    if not size_of(path) or is_schema_huge(path):
        return None
    with ledger_errors(path):
        try:
            return _connected_to_lists(path)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # SQLITE_ERROR: a damaged schema lacks a table or a column.
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
            if isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_ERROR:
                raise  # not damage: the file is locked, cannot be opened, or the disk fails
            return None


def _connected_to_lists(path: Path) -> sqlite3.Connection | None:
    """A connection that can read the lists of nights and pairings; None if none may be read."""
    connection = connect(path, "ro" if size_of(companion(path, "-wal")) else "ro&immutable=1")
    try:
        if schema.is_plain(connection):
            rows.night_starts(connection, 0)
            rows.pairings_are_sound(connection)
            return connection
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


def empty_ledger() -> sqlite3.Connection:
    """An empty ledger in memory, instead of one that cannot be read."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    schema.create(connection)
    return connection


def _open_head(path: Path, connection: sqlite3.Connection) -> HeadFile:
    """Opens the head file, after checking that the ledger holds what it recorded before.

    Nothing is recorded while there is a log: after a kill it may be in the page cache only, and
    then a power cut would leave the head ahead of the ledger. `Store` records it once it is copied.
    """
    head = companion(path, "-head")
    end = check_end(path, connection, read_mark(head))
    mark = None if size_of(companion(path, "-wal")) else end
    try:
        if not head.exists():
            # A kill may have left the name of the ledger unsynced.
            sync(path.parent)
        return HeadFile.open(head, mark)
    except OSError as error:
        raise LedgerError(
            lazy_gettext("{head} cannot be written: {reason}.", head=head, reason=os_reason(error))
        ) from None


def open_for_reading(path: Path, *, check_current: bool = True) -> sqlite3.Connection:
    """A reader's connection, beside a running daemon or alone. Raises LedgerError."""
    with ledger_errors(path):
        try:
            return _open_for_reading(path, check_current=check_current)
        except sqlite3.OperationalError as error:
            # With a log, readers share memory with the writer through a file in the folder.
            if _is_writable(path.parent):
                raise
            raise LedgerError(
                lazy_gettext(
                    "{path} cannot be read now ({error}): reading beside a running daemon, or after"
                    " a crash, needs permission to write to the folder {folder}.",
                    path=ledger_file(path),
                    error=error,
                    folder=path.parent,
                )
            ) from error


def _open_for_reading(path: Path, *, check_current: bool) -> sqlite3.Connection:
    if not check_file(path, check_current=check_current):
        check_no_orphaned_log(path)
        raise NoLedgerError(
            lazy_gettext(
                "There is no ledger at {path} yet; `pochboard run` creates one.",
                path=ledger_file(path),
            )
        )
    if has_hot_journal(path):
        raise LedgerError(
            lazy_gettext(
                "{path} was being opened or closed when pochboard stopped; `pochboard run`"
                " completes that.",
                path=ledger_file(path),
            )
        )
    if not companion(path, "-wal").exists() and not _is_writable(path.parent):
        # Nobody is writing, or there would be a log; and no file for shared memory can be made.
        return connect(path, "ro&immutable=1")
    connection = connect(path, "ro")
    try:
        _open_log(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _open_log(connection: sqlite3.Connection) -> None:
    """Reads something, so that SQLite opens the log.

    A writer that has not opened it would leave the log of another connection behind on closing.
    """
    connection.execute("SELECT 1 FROM nights LIMIT 1").fetchone()


def _require_writable(path: Path) -> None:
    """Creates the folder of a ledger if needed. Raises LedgerError if it cannot be written to."""
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise LedgerError(
            lazy_gettext(
                "The data folder {folder} cannot be created: {reason}. Create it yourself, or"
                " name another one.",
                folder=folder,
                reason=os_reason(error),
            )
        ) from None
    if not _is_writable(folder):
        raise LedgerError(
            lazy_gettext(
                "The data folder {folder} cannot be written to. Change its permissions, or name"
                " another one.",
                folder=folder,
            )
        )
    if path.exists() and not os.access(path, os.W_OK, effective_ids=True):
        raise LedgerError(
            lazy_gettext(
                "{path} cannot be written to. Change its permissions.", path=ledger_file(path)
            )
        )


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK, effective_ids=True)


# Creating


def _create(path: Path) -> None:
    """Creates an empty ledger under another name and moves it into place when it is complete."""
    new = companion(path, ".new")
    try:
        for suffix in ("", "-wal", "-shm", "-journal"):
            companion(new, suffix).unlink(missing_ok=True)
        try:
            with closing(connect(new, "rwc")) as connection:
                schema.create(connection)
            sync(new)
            new.replace(path)
            sync(path.parent)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise LedgerError(
            lazy_gettext(
                "{path} cannot be created: {reason}.",
                path=ledger_file(path),
                reason=os_reason(error),
            )
        ) from None


def _set_journal_mode(connection: sqlite3.Connection, mode: str) -> None:
    (found,) = connection.execute(f"PRAGMA journal_mode = {mode}").fetchone()
    if found.upper() != mode:
        raise sqlite3.OperationalError(f"journal mode {mode} cannot be set, it is {found}")
