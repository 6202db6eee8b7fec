"""Opening a ledger, and copies of one: a whole one, and one rebuilt row by row from another's file.

A ledger is checked first, or created if there is none. A whole copy is a single file, which is
synced before anything relies on it. A rebuilt one has a schema of our own. Nothing else of the
other file gets into it: neither a part of the schema, nor a free page, nor a paired phone.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

from pochboard.errors import LedgerError, LedgerInUseError, NoLedgerError
from pochboard.store import rows, schema
from pochboard.store.checks import (
    check_end,
    check_file,
    check_no_orphaned_log,
    companion,
    has_hot_journal,
    is_schema_huge,
    require_ours,
    size_of,
)
from pochboard.store.connection import (
    check_disk,
    connect,
    damaged,
    disk_failed,
    is_full,
    ledger_errors,
    ledger_file,
    transaction,
)
from pochboard.store.durable import (
    HeadFile,
    read_mark,
    sync,
)
from pochboard.store.rows import DIGEST_BYTES
from pochboard.store.verify import structure, too_long
from pochboard.text.lazy import os_reason

log = logging.getLogger(__name__)


def open_for_writing(path: Path) -> tuple[sqlite3.Connection, HeadFile, ExitStack]:
    """The writer's connection, the head of the chain, and the lock on the file, to close last.

    Creates the ledger if there is none. Raises LedgerError, LedgerInUseError, and
    DamagedLedgerError for a ledger that `open_damaged` may be able to read.
    """
    with ledger_errors(path), ExitStack() as lock:
        _lock_file(path, lock)
        exists = check_file(path)
        _require_writable(path)
        if not exists:
            check_no_orphaned_log(path)
            _create(path)
            _lock_file(path, lock)
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
        return connection, head, lock.pop_all()


def _lock_file(path: Path, lock: ExitStack) -> None:
    """Locks the file itself: by another name, in another folder, a second daemon may reach it.

    SQLite's own locks are POSIX locks, which flock leaves alone. But closing any descriptor of the
    file releases them: close this one after the connections. Raises LedgerInUseError.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return  # there is none yet, or `check_file` says what is wrong
    lock.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno != errno.EWOULDBLOCK:
            raise disk_failed(path, os_reason(error)) from None
        raise LedgerInUseError(
            f"Another pochboard daemon uses {path}, perhaps by another name (a link or a mount)."
            " Use that one, or stop it."
        ) from None


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
        raise LedgerError(f"{head} cannot be written: {os_reason(error)}.") from None


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
                f"{ledger_file(path)} cannot be read now ({error}): reading beside a"
                " running daemon, or after a crash, needs permission to write to the folder"
                f" {path.parent}."
            ) from error


def _open_for_reading(path: Path, *, check_current: bool) -> sqlite3.Connection:
    if not check_file(path, check_current=check_current):
        check_no_orphaned_log(path)
        raise NoLedgerError(
            f"There is no ledger at {ledger_file(path)} yet; `pochboard run` creates one."
        )
    if has_hot_journal(path):
        raise LedgerError(
            f"{ledger_file(path)} was being opened or closed when pochboard stopped;"
            " `pochboard run` completes that."
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
            f"The data folder {folder} cannot be created: {os_reason(error)}. Create it"
            " yourself, or name another one."
        ) from None
    if not _is_writable(folder):
        raise LedgerError(
            f"The data folder {folder} cannot be written to. Change its permissions, or"
            " name another one."
        )
    if path.exists() and not os.access(path, os.W_OK, effective_ids=True):
        raise LedgerError(f"{ledger_file(path)} cannot be written to. Change its permissions.")


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
        raise LedgerError(f"{ledger_file(path)} cannot be created: {os_reason(error)}.") from None


def _set_journal_mode(connection: sqlite3.Connection, mode: str) -> None:
    (found,) = connection.execute(f"PRAGMA journal_mode = {mode}").fetchone()
    if found.upper() != mode:
        raise sqlite3.OperationalError(f"journal mode {mode} cannot be set, it is {found}")


def copy_database(source: sqlite3.Connection, target: Path, *, pairings: bool) -> None:
    """Copies what is committed now to a new file, without a log beside it.

    Writers are not delayed. Without `pairings`, no trace of them is in the copy. Raises OSError if
    the disk of the target is full.
    """
    try:
        with closing(sqlite3.connect(target, isolation_level=None)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
            if not pairings:
                copy.execute("PRAGMA secure_delete = ON")
                with transaction(copy):
                    copy.execute("DELETE FROM pairings")
                    rows.log_pairings(copy)
    except sqlite3.OperationalError as error:
        # The source is only read, so it is the target that has no room.
        if not is_full(error):
            raise
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
    sync(target)


_TABLES: Final = ("nights", "entries", "summaries", "remarks")
"""Those of which every row is copied, each after the ones that it refers to."""
_TYPES: Final = {"INTEGER": int, "TEXT": str, "BLOB": bytes}


def rebuild(source: Path, new: Path) -> None:
    """Copies a ledger row by row to a new file.

    `source` is a copy; what a crash cut short is rolled back in it. Raises LedgerError for what is
    not a sound ledger of ours, and OSError if the disk is full.
    """
    with ledger_errors(source):
        if not check_file(source):
            raise LedgerError(f"{ledger_file(source)} is empty.")
        with closing(connect(source, "rw")) as theirs, closing(connect(new, "rwc")) as ours:
            require_ours(source, theirs)
            for reason in schema.differences(theirs) or structure(theirs):
                raise damaged(source, reason)
            try:
                schema.create(ours, _identity(source, theirs))
                with transaction(ours):
                    for table in _TABLES:
                        _copy(source, table, theirs, ours)
                for _, reason in too_long(ours):
                    raise damaged(source, reason)
            except sqlite3.IntegrityError as error:
                raise damaged(source, str(error)) from None
            except sqlite3.Error as error:
                if not is_full(error):
                    raise
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error


def _copy(source: Path, table: str, theirs: sqlite3.Connection, ours: sqlite3.Connection) -> None:
    known = ours.execute(f"PRAGMA table_info({table})").fetchall()
    columns = ", ".join(name for _, name, *_ in known)
    places = ", ".join("?" * len(known))
    # The names are those of our own schema.
    select = f"SELECT {columns} FROM {table} ORDER BY rowid"  # noqa: S608
    insert = f"INSERT INTO {table} ({columns}) VALUES ({places})"  # noqa: S608
    ours.executemany(insert, _typed(source, table, known, theirs.execute(select)))


def _identity(source: Path, theirs: sqlite3.Connection) -> bytes:
    match theirs.execute("SELECT id FROM identity LIMIT 2").fetchall():
        case [(bytes(identity),)] if len(identity) == DIGEST_BYTES:
            return identity
    raise damaged(source, "its id is not what was stored")


def _typed(
    source: Path, table: str, known: list[Any], found: sqlite3.Cursor
) -> Iterator[tuple[Any, ...]]:
    """The rows, in which every column has its type. Raises LedgerError.

    A STRICT table would convert some values of other types.
    """
    types = [_TYPES[kind] for _, _, kind, *_ in known]
    for number, row in enumerate(found, start=1):
        for column, value, kind in zip(known, row, types, strict=True):
            if type(value) is not kind and value is not None:
                raise damaged(
                    source,
                    f"row {number} of {table} has another type of {column[1]}",
                )
        yield row
