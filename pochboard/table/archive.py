"""What pages ask about many nights."""

from __future__ import annotations

import time
from typing import Final

from pochboard.history.night_statistics import NightStatistics
from pochboard.ledger.remarks import Remarks
from pochboard.table.ledger_nights import LedgerNights
from pochboard.table.records import ReplayedNight

MOST_WATCHED: Final = 2_000
"""Longer nights have no milestones. A family's evening has a quarter of it."""
COUNT_S: Final = 0.2
"""How long earlier nights are counted at once, which nobody has counted yet."""


def earlier_nights(
    nights: LedgerNights, night: ReplayedNight, remarks: Remarks
) -> list[NightStatistics] | None:
    """The nights that count and began before this one, the oldest first.

    None if it does not count itself, has very many entries, or if earlier nights have still to
    be counted: a few are each time, so that nobody waits.
    """
    number, entries = night.stored.number, night.stored.entries
    if not remarks.counts(number) or len(entries) > MOST_WATCHED:
        return None
    end_s = time.monotonic() + COUNT_S
    counted = nights.statistics(lambda: time.monotonic() > end_s)
    if counted.pending:
        return None
    began = entries[0].time_ms, number
    past = [
        other
        for other in counted.nights
        if other.deals and remarks.counts(other.number) and (other.started_ms, other.number) < began
    ]
    return sorted(past, key=lambda other: (other.started_ms, other.number))
