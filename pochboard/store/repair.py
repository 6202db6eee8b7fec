"""Repair: saves the sound part of a damaged ledger to a new one, and names the rest."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import NoneType
from typing import Final, NamedTuple

import msgspec

from pochboard.errors import LedgerError
from pochboard.ledger.book import Book
from pochboard.ledger.remarks import Remark, SamePerson
from pochboard.ledger.replay import StoredNight, replay, sound_length, summarize
from pochboard.store import rows, schema
from pochboard.store.checks import HEADER_BYTES, INTERIOR, children, companion
from pochboard.store.connection import ledger_errors, transaction
from pochboard.store.durable import read_mark
from pochboard.store.opening import close_writer, open_for_writing
from pochboard.store.rows import Columns, Opening
from pochboard.store.verify import structure

_PAGE: Final = 1024
_SIZE_AT: Final = 28
"""Where the header of a database has its size in pages, followed by the list of free pages."""
_ROW_BYTES: Final = 16
"""The least size of a row, which bounds the number of rows."""


class Saved(msgspec.Struct, frozen=True):
    """What a repair has saved, and what it has not."""

    nights: int
    entries: int
    remarks: tuple[str, ...]
    """What is lost or doubtful, as sentences."""


class _Readable(msgspec.Struct):
    """The rows of a damaged ledger that can be read, by their keys."""

    nights: dict[int, Columns]
    entries: dict[int, Columns]
    lengths: dict[int, int]
    """How many entries each closed night had."""
    identity: bytes
    missing: int
    """How many of the newest entries are missing, according to the head file."""
    damage: str
    """What is wrong with the file itself."""
    night_remarks: list[Remark]
    """The remarks about nights and people."""
    remarks_are_whole: bool


def repair(damaged: Path, new: Path) -> Saved:
    """Writes the sound part of a damaged ledger to a new one. Raises LedgerError.

    `damaged` is a copy, with the files beside it; it is changed. In each night, the entries before
    the first one that is lost or unsound are saved. Pairings are not.
    """
    with ledger_errors(new):
        connection, head, lock = open_for_writing(new)
    head.close()
    try:
        with ledger_errors(new):
            readable = _read(damaged, new)
            with transaction(connection):
                return _save(connection, readable)
    finally:
        close_writer(connection, new)
        lock.close()


def _read(damaged: Path, fresh: Path) -> _Readable:
    """Everything that can be read. An unreadable header or schema is replaced by a new ledger's.

    Raises LedgerError if nothing can be read.
    """
    reason = ""
    for pieces in _pieces(fresh):
        _replace(damaged, fresh, pieces)
        try:
            reason = reason or _without_foreign_parts(damaged)
            with closing(sqlite3.connect(damaged, isolation_level=None)) as connection:
                entries = dict(_rows(connection, damaged, rows.ENTRY_COLUMNS, "position"))
                identity = _identity(connection)
                readable = _Readable(
                    dict(_rows(connection, damaged, rows.NIGHT_COLUMNS, "number")),
                    entries,
                    dict(_lengths(connection, damaged)),
                    identity,
                    _missing(damaged, identity, max(entries, default=0)),
                    reason or next(_structure(connection), ""),
                    *_remarks(connection),
                )
                if readable.nights or not reason:
                    return readable
        except (sqlite3.Error, UnicodeDecodeError) as error:
            reason = reason or " ".join(str(error).split())
    raise LedgerError(f"Nothing in this ledger can be read ({reason}). Restore a backup.")


def _without_foreign_parts(damaged: Path) -> str:
    """Makes the schema ours, as far as that is possible. Returns what was wrong with it."""
    with closing(sqlite3.connect(damaged, isolation_level=None)) as connection:
        differences = schema.differences(connection)
        if differences:
            schema.restore_parts(connection)
    return differences[0] if differences else ""


_Piece = tuple[int, int]
"""Where a piece of a file begins, and its size."""


def _pieces(fresh: Path) -> Iterator[list[_Piece]]:
    """The parts to take from a new ledger, which are the same there: none, header, schema."""
    yield []
    yield [(0, HEADER_BYTES)]
    yield [(0, _PAGE), *((_PAGE * (page - 1), _PAGE) for page in _schema_pages(fresh))]


def _schema_pages(fresh: Path) -> Iterator[int]:
    """The pages below the root of the schema, which is on page 1."""
    root = fresh.read_bytes()[:_PAGE]
    assert root[HEADER_BYTES] == INTERIOR, "the schema has more than one page"
    yield from children(root, HEADER_BYTES)


def _replace(damaged: Path, fresh: Path, pieces: list[_Piece]) -> None:
    with fresh.open("rb") as source, damaged.open("r+b") as target:
        for start, size in pieces:
            source.seek(start)
            target.seek(start)
            target.write(source.read(size))
        if pieces:
            pages = damaged.stat().st_size // _PAGE
            target.seek(_SIZE_AT)
            target.write(pages.to_bytes(4, "big") + bytes(8))


def _rows(
    connection: sqlite3.Connection, path: Path, query: str, key: str
) -> Iterator[tuple[int, Columns]]:
    """The rows of a table that can be read, by key."""
    connection.execute("PRAGMA cell_size_check = ON")
    # Reading nothing fails if the table itself cannot be found.
    connection.execute(f"{query} LIMIT 0").fetchone()
    most = path.stat().st_size // _ROW_BYTES
    waiting = [(1, most)]
    while waiting:
        first, last = waiting.pop()
        try:
            rows = connection.execute(
                f"{query} WHERE {key} BETWEEN ? AND ? ORDER BY {key}", (first, last)
            ).fetchall()
        except sqlite3.DatabaseError:
            if first < last:
                middle = (first + last) // 2
                waiting += [(middle + 1, last), (first, middle)]
            continue
        for row in rows:
            # A page of zeros gives rows without a key.
            if type(row[0]) is int:
                yield row[0], row


def _lengths(connection: sqlite3.Connection, path: Path) -> Iterator[tuple[int, int]]:
    try:
        for night, row in _rows(connection, path, "SELECT night, entries FROM summaries", "night"):
            if type(row[1]) is int:
                yield night, row[1]
    except sqlite3.DatabaseError:
        return  # without them, only lost ends of nights go unnamed


def _structure(connection: sqlite3.Connection) -> Iterator[str]:
    try:
        yield from structure(connection)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        yield " ".join(str(error).split())


def _remarks(connection: sqlite3.Connection) -> tuple[list[Remark], bool]:
    try:
        return rows.get_remarks(connection)
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return [], False


def _identity(connection: sqlite3.Connection) -> bytes:
    try:
        return rows.get_identity(connection)
    except sqlite3.DatabaseError:
        return b""


def _missing(damaged: Path, identity: bytes, newest: int) -> int:
    """How many entries were stored after the newest one that can be read."""
    mark = read_mark(companion(damaged, "-head"))
    if mark is None or (identity and mark.id != identity):
        return 0
    return max(0, mark.position - newest)


def _save(connection: sqlite3.Connection, readable: _Readable) -> Saved:
    """Writes the nights that can be saved, in order and without gaps in their numbers.

    Raises LedgerError if there is none.
    """
    remarks: list[str] = []
    by_night: dict[int, list[Columns]] = {}
    for _, entry in sorted(readable.entries.items()):
        if type(entry[1]) is int:
            by_night.setdefault(entry[1], []).append(entry)
    # An entry on a damaged page may name any night, even one that never existed.
    known = {*readable.nights, *by_night, *readable.lengths}
    nights: list[_Rescued] = []
    for number in sorted(known | set(range(1, max(readable.nights, default=0) + 1))):
        try:
            rescued = _rescue(number, readable, by_night.get(number, []))
        except LedgerError as error:
            remarks.append(f"Night {number} is lost. {error}")
        else:
            nights.append(rescued)
            remarks += rescued.remarks
    current = max(
        (rescued.night.number for rescued in nights if not rescued.night.imported), default=0
    )
    for number, rescued in enumerate(nights, start=1):
        night, state = rescued.night, rescued.book.state
        if number != night.number:
            remarks.append(f"Night {night.number} is night {number} in the new ledger.")
        opening = Opening(night.ruleset, night.last_names)
        started_ms = night.entries[0].time_ms
        rows.put_night(
            connection,
            number,
            started_ms,
            opening,
            imported=night.imported,
            origin=night.origin,
        )
        rows.put_entries(connection, number, night.entries, rows.head(connection))
        if night.number != current or state.phase == "closed":
            summary = summarize(number, night.entries, state, imported=night.imported)
            rows.put_summary(connection, number, summary)
    _save_remarks(connection, readable, [rescued.night.number for rescued in nights])
    if not readable.remarks_are_whole:
        remarks.append("Some remarks about nights are lost, such as names or what was archived.")
    if readable.missing:
        remarks.append(
            "The last entry is lost."
            if readable.missing == 1
            else f"The last {readable.missing:,} entries are lost."
        )
    if readable.damage:
        remarks.append(
            f"The file itself is damaged ({readable.damage}). The last entries may be lost too."
        )
    if remarks and not nights:
        raise LedgerError(f"Nothing in this ledger is sound. {remarks[0]} Restore a backup.")
    entries = sum(len(rescued.night.entries) for rescued in nights)
    return Saved(len(nights), entries, tuple(remarks))


def _save_remarks(connection: sqlite3.Connection, readable: _Readable, numbers: list[int]) -> None:
    """Adds the remarks about people and about nights that are saved, whose numbers may differ."""
    renumbered = {number: new for new, number in enumerate(numbers, start=1)}
    for remark in readable.night_remarks:
        if isinstance(remark, SamePerson):
            rows.put_remark(connection, 0, remark)
        elif remark.night in renumbered:
            night = renumbered[remark.night]
            rows.put_remark(connection, 0, msgspec.structs.replace(remark, night=night))


class _Rescued(NamedTuple):
    """The sound part of a night."""

    night: StoredNight
    book: Book
    remarks: list[str]


def _rescue(number: int, readable: _Readable, found: list[Columns]) -> _Rescued:
    """The sound part of a night. Raises LedgerError if there is none."""
    row = readable.nights.get(number)
    if row is None:
        raise LedgerError("Its beginning cannot be read.")
    usable, reason = _usable(found)
    night = rows.stored_night(row, usable)
    length, wrong = sound_length(night)
    reason = wrong or reason
    expected = readable.lengths.get(number, 0)
    if not reason and length < expected:
        reason = f"Entry {length + 1} is lost."
    if not length:
        raise LedgerError(reason or "It has no entries.")
    remarks: list[str] = []
    if reason:
        text = f"Night {number} is saved up to entry {length}. {reason}"
        remarks.append(text)
    remarks += _doubts(row, usable[:length], readable)
    # Sheets of the night are still those of the same one.
    link = usable[0][-1]
    origin = night.origin or (link.hex() if type(link) is bytes else None)
    night = msgspec.structs.replace(night, entries=night.entries[:length], origin=origin)
    return _Rescued(night, replay(night), remarks)


def _usable(found: list[Columns]) -> tuple[list[Columns], str]:
    """The entries up to the first one that is missing or cannot be read, and why they end."""
    usable: list[Columns] = []
    for expected, columns in enumerate(found, start=1):
        if columns[2] != expected:
            return usable, f"Entry {expected} is lost."
        try:
            entry = rows.stored_entry(columns)
        except LedgerError as error:
            return usable, str(error)
        if type(entry.time_ms) is not int or type(entry.ref) not in (int, NoneType):
            return usable, f"Entry {expected} cannot be read."
        usable.append(columns)
    return usable, ""


def _doubts(night: Columns, found: list[Columns], readable: _Readable) -> Iterator[str]:
    """Sound entries that break the chain: a name or a time may be wrong."""
    for entry in found:
        if entry[0] == 1:
            before = readable.identity
        else:
            earlier = readable.entries.get(entry[0] - 1)
            before = earlier[-1] if earlier else b""
        first = night if entry[2] == 1 else None
        if before and rows.link(before, entry[:-1], first) != entry[-1]:
            yield (
                f"Night {entry[1]}, entry {entry[2]} is saved, but it is not what was stored:"
                " check its names and its time."
            )
