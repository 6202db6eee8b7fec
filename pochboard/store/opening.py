"""Opening a ledger: checks that leave the file untouched, then creating or migrating it."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Final

from pochboard.errors import LedgerError
from pochboard.store import schema
from pochboard.store.connection import DAMAGED, connect, ledger_errors
from pochboard.store.copying import back_up_before_migration, sync

CHECKED_BYTES: Final = 4 * 1024 * 1024
"""A ledger up to this size is checked page by page when it is opened, a larger one as it is read.
"""

_MOVE_AWAY: Final = "Move it away, or name another data folder."


def open_for_writing(path: Path) -> sqlite3.Connection:
    """The writer's connection; creates or migrates the ledger if needed. Raises LedgerError."""
    with ledger_errors(path):
        version = _check(path)
        _require_writable(path)
        if version is None:
            _refuse_orphaned_log(path)
            _create(path)
        connection = connect(path, "rw")
        try:
            # This first statement rolls back a migration that a crash cut short; the version in
            # the file may have been ahead until now.
            version = _read_version(path, connection)
            if version < schema.NEWEST:
                back_up_before_migration(connection, path, version)
                _set_journal_mode(connection, "DELETE")
                # As durable as WAL with FULL. It is slower, but used only here.
                connection.execute("PRAGMA synchronous = EXTRA")
                schema.migrate(connection)
                connection.execute("PRAGMA synchronous = FULL")
            _set_journal_mode(connection, "WAL")
            _open_log(connection)
            # If the file could not be opened for writing, SQLite has opened it for reading and
            # says so only when something is to be written. Better now than at the first entry:
            # nothing could be booked until the next start.
            connection.execute("DELETE FROM pairings WHERE 0")
        except BaseException:
            connection.close()
            raise
        return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """A reader's connection, beside a running daemon or alone. Raises LedgerError."""
    with ledger_errors(path):
        try:
            return _open_for_reading(path)
        except sqlite3.OperationalError as error:
            # With a log, readers share memory with the writer through a file in the folder.
            if _is_writable(path.parent):
                raise
            raise LedgerError(
                f"{path} cannot be read now ({error}): reading beside a running daemon, or after "
                f"a crash, needs the permission to write to the folder {path.parent}."
            ) from error


def _open_for_reading(path: Path) -> sqlite3.Connection:
    version = _check(path)
    if version is None:
        raise LedgerError(f"There is no ledger at {path} yet; `pochboard run` creates one.")
    if _has_hot_journal(path):
        raise LedgerError(
            f"{path} was being migrated when pochboard stopped; `pochboard run` completes that."
        )
    if version < schema.NEWEST:
        raise LedgerError(
            f"{path} was written by an older pochboard (ledger version {version}); "
            "`pochboard run` migrates it."
        )
    if not _companion(path, "-wal").exists() and not _is_writable(path.parent):
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


# Checks


def _check(path: Path) -> int | None:
    """The schema version of the ledger at a path; None if there is no ledger yet.

    Raises LedgerError or sqlite3.Error for a file that is not a ledger, is damaged, or is newer
    than this program, and leaves no trace. Closing the file would end the locks that a Store of
    the same process has on it, so a process opens a ledger only once.
    """
    if not _size_of_regular_file(path):
        return None
    if _has_hot_journal(path):
        return _check_before_rollback(path)
    log, shared_memory = _companion(path, "-wal"), _companion(path, "-shm")
    if not _size(log):
        # `immutable` neither needs nor creates files beside the ledger.
        with closing(connect(path, "ro&immutable=1")) as connection:
            version = _read_version(path, connection)
            _refuse_cut_off(path, connection)
            _refuse_damaged(path, connection, version)
            return version
    # Not `immutable`: it ignores the log. Also, while a daemon copies the log into the ledger, the
    # first page may count pages that are not there yet; of 196,000 such reads beside a writer at
    # full speed, 322 found the file malformed.
    had_shared_memory = shared_memory.exists()
    try:
        with closing(connect(path, "ro")) as connection:
            version = _read_version(path, connection)
            _refuse_damaged(path, connection, version)
            return version
    except BaseException:
        if not had_shared_memory:
            shared_memory.unlink(missing_ok=True)
        raise


def _check_before_rollback(path: Path) -> int:
    """The version in a ledger whose migration was cut short, perhaps ahead of its contents.

    Only a writer can roll back. Until then this is all that can be known, and nothing at all if
    the crash came after SQLite wrote the first page and before it wrote the pages that this page
    counts: SQLite then calls the file malformed, and its version is 0 here. The writer reads the
    version again after the rollback. So in this one case a foreign or newer file would be refused
    only after its rollback, which its own program would have done first of all.
    """
    try:
        with closing(connect(path, "ro&immutable=1")) as connection:
            return _read_version(path, connection)
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_CORRUPT:
            raise
        return 0


