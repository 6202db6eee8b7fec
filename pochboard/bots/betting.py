"""How a bot bets: knock, hold, raise or pass, by what it can expect to win (docs/BOTS.md 2)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import comb, inf
from random import Random
from typing import Final

import msgspec

from pochboard.cards.card import BIT, DECK_SETS, SAME_HEIGHT, Card, CardSet, cards_of
from pochboard.cards.hands import at_least, best_set, hand_value, has_set
from pochboard.cards.shedding import Tableau
from pochboard.rules.betting import StakeRange, stake_range
from pochboard.rules.commands import SUITS, Pass, Stake
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State


class View(msgspec.Struct, frozen=True, gc=False):
    """What a player at a seat sees. There is no field for a hidden card."""

    seat: int
    state: State
    """The chips and the betting, which everybody at the table sees."""
    hand: CardSet
    """The cards that the seat was dealt."""
    turned: Card | None
    """The card turned up; None if the ruleset fixes the trump suit."""
    tableau: Tableau | None = None
    """The open cards of the shedding; None before it begins."""

    @property
    def held(self) -> CardSet:
        """The cards that the seat still holds."""
        return self.hand & ~self.tableau.played if self.tableau else self.hand

    @property
    def trump(self) -> str:
        """The trump suit."""
        suit = self.state.rules.trump_suit(self.turned)
        assert suit is not None, "a card is turned up unless the ruleset fixes the suit"
        return suit


class Strategy(msgspec.Struct, frozen=True):
    """How a bot bets (docs/BOTS.md 2)."""

    name: str
    loss_weight: float
    """How much a chip that it may lose counts, compared with one that it may win."""
    stake_size: float
    """Its stakes and raises, as a multiple of the usual ones."""
    bluff_rate: float
    """How often it bluffs, as a multiple of the rate that no caller can take advantage of."""
    knocks_alone: bool
    """Knocks without a set after all others have passed, where that wins unseen."""
    random: bool = False
    """Chooses at random from what is legal, and ignores the other numbers."""


CAREFUL: Final = Strategy("careful", 2.2, 0.7, bluff_rate=0.0, knocks_alone=False)
SENSIBLE: Final = Strategy("sensible", 1.0, 1.0, bluff_rate=1.0, knocks_alone=True)
BOLD: Final = Strategy("bold", 0.3, 1.5, bluff_rate=2.5, knocks_alone=True)
RANDOM: Final = Strategy("random", 0.0, 0.0, bluff_rate=0.0, knocks_alone=False, random=True)

STRATEGIES: Final[Mapping[str, Strategy]] = {
    strategy.name: strategy for strategy in (CAREFUL, SENSIBLE, BOLD, RANDOM)
}
"""All strategies by name. `random` is a baseline to measure the others against."""

DEFAULT_STRATEGIES: Final = (SENSIBLE, BOLD, CAREFUL)
"""The strategies of seats 1, 2, 3, repeated for further seats."""


def chance_against_one(view: View) -> float:
    """The chance to win a showdown against one other hand; a tie counts as half a win.

    Counts all hands that the unseen cards allow, each as long as this deal's shortest. Of side
    cards that decide between equal pairs, only the highest is compared.
    """
    state = view.state
    return _against_one(view.hand, view.turned, state.deal_rules, len(state.live))


def chance_of_set(view: View) -> float:
    """The chance that one other hand holds a set."""
    state = view.state
    return _of_set(view.hand, view.turned, state.deal_rules, len(state.live))


# A seat asks this for each of its turns in a betting.


@lru_cache(maxsize=1024)
def _of_set(hand: CardSet, turned: Card | None, rules: Ruleset, live: int) -> float:
    deck, size = rules.deck_for(live), min(rules.hand_sizes(live))
    seen = _seen(hand, turned, rules)
    without = _hands_within(_unseen(seen, deck), size, 1)
    return 1.0 - without / comb(deck - seen.bit_count(), size)


@lru_cache(maxsize=1024)
def _against_one(hand: CardSet, turned: Card | None, rules: Ruleset, live: int) -> float:
    deck, size = rules.deck_for(live), min(rules.hand_sizes(live))
    seen = _seen(hand, turned, rules)
    count, height = best_set(hand)
    unseen = _unseen(seen, deck)
    if not count:
        won = _with_high_cards(at_least(hand)[0], unseen, size)
    else:
        tie = (0.5, 0)
        if count == 2 and unseen[1] >> height & 1:
            pair = hand & SAME_HEIGHT[height]
            tie = _against_equal_pair(pair, rules, rules.trump_suit(turned)), 0
            others = at_least(hand ^ pair)[0]
            if tie[0] == 0.5 and others and rules.tie_break == "side-cards":
                # The highest other card decides.
                tie = 0.5, others.bit_length() - 1
        won = _with_set(count, height, tie, unseen, size)
    return won / comb(deck - seen.bit_count(), size)


def _seen(hand: CardSet, turned: Card | None, rules: Ruleset) -> CardSet:
    """What a seat with this hand sees: its cards, and the one turned up if nobody holds it."""
    return hand if turned is None or rules.turned_is_held else hand | BIT[turned]


Unseen = tuple[int, ...]
"""The ranks of which 1, 2, 3 and 4 cards may be in another hand, with a bit for each height."""


def _unseen(seen: CardSet, deck: int) -> Unseen:
    """What another hand may hold, if these are the cards that it cannot hold."""
    one, two, three, four = at_least(seen)
    return three ^ four, two ^ three, one ^ two, _RANKS[deck] ^ one


_RANKS: Final = {size: at_least(cards)[0] for size, cards in DECK_SETS.items()}
"""By the size of the deck, its ranks."""


@lru_cache(maxsize=2048)
def _against_equal_pair(pair: CardSet, rules: Ruleset, trump: str | None) -> float:
    """The result against a pair of the same rank: 1 wins, 0 loses, 0.5 is a tie."""
    mine = cards_of(pair)
    theirs = [mine[0][0] + suit for suit in SUITS if mine[0][0] + suit not in mine]
    ours, other = hand_value(mine, rules, trump), hand_value(theirs, rules, trump)
    return 0.5 if ours == other else float(ours > other)


@lru_cache(maxsize=4096)  # for hands of the same ranks
def _with_set(count: int, height: int, tie: tuple[float, int], unseen: Unseen, size: int) -> float:
    """In how many cases a set of `count` cards of this height wins."""
    won: float = _hands_within(unseen, size, count - 1, height, count)
    if count == 2 and unseen[1] >> height & 1 and size >= 2:
        # The other hand may hold the same pair, and then cards of other ranks only.
        result, side = tie
        others = tuple([ranks & ~(1 << height) for ranks in unseen])
        equal = _hands_within(others, size - 2, 1, height, 2)
        if side:
            up_to_side = _hands_within(_below(others, side + 1), size - 2, 1, height, 2)
            below_side = _hands_within(_below(others, side), size - 2, 1, height, 2)
            won -= equal - (up_to_side + below_side) / 2
        else:
            won -= equal * (1.0 - result)
    return won


def _below(unseen: Unseen, height: int) -> Unseen:
    """Of these ranks, those below a height."""
    return tuple([ranks & (1 << height) - 1 for ranks in unseen])


@lru_cache(maxsize=4096)
def _with_high_cards(mine: int, unseen: Unseen, size: int) -> float:
    """In how many cases a hand without a set wins; it has the ranks `mine`, a bit each."""
    won, same, left = 0.0, 1, size
    while mine and left:
        height = mine.bit_length() - 1
        won += same * _hands_within(_below(unseen, height), left, 1)
        same *= sum([cards for cards, ranks in enumerate(unseen, 1) if ranks >> height & 1])
        mine ^= 1 << height
        left -= 1
    return won + same * (1.0 if mine else 0.5)


_POWER: Final = 64
"""Bits of a coefficient: there are fewer than 2 to the 50th hands of any size."""
_WAYS: Final = {
    (cards, most): sum(comb(cards, held) << _POWER * held for held in range(min(cards, most) + 1))
    for cards in range(1, 5)
    for most in range(5)
}
"""By a rank's unseen cards, and how many of them a hand may hold: a polynomial.

