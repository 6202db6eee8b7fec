"""Verification of a whole ledger: structure, numbers, chains, summaries, replay; and its repair."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import NoneType
from typing import Final, Literal, NamedTuple

import msgspec

from pochboard.errors import LedgerError
from pochboard.ledger.book import Book
from pochboard.ledger.remarks import Remark, SamePerson
from pochboard.ledger.replay import MOST_ENTRIES, StoredNight, replay, summarize
from pochboard.store import rows, schema
from pochboard.store.connection import MOST_FINDINGS, connect, ledger_errors, structure, transaction
from pochboard.store.durable import read_mark
from pochboard.store.opening import companion
from pochboard.store.rows import Columns
from pochboard.text.lazy import LazyText, lazy_gettext, lazy_text

VerifiedPart = Literal["file", "entries", "nights", "summaries", "remarks", "replay"]
Progress = Callable[[VerifiedPart, float], None]
"""Called with what is being verified now, and how much of it is done, from 0 to 1."""

_STEP: Final = 512
"""Entries between two calls of `Progress`."""
_NO_ROW: Final = lazy_gettext("A page of the file holds zeros or something else instead of rows.")
_PART_WORDS: Final[dict[VerifiedPart, str]] = {"replay": "nights"}


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong, as a sentence."""

    part: VerifiedPart
    text: str
    night: int | None = None
    entry: int | None = None


class Report(msgspec.Struct, frozen=True):
    """What was verified, and what is wrong."""

    nights: int
    entries: int
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def ignore_progress(_part: VerifiedPart, _done: float) -> None:
    """A `Progress` that shows nothing."""


def verify(
    connection: sqlite3.Connection,
    progress: Progress = ignore_progress,
    *,
    replayed: bool = True,
) -> Report:
    """Verifies everything that a connection can read, in one read transaction.

    Without `replayed` the commands are not played again under the rules: the chain shows that
    they are the ones that were accepted. Raises sqlite3.Error only if nothing can be read at all.
    """
    verifier = _Verifier(connection, progress)
    connection.execute("BEGIN")
    try:
        for finding in verifier.findings(replayed=replayed):
            verifier.found.append(finding)
            if len(verifier.found) == MOST_FINDINGS:
                break
    finally:
        connection.execute("ROLLBACK")
    return Report(len(verifier.nights), verifier.entries, tuple(verifier.found))


