"""Verification of a whole ledger: structure, numbers, chains, summaries, replay; and its repair."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from pochboard.errors import LedgerError
from pochboard.ledger.remarks import SamePerson
from pochboard.ledger.replay import MOST_ENTRIES, StoredNight, replay, summarize
from pochboard.rules.state import State
from pochboard.store import rows
from pochboard.store.connection import (
    MOST_FINDINGS,
    connect,
    ledger_errors,
    one_line,
    structure,
    transaction,
)
from pochboard.store.durable import read_mark
from pochboard.store.opening import companion
from pochboard.store.rows import Columns

_COUNTS: Final = "SELECT (SELECT count(*) FROM nights), (SELECT count(*) FROM entries)"
_NIGHTS: Final = (
    "SELECT number FROM nights UNION SELECT night FROM entries UNION SELECT night FROM summaries"
    " ORDER BY 1"
)
_DAMAGE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong, as a sentence."""

    text: str
    night: int | None = None


class Report(msgspec.Struct, frozen=True):
    """What was verified, and what is wrong."""

    nights: int
    entries: int
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def verify(
    connection: sqlite3.Connection,
    progress: Callable[[float], None] = lambda _: None,
    *,
    replayed: bool = True,
) -> Report:
    """Verifies everything that a connection can read, in one read transaction.

    Without `replayed` the commands are not played again under the rules: the chain shows that
    they are the ones that were accepted. `progress` gets the share of the nights that is done, from
    0 to 1. Raises sqlite3.Error only if nothing can be read at all.
    """
    parts = {
        "file": _file(connection),
        "nights": _nights(connection, progress, replayed=replayed),
        "remarks": _remarks(connection),
    }
    found: list[Finding] = []
    nights = entries = 0
    connection.execute("BEGIN")
    try:
        for part, findings in parts.items():
            try:
                found += islice(findings, MOST_FINDINGS - len(found))
            except _DAMAGE as error:
                found.append(Finding(f"The rest of the {part} cannot be read: {one_line(error)}."))
        with suppress(*_DAMAGE):
            nights, entries = connection.execute(_COUNTS).fetchone()
    finally:
        connection.execute("ROLLBACK")
    return Report(nights, entries, tuple(found))


def _file(connection: sqlite3.Connection) -> Iterator[Finding]:
    # What is not ours would compute while its structure is checked.
    lines = rows.schema_differences(connection) or list(structure(connection, "integrity_check"))
    ids = "SELECT count(*) FROM identity"
    if not lines and connection.execute(ids).fetchone() != (1,):
        lines = ["its id is not what was stored"]
    for line in lines:
        yield Finding(f"The structure of the file is damaged: {line}.")


def _nights(
    connection: sqlite3.Connection, progress: Callable[[float], None], *, replayed: bool
) -> Iterator[Finding]:
    numbers = [number for (number,) in connection.execute(_NIGHTS)]
    for done, number in enumerate(numbers, start=1):
        try:
            text = _wrong_with(connection, number, replayed=replayed)
        except LedgerError as error:
            text = str(error)
        except _DAMAGE as error:
            text = f"Night {number} cannot be read: {one_line(error)}."
        if text:
            yield Finding(text, number)
        progress(done / len(numbers))


def _wrong_with(connection: sqlite3.Connection, number: int, *, replayed: bool) -> str:
    """The fault of a night, or "". Raises LedgerError."""
    row = rows.night_row(connection, number)
    if row is None:
        return f"Night {number} is missing."
    entries = rows.chained_entries(connection, row)
    if not entries:
        return f"Night {number} has no entries."
    if len(entries) > MOST_ENTRIES:
        return f"Night {number} has more than {MOST_ENTRIES:,} entries."
    stored = connection.execute(f"{rows.SUMMARIES} WHERE night = ?", (number,)).fetchone()
    summary = stored and rows.summary_of(stored)
    if summary is None and (stored or number != rows.current_number(connection)):
        return f"The summary of night {number} is missing or damaged."
    if summary is not None and summary.entries != len(entries):
        return f"Night {number} has {len(entries)} entries, but its summary says {summary.entries}."
    if replayed:
        night = rows.stored_night(row, entries)
        again = summarize(number, night.entries, replay(night).state, imported=night.imported)
        if summary not in (None, again):
            return f"The summary of night {number} differs from the result of replaying it."
    return ""


def _remarks(connection: sqlite3.Connection) -> Iterator[Finding]:
    found, is_all = rows.get_remarks(connection)
    if not is_all:
        yield Finding(
            "The remarks about nights and people are damaged:"
            f" remark {len(found) + 1} is not what was stored.",
        )


# Repair

_ROW_BYTES: Final = 16
"""The least size of a row, which bounds the number of rows."""


class Saved(msgspec.Struct, frozen=True):
    """What a repair has saved, and what it has not."""

    nights: int
    entries: int
    remarks: tuple[str, ...]
    """What is lost or doubtful, as sentences."""


def repair(damaged: Path, new: Path) -> Saved:
    """Copies what is sound in a damaged ledger to a new one. Raises LedgerError.

    `damaged` is a copy, with the files beside it. Of each night, the entries before the first one
    that is lost or was changed are saved. Pairings are not.
    """
    with ledger_errors(new), closing(connect(new, "rwc")) as copy:
        rows.create_tables(copy)
        try:
            with closing(connect(damaged, "rw")) as source:
                if not rows.is_plain(source):
                    raise _unreadable(rows.schema_differences(source)[0])
                readable = _Readable(source, damaged)
        except _DAMAGE as error:
            raise _unreadable(one_line(error)) from None
        with transaction(copy):
            return readable.save(copy)


