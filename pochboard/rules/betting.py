"""The betting: phases `pochen` and `showdown`, whose turn it is, the pots (RULES.md 5, 6).

The function named after a command returns the next state, or the refusal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from pochboard.errors import Refusal, refuse, refuse_counted
from pochboard.rules.accounts import FIRST_SEAT, POOL, seat_account, transfer
from pochboard.rules.commands import AnyCommand, Pass, Showdown, Stake
from pochboard.rules.state import State
from pochboard.text.lazy import lazy_listed

RankedSeats = Sequence[tuple[int, ...]]
"""Seats by their hands, best first; more than one seat in an item is a tie."""


def return_unmatched(state: State) -> State:
    """The knocker takes back the part of its stake that no other seat has matched."""
    knocker = state.knocker
    assert knocker is not None, "whoever staked first knocked"
    committed = list(state.committed)
    committed[knocker - 1] = max(committed[: knocker - 1] + committed[knocker:], default=0)
    back = state.committed[knocker - 1] - committed[knocker - 1]
    move = (POOL[state.rules.bet_pool], seat_account(knocker), back)
    return replace(state, balances=transfer(state.balances, move), committed=tuple(committed))


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
    """The best-ranked of the seats eligible for a pot; empty if the ranking does not decide."""
    if len(eligible) == 1:
        return eligible
    for tied in ranking:
        best = tuple([seat for seat in tied if seat in eligible])
        if best:
            return best
    return ()


def award(state: State, ranking: RankedSeats) -> tuple[State, tuple[int, ...]]:
    """Pays every pot by a ranking that decides them all, and who wins or shares the first pot.

    The winners are in the order of play, from forehand on. Call this after `return_unmatched`. A
    knocker who neither wins nor shares the first pot pays the bluff penalty into it first.
    """
    rules, turns = state.rules, state.from_forehand
    awards = []
    for chips, eligible in pots(state):
        winners = _winners(eligible, ranking)
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
    return replace(state, balances=tuple(balances)), first_winners


class BettingEnd(NamedTuple):
    """How a betting ended."""

    staked: State
    """All stakes, without what nobody has matched, before the pots are paid."""
    winners: tuple[int, ...]
    """Who wins or shares the first pot, from forehand on; nobody if the chips stay."""


def betting_end(before: State, command: AnyCommand, after: State) -> BettingEnd | None:
    """How a command has ended a betting in which somebody staked; None if it has not."""
    if after.phase != "shed" or before.phase not in ("pochen", "showdown"):
        return None
    if isinstance(command, Showdown):
        staked = return_unmatched(before)
        ranking = ranking_of(command)
        return BettingEnd(staked, award(staked, ranking)[1] if ranking else ())
    if isinstance(command, Stake):
        # Everybody else had passed.
        return BettingEnd(return_unmatched(_staked(before, command)), (command.seat,))
    if before.knocker is None:
        return None
    (winner,) = (seat for seat in before.still_in if seat != before.to_act)
    return BettingEnd(return_unmatched(before), (winner,))


def open_betting(state: State) -> State:
    """Begins the phase pochen; live seats without chips count as passed."""
    passed = frozenset(seat for seat in state.live if not state.stack_of(seat))
    first = next((seat for seat in state.from_forehand if seat not in passed), None)
    if first is None:
        return _end_betting(state, leader=state.forehand)
    return replace(
        state,
        phase="pochen",
        to_act=first,
        committed=(0,) * len(state.names),
        passed=passed,
        acted=frozenset(),
    )


class StakeRange(msgspec.Struct, frozen=True, gc=False):
    """The chips that the seat to act may stake now: every number from `least` to `most`."""

    seat: int
    need: int
    """What the seat lacks to stay in; 0 before the first stake."""
    stack: int
    least: int
    """The smallest stake: the need, a first chip, or a whole stack below the need.

    Greater than `most` if the seat cannot stake at all.
    """
    most: int
    """The largest stake that the ruleset's raises allow."""


def stake_range(state: State) -> StakeRange:
    """What the seat to act may stake (RULES.md 5). The phase must be pochen."""
    seat = state.to_act
    assert seat is not None, "somebody is to act in every betting"
    rules, committed = state.rules, state.committed
    highest, own = max(committed), committed[seat - 1]
    need, stack = highest - own, state.stack_of(seat)
    least, most = need or 1, stack
    if rules.raises == "capped":
        # This is never less than the need: the cap only rises, and nobody has committed more.
        most = cap(state) - own
    elif rules.raises == "none" and highest:
        most = min(need, stack)
    if stack < least and rules.all_in:
        least = stack
    return StakeRange(seat, need, stack, least, most)


def cap(state: State) -> int:
    """With capped raises, a seat's limit: what the poorest seat still in could match."""
    return min(state.stack_of(seat) + state.committed[seat - 1] for seat in state.still_in)


