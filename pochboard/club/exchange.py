"""A board and its club: compared, sent, fetched back.

The ledger is the outbox, and the end of what the club has is the cursor, so a board keeps no list
of what it has sent. Whatever is sent twice follows nothing, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import msgspec
from psycopg import Connection

from pochboard.club import schema
from pochboard.club.connection import Club, open_club
from pochboard.config import Config
from pochboard.errors import ClubError, ForkedError
from pochboard.store import End, Outbox, Piece, Store
from pochboard.text.lazy import LazyText, lazy_gettext, lazy_ngettext

BATCH: Final = 500
"""The most entries in one transaction; about 150 kB."""

_BOARD: Final = (
    "SELECT o.name, b.branch, b.ledger FROM club.boards o JOIN club.branches b USING (board)"
    " WHERE o.role = current_user ORDER BY b.branch DESC LIMIT 1"
)
_BEGIN: Final = "UPDATE club.branches SET ledger = %s WHERE branch = %s AND ledger IS NULL"
_LAST_ENTRY: Final = (
    "SELECT position, chain FROM club.entries WHERE branch = %s ORDER BY position DESC LIMIT 1"
)
_LAST_REMARK: Final = (
    "SELECT number, chain FROM club.remarks WHERE branch = %s ORDER BY number DESC LIMIT 1"
)
_LINK: Final = "SELECT chain FROM club.entries WHERE branch = %s AND position = %s"
_REMARK_LINK: Final = "SELECT chain FROM club.remarks WHERE branch = %s AND number = %s"
_PUT_NIGHT: Final = (
    "INSERT INTO club.nights (branch, number, started_ms, ruleset, heard, imported, origin)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s)"
)
# All of a batch in one statement, whose rows the triggers see one after the other.
_PUT_ENTRIES: Final = (
    "INSERT INTO club.entries"
    " (branch, position, night, number, time_ms, command, id, ref, postings, chain)"
    " SELECT %s, * FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[],"
    " %s::text[], %s::bigint[], %s::text[], %s::bytea[])"
)
_PUT_REMARK: Final = (
    "INSERT INTO club.remarks (branch, number, time_ms, remark, chain) VALUES (%s, %s, %s, %s, %s)"
)
_ENTRIES: Final = (
    "SELECT position, night, number, time_ms, command, id, ref, postings, chain FROM club.entries"
    " WHERE branch = %s AND position > %s ORDER BY position LIMIT %s"
)
_NIGHTS: Final = (
    "SELECT number, started_ms, ruleset, heard, imported, origin FROM club.nights"
    " WHERE branch = %s AND number = ANY(%s) ORDER BY number"
)
_REMARKS: Final = (
    "SELECT number, time_ms, remark, chain FROM club.remarks"
    " WHERE branch = %s AND number > %s ORDER BY number LIMIT %s"
)


class Branch(msgspec.Struct, frozen=True):
    """The branch of the club that a board appends to."""

    board: str
    number: int
    ledger: bytes
    end: End

    @property
    def beginning(self) -> End:
        """Before the first entry."""
        return End(0, self.ledger, 0, self.ledger)


class Comparison(msgspec.Struct, frozen=True):
    """A ledger beside what the club has of it."""

    branch: Branch
    end: End
    """Of the ledger."""
    forked: bool
    """Whether both go on differently."""

    @property
    def to_send(self) -> int:
        """Entries and remarks that only the ledger has."""
        return _beyond(self.end, self.branch.end)

    @property
    def to_fetch(self) -> int:
        """Entries and remarks that only the club has."""
        return _beyond(self.branch.end, self.end)

    @property
    def sentence(self) -> LazyText:
        """How far the club is, if nothing is wrong."""
        board = self.branch.board
        if self.to_send:
            return lazy_ngettext(
                "The club lacks {count} entry of {board}.",
                "The club lacks {count} entries of {board}.",
                self.to_send,
                board=board,
            )
        return lazy_ngettext(
            "The club has {count} entry of {board}: all that this ledger has.",
            "The club has {count} entries of {board}: all that this ledger has.",
            self.end.position,
            board=board,
        )

    def require_same(self) -> None:
        """Raises ForkedError if both go on differently."""
        if self.forked:
            raise ForkedError(
                lazy_gettext(
                    "This ledger and what the club has of {board} go on differently, as after an"
                    " older backup. Fetch the club's into an empty data folder (docs/CLUB.md), or"
                    " keep both: pochboard club add-board {board} --branch",
                    board=self.branch.board,
                )
            )

    def require_to_send(self) -> None:
        """Raises ForkedError, or ClubError if the club has more than the ledger."""
        self.require_same()
        if self.to_fetch:
            raise ClubError(
                lazy_ngettext(
                    "The club has {count} entry more than this ledger. Stop the daemon, and fetch"
                    " it: pochboard club fetch",
                    "The club has {count} entries more than this ledger. Stop the daemon, and"
                    " fetch them: pochboard club fetch",
                    self.to_fetch,
                )
            )


def _beyond(one: End, other: End) -> int:
    return max(0, one.position - other.position) + max(0, one.remarks - other.remarks)


def is_board(connection: Connection) -> bool:
    """Whether a board is connected, and not the owner of the club."""
    return connection.execute(_BOARD).fetchone() is not None


def find_branch(connection: Connection, ledger: bytes | None) -> Branch:
    """The branch of the board that is connected, which begins with this ledger if it is new.

    Raises ClubError.
    """
    schema.require_newest(connection)
    row = connection.execute(_BOARD).fetchone()
    if row is None:
        raise ClubError(
            lazy_gettext(
                "This user is none of the club's boards. Add one with: pochboard club add-board"
            )
        )
    board, number, known = row
    if known is None and ledger is not None:
        connection.execute(_BEGIN, (ledger, number))
        known = ledger
    if known is None:
        raise ClubError(lazy_gettext("The club has nothing of {board} yet.", board=board))
    entry = connection.execute(_LAST_ENTRY, (number,)).fetchone() or (0, known)
    remark = connection.execute(_LAST_REMARK, (number,)).fetchone() or (0, known)
    return Branch(board, number, known, End(*entry, *remark))


def compare(connection: Connection, outbox: Outbox) -> Comparison:
    """A ledger beside what the club has of it. Raises ClubError."""
    branch = find_branch(connection, outbox.ledger)
    end, there = outbox.end(), branch.end
    if outbox.ledger != branch.ledger:
        # A ledger without anything may become that of the club.
        return Comparison(branch, end, forked=end.position + end.remarks > 0)
    # Where one has more, the other must have nothing else.
    common = outbox.upto(there)
    return Comparison(branch, end, forked=not _club_has(connection, branch, common))


def _club_has(connection: Connection, branch: Branch, end: End) -> bool:
    entry = connection.execute(_LINK, (branch.number, end.position)).fetchone()
    remark = connection.execute(_REMARK_LINK, (branch.number, end.remarks)).fetchone()
    return (entry[0] if entry else branch.ledger) == end.chain and (
        remark[0] if remark else branch.ledger
    ) == end.remark_chain


def compare_with_club(config: Config) -> Comparison:
    """The ledger of a data folder beside what the club has of it.

    Raises ClubError, also if the club has more or something else; LedgerError; ConfigError.
    """
    with (
        open_club(config.club) as club,
        Store.open(config.ledger, readonly=True) as store,
        store.outbox() as outbox,
        club.work() as connection,
    ):
        comparison = compare(connection, outbox)
    comparison.require_to_send()
    return comparison


def push(club: Club, outbox: Outbox, progress: Callable[[float], None] = lambda _: None) -> int:
    """Sends what the club lacks. Returns how many entries and remarks. Raises ClubError."""
    with club.work() as connection:
        comparison = compare(connection, outbox)
    comparison.require_to_send()
    branch, sent = comparison.branch, 0
    end = branch.end
    while (piece := outbox.after(end, BATCH)).rows:
        with club.work() as connection:
            _put(connection, branch.number, piece)
        end = piece.end(end)
        sent += piece.rows
        progress(sent / max(sent, comparison.to_send))
    return sent


def _put(connection: Connection, branch: int, piece: Piece) -> None:
    with connection.cursor() as cursor:
        if piece.nights:
            cursor.executemany(_PUT_NIGHT, [(branch, *night) for night in piece.nights])
        if piece.entries:
            columns = [list(column) for column in zip(*piece.entries, strict=True)]
            cursor.execute(_PUT_ENTRIES, (branch, *columns))
        if piece.remarks:
            cursor.executemany(_PUT_REMARK, [(branch, *remark) for remark in piece.remarks])


def fetch(club: Club, branch: Branch, end: End) -> Iterator[Piece]:
    """What the club has of a board after an end, in pieces. Raises ClubError."""
    while True:
        with club.work() as connection:
            entries = connection.execute(_ENTRIES, (branch.number, end.position, BATCH)).fetchall()
            begun = [night for _, night, number, *_ in entries if number == 1]
            nights = connection.execute(_NIGHTS, (branch.number, begun)).fetchall()
            remarks = connection.execute(_REMARKS, (branch.number, end.remarks, BATCH)).fetchall()
        piece = Piece(nights, entries, remarks)
        if not piece.rows:
            return
        yield piece
        end = piece.end(end)
