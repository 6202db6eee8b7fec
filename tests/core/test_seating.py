"""Who sits where in a tournament: everybody in each round, and as few as can be meet again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, combinations
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pochboard.club import seating
from pochboard.club.seating import (
    LARGEST,
    MOST_PLAYERS,
    SMALLEST,
    Seating,
    fitting_tables,
    search_seating,
    table_sizes,
)
from pochboard.errors import ClubError

Pairs = Counter[tuple[int, int]]


def quick(
    sizes: list[int],
    rounds: int,
    seed: int,
    before: Mapping[tuple[int, int], int] = {},
    progress: Callable[[float], None] = lambda _: None,
) -> Seating:
    """A short search: what holds for every seating does not depend on its length."""
    with patch.multiple(seating, _RUNS=(2_000, 4_000), _SHOWN=1_000):
        return search_seating(sizes, rounds, seed, before, progress)


def pairs(tables: Iterable[list[int]]) -> Pairs:
    return Counter(chain.from_iterable(combinations(sorted(table), 2) for table in tables))


def met(result: Seating, before: Mapping[tuple[int, int], int] = {}) -> Pairs:
    return pairs(chain.from_iterable(result.rounds)) + Counter(before)


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[list[int], int, int]:
    """The sizes of tables, the number of rounds, and a seed."""
    players = draw(st.integers(SMALLEST, 30))
    tables = draw(st.integers(fitting_tables(players, 0), fitting_tables(players, players)))
    return table_sizes(players, tables), draw(st.integers(1, 8)), draw(st.integers(0, 99))


@given(tournaments())
def test_everybody_plays_once_in_each_round_at_tables_of_these_sizes(
    drawn: tuple[list[int], int, int],
) -> None:
    sizes, rounds, seed = drawn
    result = quick(sizes, rounds, seed)
    assert len(result.rounds) == rounds
    for tables in result.rounds:
        assert [len(table) for table in tables] == sizes
        assert sorted(chain.from_iterable(tables)) == list(range(sum(sizes)))


@given(tournaments())
def test_repeats_are_counted_and_never_below_the_bound(drawn: tuple[list[int], int, int]) -> None:
    sizes, rounds, seed = drawn
    result = quick(sizes, rounds, seed)
    assert result.repeats == sum(times - 1 for times in met(result).values())
    assert result.repeats >= result.least >= 0


@given(tournaments())
def test_the_same_seed_gives_the_same_seating(drawn: tuple[list[int], int, int]) -> None:
    assert quick(*drawn) == quick(*drawn)


@given(st.integers(SMALLEST, MOST_PLAYERS))
def test_every_number_of_players_has_tables_of_three_and_four_but_five(players: int) -> None:
    sizes = table_sizes(players)
    assert sum(sizes) == players
    assert max(sizes) - min(sizes) <= 1
    assert set(sizes) <= ({5} if players == 5 else {3, 4})


@given(st.integers(SMALLEST, 100), st.integers(1, 100))
def test_tables_have_three_to_six_or_are_refused(players: int, tables: int) -> None:
    if SMALLEST * tables <= players <= LARGEST * tables:
        sizes = table_sizes(players, tables)
        assert (len(sizes), sum(sizes)) == (tables, players)
        assert set(sizes) <= set(range(SMALLEST, LARGEST + 1))
        assert fitting_tables(players, tables) == tables
    else:
        with pytest.raises(ClubError, match=f"{players} players need"):
            table_sizes(players, tables)


@pytest.mark.parametrize("players", [0, 1, 2, MOST_PLAYERS + 1])
def test_impossible_numbers_of_players_are_refused(players: int) -> None:
    with pytest.raises(ClubError, match=f"has 3 to 300 players, not {players}"):
        table_sizes(players)


@pytest.mark.parametrize(
    ("players", "sizes"),
    [(3, [3]), (5, [5]), (6, [3, 3]), (7, [4, 3]), (10, [4, 3, 3]), (11, [4, 4, 3])],
)
def test_how_few_players_are_seated(players: int, sizes: list[int]) -> None:
    assert table_sizes(players) == sizes


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("players", "tables", "rounds"),
    [(16, None, 5), (32, None, 7), (9, 3, 4), (28, None, 5), (60, None, 8)],
)
def test_nobody_meets_anybody_twice_where_that_is_possible(
    players: int, tables: int | None, rounds: int, seed: int
) -> None:
    result = search_seating(table_sizes(players, tables), rounds, seed)
    assert max(met(result).values()) == 1
    assert (result.repeats, result.least) == (0, 0)


@pytest.mark.parametrize(
    ("sizes", "rounds", "repeats"),
    [([5], 3, 20), ([4, 3], 3, 6), ([4, 4], 2, 4), ([4, 4, 4], 5, 24), ([6, 6], 2, 12)],
)
def test_where_people_must_meet_again_no_more_do_than_must(
    sizes: list[int], rounds: int, repeats: int
) -> None:
    result = search_seating(sizes, rounds, 1)
    assert (result.repeats, result.least) == (repeats, repeats)


def test_the_bound_is_that_of_all_seatings_of_a_small_tournament() -> None:
    """Tries all: the first round may be any, and the other two are all divisions of six people."""
    halves = [
        ([0, *half], [player for player in range(1, 6) if player not in half])
        for half in combinations(range(1, 6), 2)
    ]
    first = pairs(halves[0])
    fewest = min(
        sum(times - 1 for times in (first + pairs(second) + pairs(third)).values())
        for second in halves
        for third in halves
    )
    result = quick([3, 3], 3, 1)
    assert result.repeats == fewest
    assert result.least <= fewest


@pytest.mark.parametrize(("players", "rounds"), [(7, 7), (14, 7), (11, 6), (30, 5)])
def test_nobody_sits_much_more_often_at_smaller_tables(players: int, rounds: int) -> None:
    sizes = table_sizes(players)
    found = search_seating(sizes, rounds, 1)
    small = Counter(range(players))
    for table in chain.from_iterable(found.rounds):
        small.update(table if len(table) < max(sizes) else ())
    assert max(small.values()) - min(small.values()) <= 2
    assert found.repeats == found.least


def test_everybody_deals_first_about_as_often() -> None:
    found = search_seating(table_sizes(16), 5, 1)
    dealt = Counter(table[0] for table in chain.from_iterable(found.rounds))
    assert len(dealt) == 16
    assert max(dealt.values()) == 2


@given(tournaments(), st.integers(0, 99))
def test_those_who_have_met_before_meet_no_more_than_must(
    drawn: tuple[list[int], int, int], seed: int
) -> None:
    sizes, rounds, first_seed = drawn
    before = met(quick(sizes, 1, first_seed))
    result = quick(sizes, rounds, seed, before)
    together = met(result, before)
    assert result.repeats == sum(times - 1 for times in together.values())
    assert result.repeats >= result.least


def test_rounds_that_are_added_avoid_those_before() -> None:
    sizes = table_sizes(24)
    before = met(search_seating(sizes, 3, 7))
    assert search_seating(sizes, 1, 8, before).repeats == 0


def test_progress_grows() -> None:
    seen: list[float] = []
    quick([4] * 6, 6, 1, progress=seen.append)
    assert seen == sorted(seen)
    assert 0 <= seen[0] < seen[-1] < 1
