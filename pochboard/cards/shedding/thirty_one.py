"""`thirty-one`: cards are added to a count that must not pass 31.

In turn each adds a card, if it can: court cards count 10, an ace 1, the others their pips. The
count is over at 31, or with `run_ends = "nobody-can"` when nobody can add, with `"next-cannot"` as
soon as the next player cannot. Who laid last leads a new count (the eight-pool game to 31).

Our reading: who can add a card must. With `nobody-can` the turn goes on past those who cannot, in
the end to who laid last; with `next-cannot` the next player is the next live seat, never oneself.
"""

from __future__ import annotations

from typing import Final

from pochboard.cards.card import CARDS, RANKS, Card
from pochboard.cards.shedding.layout import Hands, Layout

MOST: Final = 31
PIPS: Final = {
    card: {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(card[0]) or RANKS.index(card[0]) + 2
    for card in CARDS
}


def count(layout: Layout) -> int:
    """What the cards laid count so far."""
    return sum([PIPS[card] for card in layout.run])


def legal(layout: Layout, hand: frozenset[Card]) -> tuple[Card, ...]:
    """Any card that does not take the count past 31."""
    room = MOST - count(layout)
    return tuple([card for card in hand if PIPS[card] <= room])


def follower_if_nobody_can_ends(layout: Layout, hands: Hands) -> int | None:
    """The next in the order of play who can add a card, in the end whoever laid last."""
    for seat in layout.after(layout.players[-1]):
        if legal(layout, hands[seat]):
            return seat
    return None


def follower_if_next_cannot_ends(layout: Layout, hands: Hands) -> int | None:
    """The next in the order of play, if it can add a card."""
    seat = layout.after(layout.players[-1])[0]
    return seat if legal(layout, hands[seat]) else None


def taker(layout: Layout) -> int:
    """Who laid last."""
    return layout.players[-1]
