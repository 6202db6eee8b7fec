"""Dealing: from a shuffled deck to hands, the card turned up and the talon (docs/CARDS.md 2)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pochboard.cards.card import Card
from pochboard.rules.ruleset import Ruleset


class Dealt(msgspec.Struct, frozen=True):
    """The cards of a deal as they were dealt."""

    hands: dict[int, tuple[Card, ...]]
    """By seat, from forehand on, each in the order in which its cards were dealt."""
    turned: Card | None
    """The card turned up, which sets the trump suit; None if the ruleset fixes the suit.

    Nobody holds it, unless all cards are dealt: then it is the last card of a hand.
    """
    talon: tuple[Card, ...]
    """The cards left over, which nobody sees."""


def deal_out(shuffled: Sequence[Card], rules: Ruleset, seats: Sequence[int]) -> Dealt:
    """Deals a shuffled deck to the live seats, given from forehand on."""
    hands: list[list[Card]] = [[] for _ in seats]
    order = rules.deal_order(len(seats))
    for seat, card in zip(order, shuffled, strict=False):
        hands[seat].append(card)
    top = len(order)
    turned = None
    if rules.turned_is_held:
        turned = shuffled[top - 1]
    elif rules.turns_a_card:
        turned = shuffled[top]
        top += 1
    return Dealt(
        hands=dict(zip(seats, map(tuple, hands), strict=True)),
        turned=turned,
        talon=tuple(shuffled[top:]),
    )
