"""Bots play whole nights: every command is accepted, and no chip or card is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from random import Random
from typing import Any, Final

import msgspec
import pytest

from pochboard.bots.bot_table import (
    MOST_DEALS,
    OPEN_DEALS,
    BotCommand,
    BotTable,
    PlayCard,
    play_night,
)
from pochboard.bots.open_cards import Onlooker
from pochboard.bots.strategy import DEFAULT_STRATEGIES, SENSIBLE
from pochboard.cards.card import HEIGHT
from pochboard.ledger.book import Book, Step
from pochboard.rules.commands import Start
from pochboard.rules.ruleset import Ruleset
from tests.core.bots.checker import Checker
from tests.core.bots.starts import NIGHTS, OF_POOLS, TABLE, any_night, any_start, start_of
from tests.core.play import RULESETS, resolve

PARTS: Final = 5
"""The number of tests that share the nights, so that none takes too long."""


def played(start: Start, table: BotTable) -> list[BotCommand | PlayCard]:
    return [action for _, action, _ in play_night(start, table, resolve())]


def play_checked(start: Start, table: BotTable) -> tuple[Book, Counter[str]]:
    """Plays a night, and applies each command to a book as well, in the form that phones send."""
    book, checker = Book(resolve()), Checker(table)
    for before, action, after in play_night(start, table, resolve()):
        if isinstance(action, BotCommand):
            raw = msgspec.to_builtins(action.command)
            step = book.apply(raw)
            assert isinstance(step, Step), f"{raw}: {step}"
        checker.follow(before, action, after)
        assert book.state == after
    assert book.state.phase == "closed"
    assert sum(book.state.balances[1:10]) == 0
    return book, checker.seen


@pytest.mark.parametrize("part", range(PARTS))
def test_nights_with_all_kinds_of_options(part: int) -> None:
    for number in range(part, NIGHTS // 2, PARTS):
        start, table = any_night(number)
        try:
            book, seen = play_checked(start, table)
        except AssertionError as error:
            error.add_note(f"night {number}: {start}")
            raise
        assert seen["deal"] == book.state.deal <= deals_at_most(book.state.rules, start)


def deals_at_most(rules: Ruleset, start: Start) -> int:
    return rules.deals if isinstance(rules.deals, int) else MOST_DEALS


def hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def test_the_nights_try_every_option_value() -> None:
    tried: dict[str, set[Any]] = {key: set() for key in (*TABLE, *OF_POOLS, "ruleset")}
    for number in range(max(NIGHTS, 1500)):
        start = any_start(Random(f"night {number}"))
        tried["ruleset"].add(start["ruleset"])
        for key, value in start.get("options", {}).items():
            tried[key].add(
                str(value) if key == "pool" else tuple(value) if isinstance(value, list) else value
            )
    for key, values in TABLE.items():
        assert tried[key] == set(values), key
    assert tried["ruleset"] == set(RULESETS)
    assert tried["bet_pool"] == {"poch", "pinke"}
    assert tried["last_deal_to"] == {"none", "poch", "pinke"}
    assert tried["centre_to_winner"] == {False, True}
    assert len(tried["pools"]) > 20
    assert len(tried["pool"]) > 20
    assert len(tried["ante_pools"]) > 20


@pytest.mark.parametrize("shedding", TABLE["shedding"])
@pytest.mark.parametrize("bonus", [0, 1])
def test_a_run_bonus_works_with_every_way_to_shed(shedding: str, bonus: int) -> None:
    start = start_of("modern", 4, shedding=shedding, run_bonus=bonus, deals=6, stack=1000)
    _, seen = play_checked(start, BotTable(dict(enumerate(DEFAULT_STRATEGIES * 2, 1)), "bonus"))
    # The last card of a deal ends a run too.
    assert seen["go"] >= 6 if bonus else not seen["go"]
    assert seen["out"] == seen["settle"] == 6


def test_the_cards_of_the_last_deal_do_not_match_a_night_that_is_over() -> None:
    start, table = any_night(0)
    states = [after for _, _, after in play_night(start, table, resolve())]
    assert states[-1].phase == "closed"
    assert not table.cards.match(states[-1])


# All cards dealt, and a fixed trump suit.

DEALINGS: Final[dict[str, dict[str, Any]]] = {
    "all": {"hand": "all"},
    "all of 36": {"hand": "all", "deck": 36},
    "all of 40": {"hand": "all", "deck": 40, "packets": [3, 2]},
    "all of 52": {"hand": "all", "deck": 52, "packets": [4]},
    "hearts": {"hand": "all", "trump": "hearts"},
    "a talon and clubs": {"hand": 5, "deck": 32, "trump": "clubs"},
}


@pytest.mark.parametrize("shedding", TABLE["shedding"])
@pytest.mark.parametrize("dealing", DEALINGS)
def test_nights_in_which_no_card_is_kept_back(dealing: str, shedding: str) -> None:
    seen = Counter[str]()
    for players in range(2, 7):
        start = start_of(
            "modern", players, players=[2, 6], deals=4, stack=500, shedding=shedding,
            **DEALINGS[dealing],
        )  # fmt: skip
        table = BotTable(dict(enumerate((DEFAULT_STRATEGIES * 2)[:players], 1)), dealing)
        seen += play_checked(start, table)[1]
    fixed, all_dealt = "trump" in DEALINGS[dealing], DEALINGS[dealing]["hand"] == "all"
    assert seen["turn"] == (0 if fixed else 20)
    if all_dealt:
        for pool in ("ace", "king", "queen", "jack", "ten"):
            # A claim of marriage takes king and queen too.
            assert seen[f"claim {pool}"] + seen["claim marriage"] >= 20
    assert bool(seen["claim of the card turned up"]) == (all_dealt and not fixed)
    assert bool(seen["lay of the card turned up"]) == (all_dealt and not fixed)


# Seeds.


@pytest.mark.parametrize("number", range(12))
def test_the_same_seed_gives_the_same_night(number: int) -> None:
    once, again = (played(*any_night(number)) for _ in range(2))
    assert once == again
    start, table = any_night(number)
    assert played(start, BotTable(table.strategies, "another seed")) != once


PRINT_NIGHTS: Final = """
from tests.core.bots.test_bot_nights import any_night, played
for number in range(4):
    print(played(*any_night(number)))
