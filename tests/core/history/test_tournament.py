"""Which night is which table of a tournament, and who stands where."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pochboard.history.tournament import (
    Course,
    Meetings,
    PlayedNight,
    TableResult,
    Tournament,
    TournamentResults,
    count_meetings,
    course_of,
    tournament_results,
)
from pochboard.ledger.book import Book
from pochboard.ledger.results import nets_after_deals, results_of
from pochboard.rules.state import IN_A_DEAL
from tests.core.play import Night, resolve, starts
from tests.core.test_correcting import play_on

FOUR = ("Anna", "Ben", "Clara", "David")
OTHERS = ("Emma", "Felix", "Greta")
ROUNDS = (
    (FOUR, OTHERS),
    (("Anna", "Emma", "Ben", "Felix"), ("Clara", "Greta", "David")),
)
TWO_ROUNDS = Tournament(1, "Cup", "modern", 2, 100, ROUNDS)


def night(
    number: int, names: tuple[str, ...], *nets: list[int], over: bool = True, **changes: object
) -> PlayedNight:
    """A night after whose deals the seats had these nets, which began at its number."""
    course = Course(list(nets), ended_by_rules=bool(changes.pop("by_rules", False)))
    began: dict[str, object] = {"started_ms": 100 + number, "ruleset": "modern", **changes}
    return PlayedNight(number, names=names, is_over=over, course=course, **began)  # type: ignore[arg-type]


def of(*played: PlayedNight, tournament: Tournament = TWO_ROUNDS) -> TournamentResults:
    return tournament_results(tournament, played)


def table(*played: PlayedNight) -> TableResult:
    """The first table of the first round."""
    return of(*played).rounds[0][0]


def test_nothing_has_been_played() -> None:
    results = of()
    assert {table.status for tables in results.rounds for table in tables} == {"waiting"}
    assert results.current == 1
    assert {(row.rank, row.net, row.played) for row in results.rows} == {(1, 0, 0)}
    assert {row.name for row in results.rows} == {*FOUR, *OTHERS}


def test_a_night_belongs_to_the_table_of_its_people_and_their_first_deals_count() -> None:
    results = of(
        night(7, ("Ben", "Anna", "David", "Clara"), [1, -1, 0, 0], [5, -5, 2, -2], [9] * 4)
    )
    assert results.rounds[0][0] == TableResult(FOUR, "done", 7, 2, (-5, 5, -2, 2))
    assert results.current == 1
    assert [(row.rank, row.name, row.net, row.nets) for row in results.rows[:4]] == [
        (1, "Ben", 5, (5, None)), (2, "David", 2, (2, None)), (3, "Clara", -2, (-2, None)),
        (4, "Anna", -5, (-5, None)),
    ]  # fmt: skip
    assert {(row.rank, row.played) for row in results.rows[4:]} == {(5, 0)}


def test_a_night_with_fewer_deals_is_under_way_until_somebody_ends_it() -> None:
    assert table(night(1, FOUR, over=False)) == TableResult(FOUR, "playing", 1, 0, (0, 0, 0, 0))
    assert table(night(1, FOUR, [3, -1, -1, -1], over=False)).status == "playing"
    assert table(night(1, FOUR, [3, -1, -1, -1])).status == "short"
    assert table(night(1, FOUR, [3, -1, -1, -1], by_rules=True)).status == "done"
    assert table(night(1, FOUR, [0] * 4, [0] * 4, over=False)).status == "done"
    assert not any(row.played for row in of(night(1, FOUR, [3, -1, -1, -1])).rows)


def test_of_a_table_played_twice_the_first_whole_night_counts() -> None:
    broken_off = night(1, FOUR, [8, -8, 0, 0])
    first = night(2, FOUR, [1, -1, 0, 0], [2, -2, 0, 0])
    again = night(3, FOUR, [9, -9, 0, 0], [9, -9, 0, 0])
    assert table(again, first, broken_off).nets == (2, -2, 0, 0)
    assert table(broken_off, night(4, FOUR, over=False)).night == 4


def test_other_nights_do_not_count() -> None:
    whole = ([0] * 4, [1, -1, 0, 0])
    assert table(night(1, FOUR, *whole, ruleset="family")).status == "waiting"
    assert table(night(1, FOUR, *whole, started_ms=99)).status == "waiting"
    assert table(night(1, (*FOUR, "Hugo"), [0] * 5, [0] * 5)).status == "waiting"
    assert table(night(1, ("Anna", "Ben", "Emma"), [0] * 3, [0] * 3)).status == "waiting"


def test_somebody_who_is_missing_gets_nothing_and_a_full_table_goes_before() -> None:
    three = night(1, FOUR[:3], [0] * 3, [4, -2, -2])
    assert table(three) == TableResult(FOUR, "done", 1, 2, (4, -2, -2, None))
    assert next(row for row in of(three).rows if row.name == "David").played == 0
    assert table(three, night(2, FOUR, over=False)).night == 1
    assert table(three, night(2, FOUR, [0] * 4, [0] * 4)).night == 2
    # Anna and Ben meet at two tables; whoever plays the whole of another table belongs there.
    assert of(night(3, OTHERS, [0] * 3, [0] * 3)).rounds[0][1].status == "done"


def test_seats_of_one_person_are_added_up() -> None:
    back = night(1, (*FOUR, "Anna"), [-5, 0, 0, 0], [-9, 1, 2, 3, 3])
    assert table(back).nets == (-6, 1, 2, 3)
    late = night(1, (*FOUR, "Anna"), [-5, 0, 0, 0], [-9, 3, 3, 3])
    assert table(late).nets == (-9, 3, 3, 3)


def test_the_same_people_play_one_round_after_the_other() -> None:
    alone = Tournament(1, "Cup", "modern", 1, 0, ((FOUR,), (FOUR,), (FOUR,)))
    results = of(
        night(3, FOUR, [3, -3, 0, 0]), night(1, FOUR, [1, -1, 0, 0]), night(2, FOUR),
        tournament=alone,
    )  # fmt: skip
    assert [tables[0].night for tables in results.rounds] == [1, 3, None]
    assert results.current == 3


def test_a_round_that_has_begun_is_current_although_an_earlier_table_lacks_deals() -> None:
    second = [night(n, people, [0] * len(people), [0] * len(people)) for n, people in
              enumerate(ROUNDS[1], 5)]  # fmt: skip
    assert of(night(1, FOUR, [0] * 4), second[0]).current == 2
    assert of(night(1, FOUR, [0] * 4), *second).current is None


def test_equal_nets_share_a_rank() -> None:
    rows = of(night(1, FOUR, [0] * 4, [2, 2, -2, -2])).rows
    assert [(row.rank, row.name) for row in rows[:4]] == [
        (1, "Anna"), (1, "Ben"), (3, "Clara"), (3, "David"),
    ]  # fmt: skip


def test_everybody_finds_the_table_of_each_round() -> None:
    leaver = Tournament(1, "Cup", "modern", 1, 0, ((FOUR, OTHERS), (("Emma", "Felix", "Anna"),)))
    assert leaver.tables["Anna"] == [1, 1]
    assert leaver.tables["Emma"] == [2, 1]
    assert leaver.tables["Ben"] == [1, None]
    assert set(leaver.tables) == {*FOUR, *OTHERS}


def test_meetings_are_counted_by_what_people_see_of_names() -> None:
    assert count_meetings(((FOUR,), (FOUR[:3],))) == Meetings(repeats=3, never=0, most=2)
    assert count_meetings(ROUNDS) == Meetings(2 + 1, 21 - 15, 2)
    assert count_meetings(((("Zoe\u0308", "A", "B"),), (("Zoë", "A", "C"),))).repeats == 1
    assert count_meetings(()) == Meetings(0, 0, 0)


def test_the_net_after_a_deal_is_that_of_a_night_ended_then() -> None:
    evening = Night(players=3)
    seen: list[list[int]] = []
    for winner in (1, 2, 3):
        evening.do("deal")
        evening.do("next")
        for seat in (2, 3, 1, 2, 3, 1):
            if evening["phase"] == "pochen" and evening["to_act"] == seat:
                evening.do("pass", seat=seat)
        evening.do("out", seat=winner)
        cards = {str(seat): seat for seat in (1, 2, 3) if seat != winner}
        evening.do("settle", cards=cards)
        evening.do("end")
        ended = sorted((result.seats, result.net) for result in results_of(evening.book.state))
        seen.append([net for _, net in ended])
        evening.do("undo")
        assert nets_after_deals(evening.book.states) == seen
    evening.do("deal")
    assert nets_after_deals(evening.book.states) == seen
    evening.do("void")
    evening.do("undo")
    evening.do("undo")
    evening.do("undo")
    assert nets_after_deals(evening.book.states) == seen[:2]
    evening.do("redo")
    assert nets_after_deals(evening.book.states) == seen
    # A recount between two deals belongs to the deal before it.
    evening.do("adjust", **{"from": "seat:1", "to": "seat:2"}, chips=1, reason="counted")
    last = [seen[2][0] - 1, seen[2][1] + 1, seen[2][2]]
    assert nets_after_deals(evening.book.states) == [*seen[:2], last]
    assert course_of(evening.book.entries, evening.book.states) == Course([*seen[:2], last])


def test_a_night_that_its_rules_have_ended_says_so() -> None:
    assert not _one_deal("open").ended_by_rules
    assert _one_deal(1).ended_by_rules


def _one_deal(deals: object) -> Course:
    evening = Night(players=3, options={"deals": deals})
    evening.do("deal")
    evening.do("next")
    for seat in (2, 3, 1):
        evening.do("pass", seat=seat)
    evening.do("out", seat=1)
    evening.do("settle", cards={"2": 1, "3": 2})
    if evening["phase"] != "closed":
        evening.do("end")
    return course_of(evening.book.entries, evening.book.states)


@given(starts(), st.integers(0, 2**32), st.integers(5, 150))
def test_there_is_a_net_of_every_seat_for_every_deal_in_force(
    start: dict[str, Any], seed: int, steps: int
) -> None:
    book = Book(resolve())
    book.apply(start)
    play_on(book, Random(seed), steps)
    state, nets = book.state, nets_after_deals(book.states)
    assert len(nets) == max(0, state.deal - (state.phase in IN_A_DEAL))
    assert all(len(after) <= len(state.names) for after in nets)
    if state.phase == "closed" and nets:
        net_of = {seat: net for seat, _, net in state.standings}
        assert nets[-1] == [net_of[seat] for seat in state.seats]
