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

from pochboard.bots.strategy import DEFAULT_STRATEGIES, SENSIBLE
from pochboard.bots.table import (
    MOST_DEALS,
    OPEN_DEALS,
    BotCommand,
    BotTable,
    PlayCard,
    play_night,
)
from pochboard.bots.table_cards import TableCards
from pochboard.cards.card import deck_of
from pochboard.ledger.book import Book, Step
from pochboard.rules.commands import End, Next, Out, Pass, Rebuy, Settle, Stake, Start
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import IN_A_DEAL, State
from tests.core.bots.starts import NIGHTS, OF_POOLS, TABLE, any_night, any_start, start_of
from tests.core.play import MELD, RULESETS, resolve

PARTS: Final = 10
"""The number of tests that share the nights, so that none takes too long."""


def played(start: Start, table: BotTable) -> list[BotCommand | PlayCard]:
    return [action for _, action, _ in play_night(start, table, resolve())]


def check_cards(cards: TableCards, state: State) -> None:
    """Every card of the deck is in one place: a hand, on the table, turned up, or the talon."""
    dealt, game = cards.dealt, cards.shedding
    places: list[tuple[str, ...]] = [dealt.talon]
    if state.rules.trump == "turned" and state.rules.hand != "all":
        assert dealt.turned
        places.append((dealt.turned,))
    if game:
        places += [tuple(hand) for hand in game.hands.values()]
        places.append(tuple(game.tableau.played))
        assert game.tableau.hand_sizes == tuple(
            len(game.hands[seat]) for seat in game.tableau.seats
        )
    else:
        places += dealt.hands.values()
        assert {seat: len(hand) for seat, hand in dealt.hands.items()} == state.hand_sizes
    assert sorted(card for place in places for card in place) == sorted(deck_of(state.deck))


def check_chips(state: State) -> None:
    assert sum(state.balances) == 0
    assert min(state.balances[1:]) >= 0
    assert len(state.balances) == 10 + len(state.names)


def left_unclaimed(cards: TableCards, state: State) -> set[str]:
    """Pools that hold chips and for which somebody holds the cards (RULES.md 10)."""
    trump, hands = state.trump, [set(hand) for hand in cards.dealt.hands.values()]
    assert trump
    wanted = {"ace": "A", "king": "K", "queen": "Q", "jack": "J", "ten": "T", "marriage": "KQ"}
    due = {
        pool
        for pool, ranks in wanted.items()
        if any({rank + trump for rank in ranks} <= hand for hand in hands)
    }
    if state.rules.sequence == "trump-789":
        lines = ["789"]
        suits = trump
    else:
        line = "23456789TJQKA"
        lines = [line[at : at + 3] for at in range(11)]
        suits = "CDHS"
    if any(
        {rank + suit for rank in three} <= hand
        for three in lines
        for suit in suits
        for hand in hands
    ):
        due.add("sequence")
    return {pool for pool in due if pool in MELD and pool in state.rules.pools and state.pool(pool)}


def play_checked(start: Start, table: BotTable) -> tuple[Book, Counter[str]]:
    """Plays a night, and applies each command to a book as well, in the form that phones send."""
    book, seen = Book(resolve()), Counter[str]()
    hands: dict[int, set[str]] = {}
    for before, action, after in play_night(start, table, resolve()):
        if before.phase == "meld" and not hands:
            hands = {seat: set(hand) for seat, hand in table.cards.dealt.hands.items()}
        if isinstance(action, PlayCard):
            hands[action.seat].remove(action.card)
            assert after is before
            seen["lay"] += 1
        else:
            raw = msgspec.to_builtins(action.command)
            step = book.apply(raw)
            assert isinstance(step, Step), f"{raw}: {step}"
            seen[raw["do"]] += 1
            check_chips(after)
            check_command(table.cards, before, action, hands)
        assert book.state == after
        if hands and after.phase in IN_A_DEAL:
            check_cards(table.cards, after)
        else:
            hands = {}
    assert book.state.phase == "closed"
    assert sum(book.state.balances[1:10]) == 0
    return book, seen