"""


def test_the_order_of_sets_has_no_influence() -> None:
    """Python orders a set of strings differently in every process."""
    nights = {
        subprocess.run(
            [sys.executable, "-c", PRINT_NIGHTS],
            env={**os.environ, "PYTHONHASHSEED": order, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for order in ("1", "2", "3")
    }
    assert len(nights) == 1
    assert nights.pop().count("PlayCard(") > 100


# Ends of nights, and rebuys.


@pytest.mark.parametrize(
    ("deals", "expected"), [("open", OPEN_DEALS), ("until-short", MOST_DEALS), ("round", 3), (5, 5)]
)
def test_a_night_ends_even_if_nobody_runs_short(deals: str | int, expected: int) -> None:
    start = start_of("modern", 3, deals=deals, stack=10_000)
    book, seen = play_checked(start, BotTable(dict(enumerate(DEFAULT_STRATEGIES, 1)), "rich"))
    assert book.state.deal == seen["deal"] == expected
    assert seen["rebuy"] == 0
    # A night of known length closes by itself.
    assert seen["end"] == (deals in ("open", "until-short"))


def test_a_seat_short_of_the_ante_buys_in_once() -> None:
    bought = Counter[int]()
    for number in range(20):
        start = start_of("modern", 4, stack=9)
        table = BotTable(dict(enumerate((*DEFAULT_STRATEGIES, SENSIBLE), 1)), f"poor {number}")
        book, seen = play_checked(start, table)
        more = [chips > 9 for chips in book.state.bought]
        assert sum(more) == seen["rebuy"]
        assert set(book.state.bought) <= {9, 18}
        bought[sum(more)] += 1
    assert bought[2] + bought[3] + bought[4] > 10


def test_seats_that_cannot_ante_again_go_out_where_short_seats_retire() -> None:
    retired = Counter[int]()
    for number in range(20):
        start = start_of("modern", 4, players=[2, 4], stack=9, short_seats="retire")
        table = BotTable(dict(enumerate((*DEFAULT_STRATEGIES, SENSIBLE), 1)), f"poor {number}")
        book, seen = play_checked(start, table)
        assert set(book.state.bought) <= {9, 18}
        retired[seen["retired"]] += 1
        if book.state.deal < OPEN_DEALS:
            assert sum(map(book.state.is_short, book.state.live)) >= len(book.state.live) - 1
        assert len(book.state.live) >= 2
    assert retired[1] + retired[2] > 5, retired


def test_a_rebuy_is_at_least_the_ante() -> None:
    start = start_of("modern", 3, stack=1, ante=100)
    book, seen = play_checked(start, BotTable(dict(enumerate(DEFAULT_STRATEGIES, 1)), "dear"))
    assert seen["rebuy"] == 3
    assert book.state.bought == (901, 901, 901)


# Open cards.


def test_a_card_leads_unless_it_continues_a_run() -> None:
    table = BotTable(dict(enumerate((*DEFAULT_STRATEGIES, SENSIBLE), 1)), "runs")
    onlooker = Onlooker(table)
    leads = Counter[bool]()
    last = None
    for before, action, after in play_night(start_of("modern", 4, deals=2), table, resolve()):
        onlooker.observe(before, action)
        if not isinstance(action, PlayCard):
            last = None if after.phase != "shed" else last
            continue
        run = onlooker.open_cards(after, waits=None).run
        continues = last is not None and (
            (action.card[1], HEIGHT[action.card]) == (last[1], HEIGHT[last] + 1)
        )
        assert run[-1].card == action.card
        assert (len(run) == 1) == (not continues), run
        leads[not continues] += 1
        last = action.card
    assert min(leads.values()) > 5


def test_cards_lie_face_down_until_the_deal_is_settled() -> None:
    table = BotTable(dict(enumerate((*DEFAULT_STRATEGIES, SENSIBLE), 1)), "backs")
    onlooker = Onlooker(table)
    settled = 0
    for before, action, after in play_night(start_of("modern", 4, deals=2), table, resolve()):
        onlooker.observe(before, action)
        cards = onlooker.open_cards(after, waits=None)
        if after.phase == "idle" and cards.held:
            settled += sum(cards.held.values())
            assert set(cards.backs.values()) == {0}
        else:
            assert cards.backs == cards.held
    assert settled > 0