def stake(state: State, command: Stake) -> State | Refusal:
    """Put chips into the bet pool: to open, hold or raise."""
    seat, put = command.seat, command.chips
    if seat != state.to_act:
        return _not_your_turn(state, seat)
    may = stake_range(state)
    if may.least <= put <= may.most:
        return _turn(replace(_staked(state, command), acted=state.acted | {seat}))
    if put > may.stack:
        return refuse_counted(
            "not-enough-chips",
            "{seat} has only {count} chip.",
            "{seat} has only {count} chips.",
            may.stack,
            seat=state.name_of(seat),
        )
    if put < may.need:
        return refuse_counted(
            "below-call",
            "It takes {count} chip to stay in.",
            "It takes {count} chips to stay in.",
            may.need,
        )
    if state.rules.raises == "none":
        return refuse("no-raises", "These rules do not allow raises: stay in or pass.")
    return refuse_counted(
        "above-cap",
        "Nobody may stake more than {count} chip in all, so that everyone can stay in.",
        "Nobody may stake more than {count} chips in all, so that everyone can stay in.",
        cap(state),
    )


def _staked(state: State, command: Stake) -> State:
    """The state with the chips of a stake in the bet pool."""
    seat, put = command.seat, command.chips
    index, highest = seat - 1, max(state.committed)
    committed, balances = list(state.committed), list(state.balances)
    committed[index] += put
    balances[FIRST_SEAT + index] -= put
    balances[POOL[state.rules.bet_pool]] += put
    return replace(
        state,
        balances=tuple(balances),
        committed=tuple(committed),
        knocker=seat if committed[index] > highest else state.knocker,
    )


def pass_(state: State, command: Pass) -> State | Refusal:
    """Leave the betting of this deal."""
    if command.seat != state.to_act:
        return _not_your_turn(state, command.seat)
    return _turn(replace(state, passed=state.passed | {command.seat}))


def _not_your_turn(state: State, seat: int) -> Refusal:
    assert state.to_act is not None, "somebody is to act in every betting"
    return refuse(
        "not-your-turn",
        "It is {turn}’s turn, not {seat}’s.",
        turn=state.name_of(state.to_act),
        seat=state.name_of(seat),
    )


def _turn(state: State) -> State:
    """Passes the turn after the seat to act has acted, or ends the betting."""
    committed, order = state.committed, state.order
    highest, still_in = max(committed), len(order) - len(state.passed)
    to_act = None
    if still_in > 1 or not highest:
        assert state.to_act is not None
        cut = order.index(state.to_act) + 1
        for seat in order[cut:] + order[:cut]:
            if (
                seat not in state.passed
                and state.stack_of(seat)
                and (committed[seat - 1] < highest or seat not in state.acted)
            ):
                to_act = seat
                break
    if not still_in:
        return _end_betting(state, leader=state.forehand)
    if still_in == 1 and highest and not state.rules.prove_set:
        return _pay(*award(return_unmatched(state), (state.still_in,)))
    return replace(state, phase="showdown" if to_act is None else "pochen", to_act=to_act)


def showdown(state: State, command: Showdown) -> State | Refusal:
    """Award the pots; with an empty ranking they stay for the next deal (RULES.md 6)."""
    refusal = _verify_ranking(state, command.ranking)
    if refusal is not None:
        return refusal
    matched, ranking = return_unmatched(state), ranking_of(command)
    if not ranking:
        return _end_betting(matched, leader=state.forehand)
    if all(_winners(eligible, ranking) for _, eligible in pots(matched)):
        return _pay(*award(matched, ranking))
    return refuse(
        "bad-ranking",
        "This order does not decide every pot. Still in: {seats}.",
        seats=lazy_listed(state.names_of(state.still_in)),
    )


_TIES: Final = (list, tuple)


def _verify_ranking(state: State, ranking: list[Any]) -> Refusal | None:
    """The first item that names anyone but the seats still in, or one of them twice."""
    still_in, seen = state.still_in, set[int]()
    for item in ranking:
        tied = item if isinstance(item, _TIES) else (item,)
        if not tied:
            return refuse("bad-ranking", "A tie in the order names no seat.")
        for seat in tied:
            # To Python a bool is an int.
            if type(seat) is not int or seat not in still_in:
                return refuse(
                    "bad-ranking",
                    "The order may name only those still in: {seats}.",
                    seats=lazy_listed(state.names_of(still_in)),
                )
            if seat in seen:
                return refuse(
                    "bad-ranking", "{seat} is in the order twice.", seat=state.name_of(seat)
                )
            seen.add(seat)
    return None


def ranking_of(command: Showdown) -> RankedSeats:
    """The ranking of a showdown, each item as a tuple of tied seats, often of just one."""
    return [tuple(item) if isinstance(item, _TIES) else (item,) for item in command.ranking]


def _pay(state: State, first_winners: tuple[int, ...]) -> State:
    """Begins the shedding once the pots are paid."""
    by_poch = state.rules.leader == "poch-winner"
    return _end_betting(state, leader=first_winners[0] if by_poch else state.forehand)


def _end_betting(state: State, leader: int) -> State:
    """Begins the phase shed and clears everything that belongs to the betting."""
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
