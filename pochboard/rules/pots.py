"""The pots of a betting and who gets them (RULES.md 6)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from pochboard.rules.accounts import FIRST_SEAT, POOL, seat_account, transfer
from pochboard.rules.state import State

RankedSeats = Sequence[tuple[int, ...]]
"""Seats by their hands, best first; more than one seat in an item is a tie."""


def return_unmatched(state: State) -> State:
    """The knocker takes back the part of its stake that no other seat has matched."""
    knocker = state.knocker
    assert knocker is not None, "whoever staked first knocked"
    index = knocker - 1
    matched = max(state.committed[:index] + state.committed[knocker:], default=0)
    back = state.committed[index] - matched
    if not back:
        return state
    return replace(
        state,
        balances=transfer(state.balances, (POOL[state.rules.bet_pool], FIRST_SEAT + index, back)),
        committed=(*state.committed[:index], matched, *state.committed[knocker:]),
    )


def pots(state: State) -> list[tuple[int, tuple[int, ...]]]:
    """The pots from the first one on: chips, and the seats eligible for them.

    Call this after `return_unmatched`. The base is in the first pot.
    """
    still_in, committed = state.still_in, state.committed
    levels = sorted({committed[seat - 1] for seat in still_in})
    if levels == [max(committed)]:
        return [(state.pot, still_in)]
    layers = []
    below = 0
    for level in levels:
        chips = sum([min(stake, level) - min(stake, below) for stake in committed])
        eligible = tuple([seat for seat in still_in if committed[seat - 1] >= level])
        layers.append((chips, eligible))
        below = level
    base = state.pot - sum(committed)
    chips, eligible = layers[0]
    return [(chips + base, eligible), *layers[1:]]


def _winners(eligible: tuple[int, ...], ranking: RankedSeats) -> tuple[int, ...]:
    """The best-ranked of the eligible seats; empty if the ranking does not decide."""
    if len(eligible) == 1:
        return eligible
    for tied in ranking:
        best = tuple([seat for seat in tied if seat in eligible])
        if best:
            return best
    return ()


class Awards(msgspec.Struct, frozen=True):
    """The pots as a ranking pays them."""

    paid: State
    """The state with every pot paid out."""
    first_winners: tuple[int, ...]
    """Who wins or shares the first pot, from forehand on."""


def award(state: State, ranking: RankedSeats) -> Awards | None:
    """What the ranking pays, or None if it does not decide every pot.

    Call this after `return_unmatched`. A knocker who neither wins nor shares the first pot pays the
    bluff penalty into it first.
    """
    rules, turns = state.rules, state.from_forehand
    awards = []
    for chips, eligible in pots(state):
        winners = _winners(eligible, ranking)
        if not winners:
            return None
        if len(winners) > 1:
            winners = tuple([seat for seat in turns if seat in winners])
        awards.append((chips, winners))
    first_chips, first_winners = awards[0]
    knocker = state.knocker
    assert knocker is not None, "whoever staked first knocked"
    balances = list(state.balances)
    for pool in rules.won_by_betting:
        balances[POOL[pool]] = 0
    if knocker not in first_winners:
        owed = rules.bluff_penalty * state.committed[knocker - 1]
        penalty = min(owed, state.stack_of(knocker))
        balances[seat_account(knocker)] -= penalty
        awards[0] = (first_chips + penalty, first_winners)
    for chips, winners in awards:
        share, odd = divmod(chips, len(winners))
        for turn, seat in enumerate(winners):
            balances[FIRST_SEAT - 1 + seat] += share + (turn < odd)
    return Awards(replace(state, balances=tuple(balances)), first_winners)
