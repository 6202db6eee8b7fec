"""The list of nights, the one in progress among them."""

from __future__ import annotations

from pochboard.ledger.replay import NightSummary, replay, summarize
from pochboard.store.store import Store


def all_nights(store: Store) -> list[NightSummary]:
    """All nights, the newest first, the one in progress with them."""
    nights = {night.number: night for night in store.nights()}
    current = store.current()
    if current is not None and current.number not in nights:
        state = replay(current).state
        nights[current.number] = summarize(current.number, current.entries, state)
    return [nights[number] for number in sorted(nights, reverse=True)]
