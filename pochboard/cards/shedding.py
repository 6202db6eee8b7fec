"""The five ways to shed cards, what lies open on the table meanwhile, and a deal played to its end.

Rules: RULES.md 10. Where the sources leave a point open, the docstring says "our reading". One
reading holds for all variants: a seat that can play a card must, or "until nobody can" would have
no meaning.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from pochboard.cards.card import ABOVE, CARDS, HEIGHT, Card, Dealt
from pochboard.errors import CardError
from pochboard.rules.commands import RANKS
from pochboard.rules.ruleset import Ruleset
from pochboard.text.lazy import lazy_gettext

HeldCards = Mapping[int, frozenset[Card]]
"""The cards that each seat still holds."""


class Tableau(msgspec.Struct, frozen=True, gc=False):
    """Everything that all players can see of the shedding."""

    seats: tuple[int, ...]
    """The live seats in the order of play, forehand first."""
    turned: Card | None
    """The card turned up that nobody holds; None if there is no such card."""
    to_play: int | None
    """The seat that plays next; None once a hand is empty."""
    run: tuple[Card, ...] = ()
    """The cards of this run, trick or count, in order; if empty, `to_play` leads."""
    players: tuple[int, ...] = ()
    """Who played each card of the run."""
    played: frozenset[Card] = frozenset()
    """Every card played in this deal, including those of the run."""
    hand_sizes: tuple[int, ...] = ()
    """How many cards each seat holds, in the order of `seats`."""

    @property
    def gone(self) -> frozenset[Card]:
        """The cards that everybody knows are in no hand: those played, and one turned up."""
        return self.played if self.turned is None else self.played | {self.turned}

    def after(self, seat: int) -> tuple[int, ...]:
        """All seats that follow this one in the order of play, the seat itself last."""
        cut = self.seats.index(seat) + 1
        return self.seats[cut:] + self.seats[:cut]


class SheddingVariant(ABC):
    """A way to shed cards, as a ruleset's `shedding` and `run_ends` choose it."""

    @abstractmethod
    def legal(self, tableau: Tableau, hand: frozenset[Card]) -> tuple[Card, ...]:
        """The cards of a hand that may be played now; none if the seat has to pass."""

    @abstractmethod
    def next_player(self, tableau: Tableau, hands: HeldCards) -> int | None:
        """Who must play next in this run, which may be the same seat; None if the run is over."""

    def run_winner(self, tableau: Tableau) -> int:
        """Who gets the run bonus of a run that is over, and leads the next one."""
        return tableau.players[-1]

    def _next_who_can(self, tableau: Tableau, hands: HeldCards) -> int | None:
        """The next seat with a legal card; after a whole round, the one that played last."""
        for seat in tableau.after(tableau.players[-1]):
            if self.legal(tableau, hands[seat]):
                return seat
        return None


class Sequence(SheddingVariant):
    """`sequence`, and its older name `domino`: the suit is continued card by card.

    The leader plays any card; whoever holds the next higher card of the suit must play it, even the
    same player. The run ends when nobody holds that card: it would be above the ace, is turned
    up, has been played, or is in the talon. Whoever played last leads any card (pagat; Pierer
    1844).
    """

    def legal(self, tableau: Tableau, hand: frozenset[Card]) -> tuple[Card, ...]:
        """Any card to lead, else the next higher one."""
        if not tableau.run:
            return tuple(hand)
        above = ABOVE.get(tableau.run[-1])
        return (above,) if above in hand else ()

    def next_player(self, tableau: Tableau, hands: HeldCards) -> int | None:
        """Whoever holds the next higher card."""
        above = ABOVE.get(tableau.run[-1])
        return next((seat for seat, hand in hands.items() if above in hand), None)


class Rising(SheddingVariant):
    """`rising`: each in turn plays a higher card of the suit, round after round.

    The leader plays any card; each player in turn plays any higher card of the suit, or nothing,
    until the ace is played or nobody can. Whoever played last leads (the banker's game).

    Our reading: if nobody else can play a higher card in a whole round, the player of the last card
    may continue alone.
    """

    def legal(self, tableau: Tableau, hand: frozenset[Card]) -> tuple[Card, ...]:
        """Any card to lead, else any higher one of the suit."""
        if not tableau.run:
            return tuple(hand)
        top = tableau.run[-1]
        suit, height = top[1], HEIGHT[top]
        return tuple([card for card in hand if card[1] == suit and HEIGHT[card] > height])

    def next_player(self, tableau: Tableau, hands: HeldCards) -> int | None:
        """The next in the order of play who holds a higher card."""
        return self._next_who_can(tableau, hands)


class Tricks(SheddingVariant):
    """`tricks`: players follow suit, or play nothing.

    The leader plays a card, and the others follow suit in turn if they can. The highest card wins
    the trick, and its player leads (von Alvensleben, 1853). No suit is trump here.

    Our reading: if the last card of a hand ends the deal in mid-trick, the highest card so far has
    won the trick.
    """

    def legal(self, tableau: Tableau, hand: frozenset[Card]) -> tuple[Card, ...]:
        """Any card to lead, else any of the suit."""
        if not tableau.run:
            return tuple(hand)
        suit = tableau.run[0][1]
        return tuple([card for card in hand if card[1] == suit])

    def next_player(self, tableau: Tableau, hands: HeldCards) -> int | None:
        """The next in the order of play who holds the suit, until it is the leader's turn again."""
        leader = tableau.players[0]
        for seat in tableau.after(tableau.players[-1]):
            if seat == leader:
                return None
            if self.legal(tableau, hands[seat]):
                return seat
        return None

    def run_winner(self, tableau: Tableau) -> int:
        """Who played the highest card."""
        highest = max(range(len(tableau.run)), key=lambda index: HEIGHT[tableau.run[index]])
        return tableau.players[highest]


