"""How likely it is that a hand wins a showdown, told from one's own cards."""

from __future__ import annotations

from functools import lru_cache
from math import comb

from pochboard.cards.card import HEIGHT, deck_of
from pochboard.cards.hands import HandValue, hand_value
from pochboard.players.view import View


def beats_one(view: View) -> float:
    """The chance that another hand of which nothing is known does not beat this one.

    Counted exactly: among all hands that the cards one does not see allow, of as many cards as
    the smallest hand of this deal.
    """
    state, turned = view.state, view.turned
    own = [0] * 15
    for card in view.hand:
        own[HEIGHT[card]] += 1
    own[HEIGHT[turned]] += 1
    shown = hand_value(view.hand, turned[1])
    drawn = min(state.hand_sizes.values())
    return _beats(shown, tuple(own), drawn, state.deck)


@lru_cache(maxsize=4096)
def _beats(shown: HandValue, own: tuple[int, ...], drawn: int, deck: int) -> float:
    """`own` counts, by height, the cards that another hand cannot hold."""
    there = {height: 4 - own[height] for height in range(HEIGHT[deck_of(deck)[0]], 15)}
    ways = _by_sets(shown, there, drawn) if shown.count else _by_height(shown, there, drawn)
    return ways / comb(deck - sum(own), drawn)


def _by_sets(shown: HandValue, there: dict[int, int], drawn: int) -> int:
    """How many hands hold no better set."""
    limited, free = [], 0
    for height, cards in there.items():
        most = shown.count - (height > shown.height)
        if height == shown.height and shown.count == 2 and not shown.trump:
            # If both others of the rank are about, one of them is the trump.
            most = 1
        if cards > most:
            limited.append((cards, most))
        else:
            free += cards
    limited.sort()
    return _ways(tuple(limited), free, drawn)


def _by_height(shown: HandValue, there: dict[int, int], drawn: int) -> int:
    """How many hands hold no set, and no higher card where the two differ first."""
    found, same = 0, 1
    for at, height in enumerate(shown.heights[:drawn]):
        lower = sorted([(cards, 1) for other, cards in there.items() if other < height])
        found += same * _ways(tuple(lower), 0, drawn - at)
        same *= there[height]
    return found + same


@lru_cache(maxsize=1 << 14)
def _ways(limited: tuple[tuple[int, int], ...], free: int, drawn: int) -> int:
    """How many hands of so many cards there are.

    They hold of each `limited` rank, of which so many cards are about, at most so many, and of
    the `free` cards any.
    """
    if not limited:
        return comb(free, drawn)
    *others, (cards, most) = limited
    return sum(
        [
            comb(cards, hit) * _ways(tuple(others), free, drawn - hit)
            for hit in range(min(most, drawn) + 1)
        ]
    )
