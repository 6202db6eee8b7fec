"""What somebody wishes to see of the house players."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from pochboard.players.temper import HOUSE, Temper
from pochboard.rules.commands import Start

SLOWEST: Final = 0.1
FASTEST: Final = 100.0
LONGEST_SEED: Final = 64

Speed = Annotated[float, Meta(ge=SLOWEST, le=FASTEST)]
"""How many times faster than people play."""


class Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A night of house players."""

    ruleset: str = "modern"
    players: int = 4
    seed: Annotated[str, Meta(max_length=LONGEST_SEED)] = ""
    """Empty: one that nobody has chosen."""
    speed: Speed = 1.0
    options: Mapping[str, Any] = {}

    def seeded(self) -> Wish:
        """The same with a seed."""
        if self.seed:
            return self
        return msgspec.structs.replace(self, seed=str(secrets.randbelow(1_000_000)))

    def start(self) -> Start:
        """The command that begins the night."""
        names = tuple(guest_name(seat) for seat in range(1, self.players + 1))
        return Start(ruleset=self.ruleset, players=names, options=dict(self.options))

    def tempers(self) -> dict[int, Temper]:
        """Who plays at each seat."""
        return {seat: temper_of(seat) for seat in range(1, self.players + 1)}


_FIRST_NAMES: Final = {
    "sensible": ("Sophie", "Simon", "Selma"),
    "bold": ("Bruno", "Berta", "Boris"),
    "careful": ("Clara", "Carl", "Cosima"),
}


def temper_of(seat: int) -> Temper:
    """The temperament of the house player at a seat."""
    return HOUSE[(seat - 1) % len(HOUSE)]


def guest_name(seat: int) -> str:
    """What the house player at a seat is called: the name tells the temperament."""
    temper = temper_of(seat).name
    first_names = _FIRST_NAMES[temper]
    return f"{temper.capitalize()} {first_names[(seat - 1) // len(HOUSE) % len(first_names)]}"
