"""The statistics of closed nights.

Counting a night means replaying it, so each is counted once while the ledger is open. It is kept
with the digest of its summary, which changes whenever an entry is added to the night.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from typing import Final

import msgspec

from pochboard.errors import LedgerError
from pochboard.history.night_statistics import NightStatistics, night_statistics
from pochboard.ledger.replay import replay
from pochboard.store import rows

log = logging.getLogger(__name__)

# Not joined with the nights, whose rulesets fill many pages.
_CLOSED: Final = "SELECT night, digest FROM summaries WHERE standings IS NOT NULL ORDER BY night"


class Counted(msgspec.Struct, frozen=True):
    """The statistics of all nights that are over, oldest first."""

    nights: list[NightStatistics]
    pending: int
    """Nights that have not been counted yet."""


class NightCounter:
    """Counts the nights of a ledger, each only once. Not thread-safe."""

    def __init__(self) -> None:
        self._counted: dict[tuple[int, bytes], NightStatistics | None] = {}
        """By number and digest; None for a night that cannot be replayed."""

    def count(
        self,
        connection: sqlite3.Connection,
        enough: Callable[[], bool],
        progress: Callable[[float], None],
    ) -> Counted:
        """All nights. Stops counting further ones when that is `enough` for now."""
        closed = connection.execute(_CLOSED).fetchall()
        due = [night for night in closed if night not in self._counted]
        done = 0
        for night in due:
            if enough():
                break
            self._counted[night] = _statistics(connection, night[0])
            done += 1
            progress(done / len(due))
        self._counted = {night: self._counted[night] for night in closed if night in self._counted}
        return Counted([one for one in self._counted.values() if one], len(due) - done)


def _statistics(connection: sqlite3.Connection, number: int) -> NightStatistics | None:
    try:
        stored = rows.get_night(connection, number)
        states = replay(stored).states if stored else None
    except LedgerError as error:
        log.warning("night %d is left out of the statistics: %s", number, error)
        return None
    if not stored or not states:
        return None
    return night_statistics(number, stored.entries, states, imported=stored.imported)
