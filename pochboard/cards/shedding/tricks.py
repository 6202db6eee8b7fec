"""`tricks`: suit must be followed, else no card is played at all.

The leader plays a card, the others in turn follow suit if they can, else play nothing; the highest
card wins the trick, and its player leads (von Alvensleben, 1853). No suit is trump here.

Our reading: where the last card of a hand ends the deal in mid-trick, the highest card so far has
won it.
"""

from __future__ import annotations

from pochboard.cards.card import HEIGHT, Card
from pochboard.cards.shedding.layout import Hands, Layout


def legal(layout: Layout, hand: frozenset[Card]) -> tuple[Card, ...]:
    """Any card to lead, else any of the suit."""
    if not layout.run:
        return tuple(hand)
    suit = layout.run[0][1]
    return tuple([card for card in hand if card[1] == suit])


def follower(layout: Layout, hands: Hands) -> int | None:
    """The next in the order of play, as far as the leader, who holds the suit."""
    leader = layout.players[0]
    for seat in layout.after(layout.players[-1]):
        if seat == leader:
            return None
        if legal(layout, hands[seat]):
            return seat
    return None


def taker(layout: Layout) -> int:
    """Who played the highest card."""
    highest = max(range(len(layout.run)), key=lambda index: HEIGHT[layout.run[index]])
    return layout.players[highest]
