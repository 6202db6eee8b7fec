"""People across nights: sums, luck with its interval, and who has won from whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate, combinations, product
from math import sqrt
from operator import itemgetter
from statistics import NormalDist
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec.structs import asdict, replace

from pochboard.history.night_statistics import NightStatistics, PersonNight
from pochboard.rules.accounts import MELD_POOLS, POOLS
from pochboard.text.unicode_names import sight, tidy

MOST_POINTS: Final = 240
"""The most points of a person's course; a screen cannot show more."""


class _Played(NamedTuple):
    """Somebody's nights, and the person's own statistics of each."""

    nights: list[NightStatistics]
    own: list[PersonNight]


class PoolCount(msgspec.Struct, frozen=True):
    """How often somebody has won a pool."""

    pool: str
    wins: int
    chips: int
    expected: float | None
    """How often the cards alone would give it; null if unknown, or not a matter of cards."""
    expected_interval: Interval | None
    """What chance alone would give in 95 of 100 cases."""


class Luck(msgspec.Struct, frozen=True):
    """Meld pools that somebody has won, beside those expected by the cards alone."""

    wins: float
    """Pools won whose chance is known."""
    expected: float
    interval: Interval
    """The 95 % interval of `wins` if chance alone decided."""


class Person(msgspec.Struct, frozen=True):
    """Somebody's nights."""

    name: str
    nights: int
    nights_won: int
    deals: int
    net: int
    net_each: float
    """The mean net of a night."""
    net_interval: Interval | None
    """Its 95 % interval; null with fewer than two nights."""
    best_night: int
    """The highest net, and the number of its night."""
    best_net: int
    pools: tuple[PoolCount, ...]
    luck: Luck
    largest_poch: int
    largest_poch_night: int | None
    knocks: int
    knocks_won: int
    knocks_unseen: int
    showdowns: int
    showdowns_won: int
    outs: int
    cards_left_each: float | None
    """Cards left in a deal that somebody else won, on average."""


class NetPoint(msgspec.Struct, frozen=True):
    """Somebody's nets, added up to a night."""

    night: int
    started_ms: int
    net: int
    total: int


class HeadToHead(msgspec.Struct, frozen=True):
    """What one person has won from another, less what the other has won back."""

    winner: str
    loser: str
    chips: int
    nights: int
    """Nights in which both played."""


class Overview(msgspec.Struct, frozen=True):
    """Everything over the years."""

    nights: int
    deals: int
    people: tuple[Person, ...]
    """The highest net first."""
    courses: dict[str, tuple[NetPoint, ...]]
    """By name, the nets added up from night to night."""
    heads: tuple[HeadToHead, ...]
    """The largest amount first."""


def _person(name: str, played: _Played) -> Person:
    """Adds up somebody's nights, column by column: with thousands of nights, that is quickest."""
    nights, each = played
    count = len(each)
    nets = [night.net for night in each]
    net = sum(nets)
    mean, interval = net / count, None
    if count > 1:
        variance = max(0.0, sum([net * net for net in nets]) / count - mean * mean)
        half = Z * sqrt(variance / (count - 1))
        interval = Interval(mean - half, mean + half)
    best = max(range(count), key=nets.__getitem__)
    largest = max(range(count), key=[night.largest_poch for night in each].__getitem__)
    largest_poch = each[largest].largest_poch
    deals = sum([night.deals for night in each])
    outs = sum([night.outs for night in each])
    expected = _columns([night.expected for night in each])
    return Person(
        name=name,
        nights=count,
        nights_won=sum([night.won_night for night in each]),
        deals=deals,
        net=net,
        net_each=mean,
        net_interval=interval,
        best_night=nights[best].number,
        best_net=nets[best],
        pools=_pools(each, expected),
        luck=_luck(each, sum(expected)),
        largest_poch=largest_poch,
        largest_poch_night=nights[largest].number if largest_poch else None,
        knocks=sum([night.knocks for night in each]),
        knocks_won=sum([night.knocks_won for night in each]),
        knocks_unseen=sum([night.knocks_unseen for night in each]),
        showdowns=sum([night.showdowns for night in each]),
        showdowns_won=sum([night.showdowns_won for night in each]),
        outs=outs,
        cards_left_each=(
            sum([night.cards_left for night in each]) / (deals - outs) if deals > outs else None
        ),
    )


_N = TypeVar("_N", int, float)


def _columns(rows: list[list[_N]]) -> list[_N]:
    """The sum of each column."""
    # Not by `zip`, whose thousands of iterators would start the garbage collector.
    return [sum(map(itemgetter(column), rows)) for column in range(len(rows[0]))]


def _pools(each: list[PersonNight], expected: list[float]) -> tuple[PoolCount, ...]:
    wins, chips = (
        _columns([night.wins for night in each]),
        _columns([night.chips for night in each]),
    )
    variances = _columns([night.variance for night in each])
    pools = []
    for pool, name in enumerate(POOLS):
        mean = interval = None
        if pool < len(MELD_POOLS) and expected[pool]:
            mean = expected[pool]
            half = Z * sqrt(variances[pool])
            interval = Interval(max(0.0, mean - half), mean + half)
        pools.append(PoolCount(name, wins[pool], chips[pool], mean, interval))
    return tuple(pools)


def _luck(each: list[PersonNight], expected: float) -> Luck:
    half = Z * sqrt(sum([night.luck_squares for night in each]))
    return Luck(
        expected + sum([night.luck for night in each]),
        expected,
        Interval(max(0.0, expected - half), expected + half),
    )


