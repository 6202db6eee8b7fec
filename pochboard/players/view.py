"""What a player at a seat sees: the chips, its own cards, what lies open. Nothing else."""

from __future__ import annotations

import msgspec

from pochboard.cards.card import Card
from pochboard.cards.shedding_variants import Tableau
from pochboard.rules.state import State


class View(msgspec.Struct, frozen=True):
    """All that a choice may be made from. There is no field for a card that is hidden."""

    seat: int
    state: State
    """The chips and the betting: open to everybody at the table."""
    hand: tuple[Card, ...]
    """The cards that the seat was dealt, sorted."""
    turned: Card
    tableau: Tableau | None = None
    """What lies open in the shedding; None before."""

    @property
    def held(self) -> frozenset[Card]:
        """The cards that the seat still holds."""
        hand = frozenset(self.hand)
        return hand - self.tableau.played if self.tableau else hand
