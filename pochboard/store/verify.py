"""Verification of a whole ledger: structure, numbering, chain, sums, summaries and pairings."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Final, Literal

import msgspec

from pochboard.errors import LedgerError
from pochboard.ledger.entry import Posting
from pochboard.ledger.replay import NightSummary, replay, summarize
from pochboard.rules.accounts import account_names
from pochboard.store import rows, schema
from pochboard.store.rows import Columns
from pochboard.text.lazy import LazyText, lazy_gettext, lazy_text

VerifiedPart = Literal["file", "entries", "nights", "summaries", "pairings", "remarks", "replay"]
Progress = Callable[[VerifiedPart, float], None]
"""Called with what is being verified now, and how much of it is done, from 0 to 1."""

MOST_ENTRIES: Final = 50_000
"""The most entries of a night; six hours of play have about 2,000. More are not recorded, and what
has more is neither sound nor restored."""
_STEP: Final = 512
"""Entries between two calls of `Progress`."""
_FINDINGS: Final = 100
"""The most findings in a report: after a lost page, everything would be wrong."""
_POSTINGS: Final = msgspec.json.Decoder(tuple[Posting, ...])
_LONGEST_POSTINGS: Final = 64 * 1024
_DECODED_BYTES: Final = 1024 * 1024
"""How much text of different postings is kept decoded, which takes about ten times as much."""
_DIFFERENT: Final = 1024
"""How many different postings of a night are counted before they are added up."""
_ACCOUNTS: Final = {name: name for name in account_names(1024)}
"""The names of accounts, each once in memory."""
_NO_ROW: Final = lazy_gettext("A page of the file holds zeros or something else instead of rows.")
_SEAT: Final = "seat:"


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


class _Moves:
    """The postings of an entry; equal ones are decoded once."""

    __slots__ = ("postings", "wrong")

    def __init__(self, text: bytes) -> None:
        self.postings: tuple[Posting, ...] = ()
        self.wrong: str | None = None
        try:
            # Cut off, a longer text is no JSON.
            decoded = _POSTINGS.decode(text[:_LONGEST_POSTINGS])
            self.postings = tuple([(_ACCOUNTS[account], chips) for account, chips in decoded])
        except (ValueError, TypeError, KeyError, RecursionError):
            self.wrong = lazy_gettext("has postings that cannot be read")
        else:
            total = sum(chips for _, chips in self.postings)
            if total:
                self.wrong = lazy_gettext("has postings that sum to {total}", total=total)


class _Night:
    """What the entries of a night add up to."""

    __slots__ = ("_sums", "entries", "expected", "last_ms", "moves", "started_ms")

    def __init__(self) -> None:
        self.entries = self.expected = 0
        self.started_ms = self.last_ms = 0
        self.moves: dict[_Moves, int] = {}
        """How often each of them was recorded, unless it is in the sums already."""
        self._sums: dict[str, int] = {}

    def add(self, moves: _Moves) -> None:
        self.moves[moves] = self.moves.get(moves, 0) + 1
        if len(self.moves) > _DIFFERENT:
            self.balances()

    def balances(self) -> dict[str, int]:
        """The chips of each account."""
        for moves, times in self.moves.items():
            for account, chips in moves.postings:
                self._sums[account] = self._sums.get(account, 0) + times * chips
        self.moves.clear()
        return self._sums


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


def structure(connection: sqlite3.Connection) -> Iterator[str]:
    """What is wrong with the pages and indexes of the file, in SQLite's words."""
    for (line,) in connection.execute(f"PRAGMA integrity_check({_FINDINGS})"):
        if line != "ok":
            yield " ".join(str(line).replace("*", "").split())