The coefficient of the n-th power says in how many ways a hand holds n cards of the rank. With 2 to
the 64th for the variable, the polynomials are numbers, which Python multiplies at once.
"""


@lru_cache(maxsize=1 << 14)
def _hands_within(
    unseen: Unseen, size: int, most: int, height: int = 0, most_lower: int = 0
) -> int:
    """How many hands hold at most `most` cards of each rank above a height.

    Of the height itself and of each lower rank they hold at most `most_lower`.
    """
    ways, lower = 1, (2 << height) - 1
    for cards, ranks in enumerate(unseen, 1):
        below = (ranks & lower).bit_count()
        ways *= _WAYS[cards, most_lower] ** below
        ways *= _WAYS[cards, most] ** (ranks.bit_count() - below)
    return ways >> _POWER * size & (1 << _POWER) - 1


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


def choose_bet(view: View, strategy: Strategy, chance: Random) -> Stake | Pass:
    """The bet of the seat to act. It is always legal."""
    chips = _chosen_stake(view, strategy, chance)
    return Stake(view.seat, chips) if chips else Pass(view.seat)


def _chosen_stake(view: View, strategy: Strategy, chance: Random) -> int:
    """The stake of the seat to act; 0 for a pass."""
    rules, state = view.state.rules, view.state
    limits = stake_range(state)
    if strategy.random:
        return _random_stake(view, limits, chance)
    holds_set = has_set(view.hand)
    still_in = state.still_in
    if not holds_set and (
        rules.bet_needs_set or (not rules.high_card and (limits.need or rules.prove_set))
    ):
        return 0
    if still_in == (view.seat,):
        return int(holds_set or strategy.knocks_alone)
    if limits.least > limits.most:
        return 0
    odds = _Odds(view, still_in)
    raised = odds.raised(limits, strategy, chance)
    if holds_set or rules.high_card:
        best = odds.best(limits, raised, strategy.loss_weight)
        if best or limits.need:
            return best
    bluffs = raised and chance.random() < strategy.bluff_rate * odds.bluff_rate(raised)
    return raised if bluffs else 0


class _Other(msgspec.Struct, frozen=True, gc=False):
    """Another seat still in."""

    committed: int
    stack: int
    share: float
    """The share of hands, from the best down, with which it has come this far."""
    wild: float
    """The weight of players whose stakes say nothing about their hands."""
    came: float
    """The weight of all hands with which it may have come this far."""


class _Odds:
    """What a seat can expect from the betting, given its hand and what the others have done.

    The state does not list earlier stakes. Who has opened, held or raised follows from the amounts
    committed, the knocker and the order of play.
    """

    def __init__(self, view: View, still_in: tuple[int, ...]) -> None:
        state, rules, committed = view.state, view.state.rules, view.state.committed
        self._state = state
        self._committed = committed
        self._own = committed[view.seat - 1]
        self._highest = max(committed)
        self._penalty = rules.bluff_penalty
        self.pool = state.pot
        """The chips to be won."""
        by_poch = rules.leader == "poch-winner"
        self._lead = _LEAD_WORTH.get(rules.shedding, 0.0) if by_poch else 0.0
        self._base = self.pool - sum(committed)
        self._prize = self._base + self._lead
        """What could be won before anybody had staked."""
        self._callers = len(still_in) - 1
        """The number of seats that could hold the first stake."""
        if self._highest:
            # A seat that acted before it has passed.
            order = state.from_forehand
            first = next(at for at, seat in enumerate(order, 1) if committed[seat - 1])
            self._callers = max(len(order) - first, 1)
        self._loses = 1.0 - chance_against_one(view)
        self._stakers = chance_of_set(view) if rules.bet_needs_set else 1.0
        doubtful = self._first_oversized()
        came = self._came = _READABLE + _LOOSE + _WILD * self._stakers
        self._others = [
            self._staker(seat, doubtful)
            if committed[seat - 1]
            else _Other(0, state.stack_of(seat), 1.0, _WILD, came)
            for seat in still_in
            if seat != view.seat
        ]

    def _staker(self, seat: int, doubtful: float) -> _Other:
        """A seat that has staked."""
        state = self._state
        committed = self._committed[seat - 1]
        share = _STAKED * self._share(committed)
        wild = _WILD_IF_OVERSIZED if committed >= doubtful else _WILD
        if seat == state.knocker and any(0 < chips < committed for chips in self._committed):
            share *= _RAISED
        share = max(share, _NARROWEST)
        came = _READABLE * share + _LOOSE * share**0.5 + wild * self._stakers
        return _Other(committed, state.stack_of(seat), share, wild, came)

    def _first_oversized(self) -> float:
        """The lowest level that a stake far above the usual size has led to; infinite if none."""
        chips_more, pools_more = _OVERSIZED
        if self._highest <= chips_more + pools_more * self._base:
            return inf
        below = 0
        for level in sorted(set(self._committed)):
            before = self._base + sum([min(chips, below) for chips in self._committed])
            if level - below > chips_more + pools_more * before:
                return level
            below = level
        return inf

    def _share(self, level: int) -> float:
        """The share of hands, from the best down, with which a seat commits this much.

        If each possible caller holds with this share, a bluff of the same size breaks even. The
        penalty for bluffs is left out: those who took it to deter others passed too often.
        """
        prize = max(_LEAST_PRIZE, self._prize)
        all_pass: float = (level / (prize + level)) ** (1.0 / self._callers)
        return max(_NARROWEST, 1.0 - all_pass)

    def raised(self, limits: StakeRange, strategy: Strategy, chance: Random) -> int:
        """A knock or a raise of the usual size; 0 if none is possible.

        Never more than some other seat could match.
        """
        size = chance.uniform(*(_RAISE if limits.need else _KNOCK)) * strategy.stake_size
        more = max(1, round(size * (self.pool + limits.need)))
        matched = max([other.stack + other.committed for other in self._others]) - self._own
        chips = min(limits.need + more, limits.most, matched)
        dear = self._highest >= _DEAREST * max(self._prize, _SMALL_PRIZE)
        return chips if chips > limits.need and not dear else 0

    def best(self, limits: StakeRange, raised: int, loss_weight: float) -> int:
        """The stake that is expected to win most; 0 if none is better than a pass."""
        if self._prize <= 0:
            loss_weight += _EMPTY_POOL
        best, most = 0, 0.0
        for chips in (min(limits.need, limits.stack), raised):
            worth = self._worth(chips, loss_weight) if chips else 0.0
            if worth > most:
                best, most = chips, worth
        return best

    def _worth(self, chips: int, loss_weight: float) -> float:
        """The chips that a stake can be expected to win.

        Treats the others as independent, and ignores raises that may follow.
        """
        level = self._own + chips
        # What a seat that has not staked yet does with the stake depends on its size alone.
        unstaked = self._answer(self._share(level), _WILD * _WILD_STAY, self._came)
        wins, added_by_callers = 1.0, 0.0
        for other in self._others:
            added = min(level - other.committed, other.stack)
            if not other.committed:
                stays, beats = unstaked
            elif added > 0:
                share = other.share * (1.0 - added / (self.pool + chips + added))
                stays, beats = self._answer(share, other.wild * _WILD_STAY, other.came)
            else:
                stays, beats = self._answer(other.share, other.wild, other.came)
            wins *= 1.0 - beats
            if added > 0 and beats < 1.0:
                added_by_callers += added * (stays - beats) / (1.0 - beats)
        loss, penalty = float(chips), 0
        if level > self._highest:
            loss += self._penalty * level
        elif (knocker := self._state.knocker) is not None:
            owed = self._penalty * self._committed[knocker - 1]
            penalty = min(owed, self._state.stack_of(knocker))
        # The part of the pool that an all-in of so few chips cannot win.
        beyond = sum([staked - level for staked in self._committed if staked > level])
        gain = self.pool - beyond + added_by_callers + penalty + self._lead
        return wins * gain - loss_weight * (1.0 - wins) * loss

    def _answer(self, share: float, wild: float, came: float) -> tuple[float, float]:
        """The chances that another seat stays in, and that it does so with a better hand.

        It stays with this share of hands, and with any hand with the weight `wild`. By Bayes' rule
        these are the hands that come this far and stay, of those that `came` this far.
        """
        loose, loses = share**0.5, self._loses
        stays = (_READABLE * share + _LOOSE * loose + wild * self._stakers) / came
        beats = _READABLE * (min(loses, share)) + _LOOSE * (min(loses, loose)) + wild * loses
        return stays, beats / came

    def bluff_rate(self, chips: int) -> float:
        """How often to knock with a hand that is not worth it, so that a caller breaks even.

        For each good hand there are as many bluffs as the stake's share of what a caller can win.
        """
        if self._prize <= 0:
            return 0.0
        ratio = chips / (self._prize + chips * (1 + self._penalty))
        good = 0.5 * self._share(chips)
        return ratio * good / (1.0 - good)


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
