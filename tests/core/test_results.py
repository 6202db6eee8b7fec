"""The results of a night are those of persons, in every output (docs/RULES.md 8)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from random import Random
from urllib.parse import parse_qs, urlsplit

import pytest

from pochboard.exports import ExportedNight, bgstats_link, write_json
from pochboard.history.night_statistics import night_statistics
from pochboard.history.people import overview
from pochboard.ledger.replay import StoredNight, summarize
from pochboard.ledger.results import results_of, summary_results, winners
from pochboard.ledger.settling import settle_night
from pochboard.messages.entries import sentences
from pochboard.messages.labels import signed
from pochboard.messages.nights import listed_result, listed_winners
from pochboard.table.clock import local_time
from pochboard.text.translator import ENGLISH
from pochboard.views.guidance import guidance
from pochboard.views.screen import Reachable, screen_of
from pochboard.views.seats import standings_rows
from tests.core.play import Night
from tests.core.views.moments import snapshot


def nets(night: Night, aliases: Mapping[str, str] = {}) -> dict[str, int]:
    return {result.name: result.net for result in results_of(night.book.state, aliases)}


def exported(night: Night, aliases: Mapping[str, str] = {}) -> ExportedNight:
    stored = StoredNight(1, night.book.state.rules, {}, False, night.book.entries)
    return ExportedNight(stored, night.book.states, local_time, aliases)


def all_outputs_agree(night: Night, aliases: Mapping[str, str] = {}) -> None:
    """Every output gives the nets and the winners of the night that is over."""
    book = night.book
    expected = results_of(book.state, aliases)
    best = ENGLISH.listed(winner.name for winner in winners(expected))
    by_name = {result.name: result.net for result in expected}
    assert len(by_name) == len(expected)
    # The list of nights.
    summary = summarize(1, book.entries, book.state)
    listed = summary_results(summary, aliases)
    assert listed == expected
    assert listed_winners(listed, ENGLISH) == best
    assert listed_result(summary, listed, ENGLISH).startswith(best)
    # A night on the page, its picture, and the large screen.
    assert [(row.name, row.net_text) for row in standings_rows(expected, ENGLISH)] == [
        (result.name, signed(result.net)) for result in expected
    ]
    # The ledger, the guidance, and the board's display.
    assert best not in sentences(book.entries, book.states)[-1], "it is revealed elsewhere"
    moment = snapshot(night, aliases=aliases)
    guide = guidance(moment, ENGLISH)
    assert guide.title.startswith(best)
    assert [figure.label for figure in screen_of(moment, ENGLISH, reach=Reachable()).figures] == [
        result.name for result in expected[:3]
    ]
    # Settling.
    for way in ("fewest", "pairwise"):
        settled = settle_night(book.entries, book.states, way, aliases=aliases)
        players = {party: net for party, net in settled.results.items() if party}
        assert players == {result.seats[0]: result.net for result in expected}
    # Statistics.
    counted = night_statistics(1, book.entries, book.states)
    if counted.deals:
        people = overview([counted], aliases).people
        names = {aliases.get(result.name, result.name): result for result in expected}
        assert {person.name: person.net for person in people} == {
            name: person.net for name, person in names.items()
        }
        assert {person.name for person in people if person.nights_won} == {
            name for name, person in names.items() if person.rank == 1
        }
    # Other programs.
    document = json.loads("".join(write_json(exported(night, aliases))))
    assert {row["name"]: row["net"] for row in document["results"]} == by_name
    link = bgstats_link(exported(night, aliases))
    assert link is not None
    players_sent = json.loads(parse_qs(urlsplit(link).query)["data"][0])["players"]
    assert {row["name"]: int(row["score"]) for row in players_sent} == by_name
    assert len(players_sent) == len(expected)
    assert [row["name"] for row in players_sent if row["winner"]] == [
        winner.name for winner in winners(expected)
    ]
    assert sum(row["startPlayer"] for row in players_sent) == 1


@pytest.mark.parametrize("seed", range(12))
def test_all_outputs_agree_whoever_comes_goes_and_is_renamed(seed: int) -> None:
    chance = Random(seed)
    night = Night(players=4)
    people = ["Anna", "Ben", "Clara", "David", "Emma"]
    for _ in range(30):
        seat, name = chance.randrange(1, len(night["stacks"]) + 1), chance.choice(people)
        match chance.randrange(6):
            case 0:
                night.book.apply({"do": "leave", "seat": seat})
            case 1 | 2:
                night.book.apply({"do": "join", "name": name})
            case 3:
                night.book.apply({"do": "rename", "seat": seat, "name": name})
            case 4:
                night.book.apply({"do": "rebuy", "seat": seat, "chips": chance.randrange(1, 40)})
            case _:
                if night.would("deal"):
                    night.whole_deal(chance.choice(night["live"]), chance.randrange(3))
    night.do("end")
    state, expected = night.book.state, Counter[str]()
    for seat in state.seats:
        expected[state.name_of(seat)] += state.stack_of(seat) - state.bought[seat - 1]
    assert nets(night) == dict(expected)
    all_outputs_agree(night)
    all_outputs_agree(night, {"Emma": "Anna"})


def test_the_most_chips_win_if_the_rules_say_so() -> None:
    night = Night(options={"won_by": "most-chips"})
    night.do("rebuy", seat=3, chips=100)
    night.do("rebuy", seat=2, chips=95)
    night.do("adjust", **{"from": "seat:1"}, to="seat:2", chips=5, reason="a bet")
    night.do("end")
    state = night.book.state
    found = results_of(state)
    assert [(result.rank, result.name) for result in found] == [
        (1, "Ben"), (1, "Clara"), (3, "Anna"),
    ]  # fmt: skip
    assert [(result.stack, result.net) for result in found] == [(150, 5), (150, 0), (45, -5)]
    summary = summarize(1, night.book.entries, state)
    assert summary_results(summary) == found
    assert listed_result(summary, found, ENGLISH) == (
        "Ben and Clara shared the win with 150 chips each."
    )