def _course(played: _Played, most: int) -> tuple[NetPoint, ...]:
    """The nets added up. With more nights than `most`, some are left out, but never the last."""
    nights, each = played
    totals = list(accumulate([night.net for night in each]))
    step = -(-len(nights) // most)
    shown = range(len(nights) - 1, -1, -step)
    return tuple(
        NetPoint(nights[i].number, nights[i].started_ms, each[i].net, totals[i])
        for i in reversed(shown)
    )


class _Table:
    """Nights with the same people in the same seats, by the names that they have everywhere."""

    __slots__ = ("each_once", "names", "nights", "won")

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.each_once = len(set(names)) == len(names)
        self.nights = 0
        self.won = [0] * len(names) ** 2
        """By loser and winner, the chips won. Lists are quicker than dicts, and nights are many."""


def _joined(names: tuple[str, ...], people: list[PersonNight]) -> Iterable[tuple[str, PersonNight]]:
    """The people of a night by name; those of one name are added up, with a new winner."""
    joined: dict[str, PersonNight] = {}
    for name, person in zip(names, people, strict=True):
        joined[name] = _together(joined[name], person) if name in joined else person
    best = max(person.net for person in joined.values())
    return [
        (name, replace(person, won_night=person.net == best)) for name, person in joined.items()
    ]


def _together(one: PersonNight, other: PersonNight) -> PersonNight:
    """Two seats of one person in a night."""
    fields: dict[str, Any] = {}
    for name, mine in asdict(one).items():
        theirs = getattr(other, name)
        if name in ("name", "won_night", "largest_poch"):
            fields[name] = max(mine, theirs)
        elif isinstance(mine, list):
            fields[name] = [a + b for a, b in zip(mine, theirs, strict=True)]
        else:
            fields[name] = mine + theirs
    return PersonNight(**fields)


class _OneName(dict[str, str]):
    """By each name as it was written, what the person is called everywhere."""

    def __init__(self, same: Mapping[str, str]) -> None:
        super().__init__()
        self._same = same
        self._first: dict[str, str] = {}
        """By what people see, the name as it was written first."""

    def __missing__(self, written: str) -> str:
        name = self._same.get(sight(written), written)
        self[written] = self._first.setdefault(sight(name) or name, tidy(name) or name)
        return self[written]


def _between(
    tables: Iterable[_Table],
) -> tuple[dict[tuple[str, str], int], dict[frozenset[str], int]]:
    """The chips that each person has lost to each other, and how often any two have met."""
    won: dict[tuple[str, str], int] = {}
    met: dict[frozenset[str], int] = {}
    for table in tables:
        for pair, chips in zip(product(table.names, table.names), table.won, strict=True):
            won[pair] = won.get(pair, 0) + chips
        for pair_met in combinations(dict.fromkeys(table.names), 2):
            key = frozenset(pair_met)
            met[key] = met.get(key, 0) + table.nights
    return won, met


def overview(
    nights: Iterable[NightStatistics],
    same: Mapping[str, str] | None = None,
    *,
    most_points: int = MOST_POINTS,
) -> Overview:
    """Adds up the nights in which cards were dealt, oldest first.

    `same` gives, by what people see of a name, the name to use instead (`Remarks.aliases`).
    """
    one_name = _OneName(same or {})
    people: dict[str, _Played] = {}
    tables: dict[tuple[str, ...], _Table] = {}
    count = deals = 0
    for night in nights:
        if not night.deals:
            continue  # everybody would have won it
        count += 1
        deals += night.deals
        names = tuple([one_name[person.name] for person in night.people])
        table = tables.get(names)
        if table is None:
            table = tables[names] = _Table(names)
            people.update((name, _Played([], [])) for name in names if name not in people)
        table.nights += 1
        each = zip(names, night.people, strict=True)
        for name, person in each if table.each_once else _joined(names, night.people):
            played = people[name]
            played.nights.append(night)
            played.own.append(person)
        won, width = table.won, len(names)
        for loser, winner, chips in night.won_from:
            won[loser * width + winner] += chips
    won_from, met = _between(tables.values())
    heads = []
    for key, times in met.items():
        first, second = sorted(key)
        chips = won_from.get((second, first), 0) - won_from.get((first, second), 0)
        better, worse = (first, second) if chips >= 0 else (second, first)
        heads.append(HeadToHead(better, worse, abs(chips), times))
    listed = [_person(name, played) for name, played in people.items()]
    return Overview(
        count,
        deals,
        tuple(sorted(listed, key=lambda person: -person.net)),
        {name: _course(played, most_points) for name, played in people.items()},
        tuple(sorted(heads, key=lambda head: -head.chips)),
    )


LEVEL: Final = 0.95
"""The confidence level: the share of intervals that should contain the true value."""
Z: Final = NormalDist().inv_cdf((1 + LEVEL) / 2)


class Interval(msgspec.Struct, frozen=True):
    """A confidence interval, ends included."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        """Whether the value lies in the interval."""
        return self.low <= value <= self.high

    @property
    def half_width(self) -> float:
        """The number after ±."""
        return (self.high - self.low) / 2


def wilson(hits: float, trials: float) -> Interval:
    """Wilson's score interval for a proportion (Wilson, 1927).

    The trials must be independent. With none, the interval is 0 to 1.
    """
    if not trials:
        return Interval(0.0, 1.0)
    share, square = hits / trials, Z * Z
    middle = share + square / (2 * trials)
    half = Z * sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    scale = 1 + square / trials
    # At the ends the bound is exactly 0 or 1; computing it would add a rounding error.
    low = 0.0 if hits == 0 else (middle - half) / scale
    high = 1.0 if hits == trials else (middle + half) / scale
    return Interval(low, high)
