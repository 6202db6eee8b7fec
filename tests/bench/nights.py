"""Nights of bots, to fill ledgers with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pochboard.bots.bot_table import BotCommand, BotTable, play_night
from pochboard.bots.strategy import DEFAULT_STRATEGIES
from pochboard.ledger.book import Book, Step
from pochboard.ledger.replay import NightSummary, StoredNight, summarize
from pochboard.rules.commands import AnyCommand, Deal, End, Rebuy, Start
from pochboard.store import Store
from tests.bench.table import RESOLVE

PLAYERS: Final = ("Anna", "Ben", "Clara", "David")
DEALS: Final = 22
"""Deals of an evening, which has some 317 entries."""
BEGAN_MS: Final = 1_700_000_000_000
_A_DAY_MS: Final = 24 * 3600 * 1000
_DIFFERENT: Final = 40
"""Nights that are really played; a ledger repeats them."""
_AT_ONCE: Final = 1000

Night = tuple[StoredNight, NightSummary]


def commands_of_bots(seed: str, deals: int) -> Iterator[AnyCommand]:
    """The commands of an evening, as phones would send them."""
    seats = (*DEFAULT_STRATEGIES, *DEFAULT_STRATEGIES)[: len(PLAYERS)]
    start = Start(ruleset="modern", players=PLAYERS, options={"deals": deals}, stack=1000)
    table = BotTable(dict(enumerate(seats, 1)), seed)
    for _, action, _ in play_night(start, table, RESOLVE):
        if isinstance(action, BotCommand):
            yield action.command


def bot_night(number: int, deals: int = DEALS) -> Night:
    """A night of bots, as it is stored."""
    book = Book(RESOLVE)
    for command in commands_of_bots(f"night {number}", deals):
        step = book.consider(command, BEGAN_MS + number * _A_DAY_MS)
        assert isinstance(step, Step)
        book.accept(step)
    return _closed(book)


def night_of(entries: int) -> Night:
    """One night with at least this many entries: deal after deal, until there are enough."""
    book = Book(RESOLVE)
    seats = (*DEFAULT_STRATEGIES, *DEFAULT_STRATEGIES)[: len(PLAYERS)]
    table = BotTable(dict(enumerate(seats, 1)), "long")
    command: AnyCommand = Start(
        ruleset="modern", players=PLAYERS, options={"deals": "open"}, stack=1000
    )
    while True:
        step = book.consider(command, BEGAN_MS + len(book))
        assert isinstance(step, Step), (command, step)
        book.accept(step)
        if isinstance(command, End):
            return _closed(book)
        action = table.next_action(book.state)
        while not isinstance(action, BotCommand):
            assert action is not None, "the night goes on"
            table.carried_out(action)
            action = table.next_action(book.state)
        command = action.command
        if book.state.phase == "idle":
            # Bots would end the night sooner.
            short = next((seat for seat in book.state.live if book.state.is_short(seat)), None)
            command = Deal() if short is None else Rebuy(short, 1000)
            command = command if len(book) < entries else End()


def fill_with_nights(path: Path, nights: int, deals: int = DEALS) -> int:
    """Adds this many nights to a ledger; the number of their entries."""
    made = [bot_night(number, deals) for number in range(min(nights, _DIFFERENT))]
    numbers = [number % len(made) for number in range(nights)]
    with Store.open(path) as store:
        for first in range(0, nights, _AT_ONCE):
            store.add_nights([made[number] for number in numbers[first : first + _AT_ONCE]])
    return sum(len(made[number][0].entries) for number in numbers)


def _closed(book: Book) -> Night:
    night = StoredNight(0, book.state.rules, {}, imported=False, entries=book.entries)
    return night, summarize(0, book.entries, book.state)
