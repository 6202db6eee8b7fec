"""`sequence`, and its older name `domino`: the suit is followed up card by card.

The leader plays any card; whoever holds the next higher of the suit must play it, the same player
too. The run ends when nobody holds that card: it would be above the ace, is turned up, has been
played, or lies in the talon. Who played last leads anything (pagat; Pierer 1844).
"""

from __future__ import annotations

from pochboard.cards.card import ABOVE, Card
from pochboard.cards.shedding.layout import Hands, Layout


def legal(layout: Layout, hand: frozenset[Card]) -> tuple[Card, ...]:
    """Any card to lead, else the next higher one."""
    if not layout.run:
        return tuple(hand)
    above = ABOVE.get(layout.run[-1])
    return (above,) if above in hand else ()


def follower(layout: Layout, hands: Hands) -> int | None:
    """Whoever holds the next higher card."""
    above = ABOVE.get(layout.run[-1])
    if above is None or above in layout.laid or above == layout.turned:
        return None
    for seat, hand in hands.items():
        if above in hand:
            return seat
    return None


def taker(layout: Layout) -> int:
    """Who played last."""
    return layout.players[-1]
