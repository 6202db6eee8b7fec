"""How a bot bets: knock, hold, raise or pass, by what it can expect to win (docs/BOTS.md 2)."""

from __future__ import annotations

from functools import lru_cache
from math import comb, inf
from random import Random
from typing import Final

import msgspec
from msgspec.structs import replace

from pochboard.bots.strategy import Strategy, View
from pochboard.cards.card import HEIGHT, deck_of
from pochboard.cards.hands import best_set, hand_value, has_set
from pochboard.messages.commentary import BetReason
from pochboard.rules.betting import StakeRange, stake_range
from pochboard.rules.commands import SUITS, Pass, Stake
from pochboard.rules.state import State


def chance_against_one(view: View) -> float:
    """The chance to win a showdown against one other hand; a tie counts as half a win.

    Counts all hands that the unseen cards allow, each as long as this deal's shortest. Of side
    cards that decide between equal pairs, only the highest is compared.
    """
    seen, size, deck = _unknown_hand(view)
    count, height = best_set(view.hand)
    if not count:
        heights = sorted([HEIGHT[card] for card in view.hand], reverse=True)
        return _with_high_cards(tuple(heights), seen, size, deck)
    tie = (0.5, 0)
    if count == 2 and seen[height] == 2:
        tie = _against_equal_pair(view, height)
    return _with_set(count, height, tie, seen, size, deck)


def chance_of_set(view: View) -> float:
    """The chance that one other hand holds a set."""
    return 1.0 - _without_set(*_unknown_hand(view))


def _unknown_hand(view: View) -> tuple[tuple[int, ...], int, int]:
    """By height, how many cards another hand cannot hold; its size; the size of the deck."""
    state = view.state
    counts = [0] * 15
    for card in view.seen:
        counts[HEIGHT[card]] += 1
    return tuple(counts), min(state.rules.hand_sizes(len(state.live))), state.deck


def _against_equal_pair(view: View, height: int) -> tuple[float, int]:
    """The result against a pair of the same rank: 1 wins, 0 loses, 0.5 is a tie.

    After a tie the highest other card decides: its height follows, or 0 if other cards do not
    count.
    """
    rules, trump = view.state.rules, view.trump
    mine = [card for card in view.hand if HEIGHT[card] == height]
    rank = mine[0][0]
    theirs = [rank + suit for suit in SUITS if rank + suit not in mine]
    ours, other = hand_value(mine, rules, trump), hand_value(theirs, rules, trump)
    if ours != other:
        return float(ours > other), 0
    sides = hand_value(view.hand, rules, trump).others
    return 0.5, sides[0] if sides else 0


def _unseen(seen: tuple[int, ...], deck: int) -> dict[int, int]:
    """By height, how many cards another hand can hold."""
    return {height: 4 - seen[height] for height in range(HEIGHT[deck_of(deck)[0]], 15)}


@lru_cache(maxsize=4096)
def _with_set(
    count: int,
    height: int,
    tie: tuple[float, int],
    seen: tuple[int, ...],
    size: int,
    deck: int,
) -> float:
    """The chance with a set of `count` cards of this height."""
    unseen = _unseen(seen, deck)
    most = {other: count - (other > height) for other in unseen}
    won: float = _hands_within(unseen, most, size)
    if count == 2 and seen[height] == 2 and size >= 2:
        # The other hand may hold the same pair, and then cards of other ranks only.
        result, side = tie
        most[height] = 0
        equal = _hands_within(unseen, most, size - 2)
        if side:
            up_to_side = _hands_within(unseen, _below(most, side + 1), size - 2)
            below_side = _hands_within(unseen, _below(most, side), size - 2)
            won -= equal - (up_to_side + below_side) / 2
        else:
            won -= equal * (1.0 - result)
    return won / comb(deck - sum(seen), size)


def _below(most: dict[int, int], height: int) -> dict[int, int]:
    """The same limits, but no cards from this height up."""
    return {other: limit * (other < height) for other, limit in most.items()}


