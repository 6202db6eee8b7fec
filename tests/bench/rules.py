"""How many commands a second go through rules and book, with PokerKit beside them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from pokerkit import Automation, NoLimitTexasHoldem

from pochboard.ledger.book import Book, Repeat, Step
from tests.bench.table import RESOLVE, Goal, Row, say

NIGHTS = Path(__file__).parent.parent / "nights"


def commands_beside_pokerkit(rounds: int) -> list[Row]:
    """Commands through rules and book, and PokerKit's player actions, in turn in one run."""
    say("rules and book beside PokerKit")
    nights = list(_nights())
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds):
        ours.append(_rate(lambda: _play(nights), 0.5))
        theirs.append(_rate(_poker_hand, 0.5))
    mine, other = statistics.median(ours), statistics.median(theirs)
    return [
        Row(
            "commands a second through rules and book",
            "/s",
            mine,
            None,
            "PokerKit's player actions, six players with all-ins",
            other,
            (Goal(150.0, "ratio", at_least=True),),
        )
    ]


def _rate(work: Callable[[], int], seconds: float) -> float:
    done, begun = 0, time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        done += work()
    return done / spent


def _nights() -> Iterator[list[dict[str, Any]]]:
    """The commands of the six-player nights among the score sheets, side pots and all."""
    for path in sorted(NIGHTS.glob("*-[ab].jsonl")):
        night: list[dict[str, Any]] = []
        for row in path.read_text("utf-8").splitlines():
            line = {} if row.startswith("#") else msgspec.json.decode(row)
            if line.get("do") == "start":
                night = [line]
                if len(line["players"]) == 6:
                    yield night
            elif "do" in line:
                night.append(line)


def _play(nights: list[list[dict[str, Any]]]) -> int:
    for night in nights:
        book = Book(RESOLVE)
        for command in night:
            assert isinstance(book.apply(command), Step | Repeat)
    return sum(map(len, nights))


def _poker_hand() -> int:
    """A hand with a raise, a fold, three streets at most and all-ins of different stacks."""
    hand = NoLimitTexasHoldem.create_state(
        tuple(Automation), True, 0, (1, 2), 2, (50, 80, 100, 200, 150, 120), 6
    )
    hand.complete_bet_or_raise_to(6)
    hand.check_or_call()
    hand.fold()
    actions = 3
    while hand.status and hand.actor_index is not None:
        if hand.street_index == 1 and hand.can_complete_bet_or_raise_to():
            most = hand.max_completion_betting_or_raising_to_amount
            assert most is not None
            hand.complete_bet_or_raise_to(most)
        else:
            hand.check_or_call()
        actions += 1
    return actions
