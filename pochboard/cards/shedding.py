"""The five ways to shed cards, what lies open on the table meanwhile, and a deal played to its end.

Rules: RULES.md 10. Where the sources leave a point open, a comment says "our reading". One
reading holds for all variants: a seat that can play a card must, or "until nobody can" would have
no meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from pochboard.cards.card import (
    BIT,
    CARDS,
    EVERY_CARD,
    HIGHER,
    SAME_SUIT,
    Card,
    CardSet,
    Dealt,
    card_set,
    cards_of,
)
from pochboard.errors import card_error
from pochboard.rules.commands import RANKS
from pochboard.rules.ruleset import Ruleset

HeldCards = Mapping[int, CardSet]
"""The cards that each seat still holds, in the order of play from forehand."""


class Tableau(msgspec.Struct, frozen=True, gc=False):
    """Everything that all players can see of the shedding."""

    seats: tuple[int, ...]
    """The live seats in the order of play, forehand first."""
    turned: Card | None
    """The card turned up that nobody holds; None if there is no such card."""
    to_play: int | None
    """The seat that plays next; None once a hand is empty."""
    run: tuple[CardSet, ...] = ()
    """The cards of this run, trick or count, one by one in order; if empty, `to_play` leads."""
    players: tuple[int, ...] = ()
    """Who played each card of the run."""
    played: CardSet = 0
    """Every card played in this deal, including those of the run."""
    hand_sizes: tuple[int, ...] = ()
    """How many cards each seat holds, in the order of `seats`."""

    @property
    def gone(self) -> CardSet:
        """The cards that everybody knows are in no hand: those played, and one turned up."""
        return self.played if self.turned is None else self.played | BIT[self.turned]


class SheddingVariant(NamedTuple):
    """A way to shed cards, as a ruleset's `shedding` and `run_ends` choose it."""

    following: Callable[[Sequence[CardSet]], CardSet]
    """The cards that may be played after those of a run. To lead, any card may be played."""
    asked: Callable[[tuple[int, ...], int], tuple[int, ...]] = lambda after, _leader: after
    """The seats that may continue a run: the first that can, must.

    They are chosen from all seats that follow the one that played last, and that seat at the end.
    """
    run_winner: Callable[[Sequence[CardSet], Sequence[int]], int] = lambda _, players: players[-1]
    """Who gets the run bonus of a run that is over, and leads the next one."""


# The leader plays any card; whoever holds the next higher card of the suit must play it, even the
# same player. The run ends when nobody holds that card: it would be above the ace, is turned up,
# has been played, or is in the talon. Whoever played last leads any card (pagat; Pierer 1844).
_SEQUENCE: Final = SheddingVariant(lambda run: run[-1] << 1 & EVERY_CARD)

# The leader plays any card; each player in turn plays any higher card of the suit, or nothing,
# until the ace is played or nobody can. Whoever played last leads (the banker's game).
# Our reading: if nobody else can play a higher card in a whole round, the player of the last card
# may continue alone.
_RISING: Final = SheddingVariant(lambda run: HIGHER[run[-1]])

# The leader plays a card, and the others follow suit in turn if they can. The highest card wins the
# trick, and its player leads (von Alvensleben, 1853). No suit is trump here.
# Our reading: if the last card of a hand ends the deal in mid-trick, the highest card so far has
# won the trick.
_TRICKS: Final = SheddingVariant(
    lambda run: SAME_SUIT[run[0]],
    asked=lambda after, leader: after[: after.index(leader)],
    run_winner=lambda run, players: players[run.index(max(run))],
)

