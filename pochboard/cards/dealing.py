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
    """By seat, from forehand on, in the order in which the cards came."""
    turned: Card
    """The card turned up: it fixes the trump suit and is nobody's."""
    talon: tuple[Card, ...]
    """What is left: nobody sees it."""


_PACKETS: Final = {"alvensleben-1853": (3, 2)}
"""Cards at a time, round by round, where it is not one (von Alvensleben, 1853)."""


def deal_out(shuffled: Sequence[Card], rules: Ruleset, seats: Sequence[int]) -> Dealt:
    """Deals a shuffled deck to the live seats, given from forehand on.

    The card after the last one dealt is turned up; of `all-but-one` it is the deck's last.
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