def _read_version(path: Path, connection: sqlite3.Connection) -> int:
    """The schema version of an open database. Raises LedgerError if it is not our ledger."""
    if not _pragma(connection, "page_count"):
        raise LedgerError(
            f"{path} is not a pochboard ledger: it is not a SQLite database. {_MOVE_AWAY}"
        )
    if _pragma(connection, "application_id") != schema.APPLICATION_ID:
        raise LedgerError(
            f"{path} is not a pochboard ledger: it is another program's database. {_MOVE_AWAY}"
        )
    version = _pragma(connection, "user_version")
    if version > schema.NEWEST:
        raise LedgerError(
            f"{path} was written by a newer pochboard (ledger version {version}, this program "
            f"knows {schema.NEWEST}). Upgrade pochboard; the file was left untouched."
        )
    if version < 1:
        raise LedgerError(DAMAGED.format(path=path, reason=f"it has the ledger version {version}"))
    return version


def _refuse_cut_off(path: Path, connection: sqlite3.Connection) -> None:
    """Raises LedgerError if part of the last page is missing; SQLite would read zeros instead."""
    size, pages = _size(path), _pragma(connection, "page_count")
    expected = pages * _pragma(connection, "page_size")
    if size < expected:
        reason = f"only {size} of {expected} bytes are there"
        raise LedgerError(DAMAGED.format(path=path, reason=reason))


def _refuse_damaged(path: Path, connection: sqlite3.Connection, version: int) -> None:
    missing = schema.differences(connection, version)
    if missing:
        reason = f"it lacks the {missing[0]}"
        raise LedgerError(DAMAGED.format(path=path, reason=reason))
    if _size(path) <= CHECKED_BYTES:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            reason = " ".join(str(found).replace("*", "").split())
            raise LedgerError(DAMAGED.format(path=path, reason=reason))


def _refuse_orphaned_log(path: Path) -> None:
    """Raises LedgerError if there is a log beside a ledger that is missing or empty.

    SQLite would delete the log, or apply it to the new file; either way its nights are lost.
    """
    for suffix in ("-wal", "-journal"):
        log = _companion(path, suffix)
        if _size(log):
            raise LedgerError(
                f"{path} is missing or empty, but {log.name} beside it holds what was written "
                f"last. Put the ledger back, or move {log.name} away to start a new one."
            )


def _require_writable(path: Path) -> None:
    """Creates the folder of a ledger if needed. Raises LedgerError if it cannot be written to."""
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise LedgerError(
            f"The data folder {folder} cannot be created: {error.strerror}. "
            "Create it yourself, or name another one."
        ) from None
    if not _is_writable(folder):
        raise LedgerError(
            f"The data folder {folder} cannot be written to. "
            "Change its permissions, or name another one."
        )
    if path.exists() and not os.access(path, os.W_OK, effective_ids=True):
        raise LedgerError(f"{path} cannot be written to. Change its permissions.")


# Files


def _companion(path: Path, suffix: str) -> Path:
    """A file that SQLite keeps beside a database: `-wal`, `-shm` or `-journal`."""
    return path.with_name(path.name + suffix)


def _has_hot_journal(path: Path) -> bool:
    """Whether a migration was cut short and has to be rolled back."""
    return _size(_companion(path, "-journal")) > 0


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK, effective_ids=True)


def _size(path: Path) -> int:
    """The size of a file in bytes; 0 if it does not exist."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _size_of_regular_file(path: Path) -> int:
    """As `_size`. Raises LedgerError unless it is a regular file that this user may read.

    SQLite would wait for ever on a pipe, and calls a folder a failed disk.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise LedgerError(f"{path} cannot be read: {error.strerror}.") from None
    if stat.S_ISDIR(found.st_mode):
        raise LedgerError(f"{path} is a folder, not a ledger. {_MOVE_AWAY}")
    if not stat.S_ISREG(found.st_mode):
        raise LedgerError(f"{path} is not a regular file. {_MOVE_AWAY}")
    if not os.access(path, os.R_OK, effective_ids=True):
        raise LedgerError(f"{path} cannot be read: Permission denied.")
    return found.st_size


# Creating


def _create(path: Path) -> None:
    """Creates an empty ledger under another name and moves it into place when it is complete."""
    new = _companion(path, ".new")
    try:
        for suffix in ("", "-wal", "-shm", "-journal"):
            _companion(new, suffix).unlink(missing_ok=True)
        try:
            with closing(connect(new, "rwc")) as connection:
                connection.execute("PRAGMA page_size = 1024")
                schema.migrate(connection)
                _set_journal_mode(connection, "WAL")
            sync(new)
            new.replace(path)
            sync(path.parent)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise LedgerError(f"{path} cannot be created: {error.strerror}.") from None


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    assert isinstance(value, int), f"{name} is a number"
    return value


def _set_journal_mode(connection: sqlite3.Connection, mode: str) -> None:
    (found,) = connection.execute(f"PRAGMA journal_mode = {mode}").fetchone()
    if found.upper() != mode:
        raise sqlite3.OperationalError(f"journal mode {mode} cannot be set, it is {found}")
