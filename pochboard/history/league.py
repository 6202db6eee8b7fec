"""A league: how people stand after all nights, or after those of a season."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from pochboard.history.night_statistics import NightStatistics
from pochboard.text.visible import sight, tidy


class LeagueRow(msgspec.Struct, frozen=True):
    """How somebody stands."""

    rank: int
    """Equal for equal nets."""
    name: str
    nights: int
    nights_won: int
    deals: int
    net: int
    net_each: float
    """The mean net of a night."""


def league(nights: Iterable[NightStatistics], called: Mapping[str, str]) -> list[LeagueRow]:
    """The league after these nights, the highest net first; `called` is that of the remarks."""
    names: dict[str, str] = {}
    sums: dict[str, list[int]] = {}
    for night in nights:
        for person in night.people:
            name = called.get(sight(person.name), tidy(person.name))
            key = sight(name)
            names[key] = name
            total = sums.setdefault(key, [0, 0, 0, 0])
            for column, value in enumerate((1, person.won_night, person.deals, person.net)):
                total[column] += value
    rows: list[LeagueRow] = []
    for place, (key, (count, won, deals, net)) in enumerate(
        sorted(sums.items(), key=lambda item: (-item[1][3], names[item[0]])), start=1
    ):
        rank = rows[-1].rank if rows and rows[-1].net == net else place
        rows.append(LeagueRow(rank, names[key], count, won, deals, net, net / count))
    return rows
