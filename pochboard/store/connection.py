"""Connections to the ledger file, transactions, and SQLite's errors as sentences."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from pochboard.errors import DamagedLedgerError, LedgerError, UnknownOutcomeError
from pochboard.text.lazy import LazyText, Noun, lazy_gettext, os_reason
from pochboard.text.translator import N_

BUSY_S: Final = 5.0
"""How long to wait while another program has the ledger locked."""

_LONGEST_ROW: Final = 1024 * 1024
"""The most bytes of a row, which also bounds what an expression can compute; ours have a few kB."""

Mode = Literal["rwc", "rw", "ro", "ro&immutable=1"]
"""How to open: `immutable` reads only the file itself, without locks and without a log."""


def connect(path: Path, mode: Mode) -> sqlite3.Connection:
    """A connection on which every statement is its own transaction unless BEGIN precedes it.

    Any thread may use it, but only one at a time. The file may be one that somebody has forged, so
    this follows SQLite's advice on such files ("Defense Against The Dark Arts", 1.2).
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
        connection.execute("PRAGMA cell_size_check = ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_ROW)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        if sys.version_info >= (3, 12):
            connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE)
    except BaseException:
        connection.close()
        raise
    return connection


MOST_FINDINGS: Final = 100
"""The most findings in a report: after a lost page, everything would be wrong."""


def structure(
    connection: sqlite3.Connection, check: Literal["integrity_check", "quick_check"]
) -> Iterator[str]:
    """What is wrong with the pages and types of the file, in SQLite's words.

    `integrity_check` also compares the indexes with their tables.
    """
    for (line,) in connection.execute(f"PRAGMA {check}({MOST_FINDINGS})"):
        if line != "ok":
            yield " ".join(str(line).replace("*", "").split())


class CommitError(Exception):
    """SQLite could not say whether a commit is on the disk; its error is the cause."""


_NO_ROOM_FOR_SHM: Final = sqlite3.SQLITE_IOERR_SHMSIZE
_NOT_COMMITTED: Final = frozenset(("FULL", "BUSY", "CONSTRAINT"))
"""The kinds of errors after which no part of a transaction can be on the disk."""


