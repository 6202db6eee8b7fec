"""The nights of the ledger: read, imported, and what people say about them."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import Final

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from pochboard.errors import KnownNightError, LedgerError, Refusal, refuse
from pochboard.ledger.entry import Entry
from pochboard.ledger.remarks import (
    NightDate,
    NightDeleted,
    NightName,
    NightOfBots,
    Remark,
    Remarks,
    SamePerson,
)
from pochboard.ledger.replay import (
    NightInProgress,
    NightSummary,
    StoredNight,
    is_possible,
    summarize,
)
from pochboard.rules.commands import AnyCommand, Start
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.seating import Resolve
from pochboard.rules.state import BETWEEN_NIGHTS
from pochboard.runtime.threads import Worker
from pochboard.sheets import Sheet, SheetNight, closed_nights
from pochboard.store import Counted, Store
from pochboard.table.clock import begun_ms, local_time, now_ms
from pochboard.table.journal import Journal, replayed
from pochboard.table.snapshot import Imported, ReplayedNight, Snapshot
from pochboard.text.unicode_names import is_name, tidy

log = logging.getLogger(__name__)

_BAD_NAME: Final = refuse("bad-argument", "A name has 1 to 100 characters, none of them invisible.")


class LedgerNights:
    """All nights. May be used from any thread, unless a method says otherwise."""

    def __init__(
        self,
        store: Store,
        journal: Journal,
        resolve: Resolve,
        worker: Worker,
        learn: Callable[[NightOfBots | SamePerson], None],
        now: Callable[[], Snapshot],
    ) -> None:
        """Only the worker's thread may use the journal. `learn` shows at the table what is new.

        `now` is what the table shows, and does not wait for it.
        """
        self._store = store
        self._journal = journal
        self._resolve = resolve
        self._worker = worker
        self._learn = learn
        self._now = now
        self._replaying = threading.Lock()
        self._kept: ReplayedNight | None = None
        """The night that was read last, except the newest."""
        self._importing = threading.Lock()

    def night(self, number: int) -> ReplayedNight:
        """A night with its states. Raises UnknownNightError, LedgerError."""
        current = self._worker.call(lambda: self._journal.current(number))
        if current is not None:
            return current
        # One at a time: a second reader of the same night finds it in memory.
        with self._replaying:
            if self._kept is None or self._kept.stored.number != number:
                self._kept = replayed(self._store.night(number))
            night = ReplayedNight(self._kept.stored, self._kept.book.copied())
            if self._worker.call(lambda: self._journal.number) == number:
                self._kept = None  # it has begun just now, and changes
            return night

    def each(self) -> Iterator[NightSummary]:
        """All nights one by one, the newest first."""
        return self._store.each_night(self._in_progress())

    def _in_progress(self) -> NightInProgress | None:
        """The night in progress. Asking the table's thread might mean waiting for a disk."""
        now = self._now()
        if now.night is None or now.fault is not None or now.state.phase in BETWEEN_NIGHTS:
            return None
        return NightInProgress(now.night, now.entry, now.state)

    def identity(self, number: int) -> str:
        """What tells a night from all others. Raises UnknownNightError, LedgerError."""
        return self._store.identity(number)

    def statistics(self, enough: Callable[[], bool] = lambda: False) -> Counted:
        """The statistics of all nights that are over; see `Store.statistics`."""
        return self._store.statistics(enough)

    def import_sheet(
        self, content: bytes, played_ms: int | None = None, *, again: bool = False
    ) -> Imported:
        """Imports the nights of a score sheet; see `import_nights`. Raises what that raises."""
        # One at a time: another one might be of the same nights, and each takes memory.
        with self._importing:
            return import_nights(
                content,
                self._store,
                self._resolve,
                played_ms=played_ms,
                again=again,
                # In the table's thread: a night that starts must get the number it was given.
                book=lambda nights: self._worker.call(lambda: self._store.add_nights(nights)),
            )

    def append(self, number: int, entries: Sequence[Entry], summary: NightSummary) -> None:
        """Appends entries to an imported night, which has gone on elsewhere. Raises LedgerError."""
        self._worker.call(lambda: self._store.append(number, *entries, summary=summary))
        self._forget(number)

    def _forget(self, number: int) -> None:
        """A night that is kept has changed in the ledger."""
        with self._replaying:
            if self._kept is not None and self._kept.stored.number == number:
                self._kept = None

    def remarks(self) -> Remarks:
        """All remarks about nights and people."""
        return self._store.remarks()

    def add_remark(self, remark: Remark) -> Refusal | None:
        """Stores a remark, unless there is a reason to refuse it. Raises LedgerError."""
        text = ""
        if isinstance(remark, SamePerson):
            if not is_name(remark.called) or not self._is_known(remark.name):
                return _BAD_NAME
        else:
            self._store.require_night(remark.night)
            if isinstance(remark, NightDeleted) and self._is_playing():
                return refuse(
                    "wrong-phase",
                    "Nights can be deleted or restored only while no night is in progress.",
                )
            if isinstance(remark, NightDate) and not is_possible(remark.began_ms):
                return refuse(
                    "bad-argument",
                    "A night can begin from 1 January 2000 to 31 December 2099.",
                )
            text = remark.name if isinstance(remark, NightName) else ""
        if text and not is_name(text):
            return _BAD_NAME
        self._store.add_remark(remark, now_ms())
        if isinstance(remark, NightDate):
            self._worker.call(lambda: self._journal.set_began(remark.night, remark.began_ms))
            self._forget(remark.night)
        if isinstance(remark, NightOfBots | SamePerson):
            self._learn(remark)
        return None

    def _is_playing(self) -> bool:
        return self._worker.call(lambda: self._journal.state.phase) not in BETWEEN_NIGHTS

    def _is_known(self, name: str) -> bool:
        """Whether somebody can be called this, or is called this in the ledger."""
        return is_name(name) or name in map(tidy, self._store.names())

    def restore(self, number: int | None) -> None:
        """Restores a deleted night: its end was undone, so people are still playing.

        Only for the worker's thread.
        """
        try:
            if number is not None and number in self._store.remarks().deleted:
                self._store.add_remark(NightDeleted(number, deleted=False), now_ms())
        except LedgerError as error:
            log.warning("night %s stays deleted from the list: %s", number, error)


