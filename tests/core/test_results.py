"""The results of a night are those of persons (docs/RULES.md 8); remarks, and impossible counts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from random import Random
from urllib.parse import parse_qs, urlsplit

import pytest

from pochboard.exports import ExportedNight, bgstats_link, write_json
from pochboard.history import night_statistics, overview
from pochboard.ledger import remarks
from pochboard.ledger.remarks import (
    NightDate,
    NightDeleted,
    NightName,
    NightOfBots,
    Remark,
    Remarks,
    SamePerson,
    collect,
)
from pochboard.ledger.replay import StoredNight, summarize
from pochboard.ledger.results import (
    CountHint,
    Hint,
    count_hints,
    hints,
    results_of,
    summary_results,
    winners,
)
from pochboard.ledger.settling import settle_night
from pochboard.messages.entries import sentences
from pochboard.messages.labels import signed
from pochboard.messages.nights import listed_result, listed_winners
from pochboard.rules.state import State
from pochboard.table.clock import local_time
from pochboard.text.translator import ENGLISH
from pochboard.text.unicode_names import sight
from pochboard.views.guidance import guidance
from pochboard.views.screen import Reachable, screen_of
from pochboard.views.seats import standings_rows
from tests.core.play import Night, melding
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


def adjust(night: Night, source: str, target: str, chips: int) -> None:
    night.do("adjust", **{"from": source, "to": target, "chips": chips, "reason": "recount"})


@pytest.mark.parametrize("ruleset", ["modern", "banker", "thirty-one", "alvensleben-1853"])
def test_a_night_without_recounts_needs_no_hint(ruleset: str) -> None:
    night = Night(ruleset)
    seen: list[State] = [night.book.state]
    for _ in range(2):
        night.do("deal")
        night.do("claim", seat=1, pool="marriage")
        seen.append(night.book.state)
        night.do("next")
        for seat in night.book.state.from_forehand:
            night.do("pass", seat=seat)
        night.do("out", seat=2)
        night.do("settle", cards={"1": 1, "3": 2})
        seen.append(night.book.state)
    night.do("leave", seat=3)
    night.do("rebuy", seat=1, chips=7)
    seen.append(night.book.state)
    night.do("end")
    assert [hints(state) for state in (*seen, night.book.state, State())] == [()] * 8


def test_chips_that_a_recount_has_lost_or_found() -> None:
    night = Night("modern")
    adjust(night, "seat:1", "bank", 3)
    assert hints(night.book.state) == (Hint("too-few-chips", "", 3, 150),)
    adjust(night, "bank", "seat:2", 5)
    assert hints(night.book.state) == (Hint("too-many-chips", "", 2, 150),)
    adjust(night, "seat:2", "bank", 2)
    assert hints(night.book.state) == ()


def test_a_pool_with_less_than_the_ante_of_this_deal() -> None:
    night = melding("modern")
    adjust(night, "pool:ace", "seat:1", 1)
    assert hints(night.book.state) == (Hint("ante-missing", "pool:ace", 2, 3),)
    night.do("claim", seat=2, pool="ace")
    assert hints(night.book.state) == ()
    bank = Night("banker")
    bank.do("deal")
    adjust(bank, "pool:ten", "seat:1", 1)
    assert hints(bank.book.state) == (Hint("ante-missing", "pool:ten", 0, 1),)


def test_a_pool_that_no_number_of_antes_can_have_filled() -> None:
    night = melding("modern", options={"ante": 2})
    adjust(night, "seat:1", "pool:ace", 1)
    adjust(night, "seat:1", "pool:poch", 1)  # bets may be odd
    assert hints(night.book.state) == (Hint("odd-pool", "pool:ace", 7, 2),)


def test_a_count_that_differs_by_antes() -> None:
    night = Night("modern", options={"ante": 2})
    assert count_hints("pool:ace", night.book.state) == ()
    night.do("deal")
    state = night.book.state
    assert count_hints("pool:ace", state) == (
        CountHint(4, "antes-missing", 1),
        CountHint(2, "antes-missing", 2),
        CountHint(0, "antes-missing", 3),
        CountHint(8, "antes-twice", 1),
        CountHint(10, "antes-twice", 2),
        CountHint(12, "antes-twice", 3),
    )
    assert count_hints("seat:1", state) == (
        CountHint(50, "unpaid", 1),
        CountHint(14, "paid-twice", 1),
    )
    night.do("claim", seat=1, pool="ace")
    assert count_hints("pool:ace", night.book.state)[0] == CountHint(2, "antes-twice", 1)
    thirty_one = Night("thirty-one")
    thirty_one.do("deal")
    assert count_hints("pool:poch", thirty_one.book.state) == ()
    bank = Night("banker")
    bank.do("deal")
    assert count_hints("seat:1", bank.book.state) == ()


def test_a_later_remark_takes_an_earlier_one_back() -> None:
    first: list[Remark] = [
        NightName(1, "Christmas"),
        NightDate(2, 1_700_000_000_000),
        NightDeleted(2, True),
        NightOfBots(3, True),
        SamePerson("Anja", "Anna"),
    ]
    remarks = collect(first)
    assert remarks == Remarks(
        {1: "Christmas"}, frozenset({2}), {"Anja": "Anna"}, frozenset({3}),
        {2: 1_700_000_000_000},
    )  # fmt: skip
    assert [remarks.counts(night) for night in (1, 2, 3)] == [True, False, False]
    back: list[Remark] = [
        NightName(1, ""),
        NightDate(2, None),
        NightDeleted(2, False),
        NightOfBots(3, False),
        SamePerson("Anja", "Anja"),
    ]
    assert collect([*first, *back]) == Remarks()


def test_thousands_of_names_of_one_person_take_no_time_that_grows_with_their_square(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = 0

    def counted(text: str) -> str:
        nonlocal compared
        compared += 1
        return sight(text)

    monkeypatch.setattr(remarks, "sight", counted)
    many = 4000
    chain = [SamePerson(f"N{number}", f"N{number + 1}") for number in range(many)]
    star = [SamePerson(f"M{number}", "N0") for number in range(many)]
    aliases = collect([*star, *chain]).aliases
    assert set(aliases.values()) == {f"N{many}"}
    assert len(aliases) == 2 * many
    assert compared < 10 * len(aliases)