MAX_COUNT: Final = 31
PIPS: Final = {
    card: {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(card[0]) or RANKS.index(card[0]) + 2
    for card in CARDS
}
_PIPS_OF: Final = {BIT[card]: pips for card, pips in PIPS.items()}
_FITTING: Final = tuple(
    card_set(card for card, pips in PIPS.items() if pips <= room) for room in range(MAX_COUNT + 1)
)
"""By the room that is left, the cards that fit."""

# Each in turn adds a card to a count of 31 at most: court cards count 10, an ace 1, the others
# their pips. The count is over at 31, or when nobody can add a card. Whoever played last leads a
# new count (the eight-pool game to 31).
# Our reading: the turn passes over players who cannot add a card, in the end to the one who played
# last. With `run_ends = "next-cannot"` the count is over as soon as the next live seat cannot add,
# so nobody continues alone.
_THIRTY_ONE: Final = SheddingVariant(
    lambda run: _FITTING[MAX_COUNT - sum(map(_PIPS_OF.__getitem__, run))]
)
_NEXT_CANNOT: Final = _THIRTY_ONE._replace(asked=lambda after, _: after[:1])

_VARIANTS: Final[Mapping[str, SheddingVariant]] = {
    "sequence": _SEQUENCE,
    "domino": _SEQUENCE,
    "rising": _RISING,
    "tricks": _TRICKS,
    "thirty-one": _THIRTY_ONE,
}


def variant_of(rules: Ruleset) -> SheddingVariant:
    """How cards are shed by this ruleset."""
    variant = _VARIANTS[rules.shedding]
    next_cannot = variant is _THIRTY_ONE and rules.run_ends == "next-cannot"
    return _NEXT_CANNOT if next_cannot else variant


class Shedding(msgspec.Struct, frozen=True, gc=False):
    """The shedding at one moment. `play_card` returns the next state."""

    variant: SheddingVariant
    tableau: Tableau
    hands: HeldCards
    may_follow: CardSet = EVERY_CARD
    """The cards that may be played now, whoever holds them."""
    run_winner: int | None = None
    """Who won the run that the last card ended; None during a run."""
    run_winners: tuple[int, ...] = ()
    """Who won each run that is over, in order."""

    @property
    def winner(self) -> int | None:
        """The seat that has played its last card; that ends the shedding at once."""
        tableau = self.tableau
        return tableau.players[-1] if tableau.to_play is None else None

    @property
    def choices(self) -> CardSet:
        """The cards that the seat to play may play; never empty before the end."""
        seat = self.tableau.to_play
        return 0 if seat is None else self.hands[seat] & self.may_follow

    def legal(self) -> tuple[Card, ...]:
        """The same cards one by one."""
        return cards_of(self.choices)

    def cards_left(self, winner: int) -> dict[int, int]:
        """How many cards each seat but the winner holds, for the command `settle`."""
        return {seat: hand.bit_count() for seat, hand in self.hands.items() if seat != winner}


def begin_shedding(rules: Ruleset, dealt: Dealt, leader: int) -> Shedding:
    """The shedding of the hands as dealt; the leader plays first."""
    hands = {seat: card_set(hand) for seat, hand in dealt.hands.items()}
    tableau = Tableau(
        seats=tuple(hands),
        turned=None if rules.turned_is_held else dealt.turned,
        to_play=leader,
        hand_sizes=tuple([hand.bit_count() for hand in hands.values()]),
    )
    return Shedding(variant_of(rules), tableau, hands)


def play_card(game: Shedding, card: Card) -> Shedding:
    """The seat to play plays a card. Raises CardError if it may not, or does not hold the card."""
    variant, tableau = game.variant, game.tableau
    seat, played = tableau.to_play, BIT.get(card, 0)
    if seat is None:
        raise card_error("The last card of this deal has been played")
    if not played & game.hands[seat]:
        raise card_error("{card} is not in this hand", card=card)
    if not played & game.choices:
        raise card_error("{card} may not be played now", card=card)
    hands = {**game.hands, seat: game.hands[seat] ^ played}
    run, players = (*tableau.run, played), (*tableau.players, seat)
    may_follow, to_play, winner = variant.following(run), None, None
    if hands[seat]:
        asked = variant.asked(_followers(tableau.seats)[seat], players[0])
        to_play = next((other for other in asked if hands[other] & may_follow), None)
    if to_play is None:
        winner = variant.run_winner(run, players)
        if hands[seat]:
            to_play, run, players, may_follow = winner, (), (), EVERY_CARD
    now = Tableau(
        seats=tableau.seats,
        turned=tableau.turned,
        to_play=to_play,
        run=run,
        players=players,
        played=tableau.played | played,
        hand_sizes=tuple([hand.bit_count() for hand in hands.values()]),
    )
    winners = game.run_winners if winner is None else (*game.run_winners, winner)
    return Shedding(variant, now, hands, may_follow, winner, winners)


@lru_cache(maxsize=256)
def _followers(seats: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
    """By seat all seats that follow it in the order of play, the seat itself last."""
    return {seat: seats[place:] + seats[:place] for place, seat in enumerate(seats, start=1)}