# Importing score sheets.

_SLICE: Final = 400
"""How many entries are stored at once, but never less than a night."""
_ON_SHEET: Final = 0
"""Instead of a number: the night is on the same sheet."""

Slice = Sequence[tuple[StoredNight, NightSummary]]


def import_nights(
    content: bytes,
    store: Store,
    resolve: Resolve,
    *,
    played_ms: int | None = None,
    again: bool = False,
    book: Callable[[Slice], list[int]] | None = None,
) -> Imported:
    """Imports all nights of a score sheet, in slices beside play (RULES.md 9).

    They were played at `played_ms`, whatever the sheet says. Those that are in the ledger already
    are only imported `again` if that is wanted. `book` stores a slice of nights and returns their
    numbers. Raises NotASheetError, SheetError, KnownNightError, LedgerError.
    """
    sheet = Sheet(content)
    # The sheet is played twice. The first time, it is only checked: nothing of it is in the ledger
    # until all of it is known to be correct.
    known, remarks = _known_nights(sheet, None if again else KnownNights(store), resolve, played_ms)
    numbers: list[int] = []
    # The second time, its nights are stored a few at a time, so that commands of a night in
    # progress are answered in between.
    nights = (night for i, night in enumerate(closed_nights(sheet, resolve)) if i not in known)
    for stored in _slices(nights, played_ms):
        try:
            numbers += (book or store.add_nights)(stored)
        except LedgerError as error:
            if not numbers:
                raise
            named = ", ".join(map(str, numbers))
            imported = f"Night {named} was" if len(numbers) == 1 else f"The nights {named} were"
            raise type(error)(
                f"{imported} imported, the rest of the sheet was not. {error}"
            ) from error
    return Imported(numbers, remarks)


def check_nights(content: bytes, resolve: Resolve) -> None:
    """Checks that a sheet can be imported. Raises NotASheetError, SheetError."""
    for _ in closed_nights(Sheet(content), resolve):
        pass


def _known_nights(
    sheet: Sheet, ledger: KnownNights | None, resolve: Resolve, played_ms: int | None
) -> tuple[set[int], list[str]]:
    """Which nights of a sheet are in the ledger already, and remarks on the others.

    Raises SheetError if the sheet has an error, and KnownNightError if all are known.
    """
    known: set[int] = set()
    remarks: list[tuple[int, str]] = []
    count = 0
    for count, night in enumerate(closed_nights(sheet, resolve), start=1):
        why = ledger.why_known(night, _played_ms(night, played_ms)) if ledger else None
        if why is not None:
            known.add(count - 1)
        remarks += [(count, remark) for remark in (night.remarks if why is None else [why])]
    # Of several nights, each remark says which one it is about.
    sentences = [
        remark if count == 1 else f"Night {i} of this sheet: {remark}" for i, remark in remarks
    ]
    if len(known) == count:
        raise KnownNightError(f"{sentences[0]} Nothing was imported.")
    return known, sentences


def _slices(nights: Iterable[SheetNight], played_ms: int | None) -> Iterator[Slice]:
    now = now_ms()
    slice_: list[tuple[StoredNight, NightSummary]] = []
    size = 0
    for night in nights:
        when_ms = _played_ms(night, played_ms)
        entries = timed(night.entries, now if when_ms is None else when_ms)
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
        identity = night.heading.identity
        day = None if when_ms is None else local_time(when_ms).date()
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