@contextmanager
def transaction(
    connection: sqlite3.Connection, before_commit: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Commits at the end, or rolls back on any exception.

    Raises CommitError if the commit failed but may still be on the disk: the log may have been
    written, and after a kill SQLite would replay it.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        before_commit()
        try:
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if _kind(error) in _NOT_COMMITTED:
                raise
            raise CommitError from error
    except BaseException:
        # If the disk was full or failed, SQLite has rolled back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def ledger_errors(path: Path) -> Iterator[None]:
    """Turns SQLite's errors into LedgerError with a sentence that names the file."""
    try:
        yield
    except CommitError as error:
        cause = error.__cause__
        assert isinstance(cause, sqlite3.Error), "`transaction` raises it"
        kind = "FULL" if is_full(cause) else "IOERR"
        raise UnknownOutcomeError(_sentence(kind, path, one_line(cause))) from error
    except sqlite3.Error as error:
        kind, reason = "FULL" if is_full(error) else _kind(error), one_line(error)
        if kind == "CORRUPT" and (fault := _reading_fault(path)):
            kind, reason = "IOERR", fault
        if kind == "NOTADB":
            raise DamagedLedgerError(_sentence(kind, path, reason), reason) from error
        if kind in _SENTENCES:
            raise LedgerError(_sentence(kind, path, reason)) from error
        raise damaged(path, reason) from error
    except UnicodeDecodeError as error:
        # Python fails like this if SQLite's message quotes a damaged schema.
        reason = " ".join(error.object.decode("utf-8", "backslashreplace").split())
        raise damaged(path, reason) from error


def check_disk(path: Path) -> None:
    """Checks whether the disk of the ledger still works. Raises LedgerError.

    The folder has not changed, so fsync writes nothing. But it fails on a file system that has
    become read-only, and it has the device flush its cache, which fails if the device is gone.
    Never open the ledger itself for this: closing it would release SQLite's locks on it.
    """
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if os.fstatvfs(folder).f_flag & os.ST_RDONLY:
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        kind = "READONLY" if error.errno == errno.EROFS else "IOERR"
        raise LedgerError(_sentence(kind, path, os_reason(error))) from None


def _reading_fault(path: Path) -> str | None:
    """Why the ledger cannot be read although it is sound; SQLite reports damage in both cases.

    (SQLITE_IOERR_CORRUPTFS.) Closing the file releases SQLite's locks on it in this process.
    """
    try:
        for file in (path, path.with_name(f"{path.name}-wal")):
            if file.exists():
                with file.open("rb") as content:
                    while content.read(_PIECE):
                        pass
    except OSError as error:
        return os_reason(error)
    try:
        with contextlib.closing(connect(path, reading_mode(path))) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error:
        return None
    return lazy_gettext("a page could not be read") if verdict == "ok" else None


def one_line(error: Exception) -> str:
    """The text of an error of SQLite in one line."""
    return " ".join(str(error).split())


def reading_mode(path: Path) -> Mode:
    """How to read a file that nobody may be writing, without leaving anything beside it."""
    log = path.with_name(f"{path.name}-wal")
    return "ro" if log.exists() and log.stat().st_size else "ro&immutable=1"


def _kind(error: sqlite3.Error) -> str:
    if isinstance(error, sqlite3.ProgrammingError):
        return "CLOSED"
    return str(getattr(error, "sqlite_errorname", "")).removeprefix("SQLITE_").split("_")[0]


def is_full(error: sqlite3.Error) -> bool:
    """Whether the disk is full. If its shared memory cannot grow, SQLite reports a failed disk.

    After such a commit nobody knows what is on the disk.
    """
    return getattr(error, "sqlite_errorcode", 0) in (sqlite3.SQLITE_FULL, _NO_ROOM_FOR_SHM)


def ledger_file(path: Path) -> Noun | Path:
    """The ledger or its log as a value of a sentence; of other files beside it, the path."""
    if path.name.endswith(("-shm", "-journal", "-head")):
        return path
    if path.name.endswith("-wal"):
        return Noun("the log of the record", path)
    return Noun("the record of the nights", path)


def _sentence(kind: str, path: Path, reason: str) -> LazyText:
    return LazyText(_SENTENCES[kind], path=ledger_file(path), reason=reason)


def damaged(path: Path, reason: str) -> DamagedLedgerError:
    """The error for a ledger that is damaged."""
    return DamagedLedgerError(LazyText(_DAMAGED, path=ledger_file(path), reason=reason), reason)


_PIECE: Final = 1024 * 1024

_DAMAGED: Final = N_(
    "{path} is damaged ({reason}). Stop pochboard, then restore a backup with `pochboard restore`,"
    " or save what is sound with `pochboard repair`."
)
_PERMISSION: Final = N_(
    "{path} cannot be opened ({reason}). Check the permissions of the file and of its folder."
)
_LOCKED: Final = N_("{path} is locked by another program. End that program and try again.")
_SENTENCES: Final = {
    "FULL": N_("There is no room for {path}: the disk is full. Make room and try again."),
    "BUSY": _LOCKED,
    "LOCKED": _LOCKED,
    "READONLY": _PERMISSION,
    "CANTOPEN": _PERMISSION,
    "PERM": _PERMISSION,
    "IOERR": N_("The disk failed while {path} was in use ({reason}). Check the disk."),
    "CONSTRAINT": N_("{path} rejected the change: {reason}. Did another program change it?"),
    "CLOSED": N_("{path} is closed."),
    "NOTADB": N_(
        "{path} holds no nights of pochboard: it is not a SQLite database, or its first bytes are"
        " damaged. Restore it from a backup, move it away, or name another data folder."
    ),
}