class _Verifier:
    def __init__(self, connection: sqlite3.Connection, progress: Progress) -> None:
        self._connection = connection
        self._progress = progress
        self.found: list[Finding] = []
        self.nights: dict[int, Columns] = {}
        self.entries = 0
        self._lengths: dict[int, int] = {}
        """How many entries each night has."""

    def findings(self, *, replayed: bool) -> Iterator[Finding]:
        parts: dict[VerifiedPart, Callable[[], Iterator[Finding]]] = {
            "file": self._file,
            "nights": self._nights,
            "entries": self._entries,
            "summaries": self._summaries,
            "remarks": self._remarks,
        }
        if replayed:
            parts["replay"] = self._replay
        for part, check in parts.items():
            self._progress(part, 0.0)
            try:
                yield from check()
            except (sqlite3.Error, UnicodeDecodeError) as error:
                reason = " ".join(str(error).split())
                text = lazy_gettext(
                    "The rest of the {part} cannot be read: {reason}.",
                    part=LazyText(_PART_WORDS.get(part, part)),
                    reason=reason,
                )
                yield Finding(part, text)
            self._progress(part, 1.0)

    def _file(self) -> Iterator[Finding]:
        # What is not ours would compute while its structure is checked.
        connection = self._connection
        lines = schema.differences(connection) or list(structure(connection, "integrity_check"))
        ids = "SELECT count(*) FROM identity"
        if not lines and connection.execute(ids).fetchone() != (1,):
            lines = [lazy_gettext("its id is not what was stored")]
        for line in lines:
            yield Finding(
                "file", lazy_gettext("The structure of the file is damaged: {line}.", line=line)
            )

    def _nights(self) -> Iterator[Finding]:
        for expected, row in enumerate(rows.night_rows(self._connection), start=1):
            if type(row[0]) is not int:
                yield Finding("nights", _NO_ROW)
                continue
            self.nights[row[0]] = row
            if row[0] != expected and expected not in self.nights:
                yield Finding(
                    "nights", lazy_gettext("Night {number} is missing.", number=expected), expected
                )

    def _entries(self) -> Iterator[Finding]:
        connection, lengths = self._connection, self._lengths
        last, _ = rows.head(connection)
        before = rows.get_identity(connection)
        expected = 0
        numbers: dict[int, int] = {}
        for row in connection.execute(f"{rows.ENTRY_COLUMNS} ORDER BY position"):
            position, night, number, *_, stored = row
            if type(position) is not int:
                yield Finding("entries", _NO_ROW)
                continue
            expected += 1
            if position != expected:
                yield Finding(
                    "entries",
                    lazy_gettext(
                        "The entries {first} to {last} are missing.",
                        first=expected,
                        last=position - 1,
                    ),
                )
                expected, before = position, b""
            self.entries += 1
            if night not in lengths and night not in self.nights:
                text = lazy_gettext("Night {number} has entries, but is missing.", number=night)
                yield Finding("entries", text, night)
            lengths[night] = lengths.get(night, 0) + 1
            wrong: str | None = None
            first = self.nights.get(night) if number == 1 else None
            if rows.link(before, row[:-1], first) != stored:
                wrong = lazy_gettext("is not what was stored")
            place = numbers.get(night, 0) + 1
            if number != place:
                wrong = lazy_gettext("stands where entry {number} belongs", number=place)
            numbers[night] = number if type(number) is int else place
            before = stored
            if wrong:
                text = lazy_gettext(
                    "Night {night}, entry {number} is damaged: it {wrong}.",
                    night=night,
                    number=number,
                    wrong=wrong,
                )
                yield Finding("entries", text, night, number)
            if not position % _STEP:
                # An index or a page that is damaged may hide the last entry.
                self._progress("entries", min(1.0, position / max(last, 1)))
        for night, length in lengths.items():
            if length > MOST_ENTRIES:
                long = f"Night {night} has more than {MOST_ENTRIES:,} entries."
                yield Finding("entries", long, night)

    def _summaries(self) -> Iterator[Finding]:
        current = rows.current_number(self._connection)
        stored = dict(self._connection.execute("SELECT night, entries FROM summaries"))
        for number, summary in rows.summaries(self._connection):
            if type(number) is not int:
                continue  # `_nights` has named it
            length = self._lengths.get(number)
            if length is None:
                text = lazy_gettext("Night {number} has no entries.", number=number)
                yield Finding("nights", text, number)
            elif summary is None and (number != current or number in stored):
                text = lazy_gettext(
                    "The summary of night {number} is missing or damaged.", number=number
                )
                yield Finding("summaries", text, number)
            elif summary is not None and summary.entries != length:
                text = lazy_gettext(
                    "Night {number} has {found} entries, but its summary says {expected}.",
                    number=number,
                    found=length,
                    expected=summary.entries,
                )
                yield Finding("summaries", text, number)
        for number in stored:
            if number not in self.nights:
                text = lazy_gettext(
                    "There is a summary of night {number}, but no such night.", number=number
                )
                yield Finding("summaries", text)

    def _remarks(self) -> Iterator[Finding]:
        found, is_all = rows.get_remarks(self._connection)
        if not is_all:
            yield Finding(
                "remarks",
                lazy_gettext(
                    "The remarks about nights and people are damaged: remark {number} is not what"
                    " was stored.",
                    number=len(found) + 1,
                ),
            )

    def _replay(self) -> Iterator[Finding]:
        """Replays every night that is sound so far, and compares it with its summary."""
        wrong = {finding.night for finding in self.found}
        sound = [number for number in self.nights if number not in wrong]
        for done, number in enumerate(sound, start=1):
            try:
                stored = rows.get_night(self._connection, number)
                assert stored is not None, "its row was read"
                state = replay(stored).state
            except LedgerError as error:
                yield Finding("replay", lazy_text(error), number)
                continue
            summary = rows.get_summary(self._connection, number)
            again = summarize(number, stored.entries, state, imported=stored.imported)
            if summary is not None and summary != again:
                text = lazy_gettext(
                    "The summary of night {number} differs from the result of replaying the night.",
                    number=number,
                )
                yield Finding("replay", text, number)
            self._progress("replay", done / len(sound))


_ROW_BYTES: Final = 16
"""The least size of a row, which bounds the number of rows."""
_DAMAGE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)


class Saved(msgspec.Struct, frozen=True):
    """What a repair has saved, and what it has not."""

    nights: int
    entries: int
    remarks: tuple[str, ...]
    """What is lost or doubtful, as sentences."""


class _Readable(NamedTuple):
    """The rows of a damaged ledger that can be read, by their keys."""

    nights: dict[int, Columns]
    entries: dict[int, Columns]
    lengths: dict[int, int]
    """How many entries each closed night had."""
    identity: bytes
    damage: str
    """What is wrong with the file itself."""
    night_remarks: list[Remark]
    """The remarks about nights and people."""
    remarks_are_whole: bool


class _Rescued(NamedTuple):
    """The sound part of a night."""

    night: StoredNight
    book: Book
    remark: str
    """Where it ends, if that is before its end."""


