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
from pochboard.store.checks import check_file, require_ours
from pochboard.store.connection import (
    connect,
    damaged,
    is_full,
    ledger_errors,
    ledger_file,
    transaction,
)
from pochboard.store.durable import sync
from pochboard.store.verify import structure
from pochboard.text.lazy import lazy_gettext


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
MOST_ENTRIES: Final = 50_000
"""The most entries of a night that is restored; six hours of play have about 2,000."""
_TYPES: Final = {"INTEGER": int, "TEXT": str, "BLOB": bytes}


def rebuild(source: Path, new: Path) -> None:
    """Copies a ledger row by row to a new file.

    `source` is a copy; what a crash cut short is rolled back in it. Raises LedgerError for what is
    not a sound ledger of ours, and OSError if the disk is full.
    """
    with ledger_errors(source):
        if not check_file(source):
            raise LedgerError(lazy_gettext("{path} is empty.", path=ledger_file(source)))
        with closing(connect(source, "rw")) as theirs, closing(connect(new, "rwc")) as ours:
            require_ours(source, theirs)
            for reason in schema.differences(theirs) or structure(theirs):
                raise damaged(source, reason)
            try:
                schema.create(ours, _identity(source, theirs))
                with transaction(ours):
                    for table in _TABLES:
                        _copy(source, table, theirs, ours)
                    _require_usual(source, ours)
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


def _identity(source: Path, theirs: sqlite3.Connection) -> bytes:
    match theirs.execute("SELECT id FROM identity LIMIT 2").fetchall():
        case [(bytes(identity),)] if len(identity) == DIGEST_BYTES:
            return identity
    raise damaged(source, lazy_gettext("its id is not what was stored"))


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
