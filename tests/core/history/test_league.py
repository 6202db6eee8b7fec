"""The league: who stands where after some nights."""

from __future__ import annotations

from pochboard.history.league import LeagueRow, league
from pochboard.history.night_statistics import NightStatistics, PersonNight


def night(number: int, **nets: int) -> NightStatistics:
    most = max(nets.values())
    people = [
        PersonNight(name, net=net, won_night=net == most, deals=3) for name, net in nets.items()
    ]
    return NightStatistics(number, 0, "modern", False, 3, people, [])


def test_a_league_adds_up_nights_by_person() -> None:
    nights = [night(1, Anna=8, Ben=-3, Clara=-5), night(2, Ann=-4, Ben=9, Clara=-5)]
    assert league(nights, {"Ann": "Anna"}) == [
        LeagueRow(1, "Ben", 2, 1, 6, 6, 3.0),
        LeagueRow(2, "Anna", 2, 1, 6, 4, 2.0),
        LeagueRow(3, "Clara", 2, 0, 6, -10, -5.0),
    ]


def test_equal_nets_share_a_rank() -> None:
    rows = league([night(1, Ben=2, Anna=2, Clara=-4)], {})
    assert [(row.rank, row.name) for row in rows] == [(1, "Anna"), (1, "Ben"), (3, "Clara")]


def test_a_league_without_nights_is_empty() -> None:
    assert league([], {}) == []