MAX_COUNT: Final = 31
PIPS: Final = {
    card: {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(card[0]) or RANKS.index(card[0]) + 2
    for card in CARDS
}


class ThirtyOne(SheddingVariant):
    """`thirty-one` with `run_ends = "nobody-can"`: cards are added to a count of 31 at most.

    Each in turn adds a card: court cards count 10, an ace 1, the others their pips. The count is
    over at 31, or when nobody can add a card. Whoever played last leads a new count (the eight-pool
    game to 31).

    Our reading: the turn passes over players who cannot add a card, in the end to the one who
    played last.
    """

    def legal(self, tableau: Tableau, hand: frozenset[Card]) -> tuple[Card, ...]:
        """Any card that does not take the count above 31."""
        room = MAX_COUNT - sum([PIPS[card] for card in tableau.run])
        return tuple([card for card in hand if PIPS[card] <= room])

    def next_player(self, tableau: Tableau, hands: HeldCards) -> int | None:
        """The next in the order of play who can add a card."""
        return self._next_who_can(tableau, hands)


class ThirtyOneNextCannot(ThirtyOne):
    """`thirty-one` with `run_ends = "next-cannot"`: over as soon as the next player cannot add.

    Our reading: the next player is the next live seat, so nobody continues alone.
    """

    def next_player(self, tableau: Tableau, hands: HeldCards) -> int | None:
        """The next in the order of play, if it can add a card."""
        seat = tableau.after(tableau.players[-1])[0]
        return seat if self.legal(tableau, hands[seat]) else None


_VARIANTS: Final[Mapping[str, SheddingVariant]] = {
    "sequence": Sequence(),
    "domino": Sequence(),
    "rising": Rising(),
    "tricks": Tricks(),
}
_THIRTY_ONE: Final[Mapping[str, SheddingVariant]] = {
    "nobody-can": ThirtyOne(),
    "next-cannot": ThirtyOneNextCannot(),
}


def variant_of(rules: Ruleset) -> SheddingVariant:
    """How cards are shed by this ruleset."""
    return _VARIANTS.get(rules.shedding) or _THIRTY_ONE[rules.run_ends]


class Shedding(msgspec.Struct, frozen=True, gc=False):
    """The shedding at one moment. `play_card` returns the next state."""

    variant: SheddingVariant
    tableau: Tableau
    hands: HeldCards
    run_winner: int | None = None
    """Who won the run that the last card ended; None during a run."""
    run_winners: tuple[int, ...] = ()
    """Who won each run that is over, in order."""

    @property
    def winner(self) -> int | None:
        """The seat that has played its last card; that ends the shedding at once."""
        tableau = self.tableau
        return tableau.players[-1] if tableau.to_play is None else None

    def legal(self) -> tuple[Card, ...]:
        """The cards that the seat to play may play; never empty before the end."""
        tableau = self.tableau
        if tableau.to_play is None:
            return ()
        return self.variant.legal(tableau, self.hands[tableau.to_play])

    def cards_left(self, winner: int) -> dict[int, int]:
        """How many cards each seat but the winner holds, for the command `settle`."""
        return {seat: len(hand) for seat, hand in self.hands.items() if seat != winner}


def begin_shedding(rules: Ruleset, dealt: Dealt, leader: int) -> Shedding:
    """The shedding of the hands as dealt; the leader plays first."""
    hands = dealt.hands
    tableau = Tableau(
        seats=tuple(hands),
        turned=None if rules.turned_is_held else dealt.turned,
        to_play=leader,
        hand_sizes=tuple([len(hand) for hand in hands.values()]),
    )
    held = {seat: frozenset(hand) for seat, hand in hands.items()}
    return Shedding(variant_of(rules), tableau, held)


def play_card(game: Shedding, card: Card) -> Shedding:
    """The seat to play plays a card. Raises CardError if it may not, or does not hold the card."""
    tableau, variant = game.tableau, game.variant
    seat = tableau.to_play
    if seat is None:
        raise CardError(lazy_gettext("The last card of this deal has been played"))
    hand = game.hands[seat]
    if card not in hand:
        raise CardError(lazy_gettext("{card} is not in this hand", card=card))
    if card not in variant.legal(tableau, hand):
        raise CardError(lazy_gettext("{card} may not be played now", card=card))
    hand -= {card}
    hands = {**game.hands, seat: hand}
    hand_sizes = list(tableau.hand_sizes)
    hand_sizes[tableau.seats.index(seat)] -= 1
    tableau = Tableau(
        tableau.seats,
        tableau.turned,
        None,
        (*tableau.run, card),
        (*tableau.players, seat),
        tableau.played | {card},
        tuple(hand_sizes),
    )
    if not hand:
        winner = variant.run_winner(tableau)
        return Shedding(variant, tableau, hands, winner, (*game.run_winners, winner))
    next_player = variant.next_player(tableau, hands)
    if next_player is not None:
        tableau = replace(tableau, to_play=next_player)
        return Shedding(variant, tableau, hands, None, game.run_winners)
    winner = variant.run_winner(tableau)
    tableau = replace(tableau, to_play=winner, run=(), players=())
    return Shedding(variant, tableau, hands, winner, (*game.run_winners, winner))
