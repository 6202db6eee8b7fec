"""A house player never sees a hidden card: by what it is given, and by what it does."""

from __future__ import annotations

import ast
from collections import Counter
from inspect import get_annotations
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, Final, get_args, get_type_hints

import msgspec
import pytest
from msgspec.structs import replace

from pochboard.cards.dealing import Dealt
from pochboard.cards.shedding_variants import Tableau
from pochboard.players import bets, cards, chances
from pochboard.players.acts import Act, Do, Lay
from pochboard.players.house import House
from pochboard.players.temper import SENSIBLE
from pochboard.players.view import View
from pochboard.rules.commands import Claim, Deal, Next, Start
from pochboard.rules.registry import play
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State
from tests.core.play import SEVEN_RULESETS, resolve
from tests.core.players.starts import any_night, start_of

# By construction.


def records_within(kind: Any) -> set[type]:
    """All records that a value of a type may hold, at any depth."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        found = {kind}
        for inner in get_type_hints(kind).values():
            found |= records_within(inner)
        return found
    return set().union(*(records_within(inner) for inner in get_args(kind)))


def test_a_view_has_no_place_for_a_hidden_card() -> None:
    assert records_within(View) == {View, State, Ruleset, Tableau}
    assert View.__struct_fields__ == ("seat", "state", "hand", "turned", "tableau")
    # Of the tableau each field that is made of cards is about cards that lie open.
    assert Tableau.__struct_fields__ == (
        "seats", "turned", "to_play", "run", "players", "played", "hand_sizes",
    )  # fmt: skip
    assert get_type_hints(Tableau)["hand_sizes"] == tuple[int, ...]


def test_choices_are_made_from_a_view() -> None:
    for choose in (bets.bet, cards.choose_card, chances.beats_one):
        given = dict(get_annotations(choose))
        assert given.pop("return")
        assert set(given.values()) <= {"View", "Temper", "Random"}


@pytest.mark.parametrize("module", [bets, cards, chances], ids=lambda module: module.__name__)
def test_what_chooses_knows_nobody_who_knows_the_cards(module: ModuleType) -> None:
    assert module.__file__
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    imported = {
        f"{node.module}.{name.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    } | {
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }
    assert "pochboard.players.view.View" in imported
    for hidden in ("arbiter", "house", "dealing", "Dealt", "Shedding", "begin_shedding", "referee"):
        assert not [name for name in imported if hidden in name.split(".")]


# By what it does.

MOMENTS: Final = 60
"""So many nights are looked at."""


def same_house(house: House, state: State, seat: int, chance: Random) -> House:
    """The same table, but that the cards hidden from a seat are dealt among themselves anew."""
    arbiter = house.arbiter
    dealt, game = arbiter.cards, arbiter.game
    laid = game.tableau.played if game else frozenset()
    others = [other for other in dealt.hands if other != seat]
    hidden = sorted(
        [card for other in others for card in dealt.hands[other] if card not in laid]
        + list(dealt.talon)
    )
    chance.shuffle(hidden)
    hands = dict(dealt.hands)
    for other in others:
        open_ = tuple(card for card in dealt.hands[other] if card in laid)
        missing = len(dealt.hands[other]) - len(open_)
        hands[other], hidden = open_ + tuple(hidden[:missing]), hidden[missing:]
    twin = House(house.tempers, "twin")
    twin._chance.setstate(house._chance.getstate())
    twin.arbiter.put(state, Dealt(hands, dealt.turned, tuple(hidden)))
    if game:
        held = {other: frozenset(hand) - laid for other, hand in hands.items()}
        twin.arbiter.game = replace(game, hands=held)
    return twin


def advance(house: House, state: State, act: Act) -> State:
    if isinstance(act, Do):
        after = play(state, act.command, resolve())
        assert isinstance(after, State), after
        state = after
    house.done(act)
    return state


def moments(start: Start, house: House) -> Any:
    """Each state of a night in which a seat is to choose, with the seat and what it chose."""
    state = play(State(), start, resolve())
    assert isinstance(state, State), state
    while True:
        chance = house._chance.getstate()
        act = house.next(state)
        if act is None:
            return
        if isinstance(act, Lay) or (isinstance(act, Do) and state.phase == "pochen"):
            # `next` is asked once more by a twin, so it has to draw the same lots.
            after = house._chance.getstate()
            house._chance.setstate(chance)
            yield state, act.seat, act
            house._chance.setstate(after)
        state = advance(house, state, act)


def test_other_hidden_cards_change_no_bet_and_no_card_laid() -> None:
    compared = Counter[str]()
    for number in range(MOMENTS):
        start, house = any_night(number)
        chance = Random(number)
        for state, seat, act in moments(start, house):
            if chance.random() > 0.2:
                continue
            twin = same_house(house, state, seat, chance)
            if twin.arbiter.cards.hands == house.arbiter.cards.hands:
                continue
            assert twin.next(state) == act
            game = house.arbiter.game
            choices = len(game.legal()) if game else 2
            compared["lay" if game else "bet"] += choices > 1
    assert compared["bet"] > 300, compared
    assert compared["lay"] > 300, compared


def claims_of(house: House, state: State) -> dict[int, set[str]]:
    """The pools that each seat claims in the meld that is on."""
    found: dict[int, set[str]] = {seat: set() for seat in state.live}
    while isinstance(act := house.next(state), Do) and not isinstance(act.command, Next):
        if isinstance(act.command, Claim):
            found[act.command.seat].add(act.command.pool)
        state = advance(house, state, act)
    return found


@pytest.mark.parametrize("name", SEVEN_RULESETS)
def test_other_hidden_cards_change_no_claim(name: str) -> None:
    """But for the sequence where runs are compared: they are announced aloud."""
    chance = Random(name)
    claimed = Counter[str]()
    for number in range(80):
        start, seat = start_of(name, 4, stack=100), number % 4 + 1
        house = House(dict.fromkeys((1, 2, 3, 4), SENSIBLE), f"{number}")
        night = play(State(), start, resolve())
        assert isinstance(night, State), night
        state = advance(house, night, Do(Deal()))
        house.next(state)
        twin = same_house(house, state, seat, chance)
        compared = {"sequence"} if state.rules.sequence != "trump-789" else set()
        own, same = (claims_of(one, state)[seat] - compared for one in (house, twin))
        assert own == same
        claimed.update(own)
    assert claimed.total() > 20