@lru_cache(maxsize=4096)
def _with_high_cards(
    heights: tuple[int, ...], seen: tuple[int, ...], size: int, deck: int
) -> float:
    """The chance without a set, with cards of these heights, highest first."""
    unseen = _unseen(seen, deck)
    won, same = 0.0, 1
    for at, height in enumerate(heights[:size]):
        lower = {other: int(other < height) for other in unseen}
        won += same * _hands_within(unseen, lower, size - at)
        same *= unseen[height]
    return (won + same * (1.0 if len(heights) > size else 0.5)) / comb(deck - sum(seen), size)


@lru_cache(maxsize=4096)
def _without_set(seen: tuple[int, ...], size: int, deck: int) -> float:
    unseen = _unseen(seen, deck)
    return _hands_within(unseen, dict.fromkeys(unseen, 1), size) / comb(deck - sum(seen), size)


def _hands_within(unseen: dict[int, int], most: dict[int, int], size: int) -> int:
    """How many hands hold at most `most` cards of each height."""
    limited, free = [], 0
    for height, cards in unseen.items():
        if cards > most[height]:
            limited.append((cards, most[height]))
        else:
            free += cards
    limited.sort()
    return _count_hands(tuple(limited), free, size)


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


_READABLE: Final = 0.89
"""The share of players who stake with the hands that the price suggests."""
_LOOSE: Final = 0.1
"""The share of those who stake with more hands: with the square root of that share of hands."""
_WILD: Final = 0.005
"""The share of those whose stakes say nothing about their hands."""
_WILD_IF_OVERSIZED: Final = 0.5
"""The weight of those after a stake that is far too large for the pool."""
_WILD_STAY: Final = 2 / 3
"""How often such a player stays in."""
_OVERSIZED: Final = (2, 1.5)
"""A stake is too large if it adds more chips, and a larger multiple of the pool, than these."""
_STAKED: Final = 0.6
"""The share of the hands that would break even, from the best down, that a staker may hold."""
_RAISED: Final = 0.15
"""The share of those hands that a player who raised another's stake may hold."""
_NARROWEST: Final = 0.01
"""The smallest share of hands that a stake stands for."""
_LEAST_PRIZE: Final = 0.1
"""The least prize, in chips, that others are assumed to play for: people like to bet."""
_EMPTY_POOL: Final = 1.2
"""Added to the weight of losses where the pool is empty: only better hands put chips into it."""
_LEAD_WORTH: Final = {"sequence": 3.0, "domino": 3.0, "thirty-one": 3.0}
"""What leading is worth in each way of shedding, in chips, found by trial; 0 in the others."""
_KNOCK: Final = (0.25, 0.75)
"""The size of a knock as a share of what can be won, from and to."""
_RAISE: Final = (0.5, 1.0)
"""The size of a raise, likewise. Larger raises end the betting sooner."""
_DEAREST: Final = 6
"""Nobody raises once the highest stake is this many times the prize, however deep the stacks."""
_SMALL_PRIZE: Final = 2
"""The prize that this is measured by, in chips, if the real one is smaller."""


class Bet(msgspec.Struct, frozen=True):
    """The betting decision of a seat, and the reason for it."""

    command: Stake | Pass
    reason: BetReason


def choose_bet(view: View, strategy: Strategy, chance: Random) -> Bet:
    """The bet of the seat to act. It is always legal."""
    limits = stake_range(view.state)
    if strategy.random:
        chips = _random_stake(view, limits, chance)
        reason = BetReason(why="random", stakes=chips > 0, chips=chips, need=limits.need)
    else:
        reason = _decide(view, strategy, limits, chance)
    chips = reason.chips if reason.stakes else 0
    return Bet(Stake(view.seat, chips) if chips else Pass(view.seat), reason)


