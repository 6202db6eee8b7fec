"""What would be accepted now, in the form that the controls need."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pochboard.rules.betting import cap
from pochboard.rules.board import MOST_PLACES
from pochboard.rules.melding import claimable
from pochboard.rules.state import State


class StakeRange(msgspec.Struct, frozen=True):
    """The chips that the seat to act may stake now: every number from `least` to `most`."""

    seat: int
    need: int
    stack: int
    least: int
    most: int


class LegalActions(msgspec.Struct, frozen=True):
    """The commands that would be accepted now with fitting arguments, and those arguments."""

    commands: tuple[str, ...]
    seats: Mapping[str, tuple[int, ...]]
    claims: Mapping[int, tuple[str, ...]]
    stakes: StakeRange | None
    places: tuple[int, ...]


def legal_actions(state: State, commands: tuple[str, ...]) -> LegalActions:
    """The arguments of commands that are known to be accepted."""
    here = tuple(seat for seat in state.seats if not state.has_left(seat))
    seats = {
        "claim": tuple(seat for seat in state.live if claimable(state, seat)),
        "pass": () if state.to_act is None else (state.to_act,),
        "go": state.live,
        "out": state.live,
        "rebuy": here,
        "leave": here,
        "rename": here,
        "dealer": state.live,
    }
    taken = set(state.places)
    return LegalActions(
        commands=commands,
        seats={command: seats[command] for command in commands if command in seats},
        claims={seat: claimable(state, seat) for seat in seats["claim"]}
        if "claim" in commands
        else {},
        stakes=_stake_range(state) if "stake" in commands else None,
        places=tuple(place for place in range(1, MOST_PLACES + 1) if place not in taken)
        if "join" in commands
        else (),
    )


def _stake_range(state: State) -> StakeRange:
    seat, rules = state.to_act, state.rules
    assert seat is not None, "somebody is to act in every betting"
    stack, need = state.stack_of(seat), state.need(seat)
    most = stack
    if rules.raises == "none" and state.highest:
        most = min(need, stack)
    elif rules.raises == "capped":
        most = min(max(need, cap(state) - state.committed[seat - 1]), stack)
    least = stack if stack < need and rules.all_in else max(need, 1)
    return StakeRange(seat, need, stack, least, most)
