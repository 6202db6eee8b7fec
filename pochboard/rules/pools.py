"""What a place of the board means: the cards that win its pool, and what follows from them.

A card of a pool is a rank and a suit, as in `KH`, or a rank and `*` for trumps (RULES.md 2).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from pochboard.rules.commands import SUITS
from pochboard.text.allowed_values import Noun
from pochboard.text.names import given_text, lazy_pool
from pochboard.text.translator import N_

Pool = Literal["ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch", "pinke"]
PoolCard = Annotated[
    str,
    Meta(pattern=r"^[2-9TJQKA][CDHS*](?!\n)$"),
    Noun(N_("a card such as KH, or K* for the king of trumps")),
]


class PoolNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The name of a pool by language."""

    en: str
    de: str


class PoolMeaning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A `[[pool]]` of a ruleset. What it leaves out is as in Poch."""

    at: Pool
    """Its place on the board, which is its id everywhere."""
    name: Annotated[
        str | PoolNames | None,
        Noun(N_('a name, or { en = "…", de = "…" } with one in each language')),
    ] = None
    cards: tuple[PoolCard, ...] | None = None
    """All of them in one hand win the pool."""
    least: Annotated[int, Meta(ge=2, le=8)] = msgspec.field(default=2, name="from")
    """The fewest live seats with which it is played."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its names in English and in German; none if it has Poch's."""
        if isinstance(self.name, PoolNames):
            return (self.name.en, self.name.de)
        return () if self.name is None else (self.name,) * 2

    @property
    def title(self) -> str:
        """Its name in the language of whoever reads it."""
        if isinstance(self.name, PoolNames):
            return given_text(msgspec.to_builtins(self.name))
        return self.name or lazy_pool(self.at)


MIN_RUN: Final = 3
"""Cards in the shortest run that counts."""
RUN: Final = "sequence"
"""The place whose pool goes to a run of cards: to the best one, if it has no cards of its own."""
POCH: Final[Mapping[str, tuple[str, ...]]] = {
    "ace": ("A*",),
    "king": ("K*",),
    "queen": ("Q*",),
    "jack": ("J*",),
    "ten": ("T*",),
    "marriage": ("K*", "Q*"),
    RUN: ("7*", "8*", "9*"),
}
"""The cards of the pools in Poch; those of `sequence` with `trump-789`."""


@cache
def concrete(cards: tuple[str, ...], trump: str | None) -> frozenset[str]:
    """The cards of a pool with this trump suit; unknown trumps stay as they are."""
    return frozenset(card.replace("*", trump) if trump else card for card in cards)


@cache
def share_a_card(one: tuple[str, ...], other: tuple[str, ...], trump: str | None) -> bool:
    """Whether two pools need a card in common, whatever suit may be trumps."""
    return all(concrete(one, suit) & concrete(other, suit) for suit in trump or SUITS)
