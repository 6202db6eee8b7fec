"""Whole nights by presses alone come out as the same nights sent as commands."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from pochboard.ledger.book import Book, Step
from pochboard.rules.accounts import MELD_POOLS
from pochboard.rules.commands import Settle, parse_command
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.seating import resolve_among
from pochboard.rules.state import State
from tests.core.panel_driver import PanelDriver

Command = dict[str, Any]


class Presser:
    """Makes the presses that the contract's table gives for a command."""

    def __init__(self, random: Random) -> None:
        self.driver = PanelDriver()
        self._random = random

    def make(self, command: Command) -> None:
        """Makes the presses for a command; every press must be accepted."""
        driver, state = self.driver, self.driver.state
        match command:
            case {"do": "start"}:
                self._start(command)
            case {"do": "join", "place": place}:
                self._press_for(place, "pinke")
            case {"seat": seat}:
                self._make_for(seat, command, state)
            case {"do": "settle", "cards": cards}:
                self._count({int(seat): count for seat, count in cards.items()}, state)
            case {"do": "showdown", "ranking": []}:
                assert driver.long(state.rules.bet_pool) is None
            case {"do": "showdown", "ranking": ranking}:
                self._press(*(button(state, seat) for seat in ranking))
            case {"do": "void" | "end"}:
                assert driver.both() is None
            case {"do": "undo"}:
                self._let_go()
                self._press("undo")
            case {"do": "redo"}:
                assert driver.long("undo") is None
            case _:
                assert command["do"] in ("deal", "next")
                self._press("next")

    def _make_for(self, seat: int, command: Command, state: State) -> None:
        place = state.places[seat - 1]
        match command["do"]:
            case "leave":
                assert self.driver.hold(f"seat{place}", 3.1) is None
            case "pass":
                assert self.driver.long(f"seat{place}") is None
            case "stake":
                self._stake(seat, command["chips"], state)
            case "claim":
                self._press_for(place, command["pool"])
            case "go":
                self._press_for(place, "poch")
            case do:
                assert do in ("rebuy", "out")
                self._press_for(place, "pinke")

    def _press(self, *buttons: str) -> None:
        for name in buttons:
            assert self.driver.press(name) is None, name

    def _let_go(self) -> None:
        if self.driver.pending.get("place") and self._random.random() < 0.5:
            self.driver.wait(5.1)
        elif self.driver.pending.get("place") and not self.driver.pending.get("kept"):
            self._press("undo")

    def _press_for(self, place: int, pool: str) -> None:
        """The seat, unless it is still selected, then the pool."""
        if self.driver.pending.get("place") != place or self._random.random() < 0.5:
            if self.driver.pending.get("place") == place:
                self.driver.wait(5.1)
            self._press(f"seat{place}")
        self._press(pool)

    def _stake(self, seat: int, chips: int, state: State) -> None:
        name = button(state, seat)
        first = min(max(state.need(seat), 1), state.stack_of(seat))
        if chips == state.stack_of(seat) and self._random.random() < 0.7:
            self._press(*[name] * self._random.randint(1, min(3, chips - first + 1)))
            assert self.driver.long(state.rules.bet_pool) is None
            return
        if self._random.random() < 0.2:
            self._press(name)
            assert self.driver.long(name) is None  # drops the chips in the hand
        self._press(*[name] * (chips - first + 1), state.rules.bet_pool)

    def _count(self, cards: dict[int, int], state: State) -> None:
        for seat in self.driver.pending.get("cards", {}):  # an undo has brought them back
            assert self.driver.long(button(state, seat)) is None
        presses = [button(state, seat) for seat, held in cards.items() for _ in range(held)]
        self._random.shuffle(presses)
        self._press(*presses)
        for seat, held in cards.items():
            if not held:
                assert self.driver.long(button(state, seat)) is None
        if presses and self._random.random() < 0.5:
            again = self._random.choice([seat for seat, held in cards.items() if held])
            assert self.driver.long(button(state, again)) is None
            assert self.driver.press("next") == "counts-missing"
            self._press("undo")
        self._press("next")

    def _start(self, command: Command) -> None:
        driver = self.driver
        wanted = command["places"]
        for place in set(driver.pending["lobby"]["in"]) ^ set(wanted):
            self._press(f"seat{place}")
        dealer = wanted[command["dealer"] - 1]
        if self._random.random() < 0.5:
            assert driver.long(f"seat{dealer}") is None
        else:
            driver.player.lot = command["dealer"] - 1
            self._press("pinke")
        self._press("next", "next")


def button(state: State, seat: int) -> str:
    return f"seat{state.places[seat - 1]}"


