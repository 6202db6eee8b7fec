"""The chance that a bot's hand beats an unknown hand."""

from __future__ import annotations

from functools import lru_cache
from math import comb

from pochboard.bots.strategy import View
from pochboard.cards.card import HEIGHT, deck_of
from pochboard.cards.hands import best_set, hand_value
from pochboard.rules.commands import SUITS


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
