"""`rising`: ever higher cards of a suit, each in turn, round and round.

The leader plays any card; clockwise each plays any higher card of the suit, or nothing, until the
ace lies or nobody can. Who played last leads (the banker's game).

Our reading: who can play a higher card must, else "nobody can" would say nothing; who could play
after a whole round without a card of others may go on alone.
"""

from __future__ import annotations

from pochboard.cards.card import HEIGHT, Card
from pochboard.cards.shedding.layout import Hands, Layout


def legal(layout: Layout, hand: frozenset[Card]) -> tuple[Card, ...]:
    """Any card to lead, else any higher one of the suit."""
    if not layout.run:
        return tuple(hand)
    top = layout.run[-1]
    suit, height = top[1], HEIGHT[top]
    return tuple([card for card in hand if card[1] == suit and HEIGHT[card] > height])


def follower(layout: Layout, hands: Hands) -> int | None:
    """The next in the order of play who holds a higher card, in the end whoever played last."""
    if layout.run[-1][0] == "A":
        return None
    for seat in layout.after(layout.players[-1]):
        if legal(layout, hands[seat]):
            return seat
    return None


def taker(layout: Layout) -> int:
    """Who played last."""
    return layout.players[-1]
