"""An open ledger file: one connection that writes, one that reads, and the head file."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Final, Self

from pochboard.errors import DamagedLedgerError, LedgerError, LedgerGoneError
from pochboard.ledger.entry import Entry
from pochboard.store import rows
from pochboard.store.checks import companion, mark_of, size_of
from pochboard.store.connection import (
    CommitError,
    check_disk,
    connect,
    damaged,
    ledger_errors,
    ledger_file,
    transaction,
)
from pochboard.store.durable import (
    HeadFile,
    Mark,
)
from pochboard.store.opening import (
    close_writer,
    empty_ledger,
    open_damaged,
    open_for_reading,
    open_for_writing,
)
from pochboard.text.lazy import Clause, LazyText, lazy_gettext, lazy_text

log = logging.getLogger(__name__)

_SUFFIXES: Final = ("", "-wal")
"""The suffixes of the two files that hold what is stored: the ledger and its log."""
_MOST_IN_LOG: Final = 250
"""Changes after which the log is copied into the ledger even if nobody calls `checkpoint`."""


def _connections(path: Path) -> tuple[sqlite3.Connection, sqlite3.Connection, HeadFile]:
    """Writer, reader and head file. Raises LedgerError."""
    writer, head = open_for_writing(path)
    try:
        with ledger_errors(path):
            writer.execute("PRAGMA wal_autocheckpoint = 0")
            return writer, connect(path, "ro"), head
    except BaseException:
        head.close()
        writer.close()
        raise


def _report_log(path: Path, error: sqlite3.Error) -> None:
    log.warning("the write-ahead log of %s cannot be copied into it: %s", path, error)


def _identity(file: str) -> tuple[int, int] | None:
    try:
        status = os.stat(file)  # noqa: PTH116 - twice as fast as Path.stat
    except OSError:
        return None
    return status.st_dev, status.st_ino


class OpenLedger:
    """What can be written to a ledger and read from it, and what can go wrong with its file.

    Every method may be called from any thread.
    """

    def __init__(
        self,
        path: Path,
        writer: sqlite3.Connection | None,
        reader: sqlite3.Connection,
        head: HeadFile | None = None,
        damage: LazyText | None = None,
    ) -> None:
        self._path = path
        self._writer = writer
        self._reader = reader
        self._head = head
        self.damage = damage
        """What is wrong with a ledger that can only be read."""
        # Needed before each commit, so made only once.
        self._names = [f"{path}{suffix}" for suffix in _SUFFIXES]
        self._files = self._identities() if writer else None
        self._is_reopening = False
        """Whether `recover` has closed the ledger and could not open it again yet."""
        self._outcome_unknown = False
        self._in_log = 0
        """Changes since the log was last copied into the ledger."""
        self._noted: Mark | None = None
        """What the head file says, once it was written."""
        self._stored: Mark | None = None
        """What the ledger holds, if that is known."""
        self._changed: Mark | None = None
        """What it will hold once the change that is being written is committed."""
        # Each connection has its own lock, so that reading an old night does not delay an append.
        self._writing = threading.Lock()
        self._reading = threading.Lock()

    @classmethod
    def open(cls, path: Path, *, readonly: bool = False, check_current: bool = True) -> Self:
        """Opens a ledger, and creates it if there is none. Only once in a process.

        With `readonly`, it may be open in a running daemon, and whoever verifies the whole ledger
        may leave out the check of the night in progress. Raises LedgerError for a file that cannot
        be used, and leaves that file byte for byte as it was. If it is a DamagedLedgerError,
        `open_damaged` may read it.
        """
        path = Path(os.path.realpath(path))
        if readonly:
            return cls(path, None, open_for_reading(path, check_current=check_current))
        store = cls(path, *_connections(path))
        store._settle_log()
        return store

    @classmethod
    def open_damaged(cls, path: Path, error: DamagedLedgerError, *, or_empty: bool = False) -> Self:
        """A ledger that `open` refused, to be read as far as possible.

        If nothing can be read, this returns an empty ledger with `or_empty`, or else raises the
        error.
        """
        path = Path(os.path.realpath(path))
        connection = open_damaged(path)
        if connection is None:
            if not or_empty:
                raise error
            connection = empty_ledger()
        return cls(path, None, connection, damage=lazy_text(error))

    @classmethod
    def open_readable(cls, path: Path, *, check_current: bool = True) -> Self:
        """As `open` for reading, but a damaged ledger is read as far as possible.

        Its `damage` says what is wrong. Raises LedgerError.
        """
        try:
            return cls.open(path, readonly=True, check_current=check_current)
        except DamagedLedgerError as error:
            return cls.open_damaged(path, error)

    def close(self) -> None:
        """Closes the file. May be called again."""
        with self._reading, self._writing:
            self._close()

    def _close(self) -> None:
        self._reader.close()
        if self._writer:
            try:
                self._writer.execute("SELECT 1")
            except sqlite3.ProgrammingError:
                return  # it is closed already
            if self._is_in_place():
                close_writer(self._writer, self._path)
            else:
                self._writer.close()
        if self._head:
            self._head.close()

    def as_damage(self, error: LedgerError) -> LazyText:
        """The sentences for a stored night that cannot be played: the error, and what to do."""
        return lazy_text(damaged(self._path, Clause(lazy_text(error))))

    def check(self) -> None:
        """Checks whether the next change could be stored. Writes nothing.

        May wait as long as the disk does. Raises LedgerError.
        """
        with self._write() as connection:  # an empty transaction, but it needs the write lock
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        check_disk(self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What can go wrong with the file while it is open

    def _identities(self) -> tuple[tuple[int, int] | None, ...]:
        """Device and inode of the ledger and of its log; None for one that is missing."""
        return tuple([_identity(name) for name in self._names])

    def _is_in_place(self) -> bool:
        return self._identities_now() == self._files

    def _identities_now(self) -> tuple[tuple[int, int] | None, ...]:
        identities = self._identities()
        if self._is_reopening and self._files:
            # Closing may have deleted the log, and opening may fail after it has made another. The
            # head file shows whether a log with stored entries is gone.
            return (identities[0], *self._files[1:])
        return identities

    def require_in_place(self) -> None:
        """Raises LedgerGoneError if the ledger or its log is not the file that was opened.

        Otherwise changes would be stored in files without a name, and lost with the process.
        """
        identities = self._identities_now()
        if identities == self._files:
            return
        for suffix, identity in zip(_SUFFIXES, identities, strict=True):
            if identity is None:
                raise LedgerGoneError(
                    lazy_gettext(
                        "{path} is missing: it was deleted or moved away while pochboard was"
                        " running. Put it back, or stop pochboard and restore a backup with"
                        " `pochboard restore`.",
                        path=ledger_file(companion(self._path, suffix)),
                    )
                )
        raise LedgerGoneError(
            lazy_gettext(
                "{path} was replaced by another file while pochboard was running. Stop"
                " pochboard, put the right file back, and start it again.",
                path=ledger_file(self._path),
            )
        )

    def recover(self) -> None:
        """Makes the store usable again after an UnknownOutcomeError or LedgerGoneError.

        Afterwards `current` says what is stored. Raises LedgerError while that is not possible.
        """
        with self._reading, self._writing:
            self.require_in_place()
            self._recover()

    def _recover(self) -> None:
        """After a failed commit, reads what is on the disk and makes it durable."""
        if not self._outcome_unknown:
            return
        check_disk(self._path)
        with ledger_errors(self._path):
            self._close()
            self._is_reopening = True
            self._writer, self._reader, self._head = _connections(self._path)
            self._files, self._is_reopening = self._identities(), False
            self._noted = None
            self._empty_log()
        self._outcome_unknown = False

    def _settle_log(self) -> None:
        """Copies what a crash left in the log. If that fails, the next change tries it again.

        After a kill, changes that were not acknowledged may be in the page cache only. A power cut
        may leave the end of a change whose beginning is missing. If the next change begins alike,
        another power cut could complete the wrong one.
        """
        if not size_of(companion(self._path, "-wal")):
            return
        try:
            self._empty_log()
        except sqlite3.Error as error:
            _report_log(self._path, error)
            self._outcome_unknown = True

    def _empty_log(self) -> None:
        """Copies the log into the ledger, truncates it, and records the end of the ledger.

        Copying writes and syncs the changes again: after a failed sync, or a kill, the page cache
        may hold what is not on the disk. Raises sqlite3.Error.
        """
        assert self._writer
        busy, _, _ = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise sqlite3.OperationalError("another program reads the ledger")
        self._note(mark_of(self._writer))

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        if self.damage:
            raise DamagedLedgerError(self.damage)
        assert self._writer, "a store opened for reading does not write"
        if self._outcome_unknown:
            self.recover()
        with self._writing, self._errors():
            known, self._stored = self._stored, None
            try:
                with transaction(self._writer, self.require_in_place):
                    # Kept from the last change: no other program may write, and a trigger refuses
                    # an entry at any position but the next.
                    self._changed = known or mark_of(self._writer)
                    yield self._writer
            except CommitError:
                self._outcome_unknown = True
                raise
            self._stored = self._changed
            self._note(self._stored)

    def _put_entries(
        self, connection: sqlite3.Connection, night: int, entries: Sequence[Entry]
    ) -> None:
        before = self._changed
        assert before is not None, "a transaction has begun"
        end = before.position, before.chain
        position, at = rows.put_entries(connection, night, entries, end)
        self._changed = Mark(before.id, position, at, before.pairing_changes)

    def _note(self, mark: Mark) -> None:
        """Writes the head file, and copies the log into the ledger if nothing else has."""
        assert self._head, "a writer has a head file"
        if mark == self._noted:
            return  # nothing was changed
        self._noted = mark
        try:
            self._head.write(mark)
        except OSError as error:
            log.warning("the head of the ledger cannot be written: %s", error.strerror)
        self._in_log += 1
        if self._in_log >= _MOST_IN_LOG:
            self._checkpoint()

    def checkpoint(self) -> None:
        """Copies the log into the ledger, so that stored entries do not depend on the log.

        Call it when nobody waits for the next change. A failure is logged.
        """
        if self._writer and self._in_log and not self._outcome_unknown:
            with self._writing:
                self._checkpoint()

    def _checkpoint(self) -> None:
        assert self._writer
        try:
            self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error as error:
            _report_log(self._path, error)
        else:
            self._in_log = 0

    @contextmanager
    def _write_pairings(self) -> Iterator[sqlite3.Connection]:
        with self._write() as connection:
            before = connection.total_changes
            yield connection
            if connection.total_changes != before:
                rows.log_pairings(connection)
                self._changed = mark_of(connection)

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with self._reading, self._errors():
            yield self._reader

    def _errors(self) -> AbstractContextManager[None]:
        return ledger_errors(self._path, is_open=True)

    @contextmanager
    def _read_aside(self) -> Iterator[sqlite3.Connection]:
        """For long reads, for which the table must not wait."""
        if self._writer is None:
            with self._read() as connection:
                yield connection
            return
        with self._errors(), closing(connect(self._path, "ro")) as connection:
            yield connection
