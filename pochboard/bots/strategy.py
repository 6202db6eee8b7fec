"""What a bot's choices are made from: what it sees, and its strategy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from pochboard.cards.card import Card, CardSet
from pochboard.cards.shedding import Tableau
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


CAREFUL: Final = Strategy(
    "careful", loss_weight=2.2, stake_size=0.7, bluff_rate=0.0, knocks_alone=False
)
SENSIBLE: Final = Strategy(
    "sensible", loss_weight=1.0, stake_size=1.0, bluff_rate=1.0, knocks_alone=True
)
BOLD: Final = Strategy("bold", loss_weight=0.3, stake_size=1.5, bluff_rate=2.5, knocks_alone=True)
RANDOM: Final = Strategy(
    "random", loss_weight=0.0, stake_size=0.0, bluff_rate=0.0, knocks_alone=False, random=True
)

STRATEGIES: Final[Mapping[str, Strategy]] = {
    strategy.name: strategy for strategy in (CAREFUL, SENSIBLE, BOLD, RANDOM)
}
"""All strategies by name. `random` is a baseline to measure the others against."""

DEFAULT_STRATEGIES: Final = (SENSIBLE, BOLD, CAREFUL)
"""The strategies of seats 1, 2, 3, repeated for further seats."""
