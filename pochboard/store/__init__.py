"""The ledger file in SQLite: nights, entries, summaries and pairings.

`rows` has the tables, `opening` checks and creates the file.
No other package imports sqlite3.
"""

from pochboard.store.durable import (
    keep_small,
    open_regular,
    read_regular,
    read_small,
    sync,
    write_durably,
)
from pochboard.store.opening import rebuild
from pochboard.store.rows import Opening, Pairing
from pochboard.store.store import Counted, Store
from pochboard.store.verify import Report, Saved, repair

__all__ = [
    "Counted",
    "Opening",
    "Pairing",
    "Report",
    "Saved",
    "Store",
    "keep_small",
    "open_regular",
    "read_regular",
    "read_small",
    "rebuild",
    "repair",
    "sync",
    "write_durably",
]
