"""The nights of the ledger: read, imported, and what people say about them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pochboard.errors import LedgerError, Refusal, refuse
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
from pochboard.ledger.replay import NightInProgress, NightSummary, is_possible
from pochboard.rules.seating import Resolve
from pochboard.rules.state import BETWEEN_NIGHTS
from pochboard.store import Counted, Store
from pochboard.table.clock import now_ms
from pochboard.table.journal import Journal, replayed
from pochboard.table.sheet_import import SheetImport, Slice, import_nights
from pochboard.table.snapshot import Imported, ReplayedNight, Snapshot
from pochboard.table.worker import Worker
from pochboard.text.lazy import lazy_gettext
from pochboard.text.unicode_names import is_name, tidy

log = logging.getLogger(__name__)

_BAD_NAME: Final = refuse(
    "bad-argument", lazy_gettext("A name has 1 to 100 characters, none of them invisible.")
)


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
        self._importing = threading.Lock()

    def night(self, number: int) -> ReplayedNight:
        """A night with its states. Raises UnknownNightError, LedgerError."""
        night = self._worker.call(lambda: self._journal.cached(number))
        if night is not None:
            return night
        # One at a time: a second reader of the same night finds it in memory.
        with self._replaying:
            night = self._worker.call(lambda: self._journal.cached(number))
            if night is None:
                night = stored = replayed(self._store.night(number))
                self._worker.call(lambda: self._journal.cache(stored))
            return night

    def each(self) -> Iterator[NightSummary]:
        """All nights one by one, the newest first, without having all in memory."""
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

        def book(nights: Slice) -> list[int]:
            # In the table's thread: a night that starts must get the number it was given.
            return self._worker.call(lambda: self._store.add_nights(nights))

        wanted = SheetImport(content, played_ms, again)
        # One at a time: another one might be of the same nights, and each takes memory.
        with self._importing:
            return import_nights(wanted, self._store, self._resolve, book)

    def append(self, number: int, entries: Sequence[Entry], summary: NightSummary) -> None:
        """Appends entries to an imported night, which has gone on elsewhere. Raises LedgerError."""

        def append() -> None:
            self._store.append(number, *entries, summary=summary)
            self._journal.forget(number)

        self._worker.call(append)

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
                    lazy_gettext(
                        "Nights can be deleted or restored only while no night is in progress."
                    ),
                )
            if isinstance(remark, NightDate) and not is_possible(remark.began_ms):
                return refuse(
                    "bad-argument",
                    lazy_gettext("A night can begin from 1 January 2000 to 31 December 2099."),
                )
            text = remark.name if isinstance(remark, NightName) else ""
        if text and not is_name(text):
            return _BAD_NAME
        self._store.add_remark(remark, now_ms())
        if isinstance(remark, NightDate):
            self._worker.call(lambda: self._journal.set_began(remark.night, remark.began_ms))
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
