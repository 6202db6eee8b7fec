"""The journal of the night: decides on commands, stores what is accepted, then applies it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from pochboard.buttons.button_meaning import PanelContext
from pochboard.errors import (
    DamagedLedgerError,
    LedgerError,
    LedgerGoneError,
    Refusal,
    UnknownOutcomeError,
    UnreadableNightError,
    refuse,
)
from pochboard.ledger.book import Book, Repeat, Step
from pochboard.ledger.correcting import NoLongerHolds, correct
from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import (
    MOST_PAUSE_MS,
    NightSummary,
    StoredNight,
    begun_at,
    replay,
    summarize,
    taken_back,
)
from pochboard.messages.entries import EntryContext, entry_context, sentence_in
from pochboard.rules.commands import BadCommand, Parsed, Redo, Start, Undo, Void
from pochboard.rules.seating import Resolve
from pochboard.rules.state import State
from pochboard.runtime.threads import ErrorBoundary
from pochboard.sheets import names_at_places
from pochboard.store import Opening, Store
from pochboard.table.clock import now_ms
from pochboard.table.snapshot import ReplayedNight
from pochboard.text.lazy import LazyText, lazy_gettext, lazy_text

log = logging.getLogger(__name__)


class Model(msgspec.Struct, frozen=True):
    """What the next night continues: who sat where, by which rules."""

    state: State = State()
    start: Start | None = None
    names: Mapping[int, str] = {}
    """The name last used at each place."""


_SHORT: Final = {
    "damaged": lazy_gettext(
        "The record of the nights is damaged. The page on a phone says what to do."
    ),
    "ledger-gone": lazy_gettext(
        "The record of the nights is gone or was replaced. The page on a phone says what to do."
    ),
    "disk-failed": lazy_gettext(
        "The disk failed or is full. Nothing can be recorded until it works again."
    ),
    "unknown": lazy_gettext(
        "The disk failed or is full. It is not yet known whether this was recorded."
    ),
}
"""What the display says of faults."""


_FAILED: Final = refuse(
    "internal",
    "The program failed here and recorded nothing. Undo or do something else; its log says why.",
)


def _not_recorded(code: str, reason: LazyText) -> Refusal:
    sentence = lazy_gettext("{reason} Nothing was recorded.", reason=reason)
    return refuse(code, sentence, short=_SHORT.get(code))


class Journal:
    """The night in progress, or the last one, as it is stored. Not thread-safe."""

    def __init__(
        self,
        store: Store,
        resolve: Resolve,
        now_ms: Callable[[], int] = now_ms,
        boundary: ErrorBoundary | None = None,
    ) -> None:
        """Resumes the newest night of the store. `now_ms` is the time of new entries.

        If that is damaged, there is no night, and `fault` says why. Raises LedgerError if the
        ledger cannot be read at all, as on a failing disk.
        """
        self._store = store
        self._now_ms = now_ms
        self._boundary = boundary or ErrorBoundary()
        self.fault: Refusal | None = None
        """Why nothing can be recorded until it is fixed."""
        self._reason = LazyText("")
        """What is wrong with the ledger while there is a fault."""
        self._uncertain: Sequence[Step] = ()
        """The steps that may or may not have been stored, all or none."""
        night, self.book = self._resumed(resolve)
        self.book.resolve = resolve
        self.number = night.number if night else None
        self._boundary.begin_entry(self.number, len(self.book.entries))
        self._earlier_names: dict[int, str] = dict(night.last_names) if night else {}
        """The name last used at each place before this night."""
        self._last_names = dict(self._earlier_names)
        """The name last used at each place."""
        for state in self.book.states:
            self._last_names.update(names_at_places(state))
        self._earlier: Model | None = None
        """What the next night continues if computer players played this one; None if unknown."""
        remarks = store.remarks()
        self.of_bots = self.number is not None and self.number in remarks.bots
        """Whether the night is one of computer players."""
        self._began_ms = remarks.began.get(self.number) if self.number is not None else None
        """When a remark says that the night began."""
        self.taken_back = taken_back(self.book.entries)
        """The numbers of the entries that are no longer in force."""

    def _resumed(self, resolve: Resolve) -> tuple[StoredNight | None, Book]:
        damage = self._store.damage
        if damage is None:
            try:
                night = self._store.current()
            except DamagedLedgerError as error:
                damage = lazy_text(error)
            except UnreadableNightError as error:
                damage = self._store.as_damage(error)
                log.warning("%s", damage)
            else:
                try:
                    return night, replay(night) if night else Book(resolve)
                except LedgerError as error:
                    # The chain is intact, so a faulty program stored it like this.
                    damage = self._store.as_damage(error)
                    log.warning("%s", damage)
        self._reason = damage
        self.fault = refuse(
            "damaged",
            "{reason} Nothing can be recorded until then. A paired phone can also restore a"
            " backup: see Nights.",
            reason=damage,
            short=_SHORT["damaged"],
        )
        return None, Book(resolve)

    @property
    def context(self) -> PanelContext:
        """What the panel needs to know about the night."""
        model = self.model
        return PanelContext(
            self.state,
            model.start,
            model.names,
            lambda command: isinstance(self._consider(command), Step),
            self.book.undone,
            model.state if self.of_bots else None,
        )

    @property
    def model(self) -> Model:
        """What the next night continues: this night, but never one of computer players."""
        if not self.of_bots:
            return Model(self.state, self.book.start, self._last_names)
        if self._earlier is None:
            self._earlier = self._last_of_people()
        return self._earlier

    def _last_of_people(self) -> Model:
        """The last night not played by computer players; an empty one if it cannot be read."""
        try:
            bots = self._store.remarks().bots
            for night in self._store.each_night():
                if night.imported or night.number in bots or night.number == self.number:
                    continue
                stored = self._store.night(night.number)
                book = replay(stored)
                return Model(book.state, book.start, self._earlier_names)
        except LedgerError as error:
            log.warning("the earlier nights cannot be read: %s", error)
        return Model(names=self._earlier_names)

    def set_of_bots(self, number: int, bots: bool) -> None:
        """A remark says whether a night is one of computer players."""
        self._earlier = None
        if number == self.number:
            self.of_bots = bots

    @property
    def state(self) -> State:
        """The state now."""
        return self.book.state

    def context_of(self, entry: Entry | None) -> EntryContext | None:
        """An entry of the night, as its sentence needs it."""
        if entry is None:
            return None
        return entry_context(self.book.entries, self.book.states, entry.number)

    @property
    def last_ms(self) -> int:
        """The time of the last entry; 0 before the first night."""
        return self.book.entries[-1].time_ms if self.book.entries else 0

    def apply(self, command: Parsed) -> Step | Repeat | Refusal:
        """Decides, commits, and applies the command to the book, in this order."""
        if self.fault and not self.recover():
            return self._refusal(command)
        step = self._consider(command, self._time_ms())
        if not isinstance(step, Step):
            return step
        return self._record((step,), command) or step

    def _consider(self, command: Parsed, time_ms: int = 0) -> Step | Repeat | Refusal:
        part = f"decision about {type(command).__name__}"
        return self._boundary.attempt(part, lambda: self.book.consider(command, time_ms), _FAILED)

    def correction(
        self, number: int, command: Parsed | None, sent: Undo, *, insert: bool = False
    ) -> Sequence[Step] | Refusal:
        """What a correction of the night would record; records nothing."""
        steps = correct(self.book, number, command, self._time_ms(), sent.id, insert=insert)
        if not isinstance(steps, NoLongerHolds):
            return steps
        entry, reason = steps.entry, steps.refusal.sentence
        context = self.context_of(entry)
        assert context is not None, "there is an entry"
        return refuse(
            "does-not-hold",
            "Entry {number} would no longer hold (“{entry}”): {reason} Nothing was changed.",
            number=entry.number,
            entry=LazyText(sentence_in, context),
            reason=reason,
        )

    def correct(
        self, number: int, command: Parsed | None, sent: Undo, *, insert: bool = False
    ) -> Sequence[Step] | Repeat | Refusal:
        """Corrects the night, as `apply` applies a command. `sent` has its id."""
        if self.fault and not self.recover():
            return self._refusal(sent)
        repeat = self.book.repeated(sent)
        if repeat is not None:
            return repeat
        steps = self.correction(number, command, sent, insert=insert)
        return steps if isinstance(steps, Refusal) else self._record(steps, sent) or steps

    def _record(self, steps: Sequence[Step], command: Parsed) -> Refusal | None:
        """Commits and applies steps. Returns why that failed, or may have failed, if so."""
        try:
            self._commit(steps)
        except UnknownOutcomeError as error:
            log.warning("it is not known whether an entry was stored: %s", error)
            self._uncertain, self._reason = steps, lazy_text(error)
            self.fault = refuse(
                "unknown",
                "{reason} Nothing can be recorded until the disk works again.",
                reason=self._reason,
                short=_SHORT["disk-failed"],
            )
            if not self.recover():
                return self._refusal(command)
            # `recover` has accepted them if they were stored after all.
            if _ends_with(self.book.entries, steps):
                return None
            return _not_recorded("not-stored", self._reason)
        except LedgerGoneError as error:
            log.warning("not stored: %s", error)
            self._reason = lazy_text(error)
            self.fault = refuse(
                "ledger-gone",
                "{reason} Nothing can be recorded until then.",
                reason=self._reason,
                short=_SHORT["ledger-gone"],
            )
            return self._refusal(command)
        except LedgerError as error:
            log.warning("not stored: %s", error)
            return _not_recorded("not-stored", lazy_text(error))
        self._accept(steps)
        return None

    def _time_ms(self) -> int:
        """The time of an entry made now.

        If the clock was set back a little since the entry before it, the time stands still.
        """
        time_ms, last_ms = self._now_ms(), self.last_ms
        return last_ms if 0 < last_ms - time_ms <= MOST_PAUSE_MS else time_ms

    def recover(self) -> bool:
        """Tries to clear the fault, and returns whether it is gone.

        Accepts steps that were stored although their commit failed.
        """
        if self.fault is None:
            return True
        if self.fault.code == "damaged":
            return False
        try:
            self._store.recover()
            stored = self._store.current() if self._uncertain else None
        except LedgerError as error:
            log.debug("the ledger is not usable yet: %s", error)
            return False
        log.warning("the ledger is usable again")
        steps, self._uncertain, self.fault = self._uncertain, (), None
        if stored and _ends_with(stored.entries, steps):
            if steps[0].opens:
                self.number = stored.number
            self._accept(steps)
        return True

    def _refusal(self, command: Parsed) -> Refusal:
        """Why this command is not recorded because of the fault."""
        fault, steps = self.fault, self._uncertain
        assert fault is not None, "commands are refused only because of a fault"
        # If this is the uncertain command, or a repetition of it, then it may be recorded, whatever
        # was found to be wrong since. No other command was recorded.
        if steps:
            same = command.id is not UNSET and command.id == steps[-1].entry.id
            if not isinstance(command, BadCommand):
                command = msgspec.structs.replace(command, basis=UNSET)
            # A correction begins with an undo; one without an id is taken for any other one.
            if same or command == steps[0].entry.command:
                return refuse(
                    "unknown",
                    "{reason} It is not yet known whether this was recorded."
                    " Check before you repeat it.",
                    reason=self._reason,
                    short=_SHORT["unknown"],
                )
        if fault.code == "damaged":
            return _not_recorded("damaged", self._reason)
        return _not_recorded("not-stored" if steps else "ledger-gone", self._reason)

    def _accept(self, steps: Sequence[Step]) -> None:
        model = self.model if steps[0].opens else None
        for step in steps:
            self.book.accept(step)
        self._boundary.begin_entry(self.number, len(self.book.entries))
        if model is not None:
            self._earlier, self._earlier_names = model, dict(model.names)
            self._last_names = dict(model.names)
            self.of_bots, self._began_ms = False, None
        if isinstance(steps[0].entry.command, Start | Undo | Redo | Void):
            self.taken_back = taken_back(self.book.entries)
        self._last_names.update(names_at_places(self.state))

    def _commit(self, steps: Sequence[Step]) -> None:
        before, after, number, opening = self.state, steps[-1].state, self.number, None
        entries = [step.entry for step in steps]
        if steps[0].opens:
            number = self._store.next_number()
            opening = Opening(after.rules, dict(self.model.names))
        assert number is not None, "without a night only a start is accepted"
        summary: NightSummary | UnsetType | None = UNSET
        if after.phase == "closed":
            # Without a summary, it is made when somebody asks for it.
            summary = self._boundary.attempt(
                "summary",
                lambda: summarize(number, [*self.book.entries, *entries], after),
                None,
            )
        elif before.phase == "closed" and not opening:
            summary = None
        self._store.append(number, *entries, opening=opening, summary=summary)
        self.number = number

    def current(self, number: int) -> ReplayedNight | None:
        """The night in progress or the last one, if it has this number."""
        if number != self.number:
            return None
        book = self.book.copied()
        entries = book.entries
        if self._began_ms is not None:
            entries = begun_at(entries, self._began_ms)
        stored = StoredNight(number, self.state.rules, {}, imported=False, entries=entries)
        return ReplayedNight(stored, book)

    def set_began(self, number: int, began_ms: int | None) -> None:
        """A remark says when a night began, or no longer does."""
        if number == self.number:
            self._began_ms = began_ms


def _ends_with(entries: Sequence[Entry], steps: Sequence[Step]) -> bool:
    """Whether these steps are the last that were recorded."""
    return bool(steps) and entries[-len(steps) :] == [step.entry for step in steps]


def replayed(stored: StoredNight) -> ReplayedNight:
    """A stored night with its states. Raises LedgerError."""
    return ReplayedNight(stored, replay(stored))
