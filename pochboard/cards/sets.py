"""Sets: four, three or two of a rank, and how hands compare at a showdown (RULES.md 10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from pochboard.cards.card import HEIGHT, RANKS, Card


class Shown(msgspec.Struct, frozen=True, order=True):
    """What a hand is worth at a showdown. Greater beats less; equal ones tie.

    Only the best set counts: of two pairs the higher, of three and a pair the three.
    """

    count: int
    """Cards in the set: 4, 3 or 2; 0 without a set."""
    height: int
    """Of the set, 2 to 14; 0 without a set."""
    trump: bool
    """Of a pair, whether it holds the card of the trump suit."""
    heights: tuple[int, ...]
    """Without a set, the heights of all cards, highest first; else empty."""

    @property
    def rank(self) -> str:
        """The rank of the set."""
        return RANKS[self.height - 2]


def worth(cards: Iterable[Card], trump: str | None) -> Shown:
    """What a hand is worth; without trump no pair is preferred."""
    by_height: dict[int, int] = {}
    for card in cards:
        height = HEIGHT[card]
        by_height[height] = by_height.get(height, 0) + 1
    most = max(by_height.values(), default=0)
    if most < 2:
        return Shown(0, 0, False, tuple(sorted(by_height, reverse=True)))
    best = max([height for height, count in by_height.items() if count == most])
    holds_trump = most == 2 and trump is not None and RANKS[best - 2] + trump in cards
    return Shown(most, best, holds_trump, ())


def rank_hands(
    hands: Mapping[int, Iterable[Card]], trump: str | None, *, high_card: bool
) -> list[tuple[int, ...]]:
    """Seats by what they showed, best first; equal hands share an item.

    Without `high_card` hands that hold no set are left out.
    """
    shown = {seat: worth(tuple(cards), trump) for seat, cards in hands.items()}
    tied: dict[Shown, list[int]] = {}
    for seat, value in shown.items():
        if value.count or (high_card and value.heights):
            tied.setdefault(value, []).append(seat)
    return [tuple(sorted(tied[value])) for value in sorted(tied, reverse=True)]
