"""What can be chosen about a demo, and which bot plays at which seat."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from pochboard.bots.practice import LEARNER, PLAYERS
from pochboard.bots.strategy import DEFAULT_STRATEGIES, Strategy
from pochboard.rules.commands import Start
from pochboard.rules.ruleset_files import USUAL
from pochboard.text.lazy import SupportsGettext, lazy_gettext

SLOWEST: Final = 0.1
FASTEST: Final = 100.0
LONGEST_SEED: Final = 64
SEED_BYTES: Final = 16
"""The length of a random seed. Nobody can try all values of 128 bits."""

PRACTICE_SPEED: Final = 2.0

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

    def start(self, t: SupportsGettext) -> Start:
        """The command that starts the night. The bots have names in the language of `t`."""
        names = tuple(bot_name(seat, t) for seat in range(1, self.players + 1))
        return Start(ruleset=self.ruleset, players=names, options=dict(self.options))

    @classmethod
    def practice(cls) -> DemoOptions:
        """The practice deal: with the rules that boards are sold with, a little faster."""
        return cls(players=PLAYERS, speed=PRACTICE_SPEED)

    def strategies(self) -> dict[int, Strategy]:
        """The strategy at each seat."""
        return {seat: strategy_of(seat) for seat in range(1, self.players + 1)}


def practice_start(name: str, t: SupportsGettext) -> Start:
    """The command that starts a practice of somebody with this name, who deals."""
    options = DemoOptions.practice()
    others = options.start(t).players[LEARNER:]
    learner = name or str(lazy_gettext("Guest").in_language(t))
    return Start(ruleset=options.ruleset, players=(learner, *others), dealer=LEARNER)


_NAMES: Final = {
    "sensible": (
        lazy_gettext("Sensible Sophie"),
        lazy_gettext("Sensible Simon"),
        lazy_gettext("Sensible Selma"),
    ),
    "bold": (
        lazy_gettext("Bold Bruno"),
        lazy_gettext("Bold Berta"),
        lazy_gettext("Bold Boris"),
    ),
    "careful": (
        lazy_gettext("Careful Clara"),
        lazy_gettext("Careful Carl"),
        lazy_gettext("Careful Cosima"),
    ),
}


def strategy_of(seat: int) -> Strategy:
    """The strategy of the bot at a seat."""
    return DEFAULT_STRATEGIES[(seat - 1) % len(DEFAULT_STRATEGIES)]


def bot_name(seat: int, t: SupportsGettext) -> str:
    """The name of the bot at a seat, such as `Bold Bruno`. Its last word is the first name."""
    names = _NAMES[strategy_of(seat).name]
    round_number = (seat - 1) // len(DEFAULT_STRATEGIES)
    return names[round_number % len(names)].in_language(t)