def _decide(view: View, strategy: Strategy, limits: StakeRange, chance: Random) -> BetReason:
    """The seat's decision, as its reason: `stakes` and `chips` say what it does."""
    rules, state, need = view.state.rules, view.state, limits.need
    reason = BetReason(why="chance", need=need, raiser=state.knocker)
    holds_set = has_set(view.hand)
    alone = state.still_in == (view.seat,)
    if not holds_set:
        if rules.bet_needs_set:
            return replace(reason, why="needs-set")
        if not rules.high_card and (need or rules.prove_set):
            return replace(reason, why="cannot-win")
    if alone:
        may = holds_set or strategy.knocks_alone
        return replace(reason, why="alone" if may else "alone-without-set", chips=1, stakes=may)
    if limits.least > limits.most:
        return replace(reason, why="too-dear")
    odds = _Odds(view)
    raised = odds.raised(limits, strategy, chance)
    if holds_set or rules.high_card:
        best = odds.best(reason, limits, raised, strategy.loss_weight)
        if best.stakes or need:
            return best
        reason = best
    if raised and chance.random() < strategy.bluff_rate * odds.bluff_rate(raised):
        return replace(reason, why="bluff", chips=raised, prize=odds.pool, stakes=True)
    return reason if holds_set or rules.high_card else replace(reason, why="no-bluff")


class _Other(msgspec.Struct, frozen=True, gc=False):
    """Another seat still in."""

    committed: int
    stack: int
    share: float
    """The share of hands, from the best down, with which it has come this far."""
    wild: float = _WILD
    """The weight of players whose stakes say nothing about their hands."""


