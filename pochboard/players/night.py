"""A whole night of house players, without a board."""

from __future__ import annotations

from collections.abc import Iterator

from pochboard.errors import NightError, Refusal
from pochboard.messages.refusals import refusal_text
from pochboard.players.acts import Await, Do, Lay
from pochboard.players.house import House
from pochboard.rules.commands import Start
from pochboard.rules.registry import play
from pochboard.rules.seating import Resolve
from pochboard.rules.state import State


def play_night(
    start: Start, house: House, resolve: Resolve
) -> Iterator[tuple[State, Do | Lay, State]]:
    """Plays a night from its start to its end: the state before, what happened, the state after.

    A card laid moves no chips, so the state is the same before and after it. Raises
    NightError if a ruleset or its options cannot be played.
    """
    state = _applied(State(), Do(start), resolve)
    yield State(), Do(start), state
    while (act := house.next(state)) is not None:
        assert not isinstance(act, Await), "only the house plays"
        before = state
        if isinstance(act, Do):
            state = _applied(state, act, resolve)
        house.done(act)
        yield before, act, state


def _applied(state: State, act: Do, resolve: Resolve) -> State:
    after = play(state, act.command, resolve)
    if isinstance(after, Refusal) and isinstance(act.command, Start):
        raise NightError(refusal_text(after))
    assert isinstance(after, State), f"the house was refused {act}: {after}"
    return after
