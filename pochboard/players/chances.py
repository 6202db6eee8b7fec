"""How likely it is that a hand wins a showdown, told from one's own cards."""

from __future__ import annotations

from functools import cache, lru_cache
from math import comb

from pochboard.cards.card import HEIGHT, deck_of
from pochboard.cards.sets import Shown, worth
from pochboard.players.view import View


@cache
def at_least(least: int, there: int, drawn: int, unknown: int) -> float:
    """The chance of at least so many of the cards that are `there` among those `drawn`.

    The hypergeometric distribution: `drawn` of `unknown` cards, `there` of them of one rank.
    """
    if least > there:
        return 0.0
    ways = sum(
        comb(there, hit) * comb(unknown - there, drawn - hit)
        for hit in range(least, min(there, drawn) + 1)
    )
    return ways / comb(unknown, drawn)


def beats_one(view: View) -> float:
    """The chance that another hand of which nothing is known does not beat this one.

    The ranks are taken as independent of each other, which they nearly are.
    """
    state, turned = view.state, view.turned
    own = [0] * 15
    for card in view.hand:
        own[HEIGHT[card]] += 1
    own[HEIGHT[turned]] += 1
    shown = worth(view.hand, turned[1])
    drawn = min(state.hand_sizes.values())
    return _beats(shown, tuple(own), drawn, state.deck)


@lru_cache(maxsize=4096)
def _beats(shown: Shown, own: tuple[int, ...], drawn: int, deck: int) -> float:
    """`own` counts, by height, the cards that another hand cannot hold."""
    lowest = HEIGHT[deck_of(deck)[0]]
    unknown = deck - sum(own)
    unbeaten = 1.0
    top = shown.heights[0] if shown.heights else 0
    for height in range(lowest, 15):
        there = 4 - own[height]
        if not shown.count:
            beating = at_least(1 if height > top else 2, there, drawn, unknown)
        elif height > shown.height:
            beating = at_least(shown.count, there, drawn, unknown)
        elif height < shown.height:
            beating = at_least(shown.count + 1, there, drawn, unknown)
        elif shown.count == 2 and not shown.trump:
            # If both others of the rank are about, one of them is the trump.
            beating = at_least(2, there, drawn, unknown)
        else:
            beating = 0.0
        unbeaten *= 1.0 - beating
    return unbeaten
