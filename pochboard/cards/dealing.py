"""Dealing: from a shuffled deck to hands, the card turned up and the talon (RULES.md 2 and 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from pochboard.cards.card import Card
from pochboard.rules.ruleset import Ruleset


class Dealt(msgspec.Struct, frozen=True):
    """The cards of a deal as they were dealt."""

    hands: dict[int, tuple[Card, ...]]
    """By seat, from forehand on, each in the order in which its cards were dealt."""
    turned: Card
    """The card turned up: it sets the trump suit, and nobody holds it."""
    talon: tuple[Card, ...]
    """The cards left over: nobody sees them."""


_PACKETS: Final = {"alvensleben-1853": (3, 2)}
"""Cards dealt at a time, round by round, if not one by one (von Alvensleben, 1853)."""


def deal_out(shuffled: Sequence[Card], rules: Ruleset, seats: Sequence[int]) -> Dealt:
    """Deals a shuffled deck to the live seats, given from forehand on.

    The card after the last one dealt is turned up; with `all-but-one` it is the deck's last.
    """
    count = len(seats)
    sizes = rules.hand_sizes(count)
    total = sum(sizes)
    packets = _PACKETS.get(rules.name, ())
    if sum(packets) == sizes[0] == sizes[-1]:
        hands: list[tuple[Card, ...]] = [()] * count
        top = 0
        for packet in packets:
            for index in range(count):
                hands[index] += tuple(shuffled[top : top + packet])
                top += packet
    else:
        hands = [tuple(shuffled[index:total:count]) for index in range(count)]
    return Dealt(
        hands=dict(zip(seats, hands, strict=True)),
        turned=shuffled[total],
        talon=tuple(shuffled[total + 1 :]),
    )
