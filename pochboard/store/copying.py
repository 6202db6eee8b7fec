"""Copies an open ledger to a single file, which is synced before anything relies on it."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from pochboard.errors import LedgerError
from pochboard.store import rows
from pochboard.store.connection import is_full, ledger_file, transaction
from pochboard.store.durable import sync
from pochboard.store.sqlite_pages import HEADER_BYTES
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
