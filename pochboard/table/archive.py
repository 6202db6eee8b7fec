"""What pages show of many nights, whether a ledger has them or a club."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from pochboard.history.night_statistics import NightStatistics
from pochboard.ledger.remarks import Remarks
from pochboard.ledger.replay import NightSummary
from pochboard.store import Counted, Store
from pochboard.table.journal import replayed
from pochboard.table.records import ReplayedNight

if TYPE_CHECKING:
    from pochboard.history.tournament import TournamentResults

MOST_WATCHED: Final = 2_000
"""Longer nights have no milestones. A family's evening has a quarter of it."""
COUNT_S: Final = 0.2
"""How long earlier nights are counted at once, which nobody has counted yet."""


class Archive(Protocol):
    """All nights. Every method may be called from any thread."""

    def night(self, number: int) -> ReplayedNight:
        """A night with its states. Raises UnknownNightError, LedgerError."""

    def each(self) -> Iterator[NightSummary]:
        """All nights one by one, the newest first."""

    def identity(self, number: int) -> str:
        """What tells a night from all others. Raises UnknownNightError, LedgerError."""

    def statistics(self, enough: Callable[[], bool] = ...) -> Counted:
        """The statistics of all nights that are over. Stops counting when that is `enough`."""

    def remarks(self) -> Remarks:
        """All remarks about nights and people."""

    def tournaments(self) -> Sequence[TournamentResults]:
        """All tournaments as they stand, the newest first. Only a club has some."""


class StoredArchive:
    """The nights of a ledger without a table, such as one that is only read."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.each = store.each_night
        self.identity = store.identity
        self.statistics = store.statistics
        self.remarks = store.remarks

    def night(self, number: int) -> ReplayedNight:
        """A night with its states. Raises UnknownNightError, LedgerError."""
        return replayed(self._store.night(number))

    def tournaments(self) -> Sequence[TournamentResults]:
        """None: they take several tables."""
        return ()


def earlier_nights(
    archive: Archive, night: ReplayedNight, remarks: Remarks
) -> list[NightStatistics] | None:
    """The nights that count and began before this one, the oldest first.

    None if it does not count itself, has very many entries, or if earlier nights have still to
    be counted: a few are each time, so that nobody waits.
    """
    number, entries = night.stored.number, night.stored.entries
    if not remarks.counts(number) or len(entries) > MOST_WATCHED:
        return None
    end_s = time.monotonic() + COUNT_S
    counted = archive.statistics(lambda: time.monotonic() > end_s)
    if counted.pending:
        return None
    began = entries[0].time_ms, number
    past = [
        other
        for other in counted.nights
        if other.deals and remarks.counts(other.number) and (other.started_ms, other.number) < began
    ]
    return sorted(past, key=lambda other: (other.started_ms, other.number))
