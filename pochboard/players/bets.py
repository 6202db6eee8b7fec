"""Betting: whether to knock, hold, raise or pass, told from one's own cards and the stakes."""

from __future__ import annotations

from random import Random

from pochboard.cards.sets import worth
from pochboard.players.chances import beats_one
from pochboard.players.temper import Temper
from pochboard.players.view import View
from pochboard.rules.betting import cap
from pochboard.rules.commands import Pass, Stake
from pochboard.rules.state import State


def bet(view: View, temper: Temper, chance: Random) -> Stake | Pass:
    """What the seat to act does. It is always accepted."""
    chips = _by_chance(view.state, chance) if temper.at_random else _chips(view, temper, chance)
    return Stake(view.seat, chips) if chips else Pass(view.seat)


def _chips(view: View, temper: Temper, chance: Random) -> int:
    """The chips to put in; 0 to pass."""
    state, seat = view.state, view.seat
    rules = state.rules
    has_set = worth(view.hand, None).count > 0
    may_win = has_set or rules.high_card
    need, stack = state.need(seat), state.stack_of(seat)
    if not need:
        return _knock(view, temper, chance, has_set=has_set, may_win=may_win)
    if not may_win or (not has_set and temper.bluffs == 0.0):
        return 0
    cost = min(need, stack)
    if cost < need and not rules.all_in:
        return 0
    # Whoever has staked holds something: more than a hand of which nothing is known.
    staked = sum([1 for other in state.still_in if other != seat and state.committed[other - 1]])
    others = len(state.still_in) - 1
    wins = beats_one(view) ** (others + staked / 2)
    pot = state.pool(rules.bet_pool) + (state.pool("poch") if rules.bet_pool == "pinke" else 0)
    if wins * (pot + cost) < temper.margin * cost:
        return 0
    if wins >= temper.raises and state.highest < temper.most and cost == need:
        return _allowed(state, seat, need + chance.randint(1, 3))
    return cost


def _knock(view: View, temper: Temper, chance: Random, *, has_set: bool, may_win: bool) -> int:
    """The first stake of the betting, or none."""
    state, seat = view.state, view.seat
    if has_set or (may_win and temper.bluffs):
        wins = beats_one(view) ** (len(state.still_in) - 1)
        if wins >= temper.opens:
            most = 1 + round(wins * temper.most / 4)
            return _allowed(state, seat, chance.randint(1, most))
    if has_set:
        return 0
    # Left alone one wins unseen, unless a set has to be shown (RULES.md 2, prove_set).
    pays = not state.rules.prove_set or may_win
    return _allowed(state, seat, chance.randint(1, 3)) if pays and _tries(temper, chance) else 0


def _tries(temper: Temper, chance: Random) -> bool:
    return temper.bluffs > 0.0 and chance.random() < temper.bluffs


def _allowed(state: State, seat: int, wish: int) -> int:
    """The most chips up to the wish that the ruleset lets the seat put in; at least its need."""
    rules, need = state.rules, state.need(seat)
    most = state.stack_of(seat)
    if rules.raises == "none" and need:
        return need
    if rules.raises == "capped":
        most = min(most, cap(state) - state.committed[seat - 1])
    return max(need, min(wish, most))


def _by_chance(state: State, chance: Random) -> int:
    """Pass, hold or raise, each as likely; a raise is any that is legal."""
    seat = state.to_act
    assert seat is not None, "somebody bets"
    need, stack = state.need(seat), state.stack_of(seat)
    if need > stack:
        return chance.choice((0, stack)) if state.rules.all_in else 0
    most = _allowed(state, seat, stack)
    ways = [0]
    if need:
        ways.append(need)
    if most > need:
        ways.append(chance.randint(need + 1, most))
    return chance.choice(ways)
