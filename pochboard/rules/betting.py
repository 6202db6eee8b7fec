"""The betting: `stake` and `pass`, whose turn it is, when it is over (RULES.md 5)."""

from __future__ import annotations

from msgspec.structs import replace

from pochboard.errors import Refusal
from pochboard.rules.board import FIRST_SEAT, POOL
from pochboard.rules.commands import Pass, Stake
from pochboard.rules.moves import Outcome, chips, transfer
from pochboard.rules.pots import Awards, award, return_unmatched
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
    rules, index = state.rules, seat - 1
    account = FIRST_SEAT + index
    stack, highest = state.balances[account], max(state.committed)
    need = highest - state.committed[index]
    if put > stack:
        return Refusal("not-enough-chips", f"{state.name_of(seat)} has only {chips(stack)}.")
    if put < need and not (rules.all_in and put == stack):
        return Refusal("below-call", f"{chips(need)} are needed to hold.")
    if put > need and rules.raises != "free":
        if rules.raises == "none" and highest:
            return Refusal("no-raises", "A knock can be held here, not raised.")
        if rules.raises == "capped" and state.committed[index] + put > (most := cap(state)):
            return Refusal(
                "above-cap", f"Nobody may stake more than {most} in all, so that each can hold."
            )
    committed = list(state.committed)
    committed[index] += put
    return _turn(
        state,
        balances=transfer(state.balances, (account, POOL[rules.bet_pool], put)),
        committed=tuple(committed),
        passed=state.passed,
        acted=state.acted | {seat},
        knocker=seat if put > need else state.knocker,
    )


def cap(state: State) -> int:
    """With capped raises, the most a seat may commit: what the poorest one in could match."""
    return min(state.stack_of(seat) + state.committed[seat - 1] for seat in state.still_in)


def pass_(state: State, command: Pass) -> Outcome:
    """The seat is out of the betting of this deal."""
    if command.seat != state.to_act:
        return _not_your_turn(state, command.seat)
    return _turn(
        state,
        balances=state.balances,
        committed=state.committed,
        passed=state.passed | {command.seat},
        acted=state.acted,
        knocker=state.knocker,
    )


def _not_your_turn(state: State, seat: int) -> Refusal:
    assert state.to_act is not None, "somebody is to act in every betting"
    return Refusal(
        "not-your-turn",
        f"It is {state.name_of(state.to_act)}'s turn, not {state.name_of(seat)}'s.",
    )


def _turn(
    state: State,
    *,
    balances: tuple[int, ...],
    committed: tuple[int, ...],
    passed: frozenset[int],
    acted: frozenset[int],
    knocker: int | None,
) -> State:
    """Whose turn it is after the seat to act has acted, or what the betting came to.

    The arguments are the state's new values; one new state is made of all changes together.
    """
    highest, order, actor = max(committed), state.order, state.to_act
    still_in = [seat for seat in order if seat not in passed]
    to_act = None
    if len(still_in) > 1 or not highest:
        assert actor is not None
        cut = order.index(actor) + 1
        for seat in order[cut:] + order[:cut]:
            if (
                seat in still_in
                and balances[FIRST_SEAT - 1 + seat]
                and (committed[seat - 1] < highest or seat not in acted)
            ):
                to_act = seat
                break
    state = replace(
        state,
        phase="showdown" if to_act is None else "pochen",
        to_act=to_act,
        balances=balances,
        committed=committed,
        passed=passed,
        acted=acted,
        knocker=knocker,
    )
    if not still_in:
        return end_betting(state, leader=state.forehand)
    if len(still_in) == 1 and highest and not state.rules.prove_set:
        awards = award(return_unmatched(state), (tuple(still_in),))
        assert awards, "a seat that is alone is entitled to every pot"
        return pay(awards)
    return state


def pay(awards: Awards) -> State:
    """The pots go to their winners; the shedding begins."""
    state = awards.paid
    first = awards.first_winners[0]
    by_poch = state.rules.leader == "poch-winner"
    return end_betting(state, leader=first if by_poch else state.forehand)
