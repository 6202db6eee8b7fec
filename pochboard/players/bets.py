"""Betting: whether to knock, hold, raise or pass, told from one's own cards and the stakes."""

from __future__ import annotations

from random import Random

from pochboard.cards.hands import hand_value
from pochboard.players.chances import beats_one
from pochboard.players.temper import Temper
from pochboard.players.view import View
from pochboard.rules.betting import cap
from pochboard.rules.commands import Pass, Stake
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State


def bet(view: View, temper: Temper, chance: Random) -> Stake | Pass:
    """What the seat to act does. It is always accepted."""
    chips = _by_chance(view.state, chance) if temper.at_random else _chips(view, temper, chance)
    return Stake(view.seat, chips) if chips else Pass(view.seat)


def _chips(view: View, temper: Temper, chance: Random) -> int:
    """The chips to put in; 0 to pass."""
    state, seat = view.state, view.seat
    rules, need, stack = state.rules, state.need(seat), state.stack_of(seat)
    has_set = hand_value(view.hand, None).count > 0
    if not need:
        return _knock(view, temper, chance, has_set=has_set)
    if not has_set and not (rules.high_card and temper.bluffs):
        return 0
    cost = min(need, stack)
    if cost < need and not rules.all_in:
        return 0
    # Whoever has staked holds something: more than a hand of which nothing is known.
    staked = sum([1 for other in state.still_in if other != seat and state.committed[other - 1]])
    others = len(state.still_in) - 1
    wins = beats_one(view) ** (others + staked / 2)
    if wins * (_to_win(state, seat, cost) + cost) < temper.margin * cost:
        return 0
    if wins >= _lifted(temper.raises, rules) and state.highest < temper.most and cost == need:
        return _sensible(state, seat, need + chance.randint(1, 3))
    return cost


def _to_win(state: State, seat: int, cost: int) -> int:
    """The chips in the pool that a seat can win which puts in so many: of all-in, its part."""
    rules = state.rules
    level = state.committed[seat - 1] + cost
    beyond = sum([staked - level for staked in state.committed if staked > level])
    poch = state.pool("poch") if rules.bet_pool == "pinke" else 0
    return state.pool(rules.bet_pool) + poch - beyond


def _lifted(least: float, rules: Ruleset) -> float:
    """A least chance where a knocker who loses pays a penalty: it leaves less room to fail."""
    return 1.0 - (1.0 - least) * 2 / (2 + rules.bluff_penalty)


def _knock(view: View, temper: Temper, chance: Random, *, has_set: bool) -> int:
    """The first stake of the betting, or none."""
    state, seat, rules = view.state, view.seat, view.state.rules
    others = len(state.still_in) - 1
    # Left alone one wins unseen, unless a hand has to be shown (RULES.md 2, prove_set).
    pays = not rules.prove_set or rules.high_card
    if not others:
        return 1 if has_set or (pays and temper.alone) else 0
    if has_set or (rules.high_card and temper.bluffs):
        wins = beats_one(view) ** others
        if wins >= _lifted(temper.opens, rules):
            return _sensible(state, seat, chance.randint(1, 1 + round(wins * temper.most / 4)))
    if pays and temper.bluffs and chance.random() < temper.bluffs:
        return _sensible(state, seat, chance.randint(1, 3))
    return 0


def _sensible(state: State, seat: int, wish: int) -> int:
    """What is allowed of the wish, and not more than somebody else could match."""
    committed = state.committed
    most = max([state.stack_of(one) + committed[one - 1] for one in state.still_in if one != seat])
    return _allowed(state, seat, min(wish, most - committed[seat - 1]))


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
