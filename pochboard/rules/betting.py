"""The betting: `stake` and `pass`, whose turn it is, when it is over (RULES.md 5)."""

from __future__ import annotations

from msgspec.structs import replace

from pochboard.errors import Refusal
from pochboard.rules.board import FIRST_SEAT, POOL
from pochboard.rules.commands import Pass, Stake
from pochboard.rules.moves import Outcome, chips, transfer
from pochboard.rules.pots import pay_pots
from pochboard.rules.state import State


def open_betting(state: State) -> State:
    """The phase pochen; live seats without chips count as passed."""
    passed = frozenset(seat for seat in state.live if not state.stack_of(seat))
    first = next((seat for seat in state.from_forehand if seat not in passed), None)
    if first is None:
        return end_betting(state, leader=state.forehand)
    return replace(
        state,
        phase="pochen",
        to_act=first,
        committed=(0,) * len(state.names),
        passed=passed,
        acted=frozenset(),
    )


def end_betting(state: State, leader: int) -> State:
    """The phase shed, with all that belonged to the betting cleared."""
    return replace(
        state,
        phase="shed",
        to_act=None,
        knocker=None,
        leader=leader,
        committed=(),
        passed=frozenset(),
        acted=frozenset(),
    )


def stake(state: State, command: Stake) -> Outcome:
    """Chips into the bet pool: to open, hold or raise."""
    seat, put = command.seat, command.chips
    if seat != state.to_act:
        return _not_your_turn(state, seat)
    stack, need = state.stack_of(seat), state.need(seat)
    rules = state.rules
    if put > stack:
        return Refusal("not-enough-chips", f"{state.name_of(seat)} has only {chips(stack)}.")
    if put < need and not (rules.all_in and put == stack):
        return Refusal("below-call", f"{chips(need)} are needed to hold.")
    if put > need:
        if rules.raises == "none" and state.highest:
            return Refusal("no-raises", "A knock can be held here, not raised.")
        if rules.raises == "capped" and state.committed[seat - 1] + put > (most := cap(state)):
            return Refusal(
                "above-cap", f"Nobody may stake more than {most} in all, so that each can hold."
            )
    committed = list(state.committed)
    committed[seat - 1] += put
    return _turn(
        replace(
            state,
            balances=transfer(state.balances, (FIRST_SEAT - 1 + seat, POOL[rules.bet_pool], put)),
            committed=tuple(committed),
            acted=state.acted | {seat},
            knocker=seat if put > need else state.knocker,
        )
    )


def cap(state: State) -> int:
    """With capped raises, the most a seat may commit: what the poorest seat still in could match."""
    return min(state.stack_of(seat) + state.committed[seat - 1] for seat in state.still_in)


def pass_(state: State, command: Pass) -> Outcome:
    """The seat is out of the betting of this deal."""
    if command.seat != state.to_act:
        return _not_your_turn(state, command.seat)
    return _turn(replace(state, passed=state.passed | {command.seat}))


def _not_your_turn(state: State, seat: int) -> Refusal:
    assert state.to_act is not None, "somebody is to act in every betting"
    return Refusal(
        "not-your-turn",
        f"It is {state.name_of(state.to_act)}'s turn, not {state.name_of(seat)}'s.",
    )


def _turn(state: State) -> State:
    """Whose turn it is after the seat to act has acted, or what the betting came to."""
    highest = state.highest
    still_in = state.still_in
    if not still_in:
        return end_betting(state, leader=state.forehand)
    if len(still_in) == 1 and highest:
        if state.rules.prove_set:
            return replace(state, phase="showdown", to_act=None)
        paid, winners = pay_pots(state, (still_in,))
        return end_betting(paid, leader=betting_leader(state, winners))
    assert state.to_act is not None
    order, balances, committed = state.order, state.balances, state.committed
    cut = order.index(state.to_act) + 1
    for seat in order[cut:] + order[:cut]:
        if (
            seat in still_in
            and balances[FIRST_SEAT - 1 + seat]
            and (committed[seat - 1] < highest or seat not in state.acted)
        ):
            return replace(state, to_act=seat)
    return replace(state, phase="showdown", to_act=None)


def betting_leader(state: State, winners: tuple[int, ...]) -> int:
    """Who leads the shedding: the first winner from forehand, or forehand (RULES.md 6)."""
    if state.rules.leader == "poch-winner":
        return winners[0]
    return state.forehand
