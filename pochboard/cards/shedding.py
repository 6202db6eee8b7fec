"""The shedding of a deal: cards are played one by one until a hand is empty."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from pochboard.cards.card import Card
from pochboard.cards.dealing import Dealt
from pochboard.cards.shedding_variants import HeldCards, SheddingVariant, Tableau, variant_of
from pochboard.errors import CardError
from pochboard.rules.ruleset import Ruleset
from pochboard.text.lazy import lazy_gettext


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