def check_command(
    cards: TableCards, before: State, action: BotCommand, hands: dict[int, set[str]]
) -> None:
    """Checks a command against the cards."""
    match action.command:
        case Next():
            assert not left_unclaimed(cards, before)
        case Stake(seat=seat) | Pass(seat=seat):
            assert action.seat == seat == before.to_act
        case Out(seat=seat):
            assert not hands[seat]
        case Settle(cards=left):
            assert before.winner is not None
            winner = str(before.winner)
            held = {str(seat): len(hand) for seat, hand in hands.items()}
            assert {**left, winner: 0} == held
        case Rebuy(seat=seat, chips=chips):
            assert before.is_short(seat)
            assert before.bought[seat - 1] == before.stack
            assert chips == max(before.stack, before.rules.ante_due)
        case End():
            most = {"open": OPEN_DEALS, "until-short": MOST_DEALS}.get(str(before.rules.deals))
            finished = [
                seat
                for seat in before.live
                if before.is_short(seat) and before.bought[seat - 1] > before.stack
            ]
            retire = before.rules.short_seats == "retire"
            can_go_on = len(before.live) - len(finished) >= 2 if retire else not finished
            assert before.deal == most or not can_go_on
        case _:
            pass


@pytest.mark.parametrize("part", range(PARTS))
def test_nights_with_all_kinds_of_options(part: int) -> None:
    for number in range(part, NIGHTS, PARTS):
        start, table = any_night(number)
        try:
            book, seen = play_checked(start, table)
        except AssertionError as error:
            error.add_note(f"night {number}: {start}")
            raise
        assert seen["deal"] == book.state.deal <= deals_at_most(book.state.rules, start)


def deals_at_most(rules: Ruleset, start: Start) -> int:
    if rules.deals == "round":
        return len(start.players)
    return rules.deals if isinstance(rules.deals, int) else MOST_DEALS


def test_the_nights_try_every_option_value() -> None:
    tried: dict[str, set[Any]] = {key: set() for key in (*TABLE, *OF_POOLS, "ruleset")}
    for number in range(max(NIGHTS, 500)):
        start = any_start(Random(f"night {number}"))
        tried["ruleset"].add(start["ruleset"])
        for key, value in start.get("options", {}).items():
            tried[key].add(tuple(value) if isinstance(value, list) else value)
    for key, values in TABLE.items():
        assert tried[key] == set(values), key
    assert tried["ruleset"] == set(RULESETS)
    assert tried["bet_pool"] == {"poch", "pinke"}
    assert tried["last_deal_to"] == {"none", "poch", "pinke"}
    assert tried["centre_to_winner"] == {False, True}
    assert len(tried["pools"]) > 20
    assert len(tried["ante_pools"]) > 20


@pytest.mark.parametrize("shedding", TABLE["shedding"])
@pytest.mark.parametrize("bonus", [0, 1])
def test_a_run_bonus_works_with_every_way_to_shed(shedding: str, bonus: int) -> None:
    start = start_of("modern", 4, shedding=shedding, run_bonus=bonus, deals=6)
    _, seen = play_checked(start, BotTable(dict(enumerate(DEFAULT_STRATEGIES * 2, 1)), "bonus"))
    # The last card of a deal ends a run too.
    assert seen["go"] >= 6 if bonus else not seen["go"]
    assert seen["out"] == seen["settle"] == 6


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
    """Python orders the strings of a set differently in every process."""
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


def test_a_rebuy_is_at_least_the_ante() -> None:
    start = start_of("modern", 3, stack=1, ante=100)
    book, seen = play_checked(start, BotTable(dict(enumerate(DEFAULT_STRATEGIES, 1)), "dear"))
    assert seen["rebuy"] == 3
    assert book.state.bought == (901, 901, 901)
