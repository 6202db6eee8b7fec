"""A bot never sees a hidden card, by what it is given and what it does; what a showdown shows."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, Final

import pytest
from msgspec.structs import replace

from pochboard.bots.betting import SENSIBLE
from pochboard.bots.bot_table import BotAction, BotTable, Onlooker, OpenCards, PlayCard
from pochboard.cards.card import Dealt, card_set, cards_of
from pochboard.rules.commands import Claim, Command, Deal, Next, Showdown, Start
from pochboard.rules.registry import play
from pochboard.rules.state import State
from tests.core.bots.starts import any_night, start_of
from tests.core.play import RULESETS, Night, resolve

# By construction.


# By what it does.

MOMENTS: Final = 60
"""How many nights are compared."""


def twin_of(table: BotTable, state: State, seat: int, chance: Random) -> BotTable:
    """The same table, with all cards that are hidden from the seat shuffled and dealt again."""
    cards = table.cards
    dealt, game = cards.dealt, cards.shedding
    laid = set(cards_of(game.tableau.played)) if game else set()
    # A turned-up card that somebody holds is as open as one that was played.
    seen = {*laid, dealt.turned}
    others = [other for other in dealt.hands if other != seat]
    hidden = sorted(
        [card for other in others for card in dealt.hands[other] if card not in seen]
        + list(dealt.talon)
    )
    chance.shuffle(hidden)
    hands = dict(dealt.hands)
    for other in others:
        open_ = tuple(card for card in dealt.hands[other] if card in seen)
        missing = len(dealt.hands[other]) - len(open_)
        hands[other], hidden = open_ + tuple(hidden[:missing]), hidden[missing:]
    twin = BotTable(table.strategies, "twin")
    twin._chance.setstate(table._chance.getstate())
    twin.cards.put(state, Dealt(hands, dealt.turned, tuple(hidden)))
    if game:
        held = {other: card_set(set(hand) - laid) for other, hand in hands.items()}
        twin.cards.shedding = replace(game, hands=held)
    return twin


def advance(table: BotTable, state: State, action: BotAction) -> State:
    if isinstance(action, Command):
        after = play(state, action, resolve())
        assert isinstance(after, State), after
        state = after
    table.carried_out(action)
    return state


def moments(start: Start, table: BotTable) -> Any:
    """Each state of a night in which a seat chooses, with the seat and its choice."""
    state = play(State(), start, resolve())
    assert isinstance(state, State), state
    while True:
        chance = table._chance.getstate()
        action = table.next_action(state)
        if action is None:
            return
        if isinstance(action, PlayCard) or (
            isinstance(action, Command) and state.phase == "pochen"
        ):
            # A twin decides the same action, so it has to draw the same random numbers.
            after = table._chance.getstate()
            table._chance.setstate(chance)
            seat = action.seat if isinstance(action, PlayCard) else state.to_act
            yield state, seat, action
            table._chance.setstate(after)
        state = advance(table, state, action)


def test_hidden_cards_influence_no_bet_and_no_card_played() -> None:
    compared = Counter[str]()
    for number in range(MOMENTS):
        start, table = any_night(number)
        chance = Random(number)
        for state, seat, action in moments(start, table):
            if chance.random() > 0.2:
                continue
            twin = twin_of(table, state, seat, chance)
            if twin.cards.dealt.hands == table.cards.dealt.hands:
                continue
            assert twin.next_action(state) == action
            game = table.cards.shedding
            choices = len(game.legal()) if game else 2
            compared["lay" if game else "bet"] += choices > 1
    assert compared["bet"] > 300, compared
    assert compared["lay"] > 300, compared


def claims_of(table: BotTable, state: State) -> dict[int, set[str]]:
    """The pools that each seat claims in this meld."""
    found: dict[int, set[str]] = {seat: set() for seat in state.live}
    while not isinstance(action := table.next_action(state), Next):
        assert isinstance(action, Command)
        if isinstance(action, Claim):
            found[action.seat].add(action.pool)
        state = advance(table, state, action)
    return found


@pytest.mark.parametrize("name", RULESETS)
def test_hidden_cards_influence_no_claim(name: str) -> None:
    """The exception is the sequence where runs are compared, since players announce them."""
    chance = Random(name)
    claimed = Counter[str]()
    for number in range(80):
        start, seat = start_of(name, 4, stack=100), number % 4 + 1
        table = BotTable(dict.fromkeys((1, 2, 3, 4), SENSIBLE), f"{number}")
        night = play(State(), start, resolve())
        assert isinstance(night, State), night
        state = advance(table, night, Deal())
        table.next_action(state)
        twin = twin_of(table, state, seat, chance)
        compared = {"sequence"} if state.rules.sequence != "trump-789" else set()
        own, same = (
            claims_of(dealt_table, state)[seat] - compared for dealt_table in (table, twin)
        )
        assert own == same
        claimed.update(own)
    assert claimed.total() > 20


HANDS: dict[int, tuple[str, ...]] = {
    2: ("KD", "KH", "QD"),
    3: ("AC", "TC", "7S"),
    1: ("KC", "KS", "AD"),
}


def after_showdown(ranking: list[int], **options: object) -> OpenCards:
    """What can be seen after a showdown of seats 1 and 2; seat 3 has passed, hearts are trumps."""
    night = Night("modern", 3, options={"hand": 3, **options})
    table = BotTable(dict.fromkeys((1, 2, 3), SENSIBLE), "seed")
    night.do("deal")
    night.do("turn", card="9H")
    night.do("next")
    night.do("stake", seat=2, chips=1)
    night.do("pass", seat=3)
    night.do("stake", seat=1, chips=1)
    before = night.book.state
    table.cards.put(before, Dealt(hands=HANDS, turned="9H", talon=()))
    night.do("showdown", ranking=ranking)
    onlooker = Onlooker(table)
    onlooker.observe(before, Showdown(list(ranking)))
    return onlooker.open_cards(night.book.state, waits=None)


@pytest.mark.parametrize("tie_break", ["trump", "suits", "split"])
def test_a_showdown_shows_the_sets_alone(tie_break: str) -> None:
    seen = after_showdown([2, 1], tie_break=tie_break)
    assert seen.shown == {1: ("KC", "KS"), 2: ("KH", "KD")}


def test_what_was_shown_goes_back_into_the_hand() -> None:
    assert after_showdown([2, 1]).backs == {1: 3, 2: 3, 3: 3}
