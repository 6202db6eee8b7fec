"""Who sits where in a tournament, so that everybody meets as many others as possible.

This is the social golfer problem. The search swaps two people of a round. It keeps the swap if
fewer meetings are repeats, and sometimes if not (simulated annealing). Each run is longer than the
last, until a seating has as few repeats as are possible. Where tables differ in size, people sit at
the smaller ones about equally often. The same seed gives the same seating.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heapreplace
from itertools import chain, combinations, islice
from math import ceil, comb, exp
from random import Random
from typing import Final, TypeAlias

import msgspec

from pochboard.errors import ClubError
from pochboard.text.lazy import lazy_gettext, lazy_ngettext

SMALLEST: Final = 3
LARGEST: Final = 6
MOST_PLAYERS: Final = 300
_USUAL: Final = 4

_RUNS: Final = tuple(100_000 * 2**run for run in range(5))
"""How many swaps are tried in each run; all together take some seconds."""
_REPEAT: Final = 10
"""The cost of a repeated meeting. Each further one of the same two costs 1 more, so that these are
spread among more people."""
_UNEVEN: Final = 2
"""The cost of sitting at a smaller table again, for each time that somebody has sat there."""
_HOT: Final = 1.0 * _REPEAT
_COLD: Final = 0.08 * _REPEAT
"""The temperatures at the beginning and at the end of a run, as a cost."""
_STEP: Final = 1_000
"""For how many swaps the temperature stays the same."""
_SHOWN: Final = 20_000
"""After how many swaps the progress is shown again."""

Tables: TypeAlias = list[list[int]]


class Seating(msgspec.Struct, frozen=True):
    """Who sits where."""

    rounds: list[Tables]
    """The tables of each round, and the numbers of their players, from 0."""
    repeats: int
    """How often two meet who have met before."""
    least: int
    """No seating has fewer repeats, and perhaps none has so few."""


def table_sizes(players: int, tables: int | None = None) -> list[int]:
    """How many people sit at each table. Sizes differ by one at most, and nobody sits out.

    By default tables are of four, and as many of three as needed. Raises ClubError.
    """
    if not SMALLEST <= players <= MOST_PLAYERS:
        raise ClubError(
            lazy_gettext(
                "A tournament has {least} to {most} players, not {players}.",
                least=SMALLEST,
                most=MOST_PLAYERS,
                players=players,
            )
        )
    count = fitting_tables(players, ceil(players / _USUAL)) if tables is None else tables
    least, most = fitting_tables(players, 0), fitting_tables(players, players)
    if least == most != count:
        raise ClubError(
            lazy_ngettext(
                "A table has {smallest} to {largest} players, so {players} players need {count}"
                " table, not {tables}.",
                "A table has {smallest} to {largest} players, so {players} players need {count}"
                " tables, not {tables}.",
                most,
                smallest=SMALLEST,
                largest=LARGEST,
                players=players,
                tables=count,
            )
        )
    if not least <= count <= most:
        raise ClubError(
            lazy_gettext(
                "A table has {smallest} to {largest} players, so {players} players need {least} to"
                " {most} tables, not {tables}.",
                smallest=SMALLEST,
                largest=LARGEST,
                players=players,
                least=least,
                most=most,
                tables=count,
            )
        )
    size, larger = divmod(players, count)
    return [size + (table < larger) for table in range(count)]


def fitting_tables(players: int, tables: int) -> int:
    """The possible number of tables that is nearest to `tables`."""
    return min(max(tables, ceil(players / LARGEST)), players // SMALLEST)


def search_seating(
    sizes: Sequence[int],
    rounds: int,
    seed: int,
    met: Mapping[tuple[int, int], int] = {},
    progress: Callable[[float], None] = lambda _: None,
) -> Seating:
    """Searches a seating for as many players as the tables have places.

    `met` is how often pairs have met before, the lower number first. `progress` gets the share of
    the longest search that is done, from 0 to 1.
    """
    chance = Random(seed)  # noqa: S311 - nothing secret
    count = sum(sizes)
    before = [met.get(pair, 0) for pair in combinations(range(count), 2)]
    least, cheapest = _bounds(sizes, rounds, before)
    best = _Search(_drawn(sizes, rounds, chance), _matrix(count, met))
    # At a single table everybody always meets everybody.
    for run, swaps in enumerate(_RUNS if len(sizes) > 1 else ()):
        search, begun = _Search(_drawn(sizes, rounds, chance), _matrix(count, met)), _RUNS[:run]

        def show(tried: int, begun: tuple[int, ...] = begun) -> None:
            progress((sum(begun) + tried) / sum(_RUNS))

        search.run(swaps, cheapest, chance, show)
        best = min(best, search, key=lambda each: each.cost)
        # Short runs leave some people at smaller tables too often.
        if best.cost == cheapest or (run > 1 and _repeats(best.best, met) == least):
            break
    _draw_dealers(best.best, chance)
    return Seating(best.best, _repeats(best.best, met), least)


def _drawn(sizes: Sequence[int], rounds: int, chance: Random) -> list[Tables]:
    """A random seating."""
    drawn = []
    for _ in range(rounds):
        players = list(range(sum(sizes)))
        chance.shuffle(players)
        rest = iter(players)
        drawn.append([list(islice(rest, size)) for size in sizes])
    return drawn


def _draw_dealers(rounds: Sequence[Tables], chance: Random) -> None:
    """Puts at each table somebody first who has least often been first."""
    dealt = [0] * sum(map(len, rounds[0]))
    for table in chain.from_iterable(rounds):
        chance.shuffle(table)
        table.sort(key=lambda player: dealt[player])
        dealt[table[0]] += 1


def _matrix(count: int, met: Mapping[tuple[int, int], int]) -> list[list[int]]:
    """How often any two have met."""
    matrix = [[0] * count for _ in range(count)]
    for (first, second), times in met.items():
        matrix[first][second] = matrix[second][first] = times
    return matrix


def _repeats(rounds: Sequence[Tables], met: Mapping[tuple[int, int], int]) -> int:
    known, repeats = {pair for pair, times in met.items() if times}, 0
    for table in chain.from_iterable(rounds):
        for pair in combinations(sorted(table), 2):
            repeats += pair in known
            known.add(pair)
    return repeats


def _bounds(sizes: Sequence[int], rounds: int, before: list[int]) -> tuple[int, int]:
    """Lower bounds of the repeats and of the cost. `before` is how often each pair has met.

    No seating does better than if every meeting were of the pair that has met least. And where a
    table has more people than there are tables, some of them meet again in every other round.
    """
    meetings = rounds * sum(comb(size, 2) for size in sizes)
    repeats, cost = max(0, meetings - before.count(0)), 0
    heapify(before)
    for _ in range(meetings):
        cost += _cost(before[0])
        heapreplace(before, before[0] + 1)
    again = 0
    for size in sizes:
        each, more = divmod(size, len(sizes))
        again += more * comb(each + 1, 2) + (len(sizes) - more) * comb(each, 2)
    repeats = max(repeats, (rounds - 1) * again)
    small = rounds * sum(size for size in sizes if size < max(sizes))
    each, more = divmod(small, sum(sizes))
    even = (sum(sizes) - more) * comb(each, 2) + more * comb(each + 1, 2)
    return repeats, max(cost, repeats * _REPEAT) + even * _UNEVEN


def _cost(times: int) -> int:
    """What a meeting costs of two who have met this often before."""
    return _REPEAT + times - 1 if times else 0


class _Search:
    """A seating that swaps improve, and the best that it has been so far."""

    def __init__(self, rounds: list[Tables], met: list[list[int]]) -> None:
        """`met` is how often any two have met before these rounds."""
        self._rounds = rounds
        self._met = met
        self._largest = len(rounds[0][0])
        self._small = [0] * len(met)
        """How often each player sits at a smaller table."""
        cost = 0
        for table in chain.from_iterable(rounds):
            for first, second in combinations(table, 2):
                cost += _cost(met[first][second])
                met[first][second] += 1
                met[second][first] += 1
            for player in table if len(table) < self._largest else ():
                cost += _UNEVEN * self._small[player]
                self._small[player] += 1
        self._costs = [*map(_cost, range(max(map(max, met)) + len(rounds) + 1)), 0]
        """By how often two have met. At -1 it is 0, because nobody meets himself."""
        self.cost = cost
        self.best = self._copied()

    def run(
        self, swaps: int, cheapest: int, chance: Random, progress: Callable[[int], None]
    ) -> None:
        """Tries so many swaps, but none after the cheapest seating that is possible."""
        draw, rounds = chance.random, self._rounds
        count = len(rounds[0])
        cost, heat = self.cost, _HOT
        cooling = (_COLD / _HOT) ** (_STEP / swaps)
        for tried in range(swaps):
            if tried % _STEP == 0:
                if tried % _SHOWN == 0:
                    progress(tried)
                heat *= cooling
            tables = rounds[int(draw() * len(rounds))]
            here = int(draw() * count)
            there = (here + 1 + int(draw() * (count - 1))) % count
            table, other_table = tables[here], tables[there]
            seat, other_seat = int(draw() * len(table)), int(draw() * len(other_table))
            worse = self._worse(table, other_table, table[seat], other_table[other_seat])
            if worse > 0 and draw() >= exp(-worse / heat):
                continue
            self._swap(table, other_table, seat, other_seat)
            cost += worse
            if cost < self.cost:
                self.cost, self.best = cost, self._copied()
                if cost == cheapest:
                    break

    def _copied(self) -> list[Tables]:
        return [[table.copy() for table in tables] for tables in self._rounds]

    def _worse(self, table: list[int], other_table: list[int], first: int, second: int) -> int:
        """The cost of a swap of two people."""
        costs, met_first, met_second = self._costs, self._met[first], self._met[second]
        # Both loops count a meeting of these two, who do not meet.
        worse = -2 * costs[met_first[second]]
        for player in table:
            worse += costs[met_second[player]] - costs[met_first[player] - 1]
        for player in other_table:
            worse += costs[met_first[player]] - costs[met_second[player] - 1]
        if len(table) != len(other_table):
            down, up = (first, second) if len(table) > len(other_table) else (second, first)
            worse += _UNEVEN * (self._small[down] - self._small[up] + 1)
        return worse

    def _swap(self, table: list[int], other_table: list[int], seat: int, other_seat: int) -> None:
        first, second = table[seat], other_table[other_seat]
        self._move(first, second, table)
        self._move(second, first, other_table)
        table[seat], other_table[other_seat] = second, first

    def _move(self, first: int, second: int, table: list[int]) -> None:
        """The second takes the place of the first at a table."""
        met, met_first, met_second = self._met, self._met[first], self._met[second]
        for player in table:
            if player != first:
                met_first[player] -= 1
                met[player][first] -= 1
                met_second[player] += 1
                met[player][second] += 1
        if len(table) < self._largest:
            self._small[first] -= 1
            self._small[second] += 1
