"""The pots of a betting and who gets them (RULES.md 6)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pochboard.rules.board import FIRST_SEAT, POOL, seat_account
from pochboard.rules.moves import transfer
from pochboard.rules.state import State

Ranking = Sequence[tuple[int, ...]]
"""Seats by their hands, best first; more than one seat in an item is a tie."""


def return_unmatched(state: State) -> State:
    """The knocker takes back the part of its stake that no other seat has matched."""
    knocker = state.knocker
    assert knocker is not None, "whoever staked first knocked"
    index = knocker - 1
    matched = max(state.committed[:index] + state.committed[knocker:], default=0)
    back = state.committed[index] - matched
    if back <= 0:
        return state
    return replace(
        state,
        balances=transfer(state.balances, (POOL[state.rules.bet_pool], FIRST_SEAT + index, back)),
        committed=(*state.committed[:index], matched, *state.committed[knocker:]),
    )


def pots(state: State) -> list[tuple[int, tuple[int, ...]]]:
    """The pots, first one first: chips and the seats eligible for them.

    To be asked after `return_unmatched`; the base is in the first pot.
    """
    still_in = state.still_in
    found = []
    below = 0
    for level in sorted({state.committed[seat - 1] for seat in still_in}):
        chips = sum(min(stake, level) - min(stake, below) for stake in state.committed)
        eligible = tuple(seat for seat in still_in if state.committed[seat - 1] >= level)
        found.append((chips, eligible))
        below = level
    base = state.pool(state.rules.bet_pool) - sum(state.committed)
    if state.rules.bet_pool == "pinke":
        base += state.pool("poch")
    chips, eligible = found[0]
    return [(chips + base, eligible), *found[1:]]


def winners_of(eligible: tuple[int, ...], ranking: Ranking) -> tuple[int, ...]:
    """The best-ranked of the eligible seats; empty if the ranking does not decide."""
    if len(eligible) == 1:
        return eligible
    for tied in ranking:
        best = tuple(seat for seat in tied if seat in eligible)
        if best:
            return best
    return ()


def decides(state: State, ranking: Ranking) -> bool:
    """Whether the ranking decides every pot."""
    return all(winners_of(eligible, ranking) for _, eligible in pots(return_unmatched(state)))


def pay_pots(state: State, ranking: Ranking) -> tuple[State, tuple[int, ...]]:
    """The pots paid as the ranking says, and the winners of the first pot from forehand on.

    The ranking decides every pot. A knocker who neither wins nor shares the first pot pays the
    bluff penalty into it before.
    """
    state = return_unmatched(state)
    rules = state.rules
    by_turn = {seat: turn for turn, seat in enumerate(state.from_forehand)}
    awards = [
        (chips, tuple(sorted(winners_of(eligible, ranking), key=by_turn.__getitem__)))
        for chips, eligible in pots(state)
    ]
    first_chips, first_winners = awards[0]
    knocker = state.knocker
    assert knocker is not None
    bet_pool = POOL[rules.bet_pool]
    moves = []
    if rules.bet_pool == "pinke":
        moves.append((POOL["poch"], bet_pool, state.pool("poch")))
    if knocker not in first_winners:
        owed = rules.bluff_penalty * state.committed[knocker - 1]
        penalty = min(owed, state.stack_of(knocker))
        moves.append((seat_account(knocker), bet_pool, penalty))
        awards[0] = (first_chips + penalty, first_winners)
    for chips, winners in awards:
        share, odd = divmod(chips, len(winners))
        moves += [
            (bet_pool, seat_account(seat), share + (turn < odd))
            for turn, seat in enumerate(winners)
        ]
    return replace(state, balances=transfer(state.balances, *moves)), first_winners