class _Odds:
    """What a seat can expect from the betting, given its hand and what the others have done.

    The state does not list earlier stakes. Who has opened, held or raised follows from the amounts
    committed, the knocker and the order of play.
    """

    def __init__(self, view: View) -> None:
        state, rules = view.state, view.state.rules
        self._state = state
        self._own = state.committed[view.seat - 1]
        self._penalty = rules.bluff_penalty
        self.pool = state.pool(rules.bet_pool)
        """The chips to be won."""
        if rules.pays_poch_too:
            self.pool += state.pool("poch")
        by_poch = rules.leader == "poch-winner"
        self._lead = _LEAD_WORTH.get(rules.shedding, 0.0) if by_poch else 0.0
        self._prize = self.pool - sum(state.committed) + self._lead
        """What could be won before anybody had staked."""
        self._callers = _callers(state)
        self._loses = 1.0 - chance_against_one(view)
        self._doubtful = self._first_oversized()
        self._stakers = chance_of_set(view) if rules.bet_needs_set else 1.0
        self._others = [self._other(seat) for seat in state.still_in if seat != view.seat]

    def _other(self, seat: int) -> _Other:
        state = self._state
        committed, stack = state.committed[seat - 1], state.stack_of(seat)
        if not committed:
            return _Other(0, stack, 1.0)
        share = _STAKED * self._share(committed)
        wild = _WILD_IF_OVERSIZED if committed >= self._doubtful else _WILD
        if seat == state.knocker and any(0 < chips < committed for chips in state.committed):
            share *= _RAISED
        return _Other(committed, stack, max(share, _NARROWEST), wild)

    def _first_oversized(self) -> float:
        """The lowest level that a stake far above the usual size has led to; infinite if none."""
        committed = self._state.committed
        base = self.pool - sum(committed)
        chips_more, pools_more = _OVERSIZED
        below = 0
        for level in sorted(set(committed)):
            before = base + sum([min(chips, below) for chips in committed])
            if level - below > chips_more + pools_more * before:
                return level
            below = level
        return inf

    def _share(self, level: int) -> float:
        """The share of hands, from the best down, with which a seat commits this much.

        If each possible caller holds with this share, a bluff of the same size breaks even. The
        penalty for bluffs is left out: those who took it to deter others passed too often.
        """
        all_pass = level / (max(self._prize, _LEAST_PRIZE) + level)
        return max(1.0 - float(all_pass ** (1.0 / self._callers)), _NARROWEST)

    def raised(self, limits: StakeRange, strategy: Strategy, chance: Random) -> int:
        """A knock or a raise of the usual size; 0 if none is possible.

        Never more than some other seat could match.
        """
        size = chance.uniform(*(_RAISE if limits.need else _KNOCK)) * strategy.stake_size
        more = max(1, round(size * (self.pool + limits.need)))
        matched = max([other.stack + other.committed for other in self._others]) - self._own
        chips = min(limits.need + more, limits.most, matched)
        dear = self._state.highest >= _DEAREST * max(self._prize, _SMALL_PRIZE)
        return chips if chips > limits.need and not dear else 0

    def best(
        self, reason: BetReason, limits: StakeRange, raised: int, loss_weight: float
    ) -> BetReason:
        """The stake that is expected to win most, if any is better than a pass."""
        if self._prize <= 0:
            loss_weight += _EMPTY_POOL
        least = min(limits.need, limits.stack)
        best, most = reason, 0.0
        for chips in (least, raised):
            if not chips:
                continue
            wins, worth = self._worth(chips, loss_weight)
            if worth > most or not best.chips:
                prize = self.pool - self._beyond(chips)
                best = replace(reason, chips=chips, chance=wins, prize=prize, stakes=worth > 0)
                most = max(worth, 0.0)
        return best

    def _beyond(self, chips: int) -> int:
        """The part of the pool that an all-in of this many chips cannot win."""
        level = self._own + chips
        return sum([staked - level for staked in self._state.committed if staked > level])

    def _worth(self, chips: int, loss_weight: float) -> tuple[float, float]:
        """The chance to win with a stake, and what can be expected of it.

        Treats the others as independent, and ignores raises that may follow.
        """
        level, loses = self._own + chips, self._loses
        level_share = self._share(level)
        wins, added_by_callers = 1.0, 0.0
        for other in self._others:
            before = after = other.share
            wild = other.wild
            added = min(level - other.committed, other.stack)
            if added > 0:
                wild *= _WILD_STAY
                if other.committed:
                    after *= 1.0 - added / (self.pool + chips + added)
                else:
                    after = min(before, level_share)
            loose = after**0.5
            # By Bayes' rule: the hands that come this far and stay, of those that come this far.
            came = _READABLE * before + _LOOSE * before**0.5 + other.wild * self._stakers
            stays = (_READABLE * after + _LOOSE * loose + wild * self._stakers) / came
            beats = _READABLE * min(after, loses) + _LOOSE * min(loose, loses) + wild * loses
            beats /= came
            wins *= 1.0 - beats
            if added > 0 and beats < 1.0:
                added_by_callers += added * (stays - beats) / (1.0 - beats)
        loss, penalty = float(chips), 0
        if level > self._state.highest:
            loss += self._penalty * level
        elif (knocker := self._state.knocker) is not None:
            owed = self._penalty * self._state.committed[knocker - 1]
            penalty = min(owed, self._state.stack_of(knocker))
        gain = self.pool - self._beyond(chips) + added_by_callers + penalty + self._lead
        return wins, wins * gain - loss_weight * (1.0 - wins) * loss

    def bluff_rate(self, chips: int) -> float:
        """How often to knock with a hand that is not worth it, so that a caller breaks even.

        For each good hand there are as many bluffs as the stake's share of what a caller can win.
        """
        if self._prize <= 0:
            return 0.0
        ratio = chips / (self._prize + chips * (1 + self._penalty))
        good = 0.5 * self._share(chips)
        return ratio * good / (1.0 - good)


def _callers(state: State) -> int:
    """How many seats could hold the first stake. A seat that acted before it has passed."""
    order = state.from_forehand
    for at, seat in enumerate(order, 1):
        if state.committed[seat - 1]:
            return max(len(order) - at, 1)
    return len(state.still_in) - 1


def _random_stake(view: View, limits: StakeRange, chance: Random) -> int:
    """Pass, hold or raise with equal chances; a raise may be any legal one."""
    need, stack = limits.need, limits.stack
    if view.state.rules.bet_needs_set and not has_set(view.hand):
        return 0
    if need > stack:
        return chance.choice((0, stack)) if limits.least <= limits.most else 0
    choices = [0]
    if need:
        choices.append(need)
    if limits.most > need:
        choices.append(chance.randint(need + 1, limits.most))
    return chance.choice(choices)
