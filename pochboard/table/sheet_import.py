"""Importing the nights of a score sheet into the ledger, in slices beside play (RULES.md 9).

The sheet is played twice. The first time, it is only checked: nothing of it is in the ledger until
all of it is known to be correct. The second time, its nights are stored a few at a time, so that
commands of a night in progress are answered in between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import Final

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from pochboard.errors import KnownNightError, LedgerError
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import NightSummary, StoredNight, summarize
from pochboard.rules.commands import AnyCommand, Start
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.seating import Resolve
from pochboard.sheets.lines import Sheet
from pochboard.sheets.play import SheetNight, closed_nights
from pochboard.store import Store
from pochboard.table.clock import begun_ms, local_time, now_ms
from pochboard.table.snapshot import Imported

_SLICE: Final = 400
"""How many entries are stored at once, but never less than a night."""
_ON_SHEET: Final = 0
"""Instead of a number: the night is on the same sheet."""

Slice = Sequence[tuple[StoredNight, NightSummary]]


class SheetImport(msgspec.Struct, frozen=True):
    """A score sheet to be imported."""

    content: bytes
    played_ms: int | None = None
    """When its nights were played, whatever it says itself."""
    again: bool = False
    """Whether nights are imported that are in the ledger already."""


def import_nights(
    wanted: SheetImport,
    store: Store,
    resolve: Resolve,
    book: Callable[[Slice], list[int]] | None = None,
) -> Imported:
    """Imports all nights of a sheet, or those that are not in the ledger yet.

    `book` stores a slice of nights and returns their numbers. Raises NotASheetError, SheetError,
    KnownNightError, LedgerError.
    """
    sheet = Sheet(wanted.content)
    known, remarks = _known_nights(wanted, sheet, store, resolve)
    numbers: list[int] = []
    book = book or store.add_nights
    nights = closed_nights(sheet, resolve)
    for stored in _slices(wanted, (night for i, night in enumerate(nights) if i not in known)):
        try:
            numbers += book(stored)
        except LedgerError as error:
            if not numbers:
                raise
            raise type(error)(_interrupted(numbers, error)) from error
    return Imported(numbers, remarks)


def check_nights(content: bytes, resolve: Resolve) -> None:
    """Checks that a sheet can be imported. Raises NotASheetError, SheetError."""
    for _ in closed_nights(Sheet(content), resolve):
        pass


def _known_nights(
    wanted: SheetImport, sheet: Sheet, store: Store, resolve: Resolve
) -> tuple[set[int], list[str]]:
    """Which nights of a sheet are in the ledger already, and remarks on the others.

    Raises SheetError if the sheet has an error, and KnownNightError if all are known.
    """
    ledger = KnownNights(store)
    known: set[int] = set()
    remarks: list[tuple[int, str]] = []
    count = 0
    for count, night in enumerate(closed_nights(sheet, resolve), start=1):
        sentence = (
            None if wanted.again else ledger.why_known(night, _played_ms(night, wanted.played_ms))
        )
        if sentence is not None:
            known.add(count - 1)
            remarks.append((count, sentence))
        else:
            remarks += [(count, remark) for remark in night.remarks]
    # Of several nights, each remark says which one it is about.
    sentences = [
        remark if count == 1 else f"Night {i} of this sheet: {remark}" for i, remark in remarks
    ]
    if len(known) == count:
        raise KnownNightError(f"{sentences[0]} Nothing was imported.")
    return known, sentences


def _slices(wanted: SheetImport, nights: Iterator[SheetNight]) -> Iterator[Slice]:
    now = now_ms()
    slice_: list[tuple[StoredNight, NightSummary]] = []
    size = 0
    for night in nights:
        when_ms = _played_ms(night, wanted.played_ms)
        time_ms = now if when_ms is None else when_ms
        entries = timed(night.entries, time_ms)
        stored = StoredNight(
            0, night.ruleset, {}, imported=True, entries=entries, origin=night.heading.identity
        )
        slice_.append((stored, summarize(0, entries, night.state, imported=True)))
        size += len(entries)
        if size >= _SLICE:
            yield slice_
            slice_, size = [], 0
    if slice_:
        yield slice_


def timed(entries: Sequence[Entry], begun_ms: int) -> list[Entry]:
    """The entries of a night on a sheet, which began at this time."""
    first_ms = entries[0].time_ms
    return [replace(entry, time_ms=begun_ms + entry.time_ms - first_ms) for entry in entries]


def _played_ms(night: SheetNight, played_ms: int | None) -> int | None:
    """When a night was played, if anybody says so."""
    if played_ms is None and night.heading.begun is not None:
        return begun_ms(night.heading.begun)
    return played_ms


def _interrupted(numbers: list[int], error: LedgerError) -> str:
    named = ", ".join(map(str, numbers))
    imported = f"Night {named} was" if len(numbers) == 1 else f"The nights {named} were"
    return f"{imported} imported, the rest of the sheet was not. {error}"


class KnownNights:
    """The nights of a ledger, and what tells whether a night on a sheet is one of them.

    That is its identity. For a sheet without one, and for a ledger that was repaired, it is the day
    and all commands.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._identities = store.identities()
        self._alike: dict[int, list[tuple[int, int]]] | None = None
        """The nights, with when they began, by a hash of what their summaries share with a night
        on paper."""
        self._on_sheet: dict[bytes, set[date | None]] = {}
        """The days of the nights of this sheet, by the digest of their commands."""

    def why_known(self, night: SheetNight, when_ms: int | None) -> str | None:
        """Why a night of the sheet, played at this time if that is known, is not imported.

        None if it is new.
        """
        identity, day = (
            night.heading.identity,
            None if when_ms is None else local_time(when_ms).date(),
        )
        number = self._identities.get(identity) if identity else None
        digest = _digest(night.ruleset, night.entries)
        days = self._on_sheet.setdefault(digest, set())
        same_day = day in days or None in days or (day is None and bool(days))
        if number == _ON_SHEET or (number is None and same_day):
            return "It is on this sheet twice."
        if number is None:
            number = self._same(night, digest, when_ms)
        if number is not None:
            return self._which(number, night)
        days.add(day)
        if identity:
            self._identities[identity] = _ON_SHEET
        return None

    def _which(self, number: int, night: SheetNight) -> str:
        stored, entries = len(self._store.night(number).entries), len(night.entries)
        if entries - night.added <= stored:
            return f"This is night {number} already."
        return (
            f"This is night {number} already, which ends earlier: it has {stored} entries, and"
            f" the sheet has {entries}."
        )

    def _same(self, night: SheetNight, digest: bytes, when_ms: int | None) -> int | None:
        """The night of the ledger with the same commands on the same day, if there is one.

        If a board has written the sheet, it must have begun at the same second.
        """
        if self._alike is None:
            self._alike = {}
            for summary in self._store.each_night():
                began = (summary.number, summary.started_ms)
                self._alike.setdefault(_likeness(summary), []).append(began)
        summary = summarize(0, night.entries, night.state)
        for number, began_ms in self._alike.get(_likeness(summary), ()):
            if when_ms is None:
                fits = True
            elif night.heading.ledger is not None:
                fits = began_ms // 1000 == when_ms // 1000
            else:
                fits = local_time(began_ms).date() == local_time(when_ms).date()
            if fits:  # only now: reading a night takes long, and many may be alike
                stored = self._store.night(number)
                if digest == _digest(stored.ruleset, stored.entries):
                    return number
        return None


def _likeness(summary: NightSummary) -> int:
    return hash((*summary.players, summary.entries, *(summary.standings or ())))


def _digest(ruleset: Ruleset, entries: Iterable[Entry]) -> bytes:
    """The digest of the commands of a night, whatever its ruleset is called."""
    hashed = hashlib.sha256(msgspec.json.encode(ruleset.parameters()))
    for entry in entries:
        hashed.update(msgspec.json.encode(nameless(entry.command)))
    return hashed.digest()


def nameless(command: AnyCommand) -> AnyCommand:
    """A command without the name of its ruleset, which may be another one on a sheet."""
    if isinstance(command, Start):
        return replace(command, ruleset="", options=UNSET)
    return command
