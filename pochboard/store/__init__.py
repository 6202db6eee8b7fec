"""The ledger file: nights, entries, summaries and pairings in SQLite. Nothing else imports it."""

from pochboard.store.listing import all_nights
from pochboard.store.records import (
    PAIRING_LASTS_MS,
    Opening,
    Pairing,
)
from pochboard.store.store import Store

__all__ = [
    "PAIRING_LASTS_MS",
    "Opening",
    "Pairing",
    "Store",
    "all_nights",
]
