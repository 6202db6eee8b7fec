"""How a bot bets: knock, hold, raise or pass, decided from its own cards and the stakes."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from random import Random

from pochboard.bots.strategy import Strategy, View
from pochboard.cards.card import HEIGHT, SUIT_ORDER, deck_of
from pochboard.cards.hands import HandValue, best_set, hand_value
from pochboard.rules.betting import cap
from pochboard.rules.commands import Pass, Stake
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State


def choose_bet(view: View, strategy: Strategy, chance: Random) -> Stake | Pass:
    """What the seat to act does. It is always legal."""
    chips = _random_stake(view.state, chance) if strategy.random else _stake(view, strategy, chance)
    return Stake(view.seat, chips) if chips else Pass(view.seat)


def _stake(view: View, strategy: Strategy, chance: Random) -> int:
    """The chips to put in; 0 to pass."""
    state, seat = view.state, view.seat
    rules, need, stack = state.rules, state.need(seat), state.stack_of(seat)
    has_set = best_set(view.hand) != (0, 0)
    if not need:
        return _first_stake(view, strategy, chance, has_set=has_set)
    if not has_set and not (rules.high_card and strategy.bluff_rate):
        return 0
    cost = min(need, stack)
    if cost < need and not rules.all_in:
        return 0
    # Whoever has staked probably holds more than an unknown hand: count them one and a half times.
    staked = sum([1 for other in state.still_in if other != seat and state.committed[other - 1]])
    others = len(state.still_in) - 1
    wins = chance_against_one(view) ** (others + staked / 2)
    if wins * (_to_win(state, seat, cost) + cost) < strategy.hold_margin * cost:
        return 0
    if (
        wins >= _with_penalty(strategy.raise_chance, rules)
        and state.highest < strategy.raise_limit
        and cost == need
    ):
        return _matchable(state, seat, need + chance.randint(1, 3))
    return cost


def _first_stake(view: View, strategy: Strategy, chance: Random, *, has_set: bool) -> int:
    """The stake of a knock; 0 to pass."""
    state, seat, rules = view.state, view.seat, view.state.rules
    others = len(state.still_in) - 1
    # The last seat left wins unseen, unless it has to show a set (RULES.md 2, prove_set).
    can_win_without_set = not rules.prove_set or rules.high_card
    if not others:
        return 1 if has_set or (can_win_without_set and strategy.knocks_alone) else 0
    if has_set or (rules.high_card and strategy.bluff_rate):
        wins = chance_against_one(view) ** others
        if wins >= _with_penalty(strategy.knock_chance, rules):
            most = 1 + round(wins * strategy.raise_limit / 4)
            return _matchable(state, seat, chance.randint(1, most))
    if can_win_without_set and strategy.bluff_rate and chance.random() < strategy.bluff_rate:
        return _matchable(state, seat, chance.randint(1, 3))
    return 0


def _to_win(state: State, seat: int, cost: int) -> int:
    """The chips that a seat can win after it puts in `cost`; after all-in, only its share."""
    rules = state.rules
    level = state.committed[seat - 1] + cost
    beyond = sum([staked - level for staked in state.committed if staked > level])
    poch = state.pool("poch") if rules.bet_pool == "pinke" else 0
    return state.pool(rules.bet_pool) + poch - beyond


def _with_penalty(chance: float, rules: Ruleset) -> float:
    """The chance to require if a losing knocker pays a penalty: closer to certainty."""
    return 1.0 - (1.0 - chance) * 2 / (2 + rules.bluff_penalty)


def _matchable(state: State, seat: int, chips: int) -> int:
    """A legal stake of up to `chips`, and not more than some other seat could match."""
    committed = state.committed
    most = max([state.stack_of(one) + committed[one - 1] for one in state.still_in if one != seat])
    return _legal(state, seat, min(chips, most - committed[seat - 1]))


def _legal(state: State, seat: int, chips: int) -> int:
    """The highest legal stake of up to `chips`, but at least what the seat needs to hold."""
    rules, need = state.rules, state.need(seat)
    most = state.stack_of(seat)
    if rules.raises == "none" and need:
        return need
    if rules.raises == "capped":
        most = min(most, cap(state) - state.committed[seat - 1])
    return max(need, min(chips, most))


def _random_stake(state: State, chance: Random) -> int:
    """Pass, hold or raise with equal chances; a raise may be any legal one."""
    seat = state.to_act
    assert seat is not None, "it is somebody's turn to bet"
    need, stack = state.need(seat), state.stack_of(seat)
    if need > stack:
        return chance.choice((0, stack)) if state.rules.all_in else 0
    most = _legal(state, seat, stack)
    choices = [0]
    if need:
        choices.append(need)
    if most > need:
        choices.append(chance.randint(need + 1, most))
    return chance.choice(choices)


def chance_against_one(view: View) -> float:
    """The chance that one other hand, of which nothing is known, does not beat this one.

    Exact: counts all hands that the unseen cards allow, each as long as this deal's shortest.
    """
    state = view.state
    seen = [0] * 15
    for card in view.seen:
        seen[HEIGHT[card]] += 1
    value = hand_value(view.hand, state.rules, view.trump)
    size = min(state.hand_sizes.values())
    return _unbeaten(
        value, tuple(seen), size, state.deck, equal_pair_wins=_equal_pair_wins(value, state.rules)
    )


def _equal_pair_wins(value: HandValue, rules: Ruleset) -> bool:
    """Whether another pair of the same rank, if there is one, beats a hand with a pair.

    It has the two other cards of the rank. Side cards are not counted out: they are assumed to be
    better.
    """
    match rules.tie_break:
        case "trump":
            return not value.suit
        case "suits":
            return value.suit < len(SUIT_ORDER)
        case "side-cards":
            return True
        case _:
            return False


@lru_cache(maxsize=4096)
def _unbeaten(
    value: HandValue, seen: tuple[int, ...], size: int, deck: int, *, equal_pair_wins: bool
) -> float:
    """The share of hands of `size` cards that do not beat `value`.

    `seen` counts, by height, the cards that another hand cannot hold.
    """
    unseen = {height: 4 - seen[height] for height in range(HEIGHT[deck_of(deck)[0]], 15)}
    if value.count:
        hands = _without_better_set(value, unseen, size, equal_pair_wins=equal_pair_wins)
    else:
        hands = _without_higher_card(value, unseen, size)
    return hands / comb(deck - sum(seen), size)


def _without_better_set(
    value: HandValue, unseen: dict[int, int], size: int, *, equal_pair_wins: bool
) -> int:
    """How many hands hold no better set."""
    limited, free = [], 0
    for height, cards in unseen.items():
        most = value.count - (height > value.height)
        if height == value.height and value.count == 2 and equal_pair_wins:
            most = 1
        if cards > most:
            limited.append((cards, most))
        else:
            free += cards
    limited.sort()
    return _count_hands(tuple(limited), free, size)


def _without_higher_card(value: HandValue, unseen: dict[int, int], size: int) -> int:
    """How many hands hold no set, and no higher card at the first difference."""
    found, same = 0, 1
    for at, height in enumerate(value.others[:size]):
        lower = sorted([(cards, 1) for other, cards in unseen.items() if other < height])
        found += same * _count_hands(tuple(lower), 0, size - at)
        same *= unseen[height]
    return found + same


@lru_cache(maxsize=1 << 14)
def _count_hands(limited: tuple[tuple[int, int], ...], free: int, size: int) -> int:
    """How many hands of `size` cards there are under limits.

    Each item of `limited` is a rank: how many of its cards are unseen, and how many of them the
    hand may hold. `free` is the number of unseen cards of all other ranks.
    """
    if not limited:
        return comb(free, size)
    *others, (cards, most) = limited
    return sum(
        [
            comb(cards, held) * _count_hands(tuple(others), free, size - held)
            for held in range(min(most, size) + 1)
        ]
    )
