"""Temperaments: the numbers in which house players differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec


class Temper(msgspec.Struct, frozen=True):
    """How a house player bets. Chances are those of winning as it estimates them itself."""

    name: str
    opens: float
    """Knocks with a set whose chance is at least this."""
    margin: float
    """Holds if the pot is worth this many times what holding costs, weighed with the chance."""
    raises: float
    """Raises with a chance of at least this."""
    most: int
    """Raises nobody beyond so many chips."""
    bluffs: float
    """How often it knocks on nothing but hope: without a set, or with too small a one."""
    alone: bool
    """Knocks without a set once all others have passed, where that wins unseen."""
    at_random: bool = False
    """Chooses by chance alone among all that is legal."""


CAREFUL: Final = Temper(
    "careful", opens=0.5, margin=1.5, raises=0.9, most=4, bluffs=0.0, alone=False
)
SENSIBLE: Final = Temper(
    "sensible", opens=0.45, margin=1.3, raises=0.85, most=15, bluffs=0.0, alone=True
)
BOLD: Final = Temper("bold", opens=0.2, margin=0.9, raises=0.65, most=20, bluffs=0.2, alone=True)
RANDOM: Final = Temper("random", 0.0, 0.0, 0.0, 0, 0.0, alone=False, at_random=True)

TEMPERS: Final[Mapping[str, Temper]] = {
    temper.name: temper for temper in (CAREFUL, SENSIBLE, BOLD, RANDOM)
}
"""All temperaments by name; `random` is there to be measured against."""

HOUSE: Final = (SENSIBLE, BOLD, CAREFUL)
"""The temperaments in the order in which a table is filled."""
