"""What lies open while the cards are shed, and what each seat holds."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pochboard.cards.card import Card

Hands = Mapping[int, frozenset[Card]]
"""The cards that each seat still holds."""


class Layout(msgspec.Struct, frozen=True, gc=False):
    """All that everybody at the table sees of the shedding."""

    seats: tuple[int, ...]
    """The live seats in the order of play, forehand first."""
    turned: Card
    """The card turned up: nobody holds it."""
    to_play: int | None
    """Whose card is awaited; None once somebody's hand is empty."""
    run: tuple[Card, ...] = ()
    """The cards of this run, trick or count in their order; empty: `to_play` leads."""
    players: tuple[int, ...] = ()
    """Who played each card of the run."""
    laid: frozenset[Card] = frozenset()
    """Every card played in this deal, those of the run among them."""
    held: tuple[int, ...] = ()
    """How many cards each seat holds, in the order of `seats`."""

    def after(self, seat: int) -> tuple[int, ...]:
        """All seats in the order of play that follow this one, itself last."""
        cut = self.seats.index(seat) + 1
        return self.seats[cut:] + self.seats[:cut]
