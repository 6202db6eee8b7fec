"""Bots play whole nights: every command is accepted, and no chip or card is lost."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import msgspec
import pytest

from pochboard.bots.betting import DEFAULT_STRATEGIES, SENSIBLE
from pochboard.bots.bot_table import (
    MOST_DEALS,
    BotTable,
    play_night,
)
from pochboard.ledger.book import Book, Step
from pochboard.rules.commands import Command, Start
from pochboard.rules.ruleset import Ruleset
from tests.core.bots.checker import Checker
from tests.core.bots.starts import NIGHTS, TABLE, any_night, start_of
from tests.core.play import resolve

PARTS: Final = 5
"""The number of tests that share the nights, so that none takes too long."""


def play_checked(start: Start, table: BotTable) -> tuple[Book, Counter[str]]:
    """Plays a night, and applies each command to a book as well, in the form that phones send."""
    book, checker = Book(resolve()), Checker(table)
    for before, action, after in play_night(start, table, resolve()):
        if isinstance(action, Command):
            raw = msgspec.to_builtins(action)
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


# Ends of nights, and rebuys.


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


# Open cards.