def repair(damaged: Path, new: Path) -> Saved:
    """Copies what is sound in a damaged ledger to a new one. Raises LedgerError.

    `damaged` is a copy, with the files beside it. Of each night, the entries before the first one
    that is lost or was changed are saved. Pairings are not.
    """
    try:
        with closing(connect(damaged, "rw")) as source:
            if not schema.is_plain(source):
                raise _unreadable(schema.differences(source)[0])
            readable = _read(source, damaged)
    except _DAMAGE as error:
        raise _unreadable(" ".join(str(error).split())) from None
    with ledger_errors(new), closing(connect(new, "rwc")) as connection:
        schema.create(connection)
        with transaction(connection):
            return _save(connection, readable, damaged)


def _unreadable(reason: str) -> LedgerError:
    return LedgerError(f"Nothing in this ledger can be read ({reason}). Restore a backup.")


def _read(source: sqlite3.Connection, damaged: Path) -> _Readable:
    most = damaged.stat().st_size // _ROW_BYTES
    try:
        damage = next(iter(schema.differences(source) or structure(source, "quick_check")), "")
    except _DAMAGE as error:
        damage = " ".join(str(error).split())
    try:
        remarks, whole = rows.get_remarks(source)
    except _DAMAGE:
        remarks, whole = [], False
    try:
        identity = rows.get_identity(source)
    except _DAMAGE:
        identity = b""
    lengths = _rows(source, "SELECT night, entries FROM summaries", "night", most)
    return _Readable(
        _rows(source, rows.NIGHT_COLUMNS, "number", most),
        _rows(source, rows.ENTRY_COLUMNS, "position", most),
        {night: row[1] for night, row in lengths.items() if type(row[1]) is int},
        identity,
        damage,
        remarks,
        whole,
    )


def _rows(connection: sqlite3.Connection, query: str, key: str, most: int) -> dict[int, Columns]:
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


def _save(connection: sqlite3.Connection, readable: _Readable, damaged: Path) -> Saved:
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
            remarks += [rescued.remark] if rescued.remark else []
    current = max(
        (rescued.night.number for rescued in nights if not rescued.night.imported), default=0
    )
    for number, rescued in enumerate(nights, start=1):
        night, state = rescued.night, rescued.book.state
        if number != night.number:
            remarks.append(f"Night {night.number} is night {number} in the new ledger.")
        closed = night.number != current or state.phase == "closed"
        rows.put_stored_night(
            connection,
            number,
            night,
            night.entries[0].time_ms,
            summarize(number, night.entries, state, imported=night.imported) if closed else None,
        )
    _save_remarks(connection, readable, [rescued.night.number for rescued in nights])
    if not readable.remarks_are_whole:
        remarks.append("Some remarks about nights are lost, such as names.")
    mark = read_mark(companion(damaged, "-head"))
    missing = mark.position - max(readable.entries, default=0) if mark else 0
    if missing > 0:
        remarks.append(
            "The last entry is lost." if missing == 1 else f"The last {missing:,} entries are lost."
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


def _rescue(number: int, readable: _Readable, found: list[Columns]) -> _Rescued:
    """The beginning of a night, up to where its chain breaks. Raises LedgerError if there is none.

    Chained entries are those that were recorded, so they follow the rules.
    """
    row = readable.nights.get(number)
    if row is None:
        raise LedgerError("Its beginning cannot be read.")
    usable, reason = _chained(row, found, readable)
    if not reason and len(usable) < readable.lengths.get(number, 0):
        reason = f"Entry {len(usable) + 1} is lost."
    if not usable:
        raise LedgerError(reason or "It has no entries.")
    night = rows.stored_night(row, usable)
    # Sheets of the night are still those of the same one.
    night = msgspec.structs.replace(night, origin=night.origin or usable[0][-1].hex())
    remark = f"Night {number} is saved up to entry {len(usable)}. {reason}" if reason else ""
    return _Rescued(night, replay(night), remark)


def _chained(
    night: Columns, found: list[Columns], readable: _Readable
) -> tuple[list[Columns], str]:
    """The entries of a night up to the first one that breaks the chain, and why they end.

    If the entry before one, of another night, cannot be read, nothing is known of its link.
    """
    chained: list[Columns] = []
    for expected, columns in enumerate(found, start=1):
        if columns[2] != expected:
            return chained, f"Entry {expected} is lost."
        if expected > MOST_ENTRIES:
            return chained, f"A night has at most {MOST_ENTRIES:,} entries."
        earlier = readable.entries.get(columns[0] - 1)
        before = readable.identity if columns[0] == 1 else earlier[-1] if earlier else b""
        link = rows.link(before, columns[:-1], night if expected == 1 else None)
        *_, time_ms, _, _, ref, _, stored = columns
        typed = (type(time_ms), type(stored)) == (int, bytes) and type(ref) in (int, NoneType)
        if not typed or (before and link != stored):
            return chained, f"Entry {expected} is not what was stored."
        chained.append(columns)
    return chained, ""