def _unreadable(reason: str) -> LedgerError:
    return LedgerError(f"Nothing in this ledger can be read ({reason}). Restore a backup.")


class _Readable:
    """The rows of a damaged ledger that can be read."""

    def __init__(self, source: sqlite3.Connection, damaged: Path) -> None:
        most = damaged.stat().st_size // _ROW_BYTES
        self._nights = _read_rows(source, rows.NIGHT_COLUMNS, "number", most)
        self._entries = _read_rows(source, rows.ENTRY_COLUMNS, "position", most)
        summaries = _read_rows(source, rows.SUMMARIES, "night", most)
        self._summaries = {night: rows.summary_of(row) for night, row in summaries.items()}
        try:
            faults = rows.schema_differences(source) or structure(source, "quick_check")
            self._damage = next(iter(faults), "")
        except _DAMAGE as error:
            self._damage = one_line(error)
        try:
            self._remarks, self._has_all_remarks = rows.get_remarks(source)
        except _DAMAGE:
            self._remarks, self._has_all_remarks = [], False
        try:
            self._identity = rows.get_identity(source) or None
        except _DAMAGE:
            self._identity = None
        mark = read_mark(companion(damaged, "-head"))
        self._missing = mark.position - max(self._entries, default=0) if mark else 0

    def save(self, copy: sqlite3.Connection) -> Saved:
        """Writes the nights that can be saved, in order and without gaps in their numbers.

        Raises LedgerError if there is none.
        """
        saved, lost = self._rescued()
        renumbered = {night.number: new for new, (night, _) in enumerate(saved, start=1)}
        current = max((night.number for night, _ in saved if not night.imported), default=0)
        for night, state in saved:
            number, summary = renumbered[night.number], None
            if number != night.number:
                lost.append(f"Night {night.number} is night {number} in the new ledger.")
            if night.number != current or state.phase == "closed":
                summary = summarize(number, night.entries, state, imported=night.imported)
            rows.put_night(copy, number, night, summary)
        for remark in self._remarks:
            if isinstance(remark, SamePerson):
                rows.put_remark(copy, 0, remark)
            elif remark.night in renumbered:
                rows.put_remark(copy, 0, replace(remark, night=renumbered[remark.night]))
        if not self._has_all_remarks:
            lost.append("Some remarks about nights are lost, such as names.")
        if self._missing > 0:
            lost.append(
                "The last entry is lost."
                if self._missing == 1
                else f"The last {self._missing:,} entries are lost."
            )
        if self._damage:
            lost.append(
                f"The file itself is damaged ({self._damage}). The last entries may be lost too."
            )
        if lost and not saved:
            raise LedgerError(f"Nothing in this ledger is sound. {lost[0]} Restore a backup.")
        return Saved(len(saved), sum(len(night.entries) for night, _ in saved), tuple(lost))

    def _rescued(self) -> tuple[list[tuple[StoredNight, State]], list[str]]:
        """The nights that can be saved, each with its state, and what is lost of the others."""
        saved: list[tuple[StoredNight, State]] = []
        lost: list[str] = []
        by_night: dict[int, list[Columns]] = {}
        for _, entry in sorted(self._entries.items()):
            if type(entry[1]) is int:
                by_night.setdefault(entry[1], []).append(entry)
        # An entry on a damaged page may name any night, even one that never existed.
        known = {*self._nights, *by_night, *self._summaries}
        for number in sorted(known | set(range(1, max(self._nights, default=0) + 1))):
            try:
                night, reason = self._beginning(number, by_night.get(number, []))
                saved.append((night, replay(night).state))
            except LedgerError as error:
                lost.append(f"Night {number} is lost. {error}")
                continue
            if reason:
                lost.append(f"Night {number} is saved up to entry {len(night.entries)}. {reason}")
        return saved, lost

    def _beginning(self, number: int, entries: list[Columns]) -> tuple[StoredNight, str]:
        """A night up to where its chain breaks, and why it ends there, if that is before its end.

        Chained entries are those that were recorded, so they follow the rules. Raises LedgerError
        if there is none.
        """
        row = self._nights.get(number)
        if row is None:
            raise LedgerError("Its beginning cannot be read.")
        summary = self._summaries.get(number)
        length = summary.entries if summary else 0
        count, reason = rows.sound_entries(row, entries[:MOST_ENTRIES], self._link_at, length)
        if not count:
            raise LedgerError(reason or "It has no entries.")
        night = rows.stored_night(row, entries[:count])
        # Sheets of the night are still those of the same one.
        return replace(night, origin=night.origin or entries[0][-1].hex()), reason or ""

    def _link_at(self, position: int) -> bytes | None:
        earlier = self._entries.get(position)
        return self._identity if not position else earlier[-1] if earlier else None


def _read_rows(
    connection: sqlite3.Connection, query: str, key: str, most: int
) -> dict[int, Columns]:
    """The rows of a table that can be read, by key."""
    found: dict[int, Columns] = {}
    waiting = [(1, most)]
    try:
        # Reading nothing fails if the table itself cannot be found.
        connection.execute(f"{query} LIMIT 0").fetchone()
    except _DAMAGE:
        return found
    while waiting:
        first, last = waiting.pop()
        try:
            part = connection.execute(
                f"{query} WHERE {key} BETWEEN ? AND ? ORDER BY {key}", (first, last)
            ).fetchall()
        except _DAMAGE:
            if first < last:
                middle = (first + last) // 2
                waiting += [(middle + 1, last), (first, middle)]
            continue
        # A page of zeros gives rows without a key.
        found.update((row[0], row) for row in part if type(row[0]) is int)
    return found
