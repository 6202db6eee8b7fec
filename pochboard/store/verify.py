"""Verification of a whole ledger: structure, numbering, chains, summaries, the replay."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Final, Literal

import msgspec

from pochboard.errors import LedgerError
from pochboard.ledger.replay import MOST_ENTRIES, replay, summarize
from pochboard.store import rows, schema
from pochboard.store.rows import Columns
from pochboard.text.lazy import LazyText, lazy_gettext, lazy_text

VerifiedPart = Literal["file", "entries", "nights", "summaries", "remarks", "replay"]
Progress = Callable[[VerifiedPart, float], None]
"""Called with what is being verified now, and how much of it is done, from 0 to 1."""

_STEP: Final = 512
"""Entries between two calls of `Progress`."""
_FINDINGS: Final = 100
"""The most findings in a report: after a lost page, everything would be wrong."""
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
            if len(verifier.found) == _FINDINGS:
                break
    finally:
        connection.execute("ROLLBACK")
    return Report(len(verifier.nights), verifier.entries, tuple(verifier.found))


def structure(
    connection: sqlite3.Connection, check: Literal["integrity_check", "quick_check"]
) -> Iterator[str]:
    """What is wrong with the pages and types of the file, in SQLite's words.

    `integrity_check` also compares the indexes with their tables.
    """
    for (line,) in connection.execute(f"PRAGMA {check}({_FINDINGS})"):
        if line != "ok":
            yield " ".join(str(line).replace("*", "").split())


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