def wishes(state: State, random: Random) -> Iterator[Command]:
    """Commands that people at the table may want now, some of them refused."""
    odds = random.random()
    if odds < 0.06:
        yield {"do": "undo"}
    if 0.06 <= odds < 0.1:
        yield {"do": "redo"}
    match state.phase:
        case "idle":
            yield from _between_deals(state, random, odds)
        case "meld":
            if random.random() < 0.03:
                yield {"do": "void"}
            if random.random() < 0.7:
                seat, pool = random.choice(state.live), random.choice(MELD_POOLS)
                yield {"do": "claim", "seat": seat, "pool": pool}
            yield {"do": "next"}
        case "pochen":
            yield from _in_the_betting(state, random)
        case "showdown":
            if random.random() < 0.1:
                yield {"do": "showdown", "ranking": []}
            ranking = random.sample(state.still_in, len(state.still_in))
            for count in range(1, len(ranking) + 1):
                yield {"do": "showdown", "ranking": ranking[:count]}
        case _:
            yield from _in_the_shedding(state, random)


def _in_the_betting(state: State, random: Random) -> Iterator[Command]:
    seat = state.to_act
    assert seat is not None
    stack = state.stack_of(seat)
    if random.random() < 0.03:
        yield {"do": "void"}
    if random.random() < 0.35:
        yield {"do": "pass", "seat": seat}
    least = min(max(state.need(seat), 1), stack)
    chips = random.choice([least, least, min(least + random.randint(1, 4), stack), stack])
    yield {"do": "stake", "seat": seat, "chips": chips}


def _in_the_shedding(state: State, random: Random) -> Iterator[Command]:
    if state.winner is not None:
        held = {str(seat): random.randint(0, 4) for seat in state.live if seat != state.winner}
        yield {"do": "settle", "cards": held}
        return
    seat = random.choice(state.live)
    if random.random() < 0.4:
        yield {"do": "go", "seat": seat}
    yield {"do": "out", "seat": seat}


def _between_deals(state: State, random: Random, odds: float) -> Iterator[Command]:
    needy = [
        seat
        for seat in state.seats
        if not state.has_left(seat)
        and (seat not in state.live or not state.stack_of(seat) or state.is_short(seat))
    ]
    if needy and random.random() < 0.5:
        yield {"do": "rebuy", "seat": random.choice(needy), "chips": state.stack}
    if random.random() < 0.15:
        place = random.randint(1, 8)
        if place not in state.places:
            yield {"do": "join", "name": f"Place {place}", "place": place}
    if random.random() < 0.1:
        here = [seat for seat in state.seats if not state.has_left(seat)]
        yield {"do": "leave", "seat": random.choice(here)}
        yield {"do": "sit_out", "seat": random.choice(here)}
    if state.sitting_out and random.random() < 0.3:
        yield {"do": "sit_in", "seat": random.choice(state.sitting_out)}
    if odds > 0.97:
        yield {"do": "end"}
    yield {"do": "deal"}
    for seat in needy:
        yield {"do": "rebuy", "seat": seat, "chips": state.stack}
        yield {"do": "leave", "seat": seat}
    yield {"do": "end"}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ruleset", shipped_rulesets())
def test_nights_by_presses_equal_nights_by_commands(ruleset: str, seed: int) -> None:
    random = Random(f"{ruleset} {seed}")  # a random night, but always the same one
    presser = Presser(random)
    book = Book(resolve_among(shipped_rulesets()))
    driver = presser.driver
    # The ruleset can only be chosen on a phone. After that, nobody needs a phone.
    first = {"do": "start", "ruleset": ruleset, "players": ["Ada", "Bo", "Cy"], "places": [2, 3, 7]}
    for command in (first, {"do": "end"}):
        assert isinstance(book.apply(command), Step)
        driver.phone(**command)
    for night in range(2):
        places = sorted(random.sample(range(1, 9), random.randint(3, 6)))
        names = [driver.player.last_names.get(place, f"Place {place}") for place in places]
        start = {
            "do": "start",
            "ruleset": ruleset,
            "players": names,
            "places": places,
            "dealer": random.randint(1, len(places)),
            "stack": book.state.stack,
        }
        play(presser, book, start)
        for _ in range(120):
            if book.state.phase == "closed":
                break
            for command in wishes(book.state, random):
                if isinstance(book.consider(parse_command(command)), Step):
                    play(presser, book, command)
                    break
        closing = (["void"] if book.state.phase not in ("idle", "closed") else []) + (
            ["end"] if book.state.phase != "closed" else []
        )
        for do in (*closing, "undo", "redo"):
            play(presser, book, {"do": do})
        assert book.state.phase == "closed", night


def play(presser: Presser, book: Book, command: Command) -> None:
    driver = presser.driver
    assert isinstance(book.apply(command), Step), command
    presser.make(command)
    assert driver.codes() in ([], ["counts-missing"])
    assert driver.state == book.state
    assert [e.command for e in driver.player.book.entries] == [e.command for e in book.entries]
    mine, theirs = driver.player.book.entries[-1], book.entries[-1]
    assert (mine.number, mine.postings, mine.ref) == (theirs.number, theirs.postings, theirs.ref)
    if command["do"] == "undo" and isinstance(book.undone, Settle):
        assert driver.panel.pending.cards == {int(s): n for s, n in book.undone.cards.items()}
    elif command["do"] != "claim" and book.state.phase != "closed":
        assert driver.pending == {}
