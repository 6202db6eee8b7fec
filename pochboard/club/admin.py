"""What only the owner of a club does: boards are added, branches opened, everything is checked."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from datetime import datetime
from typing import Final, LiteralString

import msgspec
from psycopg import Connection
from psycopg.sql import SQL, Identifier, Literal

from pochboard.club.connection import Club
from pochboard.club.exchange import Branch, fetch
from pochboard.club.schema import boards_role
from pochboard.errors import ClubError, DamagedLedgerError
from pochboard.store import End
from pochboard.text.lazy import lazy_gettext
from pochboard.text.visible import is_name, sight, tidy

NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,19}")
"""What a board may be called. It becomes a part of a role's name, and of an address."""
_BOARDS: Final = """
SELECT o.name, b.branch, b.ledger, coalesce(e.position, 0), e.received,
  coalesce(e.chain, b.ledger), coalesce(r.number, 0), coalesce(r.chain, b.ledger)
FROM club.boards o JOIN club.branches b USING (board)
LEFT JOIN LATERAL (SELECT position, chain, received FROM club.entries
  WHERE branch = b.branch ORDER BY position DESC LIMIT 1) e ON true
LEFT JOIN LATERAL (SELECT number, chain FROM club.remarks
  WHERE branch = b.branch ORDER BY number DESC LIMIT 1) r ON true
ORDER BY o.name, b.branch
"""


class BoardBranch(msgspec.Struct, frozen=True):
    """A branch of a board, with the end of what the club has of it."""

    branch: Branch
    received: datetime | None
    """When the last entry came; None before the first."""


def add_board(connection: Connection, name: str) -> tuple[str, str]:
    """Adds a board. Returns its user and its new password. Raises ClubError."""
    if not NAME.fullmatch(name):
        raise ClubError(
            lazy_gettext(
                "A board's name has 1 to 20 lower-case letters, digits or hyphens, and begins"
                " with a letter."
            )
        )
    (database,) = _one(connection, "SELECT current_database()")
    role = f"{database}_board_{name}"
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone():
        raise ClubError(
            lazy_gettext(
                "There is a user {role} already. For a new password add --renew, for another"
                " branch --branch.",
                role=role,
            )
        )
    statement = SQL("CREATE ROLE {role} LOGIN IN ROLE {boards}").format(
        role=Identifier(role), boards=Identifier(boards_role(database))
    )
    connection.execute(statement)
    connection.execute(
        "WITH board AS (INSERT INTO club.boards (name, role) VALUES (%s, %s) RETURNING board)"
        " INSERT INTO club.branches (board) SELECT board FROM board",
        (name, role),
    )
    return role, _set_password(connection, role)


def renew_password(connection: Connection, name: str) -> tuple[str, str]:
    """Gives a board a new password. Returns its user and the password. Raises ClubError."""
    _, role = _board(connection, name)
    return role, _set_password(connection, role)


def open_branch(connection: Connection, name: str) -> None:
    """Lets a board start over with the ledger it has now. Raises ClubError."""
    board, _ = _board(connection, name)
    connection.execute("INSERT INTO club.branches (board) VALUES (%s)", (board,))


def branches(connection: Connection) -> list[BoardBranch]:
    """All branches that this user may see, by board."""
    return [
        BoardBranch(Branch(name, number, ledger or b"", End(position, at, remarks, remark)), time)
        for name, number, ledger, position, time, at, remarks, remark in connection.execute(_BOARDS)
    ]


def call(connection: Connection, board: str | None, name: str, called: str) -> None:
    """Says what somebody is called on the pages, at one board or at all. Raises ClubError."""
    name, called = tidy(name), tidy(called)
    if not (is_name(name) and is_name(called)):
        raise ClubError(lazy_gettext("A name has 1 to 100 characters, none of them invisible."))
    number = None if board is None else _board(connection, board)[0]
    connection.execute(
        "INSERT INTO club.people (board, name, called) VALUES (%s, %s, %s)", (number, name, called)
    )


def people(connection: Connection) -> list[tuple[str | None, str, str]]:
    """What holds of that: the board or None, the name, and what is shown instead."""
    said: dict[tuple[str | None, str], tuple[str, str]] = {}
    for board, name, called in connection.execute(
        "SELECT o.name, p.name, p.called FROM club.people p LEFT JOIN club.boards o USING (board)"
        " ORDER BY p.number"
    ):
        said[board, sight(name)] = name, called
    return [
        (board, name, called)
        for (board, seen), (name, called) in said.items()
        if seen != sight(called)
    ]


def check(club: Club, branch: Branch) -> Iterator[int]:
    """Computes the chains of a branch again, independently of PostgreSQL.

    Yields how many entries have been checked. Raises DamagedLedgerError, ClubError.
    """
    end = branch.beginning
    for piece in fetch(club, branch, end):
        end = piece.end(end)
        yield end.position
    if end.position < branch.end.position or end.remarks < branch.end.remarks:
        raise DamagedLedgerError(
            lazy_gettext("Entries of {board} are missing at the club.", board=branch.board)
        )


def _board(connection: Connection, name: str) -> tuple[int, str]:
    row = connection.execute(
        "SELECT board, role FROM club.boards WHERE name = %s", (name,)
    ).fetchone()
    if row is None:
        raise ClubError(lazy_gettext("The club has no board {name}.", name=name))
    return row[0], row[1]


def _set_password(connection: Connection, role: str) -> str:
    password = secrets.token_urlsafe(24)
    # Only its hash is sent: the statement may be written to the log of the server.
    hashed = connection.pgconn.encrypt_password(
        password.encode(), role.encode(), b"scram-sha-256"
    ).decode()
    statement = SQL("ALTER ROLE {} PASSWORD {}").format(Identifier(role), Literal(hashed))
    connection.execute(statement)
    return password


def _one(connection: Connection, query: LiteralString) -> tuple[str, ...]:
    row = connection.execute(query).fetchone()
    assert row is not None, "it has one row"
    return row
