"""Statistics of people: each night, and all of them together."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from random import Random
from statistics import stdev

import pytest
from hypothesis import given, settings

from pochboard.bots.bot_table import BotTable
from pochboard.cards.exact import chances, hand_chances
from pochboard.history import (
    NightStatistics,
    Overview,
    Person,
    PersonNight,
    left_on_board,
    night_statistics,
    overview,
)
from pochboard.ledger.remarks import SamePerson, collect
from pochboard.ledger.replay import in_force
from pochboard.ledger.settling import flows
from pochboard.rules.commands import Claim, Deal, Out
from pochboard.rules.ruleset_files import shipped_rulesets
from tests.core.bots.starts import any_strategies, start_from
from tests.core.bots.test_bot_nights import play_checked
from tests.core.play import RULESETS, Night, betting, melding
from tests.core.test_settling import random_nights
from tests.not_empty import not_empty


def of(night: Night, number: int = 1) -> NightStatistics:
    return night_statistics(number, night.book.entries, night.book.states)


def person(found: Overview, name: str) -> Person:
    (match,) = (person for person in found.people if person.name == name)
    return match


@settings(max_examples=25, deadline=None)
@given(random_nights)
def test_a_night_is_counted_whole(night: Night) -> None:
    book = night.book
    statistics = of(night)
    kept = [entry.command for entry in in_force(book.entries)]
    names = dict.fromkeys(book.state.names)
    assert [person.name for person in statistics.people] == list(names)
    nets = Counter[str]()
    for seat, _, net in book.state.standings:
        nets[book.state.name_of(seat)] += net
    assert {person.name: person.net for person in statistics.people} == {
        name: nets[name] for name in names
    }
    assert sum(person.outs for person in statistics.people) == sum(
        isinstance(command, Out) for command in kept
    )
    assert statistics.deals == sum(isinstance(command, Deal) for command in kept)
    claims = Counter(command.pool for command in kept if isinstance(command, Claim))
    for position, pool in enumerate(("ace", "ten", "sequence")):
        index = (0, 4, 6)[position]
        taken = sum(person.wins[index] for person in statistics.people)
        assert taken >= claims[pool]
    won = Counter[int]()
    for loser, winner, chips in statistics.won_from:
        won[loser] -= chips
        won[winner] += chips
    bank = Counter[int]()
    positions = {name: index for index, name in enumerate(names)}
    for payer, payee, chips, _ in flows(book.entries, book.states):
        if payer == 0:
            bank[positions[book.state.name_of(payee)]] += chips
        elif payee == 0:
            bank[positions[book.state.name_of(payer)]] -= chips
    for index, one in enumerate(statistics.people):
        assert won[index] + bank[index] == one.net


def test_a_knock_after_all_others_have_passed_is_won_unseen() -> None:
    night = betting(players=3, dealer=3)
    night.do("pass", seat=1)
    night.do("pass", seat=2)
    night.do("stake", seat=3, chips=5)
    night.settle(winner=1)
    night.do("end")
    clara = of(night).people[2]
    assert (clara.knocks, clara.knocks_won, clara.knocks_unseen, clara.showdowns) == (1, 1, 1, 0)
    assert (clara.wins[7], clara.chips[7], clara.largest_poch) == (1, 3, 3)


def test_a_raise_that_wins_the_showdown_is_not_the_knock() -> None:
    night = betting(players=3, dealer=3)
    night.do("stake", seat=1, chips=2)
    night.do("stake", seat=2, chips=4)
    night.do("pass", seat=3)
    night.do("stake", seat=1, chips=2)
    night.do("showdown", ranking=[2, 1])
    night.settle(winner=1)
    night.do("end")
    one, ben, clara = of(night).people
    assert (one.knocks, one.knocks_won, one.showdowns, one.showdowns_won) == (1, 0, 1, 0)
    assert (ben.knocks, ben.knocks_won, ben.showdowns, ben.showdowns_won) == (0, 0, 1, 1)
    assert ben.largest_poch == 3 + 4
    assert clara.showdowns == 0


def test_claims_are_counted_beside_their_chances() -> None:
    night = melding(players=3, dealer=3)
    night.do("claim", seat=1, pool="marriage")
    night.do("undo")
    night.do("claim", seat=1, pool="marriage")
    night.do("next")
    for seat in (1, 2, 3):
        night.do("pass", seat=seat)
    night.settle(winner=2)
    night.do("end")
    one, ben, _ = of(night).people
    chance = hand_chances(shipped_rulesets()["modern"], 3)
    assert one.wins == [0, 1, 1, 0, 0, 1, 0, 0, 0], "marriage takes king and queen"
    assert one.chips[5] == 3
    assert one.expected == [float(chance[pool][0]) for pool in chance]
    assert one.luck == pytest.approx(3 - sum(one.expected))
    assert one.luck_squares == pytest.approx(one.luck**2)
    assert ben.luck == pytest.approx(-sum(ben.expected))


def test_the_centre_is_won_by_whoever_is_out() -> None:
    night = Night(players=3)
    for winner in (1, 2, 1):
        night.whole_deal(winner, cards=1)
    night.do("end")
    ones = of(night).people
    # Three seats ante 1 chip each.
    assert [(person.wins[8], person.chips[8], person.outs) for person in ones] == [
        (2, 6, 2),
        (1, 3, 1),
        (0, 0, 0),
    ]
    assert [person.cards_left for person in ones] == [1, 2, 3]


@pytest.mark.parametrize("name", RULESETS)
def test_the_chances_of_the_hands_add_up_to_those_of_the_pool(name: str) -> None:
    rules = shipped_rulesets()[name]
    for live in range(3, 7):
        known = hand_chances(rules, live)
        assert set(known) >= set(rules.meld_pools) - {"sequence"}
        for pool, each in not_empty(known.items()):
            assert sum(each) == chances(rules, live)[pool]
            assert len(each) == live


def test_bots_that_claim_all_they_may_have_the_luck_of_chance() -> None:
    """Over many deals the pools won lie within four standard errors of the exact chances."""
    words = {"ruleset": "modern", "players": ["Anna", "Ben", "Clara"], "options": {"deals": 80}}
    table = BotTable(any_strategies(Random(1), 3), "luck")
    book, _ = play_checked(start_from({**words, "stack": 10_000}), table)
    statistics = night_statistics(1, book.entries, book.states)
    assert statistics.deals == 80
    for person in not_empty(statistics.people):
        assert abs(person.luck) < 4 * person.luck_squares**0.5
        assert sum(person.wins[:7]) > 20


@pytest.mark.parametrize(("to_winner", "centre"), [(True, {}), (False, {"pinke": 3})])
def test_what_was_left_on_the_board_when_the_last_deal_ended_the_night(
    to_winner: bool, centre: dict[str, int]
) -> None:
    # The centre that nobody takes for going out is the pool of the betting.
    options = {
        "deals": 1,
        "centre_to_winner": to_winner,
        "bet_pool": "poch" if to_winner else "pinke",
    }
    night = melding(players=3, options=options)
    night.do("claim", seat=1, pool="ace")
    night.do("next")
    for seat in (2, 3, 1):
        night.do("pass", seat=seat)
    night.settle(winner=1)
    assert night["phase"] == "closed"
    others = dict.fromkeys(("king", "queen", "jack", "ten", "marriage", "sequence", "poch"), 3)
    assert left_on_board(night.book.entries, night.book.states) == {**others, **centre}


# All nights together.


def two_nights() -> list[NightStatistics]:
    first = Night(players=3, dealer=3)
    first.whole_deal(winner=1, cards=4)
    first.do("end")
    second = Night(None)
    second.do("start", ruleset="modern", players=["Ben", "Anja", "Clara"])
    second.whole_deal(winner=1, cards=2)
    second.do("end")
    return [of(first, 1), of(second, 2)]


def test_people_are_added_up_over_nights() -> None:
    statistics = overview(two_nights())
    assert (statistics.nights, statistics.deals) == (2, 2)
    ben = person(statistics, "Ben")
    assert (ben.nights, ben.nights_won, ben.deals) == (2, 1, 2)
    assert ben.net == (-9 - 4) + (-9 + 3 + 4)
    assert (ben.best_net, ben.best_night) == (-2, 2)
    assert ben.net_each == ben.net / 2
    assert ben.net_interval is not None
    assert ben.net_each in ben.net_interval
    assert ben.cards_left_each == 4
    assert [point.total for point in statistics.courses["Ben"]] == [-13, ben.net]
    assert [person.name for person in statistics.people] == sorted(
        (person.name for person in statistics.people),
        key=lambda name: -person(statistics, name).net,
    )
    assert person(statistics, "Anna").net_interval is None


def test_every_count_of_a_person_is_added_up() -> None:
    def night(number: int, share: int, net: int, largest_poch: int) -> NightStatistics:
        one = PersonNight(
            "Ben",
            net=net,
            won_night=net > 0,
            deals=10 * share,
            wins=[share * pool for pool in range(9)],
            chips=[share * pool * 5 for pool in range(9)],
            expected=[0.5 * share] * 6 + [0.0],
            variance=[1.0 * share] * 6 + [0.0],
            luck=0.25 * share,
            luck_squares=4.0 * share,
            largest_poch=largest_poch,
            knocks=16 * share,
            knocks_won=11 * share,
            knocks_unseen=3 * share,
            showdowns=13 * share,
            showdowns_won=7 * share,
            outs=2 * share,
            cards_left=12 * share,
            claims=4 * share,
        )
        return NightStatistics(number, 0, "modern", False, 10 * share, [one], [])

    nights = [night(1, 1, 3, 5), night(4, 4, 5, 9), night(6, 2, -2, 7)]
    ben = person(overview(nights), "Ben")
    assert (ben.nights, ben.nights_won, ben.deals, ben.outs) == (3, 2, 70, 14)
    assert (ben.net, ben.net_each, ben.best_net, ben.best_night) == (6, 2, 5, 4)
    assert (ben.largest_poch, ben.largest_poch_night) == (9, 4)
    assert (ben.knocks, ben.knocks_won, ben.knocks_unseen) == (112, 77, 21)
    assert (ben.showdowns, ben.showdowns_won) == (91, 49)
    assert ben.cards_left_each == 84 / 56
    assert [pool.wins for pool in ben.pools] == [7 * pool for pool in range(9)]
    assert [pool.chips for pool in ben.pools] == [35 * pool for pool in range(9)]
    assert [pool.expected for pool in ben.pools] == [3.5] * 6 + [None] * 3
    # 1.96 standard errors, of a mean or of a number of wins. A number of wins is not below 0.
    spread = 1.96 * stdev([3, 5, -2]) / sqrt(3)
    assert ben.net_interval is not None
    assert ben.net_interval.low == pytest.approx(2 - spread, rel=1e-3)
    assert ben.net_interval.high == pytest.approx(2 + spread, rel=1e-3)
    wins = ben.pools[0].expected_interval
    assert wins is not None
    assert wins.low == 0
    assert wins.high == pytest.approx(3.5 + 1.96 * sqrt(7), rel=1e-3)
    assert (ben.luck.wins, ben.luck.expected) == (21 + 1.75, 21)
    luck = ben.luck.interval
    assert luck.low == pytest.approx(21 - 1.96 * sqrt(28), rel=1e-3)
    assert luck.high == pytest.approx(21 + 1.96 * sqrt(28), rel=1e-3)


def test_names_that_look_alike_are_one_person_named_as_at_first() -> None:
    def night(number: int, *names: str) -> NightStatistics:
        people = [PersonNight(name, net=1, deals=1) for name in names]
        return NightStatistics(number, 0, "modern", False, 1, people, [(0, 1, 5)])

    nights = [
        night(1, "Zoe\u0308", "Ben"),
        night(2, "Zo\u00eb", "Be\u200dn"),
        night(3, "B\u00aden", "Jo"),
    ]
    statistics = overview(nights)
    assert {person.name: person.nights for person in statistics.people} == {
        "Zoë": 2,
        "Ben": 3,
        "Jo": 1,
    }
    assert set(statistics.courses) == {"Zoë", "Ben", "Jo"}
    assert [(head.winner, head.loser, head.chips) for head in statistics.heads] == [
        ("Ben", "Zoë", 10), ("Jo", "Ben", 5)
    ]  # fmt: skip
    older = overview([night(1, "Ben\ue000", "Ben"), night(2, "\u3164", "B\x07en")])
    assert {person.name: person.nights for person in older.people} == {
        "Ben\ue000": 1,
        "Ben": 2,
        "\u3164": 1,
    }
    joined = overview(nights, collect([SamePerson("Jo\ufe0f", "Zoe\u0308")]).aliases)
    assert {person.name: person.nights for person in joined.people} == {"Zoë": 3, "Ben": 3}
