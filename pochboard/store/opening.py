"""Opening a ledger, creating one, and copying one.

Whatever is wrong with the file of a ledger, or with those beside it, is found before anything is
written: they stay as they are. A copy of rows gets nothing else of the other file: neither a part
of its schema, nor a free page, nor a paired phone.
"""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any, Final

from pochboard.errors import (
    DamagedLedgerError,
    LedgerError,
    NoLedgerError,
    UnreadableNightError,
)
from pochboard.store import rows
from pochboard.store.connection import (
    Mode,
    connect,
    damaged,
    is_full,
    ledger_errors,
    ledger_file,
    reading_mode,
    structure,
    transaction,
)
from pochboard.store.durable import Mark, read_mark, sync, write_mark
from pochboard.store.rows import DIGEST_BYTES
from pochboard.text.lazy import clause, lazy_gettext, lazy_text, os_reason

log = logging.getLogger(__name__)

COMPANIONS: Final = ("-wal", "-shm", "-journal", "-head")
"""The ends of the names of the files beside a ledger that belong to it."""
_CHECKED_BYTES: Final = 4 * 1024 * 1024
"""A ledger up to this size, of some 250 evenings, is checked page by page when it is opened."""
_MOVE_AWAY: Final = "Move it away, or name another data folder."


def companion(path: Path, suffix: str) -> Path:
    """A file beside a ledger, by the end of its name (see `COMPANIONS`)."""
    return path.with_name(path.name + suffix)


def size_of(path: Path) -> int:
    """The size of a file in bytes; 0 if it does not exist."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


# Opening


def open_for_writing(path: Path) -> sqlite3.Connection:
    """The writer's connection. Creates the ledger if there is none.

    Raises LedgerError, and DamagedLedgerError for a ledger that `open_damaged` may be able to read.
    """
    with ledger_errors(path), ExitStack() as opened:
        exists = _check_files(path)
        _require_writable(path)
        if not exists:
            _create(path)
        check_ledger(path)
        connection = opened.enter_context(closing(connect(path, "rw")))
        if not size_of(companion(path, "-wal")):
            # What a kill left in the log is recorded once it is copied: it may be in the page
            # cache only, and then a power cut would leave the head ahead of the ledger.
            head = companion(path, "-head")
            try:
                write_mark(head, mark_of(connection), synced=True)
            except OSError as error:
                raise LedgerError(f"{head} cannot be written: {os_reason(error)}.") from None
        # As ours are already, unless another program has changed that.
        connection.execute("PRAGMA journal_mode = WAL")
        # If the file could not be opened for writing, SQLite has opened it for reading, and
        # reports this only on a write. Find out now: after the first entry failed, nothing
        # could be recorded until the next start.
        connection.execute("DELETE FROM pairings WHERE 0")
        opened.pop_all()
        return connection


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
    for place in (folder, path):
        wanted = os.W_OK | (os.X_OK if place is folder else 0)
        if place.exists() and not os.access(place, wanted, effective_ids=True):
            raise LedgerError(f"{place} cannot be written to. Change its permissions.")


def _create(path: Path) -> None:
    """Creates an empty ledger under another name and moves it into place when it is complete."""
    new = companion(path, ".new")
    try:
        for suffix in ("", "-wal", "-shm", "-journal"):
            companion(new, suffix).unlink(missing_ok=True)
        try:
            with closing(connect(new, "rwc")) as connection:
                rows.create_tables(connection)
            sync(new)
            new.replace(path)
            sync(path.parent)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise LedgerError(f"{ledger_file(path)} cannot be created: {os_reason(error)}.") from None


def open_for_reading(path: Path) -> sqlite3.Connection:
    """A reader's connection, beside a running daemon or alone. Raises LedgerError."""
    with ledger_errors(path), ExitStack() as opened:
        if not _check_files(path):
            raise NoLedgerError(
                f"There is no ledger at {ledger_file(path)} yet; `pochboard run` creates one."
            )
        check_ledger(path)
        # Without a log nobody is writing. A reader would leave one behind, perhaps as another user.
        alone = not companion(path, "-wal").exists()
        mode: Mode = "ro&immutable=1" if alone else "ro"
        connection = opened.enter_context(closing(connect(path, mode)))
        connection.execute("SELECT 1 FROM nights LIMIT 1").fetchone()  # so that SQLite opens it
        opened.pop_all()
        return connection


