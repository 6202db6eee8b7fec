"""The shedding of a deal: cards are laid one by one until somebody's hand is empty."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from pochboard.cards.card import Card
from pochboard.cards.shedding import rising, sequence, thirty_one, tricks
from pochboard.cards.shedding.layout import Hands, Layout
from pochboard.errors import CardError
from pochboard.rules.ruleset import Ruleset


class Way(msgspec.Struct, frozen=True):
    """A way to shed cards, as a ruleset's `shedding` and `run_ends` choose it."""

    legal: Callable[[Layout, frozenset[Card]], tuple[Card, ...]]
    """The cards of a hand that may be played now, told from what lies open and the hand alone.

    Empty: the seat plays nothing.
    """
    follower: Callable[[Layout, Hands], int | None]
    """Who must play next in this run, perhaps whoever has just played; None: the run is over."""
    taker: Callable[[Layout], int]
    """Who gets the run bonus of a run that is over, and leads the next one."""


_SEQUENCE: Final = Way(sequence.legal, sequence.follower, sequence.taker)
_WAYS: Final[Mapping[str, Way]] = {
    "sequence": _SEQUENCE,
    "domino": _SEQUENCE,
    "rising": Way(rising.legal, rising.follower, rising.taker),
    "tricks": Way(tricks.legal, tricks.follower, tricks.taker),
}
_THIRTY_ONE: Final[Mapping[str, Way]] = {
    "nobody-can": Way(
        thirty_one.legal, thirty_one.follower_if_nobody_can_ends, thirty_one.taker
    ),
    "next-cannot": Way(
        thirty_one.legal, thirty_one.follower_if_next_cannot_ends, thirty_one.taker
    ),
}  # fmt: skip


def way_of(rules: Ruleset) -> Way:
    """How cards are shed by this ruleset."""
    return _WAYS.get(rules.shedding) or _THIRTY_ONE[rules.run_ends]


class Shedding(msgspec.Struct, frozen=True, gc=False):
    """The cards of a deal while they are shed; `lay` makes the next one of it."""

    way: Way
    layout: Layout
    hands: Hands
    taken: int | None = None
    """Who took the run that the last card ended; None while it goes on."""
    takers: tuple[int, ...] = ()
    """Who took each run that is over, the first one first."""

    @property
    def winner(self) -> int | None:
        """The seat that has laid its last card; that ends the shedding at once."""
        layout = self.layout
        return layout.players[-1] if layout.to_play is None else None

    def legal(self) -> tuple[Card, ...]:
        """The cards that the seat to play may lay; never empty before the end."""
        layout = self.layout
        if layout.to_play is None:
            return ()
        return self.way.legal(layout, self.hands[layout.to_play])

    def cards_left(self, winner: int) -> dict[int, int]:
        """How many cards each seat but the winner holds, for the command `settle`."""
        return {seat: len(hand) for seat, hand in self.hands.items() if seat != winner}


def begin(
    rules: Ruleset, hands: Mapping[int, tuple[Card, ...]], turned: Card, leader: int
) -> Shedding:
    """The shedding of the hands as dealt, from forehand on; the leader plays first."""
    layout = Layout(
        seats=tuple(hands),
        turned=turned,
        to_play=leader,
        held=tuple([len(hand) for hand in hands.values()]),
    )
    return Shedding(way_of(rules), layout, {seat: frozenset(hand) for seat, hand in hands.items()})


def lay(game: Shedding, card: Card) -> Shedding:
    """The seat to play lays a card. Raises CardError if it does not hold it, or may not."""
    layout, way = game.layout, game.way
    seat = layout.to_play
    if seat is None:
        raise CardError("The last card of this deal has been played")
    hand = game.hands[seat]
    if card not in hand:
        raise CardError(f"{card} is not in this hand")
    if card not in way.legal(layout, hand):
        raise CardError(f"{card} may not be played now")
    hand -= {card}
    hands = {**game.hands, seat: hand}
    held = list(layout.held)
    held[layout.seats.index(seat)] -= 1
    layout = Layout(
        layout.seats,
        layout.turned,
        None,
        (*layout.run, card),
        (*layout.players, seat),
        layout.laid | {card},
        tuple(held),
    )
    if not hand:
        taker = way.taker(layout)
        return Shedding(way, layout, hands, taker, (*game.takers, taker))
    follower = way.follower(layout, hands)
    if follower is not None:
        return Shedding(way, replace(layout, to_play=follower), hands, None, game.takers)
    taker = way.taker(layout)
    layout = replace(layout, to_play=taker, run=(), players=())
    return Shedding(way, layout, hands, taker, (*game.takers, taker))
