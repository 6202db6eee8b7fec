"""Which card a bot plays, for each way of shedding (docs/BOTS.md 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from pochboard.bots.betting import Strategy, View
from pochboard.cards.card import (
    ACES,
    BIT,
    CARD_OF,
    HIGHER,
    LOWEST,
    SAME_SUIT,
    Card,
    CardSet,
    cards_of,
    height_of,
    one_by_one,
)
from pochboard.cards.shedding import PIPS, Tableau, variant_of


def choose_card(view: View, strategy: Strategy, chance: Random) -> Card:
    """The card that the seat to play plays. It is always legal."""
    tableau = view.tableau
    assert tableau is not None, "cards are played in the shedding only"
    rules, legal = view.state.rules, view.held
    if tableau.run:
        legal &= variant_of(rules).following(tableau.run)
    if not legal & (legal - 1):
        return CARD_OF[legal]
    if strategy.random:
        return chance.choice(sorted(cards_of(legal)))
    return CARD_OF[_CHOOSERS[rules.shedding](view, tableau, legal)]


_LEAD_AGAIN: Final = 4.0
"""What leading again is worth, in cards shed. Found by trial, like the next constant."""
_NEVER_CALLED: Final = 2.0
"""What shedding a card that no run will ever reach is worth."""


def _in_sequence(view: View, tableau: Tableau, legal: CardSet) -> CardSet:
    """To lead: prefer a run that comes back to this seat, then one that sheds many cards.

    Of equally good cards the lowest is led, and of these the card of the last suit. No run reaches
    a card whose lower neighbour is gone, so it has to be led some day.
    """
    gone, deck, held = tableau.gone, view.state.deck, legal.bit_count()
    others, unseen = sum(tableau.hand_sizes) - held, deck - gone.bit_count() - held
    # The chance that an unseen card is in another hand, and not in the talon.
    dealt = others / unseen
    ends = gone | ACES << 1
    uncalled = gone | LOWEST[deck] >> 1
    best, most, lowest = 0, -1.0, 0
    for start in one_by_one(legal & ~(legal << 1)):
        above = start << 1
        # `reached`: the chance that the run gets this far. `sheds`: the cards of its own that the
        # seat gets rid of on average. `returns`: the chance that the run ends at one of them.
        reached, sheds, returns, own = 1.0, 1.0, 0.0, True
        while not above & ends:
            if above & legal:
                sheds += reached
                own = True
            else:
                returns += reached * (1.0 - dealt) * own
                reached *= dealt
                own = False
            above <<= 1
        returns += reached * own
        worth = _LEAD_AGAIN * returns + sheds
        if start >> 1 & uncalled:
            worth += _NEVER_CALLED
        height = height_of(start)
        if worth > most or (worth == most and height <= lowest):
            best, most, lowest = start, worth, height
    return best


def _hidden(view: View, tableau: Tableau) -> CardSet:
    """The complement of the cards that other seats cannot hold."""
    return ~(tableau.gone | view.held)


def _rising(view: View, tableau: Tableau, legal: CardSet) -> CardSet:
    """To follow: the lowest. To lead: the lowest of the suit whose top card is hardest to beat.

    The turn goes round until nobody can play, so the top card may still come last.
    """
    if tableau.run:
        return legal & -legal  # all are of one suit
    hidden = _hidden(view, tableau)

    def key(card: CardSet) -> tuple[int, int, CardSet]:
        top = 1 << (legal & SAME_SUIT[card]).bit_length() - 1
        return (HIGHER[top] & hidden).bit_count(), height_of(card), card

    return min(one_by_one(legal), key=key)


def _trick(view: View, tableau: Tableau, legal: CardSet) -> CardSet:
    """To lead: the card that is hardest to beat; of several, the lowest.

    To follow: the lowest that is sure to win; else the highest, if it wins so far; else the lowest.
    """
    hidden = _hidden(view, tableau)
    if not tableau.run:
        return min(
            one_by_one(legal),
            key=lambda card: ((HIGHER[card] & hidden).bit_count(), height_of(card), card),
        )
    winners = legal & HIGHER[max(tableau.run)]
    if not winners:
        return legal & -legal
    place = tableau.seats.index(view.seat) + 1
    following = tableau.seats[place % len(tableau.seats)]
    sure = winners
    if following != tableau.players[0]:
        # Not the last to play: whatever is hidden may come.
        sure &= -1 << (SAME_SUIT[winners & -winners] & hidden).bit_length()
    return sure & -sure if sure else 1 << winners.bit_length() - 1


_BY_COUNT: Final = {
    BIT[card]: place for place, card in enumerate(sorted(BIT, key=lambda card: (PIPS[card], card)))
}


def _thirty_one(_view: View, _tableau: Tableau, legal: CardSet) -> CardSet:
    """The highest count that fits: it makes 31 if possible, and leaves others the least room."""
    return max(one_by_one(legal), key=_BY_COUNT.__getitem__)


_CHOOSERS: Final[Mapping[str, Callable[[View, Tableau, CardSet], CardSet]]] = {
    "sequence": _in_sequence,
    "domino": _in_sequence,
    "rising": _rising,
    "tricks": _trick,
    "thirty-one": _thirty_one,
}
