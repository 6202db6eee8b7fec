"""What a bot's choices are made from: what it sees, and its strategy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from pochboard.cards.card import Card
from pochboard.cards.shedding_variants import Tableau
from pochboard.rules.state import State


class View(msgspec.Struct, frozen=True):
    """What a player at a seat sees. There is no field for a hidden card."""

    seat: int
    state: State
    """The chips and the betting, which everybody at the table sees."""
    hand: tuple[Card, ...]
    """The cards that the seat was dealt, sorted."""
    turned: Card | None
    """The card turned up; None if the ruleset fixes the trump suit."""
    tableau: Tableau | None = None
    """The open cards of the shedding; None before it begins."""

    @property
    def held(self) -> frozenset[Card]:
        """The cards that the seat still holds."""
        hand = frozenset(self.hand)
        return hand - self.tableau.played if self.tableau else hand

    @property
    def trump(self) -> str:
        """The trump suit."""
        suit = self.state.rules.trump_suit(self.turned)
        assert suit is not None, "a card is turned up unless the ruleset fixes the suit"
        return suit

    @property
    def seen(self) -> frozenset[Card]:
        """The cards that no other seat can hold: its own, and the one turned up if nobody does."""
        hand = frozenset(self.hand)
        if self.turned is None or self.state.rules.turned_is_held:
            return hand
        return hand | {self.turned}


class Strategy(msgspec.Struct, frozen=True):
    """How a bot bets (docs/BOTS.md 2). A chance is the bot's own estimate of winning."""

    name: str
    knock_chance: float
    """Knocks with a set that has at least this chance."""
    hold_margin: float
    """Holds if the chips it can expect to win are at least this many times the cost."""
    raise_chance: float
    """Raises with at least this chance."""
    raise_limit: int
    """Does not raise once the highest stake has reached this many chips."""
    bluff_rate: float
    """How often it knocks without a set, or with too weak a one: 0 never, 1 always."""
    knocks_alone: bool
    """Knocks without a set after all others have passed, where that wins unseen."""
    random: bool = False
    """Chooses at random from what is legal, and ignores the other numbers."""


CAREFUL: Final = Strategy(
    "careful",
    knock_chance=0.5,
    hold_margin=1.5,
    raise_chance=0.9,
    raise_limit=4,
    bluff_rate=0.0,
    knocks_alone=False,
)
SENSIBLE: Final = Strategy(
    "sensible",
    knock_chance=0.45,
    hold_margin=1.3,
    raise_chance=0.85,
    raise_limit=15,
    bluff_rate=0.0,
    knocks_alone=True,
)
BOLD: Final = Strategy(
    "bold",
    knock_chance=0.2,
    hold_margin=0.9,
    raise_chance=0.65,
    raise_limit=20,
    bluff_rate=0.2,
    knocks_alone=True,
)
RANDOM: Final = Strategy("random", 0.0, 0.0, 0.0, 0, 0.0, knocks_alone=False, random=True)

STRATEGIES: Final[Mapping[str, Strategy]] = {
    strategy.name: strategy for strategy in (CAREFUL, SENSIBLE, BOLD, RANDOM)
}
"""All strategies by name. `random` is a baseline to measure the others against."""

DEFAULT_STRATEGIES: Final = (SENSIBLE, BOLD, CAREFUL)
"""The strategies of seats 1, 2, 3, repeated for further seats."""
