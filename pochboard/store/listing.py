"""The list of nights, the one in progress among them."""

from __future__ import annotations

from pochboard.store.records import NightSummary
from pochboard.store.refold import refold, summary_of
from pochboard.store.store import Store


def all_nights(store: Store) -> list[NightSummary]:
    """All nights, the newest first, the one in progress with them."""
    nights = {night.number: night for night in store.nights()}
    current = store.current()
    if current is not None and current.number not in nights:
        state = refold(current).state
        nights[current.number] = summary_of(current.number, current.entries, state)
    return [nights[number] for number in sorted(nights, reverse=True)]
