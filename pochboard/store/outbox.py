"""The rows of a ledger as another place keeps them: read from it, and taken back from there."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from pochboard.errors import DamagedLedgerError, LedgerError
from pochboard.ledger.replay import StoredNight, replay, summarize
from pochboard.store import chain, rows
from pochboard.text.lazy import lazy_gettext

log = logging.getLogger(__name__)

Row = tuple[Any, ...]
"""A row with texts as strings."""

_ENTRIES: Final = (
    "SELECT position, night, number, time_ms, command, id, ref, postings, chain FROM entries"
    " WHERE position > ? ORDER BY position LIMIT ?"
)
_NIGHT: Final = (
    "SELECT number, started_ms, ruleset, heard, imported, origin FROM nights WHERE number = ?"
)
_REMARKS: Final = (
    "SELECT number, time_ms, remark, chain FROM remarks WHERE number > ? ORDER BY number LIMIT ?"
)
_REMARK_LINK: Final = "SELECT chain FROM remarks WHERE number = ?"
_LAST_REMARK: Final = "SELECT number, chain FROM remarks ORDER BY number DESC LIMIT 1"
_PUT_NIGHT: Final = "INSERT INTO nights VALUES (?, ?, ?, ?, ?, ?)"
_PUT_ENTRY: Final = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PUT_REMARK: Final = "INSERT INTO remarks VALUES (?, ?, ?, ?)"


class End(msgspec.Struct, frozen=True):
    """The end of a ledger."""

    position: int
    """Of the last entry; 0 before the first."""
    chain: bytes
    remarks: int
    """How many remarks there are."""
    remark_chain: bytes


class Piece(msgspec.Struct, frozen=True):
    """Rows that follow each other: entries, the nights that begin among them, and remarks."""

    nights: list[Row]
    """Number, started_ms, ruleset, heard, imported and origin."""
    entries: list[Row]
    """Position, night, number, time_ms, command, id, ref, postings and chain."""
    remarks: list[Row]
    """Number, time_ms, remark and chain."""

    @property
    def rows(self) -> int:
        """How many entries and remarks there are."""
        return len(self.entries) + len(self.remarks)

    def end(self, before: End) -> End:
        """The end after this piece. Raises DamagedLedgerError unless it follows `before`."""
        position, link_before = before.position, before.chain
        nights = {night[0]: _as_bytes(night) for night in self.nights}
        for row in self.entries:
            entry, link = _as_bytes(row[:-1]), row[-1]
            first = nights.get(row[1]) if row[2] == 1 else None
            if row[0] != position + 1 or chain.link(link_before, entry, first) != link:
                raise DamagedLedgerError(
                    lazy_gettext(
                        "Night {night}, entry {number} is damaged: it is not what was stored.",
                        night=row[1],
                        number=row[2],
                    )
                )
            position, link_before = row[0], link
        remarks, remark_before = before.remarks, before.remark_chain
        for row in self.remarks:
            link = chain.remark_link(remark_before, _as_bytes(row[:3]))
            if row[0] != remarks + 1 or link != row[3]:
                raise DamagedLedgerError(
                    lazy_gettext(
                        "Remark {number} is damaged: it is not what was stored.", number=row[0]
                    )
                )
            remarks, remark_before = row[0], row[3]
        return End(position, link_before, remarks, remark_before)


class Outbox:
    """Reads what a ledger has beyond what another place has already."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.ledger = rows.get_identity(connection)
        """The id of the ledger, at which both chains begin."""

    def end(self) -> End:
        """Where the ledger ends now."""
        remark = self._connection.execute(_LAST_REMARK).fetchone()
        return End(*rows.head(self._connection), *(remark or (0, self.ledger)))

    def upto(self, end: End) -> End:
        """The end of what this ledger has, but no further than another end."""
        own = self.end()
        position, remarks = min(own.position, end.position), min(own.remarks, end.remarks)
        link = rows.link_at(self._connection, position)
        found = self._connection.execute(_REMARK_LINK, (remarks,)).fetchone()
        return End(position, link, remarks, found[0] if found else self.ledger)

    def after(self, end: End, count: int) -> Piece:
        """At most so many entries and remarks after an end."""
        entries = self._connection.execute(_ENTRIES, (end.position, count)).fetchall()
        nights = [
            self._connection.execute(_NIGHT, (night,)).fetchone()
            for _, night, number, *_ in entries
            if number == 1
        ]
        remarks = self._connection.execute(_REMARKS, (end.remarks, count)).fetchall()
        return Piece(nights, entries, remarks)


def read_night(night: Row, entries: list[Row]) -> StoredNight:
    """A night from rows as another place keeps them. Raises LedgerError if they cannot be read."""
    return rows.stored_night(_as_bytes(night), [_as_bytes(entry) for entry in entries])


def take(connection: sqlite3.Connection, ledger: bytes, pieces: Iterable[Piece]) -> int:
    """Appends what follows the end of this ledger, and lists the nights that are over.

    An empty ledger gets the id of the other one. Returns how many entries there were. Raises
    LedgerError if that is not the same ledger, and DamagedLedgerError for rows that do not follow.
    """
    own = Outbox(connection)
    end, nights = own.end(), dict[int, None]()
    if own.ledger != ledger:
        if end.position or end.remarks:
            raise LedgerError(lazy_gettext("This is another ledger, which has nights of its own."))
        # REPLACE fires no trigger, see `schema`.
        connection.execute("INSERT OR REPLACE INTO identity (rowid, id) VALUES (1, ?)", (ledger,))
        end = End(0, ledger, 0, ledger)
    first = end.position
    for piece in pieces:
        end = piece.end(end)
        connection.executemany(_PUT_NIGHT, piece.nights)
        connection.executemany(_PUT_ENTRY, piece.entries)
        connection.executemany(_PUT_REMARK, piece.remarks)
        nights.update(dict.fromkeys(entry[1] for entry in piece.entries))
    for number in nights:
        _summarize(connection, number)
    return end.position - first


def _summarize(connection: sqlite3.Connection, number: int) -> None:
    rows.delete_summary(connection, number)
    try:
        night = rows.get_night(connection, number)
        assert night is not None, "its entries have just been put"
        summary = summarize(number, night.entries, replay(night).state, imported=night.imported)
    except LedgerError as error:
        # It is listed all the same, and opening it says what is wrong.
        log.warning("night %s has no summary: %s", number, error)
        return
    if summary.standings is not None or number != rows.current_number(connection):
        rows.put_summary(connection, number, summary)


def _as_bytes(columns: Row) -> Row:
    return tuple([value.encode() if type(value) is str else value for value in columns])
