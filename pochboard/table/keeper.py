"""The keeper of the book: decides on commands and stores what is accepted, then believes it."""

from __future__ import annotations

import logging
from collections import OrderedDict

import msgspec
from msgspec import UNSET, UnsetType

from pochboard.errors import LedgerError, Refusal
from pochboard.ledger.book import Book, Repeat, Step
from pochboard.ledger.replay import NightSummary, StoredNight, replay, summarize, taken_back
from pochboard.messages.entries import sentence, sentences
from pochboard.rules.sitting import Resolve
from pochboard.rules.state import State
from pochboard.sheets.paper import closed_nights
from pochboard.sheets.run import names_heard
from pochboard.store import Opening, Store
from pochboard.table.clock import now_ms
from pochboard.table.records import Imported, Night

log = logging.getLogger(__name__)

NIGHTS_KEPT = 4
"""So many old nights are kept folded for the replay."""


class Keeper:
    """The night in progress, or the last one, as it is stored. Not for more than one thread."""

    def __init__(self, store: Store, resolve: Resolve) -> None:
        """Resumes the newest night of the store. Raises LedgerError if it does not add up."""
        self._store = store
        self._kept: OrderedDict[int, Night] = OrderedDict()
        night = store.current()
        self.book = replay(night) if night else Book(resolve)
        self.book.resolve = resolve
        self.number = night.number if night else None
        self.heard: dict[int, str] = dict(night.heard) if night else {}
        """The name last heard at each place."""
        for state in self.book.states:
            self.heard.update(names_heard(state))
        self.said = sentences(self.book.entries, self.book.states)
        """The sentence of each entry of the night."""
        self.taken_back = taken_back(self.book.entries)
        """The numbers of the entries that are no longer in force."""

    @property
    def state(self) -> State:
        """The state now."""
        return self.book.state

    @property
    def last_ms(self) -> int:
        """The time of the last entry; 0 before the first night."""
        return self.book.entries[-1].time_ms if self.book.entries else 0

    def apply(self, command: object) -> Step | Repeat | Refusal:
        """Decides, commits, and takes it into the book, in this order."""
        before = self.state
        step = self.book.consider(command, now_ms())
        if not isinstance(step, Step):
            return step
        try:
            self._commit(step, before)
        except LedgerError as error:
            log.warning("not stored: %s", error)
            return Refusal("not-stored", f"{error} Nothing was booked.")
        self.book.accept(step)
        if step.opens:
            self.said = []
        self.said.append(
            sentence(step.entry, before, step.state, lambda number: self.said[number - 1])
        )
        self.taken_back = taken_back(self.book.entries)
        self.heard.update(names_heard(step.state))
        return step

    def _commit(self, step: Step, before: State) -> None:
        number, opening = self.number, None
        if step.opens:
            number = self._store.next_number()
            opening = Opening(step.state.rules, dict(self.heard))
        assert number is not None, "without a night only a start is accepted"
        summary: NightSummary | UnsetType | None = UNSET
        if step.state.phase == "closed":
            summary = summarize(number, [*self.book.entries, step.entry], step.state)
        elif before.phase == "closed" and not step.opens:
            summary = None
        self._store.append(number, step.entry, opening=opening, summary=summary)
        self.number = number

    def known(self, number: int) -> Night | None:
        """The night in progress, or the last one, as it is now; or an old one folded lately."""
        if number != self.number:
            return self._kept.get(number)
        entries = list(self.book.entries)
        stored = StoredNight(number, self.state.rules, {}, imported=False, entries=entries)
        return Night(stored, list(self.book.states), list(self.said))

    def keep(self, night: Night) -> None:
        """Keeps a folded night for the next who asks."""
        if night.stored.number == self.number:
            return  # it has begun since it was looked up, and changes still
        self._kept[night.stored.number] = night
        while len(self._kept) > NIGHTS_KEPT:
            self._kept.popitem(last=False)


def folded(stored: StoredNight) -> Night:
    """A stored night with its states and sentences. Raises LedgerError."""
    book = replay(stored)
    return Night(stored, book.states, sentences(book.entries, book.states))


class Paper(msgspec.Struct, frozen=True):
    """The closed nights of a score sheet, ready for the ledger."""

    nights: list[tuple[StoredNight, NightSummary]]
    remarks: list[str]

    def add_to(self, store: Store) -> Imported:
        """Stores all nights or none; the night in progress stays current."""
        return Imported(store.add_nights(self.nights), self.remarks)


def read_paper(resolve: Resolve, content: bytes, time_ms: int | None = None) -> Paper:
    """The nights of a score sheet. `time_ms` is when they were played, else now.

    Raises SheetError.
    """
    paper = closed_nights(content, resolve)
    when_ms = now_ms() if time_ms is None else time_ms
    nights = []
    for night in paper.nights:
        entries = [msgspec.structs.replace(entry, time_ms=when_ms) for entry in night.entries]
        summary = summarize(0, entries, night.state, imported=True)
        nights.append((StoredNight(0, night.ruleset, {}, imported=True, entries=entries), summary))
    return Paper(nights, paper.remarks)