def open_damaged(path: Path) -> sqlite3.Connection | None:
    """A connection that reads what it can of a damaged ledger. Raises LedgerError.

    Returns None if not even the list of nights can be read, or if reading would run
    what somebody has put into the file.
    """
    if not size_of(path):
        return None
    with ledger_errors(path), ExitStack() as stack:
        try:
            connection = stack.enter_context(closing(connect(path, reading_mode(path))))
            if not rows.is_plain(connection):
                return None
            connection.execute("SELECT started_ms FROM nights").fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # SQLITE_ERROR: a damaged schema lacks a table or a column.
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
            if isinstance(error, sqlite3.OperationalError) and code != sqlite3.SQLITE_ERROR:
                raise  # not damage: the file is locked, cannot be opened, or the disk fails
            return None
        stack.pop_all()
        return connection


def empty_ledger() -> sqlite3.Connection:
    """An empty ledger in memory, instead of one that cannot be read."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    rows.create_tables(connection)
    return connection


# Checks


def _check_files(path: Path) -> bool:
    """Whether there is a ledger. Raises LedgerError for what stands in the place of its files.

    SQLite would wait for ever on a pipe, and would report a folder as a failed disk.
    """
    try:
        for file in (path, *(companion(path, suffix) for suffix in ("-wal", "-shm", "-journal"))):
            if file.exists() and not file.is_file():
                raise LedgerError(f"{file} is not a regular file. {_MOVE_AWAY}")
        size = size_of(path)
        if size and not os.access(path, os.R_OK, effective_ids=True):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise LedgerError(f"{path} cannot be read: {os_reason(error)}.") from None
    if not size:
        _check_nothing_left(path)
    return size > 0


def _check_nothing_left(path: Path) -> None:
    """Raises DamagedLedgerError if the files beside a ledger show that it is missing.

    SQLite would delete its log, or apply it to the new file; either way its nights are lost.
    """
    mark = read_mark(companion(path, "-head"))
    left = [companion(path, suffix) for suffix in ("-wal", "-journal")]
    names = [file.name for file in left if size_of(file)]
    if mark and mark.position:
        names.append(companion(path, "-head").name)
    if names:
        raise DamagedLedgerError(
            lazy_gettext(
                "{path} is missing or empty, but {names} beside it shows that it had entries. Put"
                " it back or restore a backup with `pochboard restore`. To start a new one, move"
                " {names} away.",
                path=ledger_file(path),
                names=", ".join(names),
            )
        )


def check_ledger(path: Path) -> None:
    """Raises LedgerError for a file that is not a sound ledger of this version.

    Leaves no trace. Closing the file ends the locks that a Store of the same process has on it, so
    a process opens a ledger only once.
    """
    had_shared_memory = companion(path, "-shm").exists()
    try:
        try:
            with ledger_errors(path):
                _check_ledger(path)
        except DamagedLedgerError:
            # If a failing disk could not read something once, try it a second time.
            with ledger_errors(path):
                _check_ledger(path)
    except BaseException:
        if not had_shared_memory:
            with suppress(OSError):
                companion(path, "-shm").unlink()
        raise


def _check_ledger(path: Path) -> None:
    # Read it before the ledger, because a running daemon writes the ledger first.
    mark = read_mark(companion(path, "-head"))
    # `immutable` needs and leaves no files beside the ledger. But it ignores the log, and while a
    # daemon copies the log into the ledger, it may find the file malformed.
    mode = reading_mode(path)
    with closing(connect(path, mode)) as connection:
        _require_ours(path, connection)
        if mode != "ro" and size_of(path) % _pragma(connection, "page_size"):
            raise damaged(path, lazy_gettext("its last page is cut off"))
        if size_of(journal := companion(path, "-journal")):
            # We never leave one, and SQLite would put what is in it into the ledger.
            raise damaged(
                path, lazy_gettext("{name} beside it is not pochboard's", name=journal.name)
            )
        for reason in rows.schema_differences(connection):
            raise damaged(path, reason)
        if size_of(path) <= _CHECKED_BYTES:
            for reason in structure(connection, "quick_check"):
                raise damaged(path, reason)
        _check_end(path, connection, mark)
        try:
            current = rows.current_number(connection)
            if current is not None:
                rows.get_night(connection, current)
        except (DamagedLedgerError, UnreadableNightError) as error:
            raise damaged(path, clause(lazy_text(error))) from None


def _require_ours(path: Path, connection: sqlite3.Connection) -> None:
    """Raises LedgerError unless an open database is a ledger of this version."""
    theirs, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
    if theirs != rows.APPLICATION_ID:
        empty = not _pragma(connection, "page_count")
        what = "not a SQLite database" if empty else "another program's database"
        raise LedgerError(f"{path} holds no nights of pochboard: it is {what}. {_MOVE_AWAY}")
    if version > rows.VERSION:
        raise LedgerError(
            f"{path} was written by a newer pochboard (version {version} of the file, this program"
            f" knows {rows.VERSION}). Upgrade pochboard; the file was left untouched."
        )
    if version < rows.VERSION:
        raise damaged(path, lazy_gettext("its file has the version {version}", version=version))


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    assert isinstance(value, int), f"{name} is a number"
    return value


def mark_of(connection: sqlite3.Connection) -> Mark:
    """What a ledger holds now, for its head file. Raises sqlite3.DatabaseError."""
    position, chain = rows.head(connection)
    if type(chain) is not bytes or len(chain) != DIGEST_BYTES or position < 0:
        raise sqlite3.DatabaseError("its end is not what was stored")
    return Mark(position, chain)


def _check_end(path: Path, connection: sqlite3.Connection, mark: Mark | None) -> None:
    """Raises DamagedLedgerError if a ledger holds less than its head file says, or something else.

    A ledger without a head is accepted: copies have none. One whose head counts no entry has lost
    none: a power cut may have left the head of a ledger that had no name yet.
    """
    end = mark_of(connection)
    if mark is None or not mark.position:
        return
    lost = mark.position - end.position
    if lost > 0:
        raise DamagedLedgerError(
            lazy_gettext(
                "{path} is an older copy, or {wal} beside it is damaged or was deleted. Entries"
                " missing at its end: {count}. Put the newer file back, and {wal} if you have it."
                " To continue with this copy, move {names} away.",
                count=lost,
                path=ledger_file(path),
                wal=companion(path, "-wal").name,
                names=_names_beside(path),
            )
        )
    if rows.link_at(connection, mark.position) != mark.chain:
        raise DamagedLedgerError(
            lazy_gettext(
                "{path} and the files beside it do not belong together, or one of them is damaged."
                " Put the right ones back. To use this one, move {names} away.",
                path=ledger_file(path),
                names=_names_beside(path),
            )
        )


def _names_beside(path: Path) -> str:
    beside = [companion(path, suffix) for suffix in COMPANIONS]
    return ", ".join(file.name for file in beside if file.exists())


# Copies


_TABLES: Final = ("nights", "entries", "summaries", "remarks")
"""Those of which every row is copied, each after the ones that it refers to."""


def rebuild(source: Path, new: Path) -> None:
    """Copies a ledger, which somebody may have forged, row by row to a new file.

    Raises LedgerError for what is not a sound ledger of ours, and OSError if the disk is full.
    """
    with ledger_errors(source):
        if not _check_files(source):
            raise LedgerError(f"{ledger_file(source)} is empty.")
        check_ledger(source)
        with closing(connect(source, "ro")) as theirs:
            for reason in structure(theirs, "integrity_check"):
                raise damaged(source, reason)
            copy_rows(source, theirs, new)


def copy_rows(source: Path, theirs: sqlite3.Connection, new: Path) -> None:
    """Copies what is committed now, without pairings, to a new file. Writers are not delayed.

    Raises DamagedLedgerError for rows that we never write, and OSError if the disk is full.
    """
    theirs.execute("BEGIN")
    try:
        with closing(connect(new, "rwc")) as ours:
            rows.create_tables(ours, _identity(source, theirs))
            with transaction(ours):
                for table in _TABLES:
                    found = theirs.execute(f"SELECT * FROM {table} ORDER BY rowid")  # noqa: S608
                    places = ", ".join("?" * len(found.description))
                    ours.executemany(f"INSERT INTO {table} VALUES ({places})", found)  # noqa: S608
    except sqlite3.IntegrityError as error:
        raise damaged(source, str(error)) from None
    except sqlite3.Error as error:
        if not is_full(error):
            raise
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
    finally:
        if theirs.in_transaction:
            theirs.execute("ROLLBACK")


def _identity(source: Path, theirs: sqlite3.Connection) -> bytes:
    ids: list[Any] = [value for (value,) in theirs.execute("SELECT id FROM identity LIMIT 2")]
    if len(ids) != 1 or type(ids[0]) is not bytes or len(ids[0]) != DIGEST_BYTES:
        raise damaged(source, "its id is not what was stored")
    return ids[0]
