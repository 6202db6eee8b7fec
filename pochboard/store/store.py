"""The store: an open ledger, which the table writes and all threads read."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final, Self

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from pochboard.errors import DamagedLedgerError, LedgerError, LedgerGoneError, UnknownNightError
from pochboard.history import NightStatistics, night_statistics
from pochboard.ledger.entry import Entry
from pochboard.ledger.remarks import Remark, Remarks, collect
from pochboard.ledger.replay import (
    MOST_ENTRIES,
    NightInProgress,
    NightSummary,
    StoredNight,
    begun_at,
    replay,
    summarize,
    summarize_open,
)
from pochboard.rules.commands import End, Void
from pochboard.store import rows
from pochboard.store.connection import (
    CommitError,
    check_disk,
    connect,
    damaged,
    ledger_errors,
    ledger_file,
    transaction,
)
from pochboard.store.durable import reserve_revisions, write_mark
from pochboard.store.opening import (
    companion,
    copy_rows,
    empty_ledger,
    mark_of,
    open_damaged,
    open_for_reading,
    open_for_writing,
)
from pochboard.store.rows import Opening, Pairing
from pochboard.store.verify import Report, verify
from pochboard.text.lazy import LazyText, clause, lazy_gettext, lazy_text

log = logging.getLogger(__name__)

_PAIRINGS: Final = "SELECT number, label, paired_ms, used_ms FROM pairings"
_IDENTITIES: Final = (
    "SELECT n.number, coalesce(n.origin, lower(hex(e.chain)))"
    " FROM nights n JOIN entries e ON e.night = n.number AND e.number = 1"
)
_MAX_NUMBER: Final = 2**63 - 1
_SUFFIXES: Final = ("", "-wal")
"""The suffixes of the two files that hold what is stored: the ledger and its log."""


class Counted(msgspec.Struct, frozen=True):
    """The statistics of all nights that are over, oldest first."""

    nights: list[NightStatistics]
    pending: int
    """Nights that have not been counted yet."""


def _unknown_night(number: int) -> UnknownNightError:
    return UnknownNightError(lazy_gettext("There is no night {number}.", number=number))


def _dated(summary: NightSummary, began: Mapping[int, int]) -> NightSummary:
    """The summary of a night, which a remark may say began at another time."""
    began_ms = began.get(summary.number)
    if began_ms is None:
        return summary
    ended_ms = summary.ended_ms
    if ended_ms is not None:
        ended_ms += began_ms - summary.started_ms
    return replace(summary, started_ms=began_ms, ended_ms=ended_ms)


_Identity = tuple[int, int] | None


def _identity(file: str) -> _Identity:
    """Device and inode of a file; None for one that is missing."""
    try:
        status = os.stat(file)  # noqa: PTH116 - twice as fast as Path.stat
    except OSError:
        return None
    return status.st_dev, status.st_ino


class Store:
    """An open ledger. Every method may be called from any thread; close it when done.

    Every change is one transaction, which is on the disk when the method returns. If that fails,
    the method raises LedgerError, nothing has changed, and the store remains usable. If the outcome
    is not known, it raises UnknownOutcomeError, and the store reads the ledger again before it
    stores anything else.
    """

    def __init__(
        self, path: Path, reader: sqlite3.Connection | None = None, damage: LazyText | None = None
    ) -> None:
        """For a ledger that is only read, with its `reader`. Otherwise it is opened for writing."""
        self._path = path
        self._writer: sqlite3.Connection | None = None
        self.damage = damage
        """What is wrong with a ledger that can only be read."""
        self._opened = ExitStack()
        """What is closed with it."""
        self._in_place: dict[str, _Identity] = {}
        """The ledger and its log, by the ends of their names."""
        self._outcome_unknown = False
        # Each connection has its own lock, so that reading an old night does not delay an append.
        self._writing = threading.Lock()
        self._reading = threading.Lock()
        self._counting = threading.Lock()
        self._counted: dict[int, tuple[NightSummary, NightStatistics | None]] = {}
        """By night: its summary when it was counted, and its statistics; None if it cannot be
        replayed."""
        if reader:
            self._reader = self._opened.enter_context(closing(reader))
            return
        self._connect()
        try:
            self._empty_log()
        except sqlite3.Error as error:
            _report_log(path, error)
            self._outcome_unknown = True  # until the next change, which tries it again

    @classmethod
    def open(cls, path: Path, *, readonly: bool = False) -> Self:
        """Opens a ledger, and creates it if there is none. Only once in a process.

        With `readonly`, it may be open in a running daemon. Raises LedgerError for a file that
        cannot be used, and leaves that file byte for byte as it was. If it is a DamagedLedgerError,
        `open_damaged` may read it.
        """
        path = Path(os.path.realpath(path))
        return cls(path, open_for_reading(path) if readonly else None)

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
        return cls(path, connection, lazy_text(error))

    @classmethod
    def open_readable(cls, path: Path) -> Self:
        """As `open` for reading, but a damaged ledger is read as far as possible.

        Its `damage` says what is wrong. Raises LedgerError.
        """
        try:
            return cls.open(path, readonly=True)
        except DamagedLedgerError as error:
            return cls.open_damaged(path, error)

    def close(self) -> None:
        """Closes the file. May be called again."""
        with self._reading, self._writing:
            self._opened.close()

    def _connect(self) -> None:
        """Opens the ledger for writing. Raises LedgerError."""
        with ExitStack() as opened:
            self._writer = opened.enter_context(closing(open_for_writing(self._path)))
            with ledger_errors(self._path):
                self._reader = opened.enter_context(closing(connect(self._path, "ro")))
            self._in_place = {suffix: _identity(f"{self._path}{suffix}") for suffix in _SUFFIXES}
            self._opened = opened.pop_all()

    def as_damage(self, error: LedgerError) -> LazyText:
        """The sentences for a stored night that cannot be played: the error, and what to do."""
        return lazy_text(damaged(self._path, clause(lazy_text(error))))

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

    # Copies and checks

    def copy_to(self, target: Path) -> None:
        """Copies the ledger to a new file, as it is committed now, without its pairings.

        Tokens stay on this machine, and a revoked pairing must not return with an old copy.
        """
        with self._read_aside() as connection:
            copy_rows(self._path, connection, target)

    def verify(
        self, progress: Callable[[float], None] = lambda _: None, *, replayed: bool = False
    ) -> Report:
        """Verifies the whole ledger; see `verify.verify`. Raises LedgerError."""
        with self._read_aside() as connection:
            return verify(connection, progress, replayed=replayed)

    def ledger_id(self) -> str:
        """The random id of the ledger, as hexadecimal digits."""
        with self._read() as connection:
            return rows.get_identity(connection).hex()

    # Nights

    def append(
        self,
        night: int,
        *entries: Entry,
        opening: Opening | None = None,
        summary: NightSummary | UnsetType | None = UNSET,
    ) -> None:
        """Appends the next entry of a night, or the next ones, all or none.

        With an opening it begins the night, whose number is `next_number()`. A summary lists the
        night as closed; None removes it from that list (an undo of the end).
        """
        # Whoever has reached the end can still end the night.
        reserve = 0 if isinstance(entries[-1].command, (Void, End)) else 2
        _require_short(entries, reserve)
        with self._write() as connection:
            if opening is None:
                rows.put_entries(connection, night, entries)
            else:
                begun = StoredNight(night, opening.ruleset, opening.last_names, False, entries)
                rows.put_night(connection, night, begun, None)
            if summary is None:
                rows.delete_summary(connection, night)
            elif summary is not UNSET:
                rows.put_summary(connection, night, summary)

    def add_nights(self, nights: Sequence[tuple[StoredNight, NightSummary]]) -> list[int]:
        """Stores imported, closed nights, all or none; returns the numbers they are given.

        The night in progress stays current.
        """
        with self._write() as connection:
            first = rows.last_number(connection) + 1
            for number, (night, summary) in enumerate(nights, start=first):
                _require_short(night.entries)
                rows.put_night(connection, number, night, summary)
        return list(range(first, first + len(nights)))

    def identities(self) -> dict[str, int]:
        """The numbers of all nights by identity; of equal ones the first."""
        query = f"{_IDENTITIES} ORDER BY n.number DESC"
        with self._read() as connection:
            return {identity: number for number, identity in connection.execute(query)}

    def identity(self, number: int) -> str:
        """What tells a night from all others, in any ledger. Raises UnknownNightError."""
        self.require_night(number)
        with self._read() as connection:
            row = connection.execute(f"{_IDENTITIES} WHERE n.number = ?", (number,)).fetchone()
        if row is None:
            raise _unknown_night(number)
        identity: str = row[1]
        return identity

    def names(self) -> set[str]:
        """The names that players have or had, as far as they can be read."""
        with self._read_aside() as connection:
            return rows.get_names(connection)

    def next_number(self) -> int:
        """The number of the next night, imported or played."""
        with self._read() as connection:
            return rows.last_number(connection) + 1

    def current(self) -> StoredNight | None:
        """The newest night that was not imported. Other nights are not read."""
        with self._read() as connection:
            number = rows.current_number(connection)
            return None if number is None else rows.get_night(connection, number)

    def night(self, number: int, *, dated: bool = True) -> StoredNight:
        """A night with its entries, `dated` as a remark says. Raises UnknownNightError."""
        with self._read() as connection:
            night = rows.get_night(connection, number) if 0 < number <= _MAX_NUMBER else None
        if night is None:
            raise _unknown_night(number)
        began_ms = self.remarks().began.get(number) if dated else None
        if began_ms is None:
            return night
        return replace(night, entries=begun_at(night.entries, began_ms))

    def require_night(self, number: int) -> None:
        """Raises UnknownNightError if there is no night of this number."""
        if not 0 < number < self.next_number():
            raise _unknown_night(number)

    def all_nights(self) -> list[NightSummary]:
        """All nights, newest first, including the one in progress. Raises LedgerError."""
        return list(self.each_night())

    def each_night(self, playing: NightInProgress | None = None) -> Iterator[NightSummary]:
        """All nights one by one, newest first.

        The night in progress is replayed, unless the caller knows how it stands.
        """
        began = self.remarks().began
        with self._read() as connection:
            nights = list(rows.summaries(connection))
        for number, summary in reversed(nights):
            yield _dated(summary or self._summarized(number, playing), began)

    def _summarized(self, number: int, playing: NightInProgress | None) -> NightSummary:
        """Summarizes a night that has no summary yet; the one in progress as it stands."""
        try:
            with self._read() as connection:
                if playing and playing.number == number:
                    row = rows.night_row(connection, number)
                    return summarize_open(playing, row[1] if row else 0)
                stored = rows.get_night(connection, number)
            assert stored is not None, "its number was just read"
            state = replay(stored).state
        except LedgerError as error:
            # One damaged night must not make the others inaccessible. It is listed, and opening
            # it shows what is wrong.
            log.warning("%s: %s", self._path, error)
            return NightSummary(number, 0, None, "damaged", [], 0, 0, False, None)
        return summarize(number, stored.entries, state, imported=stored.imported)

    def statistics(
        self,
        enough: Callable[[], bool] = lambda: False,
        *,
        progress: Callable[[float], None] = lambda _: None,
    ) -> Counted:
        """The statistics of all nights that are over, dated as remarks say.

        Counting a night means replaying it, so each is counted only once while the ledger is open.
        Stops counting when `enough` says so. `progress` gets the share done, from 0 to 1.
        """
        began = self.remarks().began
        with self._counting, self._read_aside() as connection:
            over = [night for _, night in rows.summaries(connection) if night and night.standings]
            self._counted = {
                night.number: self._counted[night.number]
                for night in over
                if self._counted.get(night.number, (None, None))[0] == night
            }
            due = [night for night in over if night.number not in self._counted]
            left = len(due)
            for night in due:
                if enough():
                    break
                self._counted[night.number] = night, self._count(connection, night.number)
                left -= 1
                progress(1 - left / len(due))
            known = [self._counted.get(night.number, (None, None))[1] for night in over]
        return Counted(
            [
                replace(night, started_ms=began.get(night.number, night.started_ms))
                for night in known
                if night
            ],
            left,
        )

    def _count(self, connection: sqlite3.Connection, number: int) -> NightStatistics | None:
        try:
            stored = rows.get_night(connection, number)
            assert stored is not None, "its number was just read"
            states = replay(stored).states
        except LedgerError as error:
            log.warning("night %d is left out of the statistics: %s", number, error)
            return None
        return night_statistics(number, stored.entries, states, imported=stored.imported)

    def add_remark(self, remark: Remark, time_ms: int) -> None:
        """Stores a remark about a night or a person."""
        with self._write() as connection:
            rows.put_remark(connection, time_ms, remark)

    def remarks(self) -> Remarks:
        """What holds after all remarks; damaged ones and those after them are left out."""
        with self._read() as connection:
            try:
                return collect(rows.get_remarks(connection)[0])
            except (sqlite3.DatabaseError, UnicodeDecodeError):
                if not self.damage:
                    raise
                return Remarks()

    # Pairings

    def pair(self, digest: bytes, label: str, now_ms: int) -> Pairing:
        """Stores a new pairing by the SHA-256 of its token, which must be unique."""
        with self._write() as connection:
            cursor = connection.execute(
                "INSERT INTO pairings (digest, label, paired_ms, used_ms) VALUES (?, ?, ?, ?)",
                (digest, label, now_ms, now_ms),
            )
        assert cursor.lastrowid is not None, "a row was just inserted"
        return Pairing(cursor.lastrowid, label, now_ms, now_ms)

    def pairing(self, digest: bytes) -> Pairing | None:
        """The pairing of a token, by its SHA-256; it may have `ended` already."""
        with self._read() as connection:
            row = connection.execute(f"{_PAIRINGS} WHERE digest = ?", (digest,)).fetchone()
        return Pairing(*row) if row else None

    def pairings(self) -> list[Pairing]:
        """All pairings, oldest first."""
        with self._read() as connection:
            rows = connection.execute(f"{_PAIRINGS} ORDER BY number").fetchall()
        return [Pairing(*row) for row in rows]

    def touch(self, number: int, now_ms: int) -> None:
        """Notes that a pairing was used, unless a later use is known."""
        self._change_pairings(
            "UPDATE pairings SET used_ms = max(used_ms, ?) WHERE number = ?", now_ms, number
        )

    def name_pairing(self, number: int, label: str) -> bool:
        """Changes the label of a pairing; False if it does not exist."""
        change = "UPDATE pairings SET label = ? WHERE number = ?"
        return 0 < number <= _MAX_NUMBER and self._change_pairings(change, label, number) > 0

    def unpair(self, number: int) -> bool:
        """Revokes a pairing; False if it does not exist."""
        change = "DELETE FROM pairings WHERE number = ?"
        return 0 < number <= _MAX_NUMBER and self._change_pairings(change, number) > 0

    def _change_pairings(self, change: str, *values: int | str) -> int:
        with self._write() as connection:
            return connection.execute(change, values).rowcount

    # Time

    def reserve_revisions(self, time_ms: int) -> int:
        """The first of the revisions that the table may give out; see `durable.py`."""
        return reserve_revisions(self.beside("revision"), time_ms)

    def beside(self, ending: str) -> Path:
        """A small file beside the ledger, such as `ledger.board`."""
        return self._path.with_name(f"{self._path.stem}.{ending}")

    # What can go wrong with the file while it is open

    def require_in_place(self) -> None:
        """Raises LedgerGoneError if the ledger or its log is not the file that was opened.

        Otherwise changes would be stored in files without a name, and lost with the process.
        """
        found = {suffix: _identity(f"{self._path}{suffix}") for suffix in self._in_place}
        if found == self._in_place:
            return
        for suffix, identity in found.items():
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
            if not self._outcome_unknown:
                return
            check_disk(self._path)
            with ledger_errors(self._path):
                self._opened.close()
                # Closing may have deleted the log, and opening may fail after it has made another.
                # The head file shows whether a log with stored entries is gone.
                self._in_place.pop("-wal", None)
                self._connect()
                self._empty_log()
            self._outcome_unknown = False

    def _empty_log(self) -> None:
        """Copies the log into the ledger, truncates it, and records the end of the ledger.

        After a kill or a failed sync, changes that were not acknowledged may be in the page cache
        only. A power cut may leave the end of a change whose beginning is missing. If the next
        change begins alike, another power cut could complete the wrong one. Copying writes and
        syncs the changes again. Raises sqlite3.Error.
        """
        assert self._writer
        busy, _, _ = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise sqlite3.OperationalError("another program reads the ledger")
        self._record_end()

    def _record_end(self) -> None:
        assert self._writer
        try:
            write_mark(companion(self._path, "-head"), mark_of(self._writer))
        except (OSError, sqlite3.Error) as error:
            log.warning("the head of the ledger cannot be written: %s", error)

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        if self.damage:
            raise DamagedLedgerError(self.damage)
        assert self._writer, "a store opened for reading does not write"
        if self._outcome_unknown:
            self.recover()
        with self._writing, ledger_errors(self._path):
            changes = self._writer.total_changes
            try:
                with transaction(self._writer, self.require_in_place):
                    yield self._writer
            except CommitError:
                self._outcome_unknown = True
                raise
            if self._writer.total_changes != changes:
                self._record_end()

    def checkpoint(self) -> None:
        """Copies the log into the ledger, so that stored entries do not depend on the log.

        Call it when nobody waits for the next change. A failure is logged.
        """
        if self._writer and not self._outcome_unknown:
            with self._writing:
                try:
                    self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                except sqlite3.Error as error:
                    _report_log(self._path, error)

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        with self._reading, ledger_errors(self._path):
            yield self._reader

    @contextmanager
    def _read_aside(self) -> Iterator[sqlite3.Connection]:
        """For long reads, for which the table must not wait."""
        if self._writer is None:
            with self._read() as connection:
                yield connection
            return
        with ledger_errors(self._path), closing(connect(self._path, "ro")) as connection:
            yield connection


def _require_short(entries: Sequence[Entry], reserve: int = 0) -> None:
    """Raises LedgerError if a night would be longer than a restore accepts."""
    if entries[-1].number > MOST_ENTRIES - reserve:
        raise LedgerError(f"A night has at most {MOST_ENTRIES:,} entries: end this one.")


def _report_log(path: Path, error: sqlite3.Error) -> None:
    log.warning("the write-ahead log of %s cannot be copied into it: %s", path, error)
