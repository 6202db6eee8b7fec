"""The awards of a night."""

from __future__ import annotations

from hypothesis import given, settings

from pochboard.history import (
    LEAST_DEALS,
    MOST_AWARDS,
    Award,
    awards,
    night_statistics,
)
from pochboard.messages.nights import award_sentence, award_title
from tests.core.play import Night
from tests.core.test_settling import random_nights


def of(night: Night) -> tuple[Award, ...]:
    entries, states = night.book.entries, night.book.states
    return awards(night_statistics(1, entries, states))


def sentences(night: Night) -> dict[str, str]:
    return {award_title(award): award_sentence(award) for award in of(night)}


def bet(night: Night, *, knocker: int, others: dict[int, int], ranking: list[int]) -> None:
    """A betting that ends with a showdown of those who stake; all others pass."""
    stakes = {knocker: max(others.values(), default=1), **others}
    while night["phase"] == "pochen":
        seat = night["to_act"]
        if seat in stakes and not night["committed"].get(str(seat)):
            night.do("stake", seat=seat, chips=stakes[seat])
        else:
            night.do("pass", seat=seat)
    if night["phase"] == "showdown":
        night.do("showdown", ranking=ranking)


def test_the_awards_of_a_night() -> None:
    night = Night(players=3, dealer=3)
    # Anna wins a betting against Ben. Clara pays nine antes and four cards twice; in the third deal
    # she pays nine, takes three pools of nine chips, six cards of each other player and the centre.
    for deal, (winner, cards) in enumerate([(2, 4), (2, 4), (3, 6)]):
        night.do("deal")
        if deal == 2:
            night.do("claim", seat=3, pool="marriage")
        night.do("next")
        if deal == 0:
            bet(night, knocker=1, others={2: 6}, ranking=[1, 2])
        else:
            night.nobody_bets()
        night.settle(winner=winner, cards=cards)
    night.do("end")
    assert sentences(night) == {
        "Comeback of the night": "Clara was at \N{MINUS SIGN}26, and finished at +7.",
        "Biggest Poch": "Anna won 9 chips in one betting.",
        "Boldest stake": "A betting that somebody else won cost Ben 6 chips.",
    }


def test_a_treasure_has_been_filled_for_some_deals() -> None:
    night = Night(players=3, dealer=3)
    for deal in range(4):
        night.do("deal")
        if deal == 0:
            night.do("claim", seat=2, pool="ten")
        if deal == 3:
            night.do("claim", seat=2, pool="ten")
            night.do("undo")
            night.do("claim", seat=1, pool="ten")
        night.do("next")
        night.nobody_bets()
        night.settle(winner=2 + deal % 2)
    night.do("end")
    assert sentences(night)["Treasure trove"] == (
        "Anna took Ten, which had been filled for 3 deals."
    )


def test_the_boldest_stake_is_what_a_betting_of_others_cost() -> None:
    """Ben is all-in with 9 chips and wins the first pot; Clara wins the side pot of 3 and 3."""
    night = Night(players=3, dealer=3, stack=90, options={"bluff_penalty": 1})
    for deal in range(LEAST_DEALS):
        night.do("dealer", seat=3)
        night.do("deal")
        if deal:
            night.do("next")
            night.nobody_bets()
        else:
            night.do("adjust", **{"from": "seat:2"}, to="bank", chips=72, reason="spent")
            night.do("next")
            night.do("stake", seat=1, chips=12)
            night.do("stake", seat=2, chips=9)
            night.do("stake", seat=3, chips=12)
            night.do("showdown", ranking=[2, 3, 1])
        night.settle(winner=2)
    night.do("end")
    entries, states = night.book.entries, night.book.states
    # Anna has knocked with 12 and pays as many as a penalty.
    people = night_statistics(1, entries, states).people
    assert [person.courage for person in people] == [24, 0, 6]


@settings(max_examples=40, deadline=None)
@given(random_nights)
def test_awards_are_to_as_many_persons_as_possible(night: Night) -> None:
    if night["phase"] != "closed":
        return
    given_to = of(night)
    assert given_to == of(night)
    assert len(given_to) <= MOST_AWARDS
    if given_to:
        assert night["deal"] >= LEAST_DEALS
        assert len({award.kind for award in given_to}) == len(given_to)
        assert all(award.name in night.book.state.names for award in given_to)