def too_long(connection: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """The nights so long that the daemon could not hold them in memory, each with a clause."""
    for (night,) in connection.execute(
        "SELECT night FROM entries GROUP BY night HAVING count(*) > ?", (MOST_ENTRIES,)
    ):
        yield night, f"night {night} has more than {MOST_ENTRIES:,} entries"


class _Verifier:
    def __init__(self, connection: sqlite3.Connection, progress: Progress) -> None:
        self._connection = connection
        self._progress = progress
        self.found: list[Finding] = []
        self.nights: dict[int, Columns] = {}
        self.entries = 0
        self._folded: dict[int, _Night] = {}

    def findings(self, *, replayed: bool) -> Iterator[Finding]:
        parts: dict[VerifiedPart, Callable[[], Iterator[Finding]]] = {
            "file": self._file,
            "nights": self._nights,
            "entries": self._entries,
            "summaries": self._summaries,
            "pairings": self._pairings,
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
                    part=LazyText(_WORDS[part]),
                    reason=reason,
                )
                yield Finding(part, text)
            self._progress(part, 1.0)

    def _file(self) -> Iterator[Finding]:
        # What is not ours would compute while its structure is checked.
        for line in schema.differences(self._connection) or self._structure():
            yield Finding(
                "file", lazy_gettext("The structure of the file is damaged: {line}.", line=line)
            )

    def _structure(self) -> Iterator[str]:
        yield from structure(self._connection)
        if self._connection.execute("SELECT count(*) FROM identity").fetchone() != (1,):
            yield lazy_gettext("its id is not what was stored")

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
        connection, nights, folded = self._connection, self.nights, self._folded
        last, _ = rows.head(connection)
        before = rows.get_identity(connection)
        expected = 0
        decoded: dict[bytes, _Moves] = {}
        kept = 0
        for row in connection.execute(f"{rows.ENTRY_COLUMNS} ORDER BY position"):
            position, night, number, time_ms, _, _, _, postings, stored = row
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
            fold = folded.get(night)
            if fold is None:
                fold = folded[night] = _Night()
                if night not in nights:
                    yield Finding(
                        "entries",
                        lazy_gettext("Night {number} has entries, but is missing.", number=night),
                        night,
                    )
                fold.started_ms = time_ms
            fold.entries += 1
            fold.last_ms = time_ms
            fold.expected += 1
            moves = decoded.get(postings)
            if moves is None:
                moves = decoded[postings] = _Moves(postings)
                kept += len(postings or b"")
                if kept > _DECODED_BYTES:
                    decoded.clear()
                    kept = 0
            fold.add(moves)
            wrong: str | None = None
            first = nights.get(night) if number == 1 else None
            if rows.link(before, row[:-1], first) != stored:
                wrong = lazy_gettext("is not what was stored")
            if number != fold.expected:
                wrong = lazy_gettext("stands where entry {number} belongs", number=fold.expected)
                fold.expected = number if type(number) is int else fold.expected
            before = stored
            wrong = moves.wrong or wrong
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

        for night, reason in too_long(connection):
            yield Finding("entries", f"N{reason[1:]}, which no restore accepts.", night)

    def _summaries(self) -> Iterator[Finding]:
        current = rows.current_number(self._connection)
        for number, summary in rows.summaries(self._connection):
            if type(number) is not int:
                continue  # `_nights` has named it
            fold = self._folded.get(number)
            if fold is None:
                yield Finding(
                    "nights", lazy_gettext("Night {number} has no entries.", number=number), number
                )
            elif summary is not None:
                for what in _differences(summary, fold):
                    text = lazy_gettext(
                        "The summary of night {number} does not agree with its entries: {what}.",
                        number=number,
                        what=what,
                    )
                    yield Finding("summaries", text, number)
            elif number != current or self._has_summary(number):
                text = lazy_gettext(
                    "The summary of night {number} is missing or damaged.", number=number
                )
                yield Finding("summaries", text, number)

        strangers = "SELECT night FROM summaries WHERE night NOT IN (SELECT number FROM nights)"
        for (number,) in self._connection.execute(strangers):
            text = lazy_gettext(
                "There is a summary of night {number}, but no such night.", number=number
            )
            yield Finding("summaries", text)

    def _has_summary(self, number: int) -> bool:
        query = "SELECT 1 FROM summaries WHERE night = ?"
        return self._connection.execute(query, (number,)).fetchone() is not None

    def _pairings(self) -> Iterator[Finding]:
        if not rows.pairings_are_sound(self._connection):
            text = lazy_gettext(
                "The list of paired phones is damaged: a phone may have to be paired again."
            )
            yield Finding("pairings", text)

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


_WORDS: Final[dict[VerifiedPart, str]] = {
    "file": "file",
    "nights": "nights",
    "entries": "entries",
    "summaries": "summaries",
    "pairings": "pairings",
    "remarks": "remarks",
    "replay": "nights",
}


def _differences(summary: NightSummary, fold: _Night) -> Iterator[str]:
    """How a summary differs from the sums over the entries of its night."""
    if summary.entries != fold.entries:
        yield lazy_gettext(
            "it has {found} entries, not {expected}", found=fold.entries, expected=summary.entries
        )
    if summary.started_ms != fold.started_ms:
        yield lazy_gettext("it began at another time")
    if summary.ended_ms is not None and summary.ended_ms != fold.last_ms:
        yield lazy_gettext("it ended at another time")
    balances = fold.balances() if summary.standings else {}
    for seat, stack, _ in summary.standings or ():
        chips = balances.get(f"{_SEAT}{seat}", 0)
        if chips != stack:
            yield lazy_gettext(
                "seat {seat} has {chips} chips, not {stack}", seat=seat, chips=chips, stack=stack
            )
