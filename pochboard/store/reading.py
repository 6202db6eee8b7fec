"""The questions that are asked of the ledger, on a connection that somebody else keeps."""

from __future__ import annotations

import sqlite3
from typing import Final

from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import NightSummary, StoredNight
from pochboard.store.records import (
    entry_from,
    night_from,
    summary_from,
)

_NIGHT: Final = "SELECT number, ruleset, heard, imported FROM nights WHERE number = ?"
_ENTRIES: Final = (
    "SELECT number, time_ms, command, id, ref, postings FROM entries"
    " WHERE night = ? ORDER BY number"
)
_CURRENT: Final = "SELECT number FROM nights WHERE imported = 0 ORDER BY number DESC LIMIT 1"
_LAST: Final = "SELECT coalesce(max(number), 0) FROM nights"
_SUMMARIES: Final = (
    "SELECT n.number, n.started_ms, s.ended_ms, s.ruleset, s.players, s.deals, s.entries,"
    " n.imported, s.standings FROM summaries s JOIN nights n ON n.number = s.night ORDER BY s.night"
)
PUT_SUMMARY: Final = (
    "INSERT OR REPLACE INTO summaries"
    " (night, ended_ms, ruleset, players, deals, entries, standings) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def last_number(connection: sqlite3.Connection) -> int:
    """The number of the newest night, imported or not; 0 before the first."""
    (number,) = connection.execute(_LAST).fetchone()
    assert isinstance(number, int), "the schema is strict"
    return number


def current_number(connection: sqlite3.Connection) -> int | None:
    """The number of the newest night that was not imported."""
    row = connection.execute(_CURRENT).fetchone()
    return row[0] if row else None


def night(connection: sqlite3.Connection, number: int) -> StoredNight | None:
    """A night with its entries."""
    row = connection.execute(_NIGHT, (number,)).fetchone()
    return night_from(row, entries(connection, number)) if row else None


def entries(connection: sqlite3.Connection, number: int) -> list[Entry]:
    """The entries of a night, in order."""
    return [entry_from(number, row) for row in connection.execute(_ENTRIES, (number,)).fetchall()]


def summaries(connection: sqlite3.Connection) -> list[NightSummary]:
    """The nights that are over, oldest first."""
    return [summary_from(row) for row in connection.execute(_SUMMARIES).fetchall()]
