"""Copies of a ledger: a whole one, and one rebuilt row by row from somebody else's file.

A whole copy is a single file, which is synced before anything relies on it. A rebuilt one has a
schema of our own. Nothing else of the other file gets into it: neither a part of the schema, nor a
free page, nor a paired phone.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from pochboard.errors import LedgerError
from pochboard.store import rows, schema
from pochboard.store.chain import DIGEST_BYTES
from pochboard.store.checks import checked_version, read_version
from pochboard.store.connection import (
    connect,
    damaged,
    is_full,
    ledger_errors,
    ledger_file,
    transaction,
)
from pochboard.store.durable import sync
from pochboard.store.sqlite_pages import HEADER_BYTES
from pochboard.store.verify import structure
from pochboard.text.lazy import lazy_gettext, os_reason

_PIECE: Final = 1024 * 1024


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


def back_up_before_migration(connection: sqlite3.Connection, path: Path, version: int) -> Path:
    """Keeps a ledger of an older version beside the one that is about to be migrated.

    For version 2 its name is `ledger.db.v2.bak`. An earlier backup is never replaced: another one
    gets a number, unless its content is the same. Raises LedgerError.
    """
    partial = path.with_name(f"{path.name}.bak.partial")
    try:
        partial.unlink(missing_ok=True)
        try:
            copy_database(connection, partial, pairings=True)
            return _keep(partial, path, version)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise LedgerError(
            lazy_gettext(
                "{path} was not migrated, because its backup cannot be written: {reason}.",
                path=ledger_file(path),
                reason=os_reason(error),
            )
        ) from None


def _keep(partial: Path, path: Path, version: int) -> Path:
    """Gives a finished backup the first free name, unless the same backup exists already."""
    number = 1
    while True:
        further = "" if number == 1 else f"-{number}"
        backup = path.with_name(f"{path.name}.v{version}{further}.bak")
        if not backup.exists():
            partial.replace(backup)
            sync(path.parent)
            return backup
        if _same_content(backup, partial):
            return backup
        number += 1


def _same_content(one: Path, other: Path) -> bool:
    """Whether two databases have the same pages. Headers differ, because they count changes."""
    with one.open("rb") as first, other.open("rb") as second:
        first.seek(HEADER_BYTES)
        second.seek(HEADER_BYTES)
        while True:
            piece = first.read(_PIECE)
            if piece != second.read(_PIECE):
                return False
            if not piece:
                return True


_TABLES: Final = ("nights", "entries", "summaries", "remarks")
"""Those of which every row is copied, each after the ones that it refers to."""
MOST_ENTRIES: Final = 50_000
"""The most entries of a night that is restored; six hours of play have about 2,000."""
_TYPES: Final = {"INTEGER": int, "TEXT": str, "BLOB": bytes}


def rebuild(source: Path, new: Path) -> None:
    """Copies a ledger row by row to a new file, and migrates it there if it is older.

    `source` is a copy; a migration that was cut short is rolled back in it. Raises LedgerError for
    what is not a sound ledger of ours, and OSError if the disk is full.
    """
    with ledger_errors(source):
        if checked_version(source) is None:
            raise LedgerError(lazy_gettext("{path} is empty.", path=ledger_file(source)))
        with closing(connect(source, "rw")) as theirs, closing(connect(new, "rwc")) as ours:
            version = read_version(source, theirs)
            for reason in schema.differences(theirs, version) or structure(theirs):
                raise damaged(source, reason)
            try:
                schema.create(ours, version)
                with transaction(ours):
                    _copy(source, theirs, ours)
                    _require_usual(source, ours)
                schema.migrate(ours)
            except sqlite3.IntegrityError as error:
                raise damaged(source, str(error)) from None
            except sqlite3.Error as error:
                if not is_full(error):
                    raise
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error


def _copy(source: Path, theirs: sqlite3.Connection, ours: sqlite3.Connection) -> None:
    for table in _TABLES:
        known = ours.execute(f"PRAGMA table_info({table})").fetchall()
        if known:
            columns = ", ".join(name for _, name, *_ in known)
            places = ", ".join("?" * len(known))
            # The names are those of our own schema.
            select = f"SELECT {columns} FROM {table} ORDER BY rowid"  # noqa: S608
            insert = f"INSERT INTO {table} ({columns}) VALUES ({places})"  # noqa: S608
            rows = theirs.execute(select)
            ours.executemany(insert, _typed(source, table, known, rows))
    if ours.execute("PRAGMA table_info(identity)").fetchall():
        _copy_identity(source, theirs, ours)


def _require_usual(source: Path, ours: sqlite3.Connection) -> None:
    """Raises LedgerError for a night so long that the daemon could not hold it in memory."""
    long = ours.execute(
        "SELECT night FROM entries GROUP BY night HAVING count(*) > ?", (MOST_ENTRIES,)
    )
    for (night,) in long:
        raise damaged(
            source,
            lazy_gettext(
                "night {number} has more than {most:,} entries", number=night, most=MOST_ENTRIES
            ),
        )


def _copy_identity(source: Path, theirs: sqlite3.Connection, ours: sqlite3.Connection) -> None:
    identities = theirs.execute("SELECT id FROM identity LIMIT 2").fetchall()
    ids = [value for (value,) in identities if type(value) is bytes and len(value) == DIGEST_BYTES]
    if len(ids) != 1 or len(identities) != 1:
        raise damaged(source, lazy_gettext("its id is not what was stored"))
    # REPLACE fires no trigger, see `schema`.
    ours.execute("INSERT OR REPLACE INTO identity (rowid, id) VALUES (1, ?)", ids)


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
                    lazy_gettext(
                        "row {number} of {table} has another type of {column}",
                        number=number,
                        table=table,
                        column=column[1],
                    ),
                )
        yield row
