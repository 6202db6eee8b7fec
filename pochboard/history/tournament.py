"""A tournament: which night belongs to which table, and how people stand (docs/CLUB.md)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from pochboard.ledger.entry import Entry
from pochboard.ledger.replay import in_force
from pochboard.ledger.results import nets_after_deals
from pochboard.rules.commands import Settle
from pochboard.rules.state import State
from pochboard.text.visible import sight

Table: TypeAlias = tuple[str, ...]
"""The names of those who sit together. The first one deals first."""
Round: TypeAlias = tuple[Table, ...]
TableStatus = Literal["waiting", "playing", "short", "done"]
"""`short`: the night was ended before all deals that count were played, and may be continued."""


class Tournament(msgspec.Struct, frozen=True):
    """What was agreed before it began, and who sits where."""

    number: int
    name: str
    ruleset: str
    deals: int
    """How many deals of a night count."""
    begins_ms: int
    """Nights that began earlier do not count. Milliseconds since 1970, UTC."""
    rounds: tuple[Round, ...]

    @property
    def players(self) -> list[str]:
        """Everybody who has a seat in any round, in the order of the first one."""
        return list(dict.fromkeys(name for tables in self.rounds for name in _seated(tables)))

    @property
    def meetings(self) -> Meetings:
        """How people meet in it."""
        return count_meetings(self.rounds)

    @property
    def tables(self) -> dict[str, list[int | None]]:
        """By name, the number of the table in each round; None where somebody does not play."""
        numbers: dict[str, list[int | None]] = {
            name: [None] * len(self.rounds) for name in self.players
        }
        for index, tables in enumerate(self.rounds):
            for number, names in enumerate(tables, 1):
                for name in names:
                    numbers[name][index] = number
        return numbers


class Course(msgspec.Struct, frozen=True):
    """How a night went, deal by deal."""

    nets: list[list[int]]
    """As `nets_after_deals` returns them."""
    ended_by_rules: bool = False
    """Whether its rules ended it, so that nobody could have played on."""


class PlayedNight(msgspec.Struct, frozen=True):
    """A night that may be one of a tournament."""

    number: int
    started_ms: int
    ruleset: str
    names: Sequence[str]
    """By seat."""
    is_over: bool
    course: Course


class TableResult(msgspec.Struct, frozen=True):
    """A table of a round, and what was played there."""

    names: Table
    status: TableStatus = "waiting"
    night: int | None = None
    deals: int = 0
    """How many of the deals that count were played."""
    nets: tuple[int | None, ...] = ()
    """In the order of `names`, after these deals; None for who was missing. Empty while waiting."""


class Row(msgspec.Struct, frozen=True):
    """How somebody stands, after the tables that are done."""

    rank: int
    """Equal nets share a rank. Those who have not played yet come last."""
    name: str
    net: int
    nets: tuple[int | None, ...]
    """By round."""

    @property
    def played(self) -> int:
        """In how many rounds."""
        return sum(net is not None for net in self.nets)


class TournamentResults(msgspec.Struct, frozen=True):
    """A tournament as it stands."""

    tournament: Tournament
    rounds: tuple[tuple[TableResult, ...], ...]
    current: int | None
    """The round that is being played, or that is next; None after the last one."""
    rows: tuple[Row, ...]


class Meetings(msgspec.Struct, frozen=True):
    """How people meet in a seating."""

    repeats: int
    """How often two meet who have met before."""
    never: int
    """How many pairs do not meet."""
    most: int
    """How often those two meet who meet most often."""


def course_of(entries: Sequence[Entry], states: Sequence[State]) -> Course:
    """How a night went, given the state after each entry."""
    (last,) = deque(in_force(entries), maxlen=1)
    return Course(
        nets_after_deals(states),
        ended_by_rules=states[-1].phase == "closed" and isinstance(last.command, Settle),
    )


def count_meetings(rounds: Iterable[Round]) -> Meetings:
    """How people meet in some rounds."""
    met = Counter(
        pair
        for tables in rounds
        for table in tables
        for pair in combinations(sorted(map(sight, table)), 2)
    )
    count = len({name for pair in met for name in pair})
    never = count * (count - 1) // 2 - len(met)
    return Meetings(met.total() - len(met), never, max(met.values(), default=0))


def tournament_results(tournament: Tournament, nights: Iterable[PlayedNight]) -> TournamentResults:
    """Finds the night of each table among those of a club, and adds up the nets that count."""
    rounds = _played(tournament, nights)
    return TournamentResults(tournament, rounds, _current(rounds), _rows(tournament, rounds))


def _seated(tables: Iterable[Table]) -> Iterator[str]:
    return (name for table in tables for name in table)


def _played(
    tournament: Tournament, nights: Iterable[PlayedNight]
) -> tuple[tuple[TableResult, ...], ...]:
    """Each table with its night.

    The first night with all its deals counts, because playing again must not help. Until there is
    such a night, the latest is shown. A night of everybody at the table comes before those in which
    somebody was missing.
    """
    tables = {
        (number, place): TableResult(table)
        for number, seats in enumerate(tournament.rounds)
        for place, table in enumerate(seats)
    }
    people = {key: _persons(table.names) for key, table in tables.items()}
    whole = set(people.values())
    counted = sorted(
        (
            (_persons(night.names) not in whole, night.started_ms, night.number, night)
            for night in nights
            if night.ruleset == tournament.ruleset and night.started_ms >= tournament.begins_ms
        ),
        key=lambda item: item[:3],
    )
    for lacks_some, *_, night in counted:
        present = _persons(night.names)
        for key, seated in people.items():
            fits = present < seated if lacks_some else present == seated
            if fits and tables[key].status != "done":
                tables[key] = _result(tables[key].names, night, tournament.deals)
                break
    return tuple(
        tuple(tables[number, place] for place in range(len(seats)))
        for number, seats in enumerate(tournament.rounds)
    )


def _persons(names: Iterable[str]) -> frozenset[str]:
    return frozenset(map(sight, names))


def _result(names: Table, night: PlayedNight, most: int) -> TableResult:
    course = night.course
    deals = min(len(course.nets), most)
    nets: Counter[str] = Counter()
    # A seat that came after these deals has won nothing in them.
    after = course.nets[deals - 1] if deals else []
    for seat, name in enumerate(night.names):
        nets[sight(name)] += after[seat] if seat < len(after) else 0
    is_done = deals == most or (night.is_over and course.ended_by_rules)
    status: TableStatus = "done" if is_done else "short" if night.is_over else "playing"
    return TableResult(
        names,
        status,
        night.number,
        deals,
        tuple(nets.get(sight(name)) for name in names),
    )


def _current(rounds: Sequence[Sequence[TableResult]]) -> int | None:
    """The latest round that has begun, until all its tables are done; then the next one."""
    begun = max(
        (n for n, tables in enumerate(rounds, 1) if any(table.night for table in tables)), default=1
    )
    if any(table.status != "done" for table in rounds[begun - 1]):
        return begun
    return begun + 1 if begun < len(rounds) else None


def _rows(tournament: Tournament, rounds: Sequence[Sequence[TableResult]]) -> tuple[Row, ...]:
    nets: dict[str, list[int | None]] = {}
    for number, tables in enumerate(rounds):
        for table in tables:
            if table.status == "done":
                for name, net in zip(table.names, table.nets, strict=True):
                    nets.setdefault(sight(name), [None] * len(rounds))[number] = net
    empty: list[int | None] = [None] * len(rounds)
    rows = []
    for name in tournament.players:
        own = tuple(nets.get(sight(name), empty))
        rows.append(Row(0, name, sum(net for net in own if net is not None), own))
    rows.sort(key=lambda row: (not row.played, -row.net, row.name))
    ranks: dict[tuple[bool, int], int] = {}
    return tuple(
        replace(row, rank=ranks.setdefault((row.played > 0, row.net), place))
        for place, row in enumerate(rows, 1)
    )
