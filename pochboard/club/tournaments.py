"""The tournaments that a club stores. Only its owner changes them.

A seating is searched once and stored, so that the sheet on the wall stays true.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from pochboard.errors import ClubError
from pochboard.history.tournament import Round, Tournament
from pochboard.text.lazy import lazy_gettext
from pochboard.text.visible import is_name, sight, tidy

if TYPE_CHECKING:
    from psycopg import Connection

_TOURNAMENTS: Final = (
    "SELECT tournament, name, ruleset, deals, begins FROM club.tournaments ORDER BY tournament"
)
_TABLES: Final = (
    "SELECT tournament, round, names FROM club.tables ORDER BY tournament, round, number"
)
_ADD: Final = (
    "INSERT INTO club.tournaments (name, ruleset, deals, begins) VALUES (%s, %s, %s, %s)"
    " RETURNING tournament"
)
_SEAT: Final = "INSERT INTO club.tables (tournament, round, number, names) VALUES (%s, %s, %s, %s)"


def read(connection: Connection) -> list[Tournament]:
    """All tournaments, the oldest first."""
    rounds: dict[int, dict[int, list[tuple[str, ...]]]] = {}
    for number, round_, names in connection.execute(_TABLES):
        rounds.setdefault(number, {}).setdefault(round_, []).append(tuple(names))
    return [
        Tournament(
            number,
            name,
            ruleset,
            deals,
            round(begins.timestamp() * 1000),
            tuple(tuple(tables) for tables in rounds.get(number, {}).values()),
        )
        for number, name, ruleset, deals, begins in connection.execute(_TOURNAMENTS)
    ]


def find(connection: Connection, name: str) -> Tournament:
    """The tournament of this name. Raises ClubError if there is none."""
    for tournament in read(connection):
        if sight(tournament.name) == sight(name):
            return tournament
    raise unknown(name)


def unknown(name: str) -> ClubError:
    """The error for a name that no tournament has."""
    return ClubError(lazy_gettext("The club has no tournament {name}.", name=name))


def checked_name(name: str) -> str:
    """A name as it is stored. Raises ClubError if it cannot be a name."""
    name = tidy(name)
    if not is_name(name):
        raise ClubError(lazy_gettext("A name has 1 to 100 characters, none of them invisible."))
    return name


def checked_players(names: Sequence[str]) -> list[str]:
    """The names of players as they are stored. Raises ClubError if two are the same."""
    players = [checked_name(name) for name in names]
    seen = [sight(name) for name in players]
    twice = next((name for name in players if seen.count(sight(name)) > 1), None)
    if twice is not None:
        raise ClubError(
            lazy_gettext(
                "Two players are called {name}. Give one of them another name.", name=twice
            )
        )
    return players


def add(
    connection: Connection,
    name: str,
    ruleset: str,
    deals: int,
    begins: datetime,
    rounds: Sequence[Round],
) -> None:
    """Stores a tournament. Raises ClubError if the club has another of this name."""
    if any(sight(known.name) == sight(name) for known in read(connection)):
        raise ClubError(lazy_gettext("The club has a tournament {name} already.", name=name))
    row = connection.execute(_ADD, (name, ruleset, deals, begins)).fetchone()
    assert row is not None, "it returns the number"
    _seat(connection, row[0], rounds, 1)


def reseat(connection: Connection, number: int, first: int, rounds: Sequence[Round]) -> None:
    """Replaces the seating of the round `first` and of all that follow."""
    connection.execute(
        "DELETE FROM club.tables WHERE tournament = %s AND round >= %s", (number, first)
    )
    _seat(connection, number, rounds, first)


def remove(connection: Connection, number: int) -> None:
    """Removes a tournament. Its nights stay."""
    connection.execute("DELETE FROM club.tournaments WHERE tournament = %s", (number,))


def _seat(connection: Connection, number: int, rounds: Sequence[Round], first: int) -> None:
    rows: list[tuple[Any, ...]] = [
        (number, round_, place, list(names))
        for round_, tables in enumerate(rounds, first)
        for place, names in enumerate(tables, 1)
    ]
    with connection.cursor() as cursor:
        cursor.executemany(_SEAT, rows)
