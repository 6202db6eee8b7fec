"""One command against one state: the checks of RULES.md 3 in their order, then the effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pochboard.errors import Refusal
from pochboard.rules import betting, melding, shedding, showdown, sitting
from pochboard.rules.board import MELD_POOLS
from pochboard.rules.commands import (
    Adjust,
    Claim,
    Command,
    Deal,
    Dealer,
    End,
    Go,
    Join,
    Leave,
    Next,
    Out,
    Pass,
    Rebuy,
    Redo,
    Rename,
    Settle,
    Showdown,
    Stake,
    Start,
    Turn,
    Undo,
    Void,
)  # fmt: skip
from pochboard.rules.moves import Outcome
from pochboard.rules.ruleset import BadParameterError, Ruleset, override
from pochboard.rules.sitting import Resolve
from pochboard.rules.state import State

_EFFECTS: Final[Mapping[type[Command], Callable[[State, Any], Outcome]]] = {
    Deal: melding.deal,
    Turn: melding.turn,
    Claim: melding.claim,
    Next: melding.next_phase,
    Stake: betting.stake,
    Pass: betting.pass_,
    Showdown: showdown.showdown,
    Go: shedding.go,
    Out: shedding.out,
    Settle: shedding.settle,
    Rebuy: sitting.rebuy,
    Join: sitting.join,
    Leave: sitting.leave,
    Rename: sitting.rename,
    Dealer: sitting.dealer,
    Adjust: sitting.adjust,
    End: sitting.end,
}

_OPEN: Final = frozenset(("idle", "meld", "pochen", "showdown", "shed"))
_IN_DEAL: Final = _OPEN - {"idle"}
_ANY: Final = _OPEN | {"closed"}

PHASES: Final[Mapping[type[Command], frozenset[str]]] = {
    Start: frozenset(("none", "closed")),
    Deal: frozenset(("idle",)),
    Turn: frozenset(("meld",)),
    Claim: frozenset(("meld",)),
    Next: frozenset(("meld",)),
    Stake: frozenset(("pochen",)),
    Pass: frozenset(("pochen",)),
    Showdown: frozenset(("showdown",)),
    Go: frozenset(("shed",)),
    Out: frozenset(("shed",)),
    Settle: frozenset(("shed",)),
    Void: _IN_DEAL,
    Rebuy: frozenset(("idle",)),
    Join: frozenset(("idle",)),
    Leave: frozenset(("idle",)),
    Rename: _OPEN,
    Dealer: frozenset(("idle",)),
    Adjust: frozenset(("idle", "meld", "shed")),
    Undo: _ANY,
    Redo: _ANY,
    End: frozenset(("idle",)),
}
"""The phases in which each command has a meaning."""

_OUT_SEATS_MAY: Final = (Rebuy, Leave, Rename)


def check(state: State, command: Command) -> Refusal | None:
    """The general checks on a well-formed command: seats, pools, phase, seats that are out."""
    kind = type(command)
    phases = PHASES[kind]
    if state.phase == "none" and "none" not in phases:
        return Refusal("wrong-phase", "There is no night yet; start one.")
    seat: int | None = getattr(command, "seat", None)
    if seat is not None:
        if seat > len(state.names):
            return _unknown_seat(seat)
    elif kind is Settle or kind is Adjust:
        refusal = _check_names(state, command)
        if refusal:
            return refusal
    if isinstance(command, Claim) and (
        command.pool not in MELD_POOLS or command.pool not in state.rules.pools
    ):
        return Refusal("unknown-pool", f"{command.pool!r} is no pool that cards win here.")
    if state.phase not in phases:
        return Refusal("wrong-phase", _not_now(state, command))
    if seat is not None and kind not in _OUT_SEATS_MAY and seat not in state.live:
        return Refusal("seat-out", f"{state.name_of(seat)} does not take part.")
    return None


def _check_names(state: State, command: Command) -> Refusal | None:
    """The seats and pools named elsewhere than in `seat` and `pool`."""
    if isinstance(command, Settle):
        seats, pools = list(command.cards), []
    else:
        assert isinstance(command, Adjust)
        parts = [name.partition(":") for name in (command.from_, command.to)]
        seats = [name for kind, _, name in parts if kind == "seat"]
        pools = [name for kind, _, name in parts if kind == "pool"]
    for seat in seats:
        # As text: Python reads no number of thousands of digits.
        if len(seat) > _MOST_DIGITS or int(seat) > len(state.names):
            return _unknown_seat(seat)
    for pool in pools:
        if pool not in state.rules.pools:
            return Refusal("unknown-pool", f"There is no pool {pool!r} in this ruleset.")
    return None


_MOST_DIGITS: Final = 9
"""No night has as many seats as a number of more digits counts."""


def _unknown_seat(seat: int | str) -> Refusal:
    return Refusal("unknown-seat", f"There is no seat {seat}.")


_STAGES: Final = {
    "none": "before the first night",
    "idle": "between deals",
    "meld": "in the melding",
    "pochen": "in the betting",
    "showdown": "at the showdown",
    "shed": "in the shedding",
    "closed": "after the night",
}


def _not_now(state: State, command: Command) -> str:
    do = command.__struct_config__.tag
    return f"{str(do).capitalize()} has no place {_STAGES[state.phase]}."


def play(state: State, command: Command, resolve: Resolve) -> Outcome:
    """The state after the command, or the refusal. `undo`, `redo` and `void` are the book's."""
    refusal = check(state, command)
    if refusal is not None:
        return refusal
    if isinstance(command, Start):
        return sitting.start(command, resolve)
    return _EFFECTS[type(command)](state, command)


def resolve_among(known: Mapping[str, Ruleset]) -> Resolve:
    """How `start` finds its ruleset among those known."""

    def resolve(name: str, options: Mapping[str, Any]) -> Ruleset | Refusal:
        base = known.get(name)
        if base is None:
            return Refusal(
                "bad-ruleset", f"There is no ruleset {name!r}; known are {', '.join(known)}."
            )
        try:
            return override(base, options) if options else base
        except BadParameterError as error:
            return Refusal("bad-ruleset", f"The option {error}.")

    return resolve
