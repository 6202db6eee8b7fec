"""What can be chosen about a demo, and which bot plays at which seat."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from pochboard.bots.strategy import DEFAULT_STRATEGIES, Strategy
from pochboard.rules.commands import Start
from pochboard.rules.ruleset_files import USUAL

SLOWEST: Final = 0.1
FASTEST: Final = 100.0
LONGEST_SEED: Final = 64
SEED_BYTES: Final = 16
"""The length of a random seed. Nobody can try all values of 128 bits."""

Speed = Annotated[float, Meta(ge=SLOWEST, le=FASTEST)]
"""How many times faster than people the bots play."""


class DemoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A night of bots."""

    ruleset: str = USUAL
    players: int = 4
    seed: Annotated[str, Meta(max_length=LONGEST_SEED)] = ""
    """Empty for a random one. All cards of the night follow from it, so it is secret."""
    speed: Speed = 1.0
    options: Mapping[str, Any] = {}

    def seeded(self) -> DemoOptions:
        """The same options, with a seed."""
        if self.seed:
            return self
        return msgspec.structs.replace(self, seed=secrets.token_hex(SEED_BYTES))

    def start(self) -> Start:
        """The command that starts the night."""
        names = tuple(bot_name(seat) for seat in range(1, self.players + 1))
        return Start(ruleset=self.ruleset, players=names, options=dict(self.options))

    def strategies(self) -> dict[int, Strategy]:
        """The strategy at each seat."""
        return {seat: strategy_of(seat) for seat in range(1, self.players + 1)}


_FIRST_NAMES: Final = {
    "sensible": ("Sophie", "Simon", "Selma"),
    "bold": ("Bruno", "Berta", "Boris"),
    "careful": ("Clara", "Carl", "Cosima"),
}


def strategy_of(seat: int) -> Strategy:
    """The strategy of the bot at a seat."""
    return DEFAULT_STRATEGIES[(seat - 1) % len(DEFAULT_STRATEGIES)]


def bot_name(seat: int) -> str:
    """The name of the bot at a seat, such as `Bold Bruno`."""
    strategy = strategy_of(seat).name
    first_names = _FIRST_NAMES[strategy]
    round_number = (seat - 1) // len(DEFAULT_STRATEGIES)
    return f"{strategy.capitalize()} {first_names[round_number % len(first_names)]}"
