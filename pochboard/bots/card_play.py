"""Which card a bot plays, for each way of shedding (docs/BOTS.md 3)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from random import Random
from typing import Final

from pochboard.bots.strategy import Strategy, View
from pochboard.cards.card import ABOVE, HEIGHT, Card, deck_of
from pochboard.cards.shedding import PIPS, Tableau, variant_of
from pochboard.rules.commands import RANKS

Legal = Collection[Card]


def choose_card(view: View, strategy: Strategy, chance: Random) -> Card:
    """The card that the seat to play plays. It is always legal."""
    tableau = view.tableau
    assert tableau is not None, "cards are played in the shedding only"
    rules = view.state.rules
    held = view.held
    legal = variant_of(rules).legal(tableau, held)
    if len(legal) == 1:
        return legal[0]
    if strategy.random:
        return chance.choice(sorted(legal))
    return _CHOOSERS[rules.shedding](view, tableau, legal)


_LEAD_AGAIN: Final = 4.0
"""What leading again is worth, in cards shed. Found by trial, like the next constant."""
_NEVER_CALLED: Final = 2.0
"""What shedding a card that no run will ever reach is worth."""


def _in_sequence(view: View, tableau: Tableau, legal: Legal) -> Card:
    """To lead: prefer a run that comes back to this seat, then one that sheds many cards.

    No run reaches a card whose lower neighbour is gone, so it has to be led some day.
    """
    gone = tableau.gone
    lowest = deck_of(view.state.deck)[0][0]
    unseen = view.state.deck - len(gone) - len(legal)
    # The chance that an unseen card is in another hand, and not in the talon.
    dealt = (sum(tableau.hand_sizes) - len(legal)) / unseen

    def merit(card: Card) -> tuple[float, int, Card]:
        # `reached`: the chance that the run gets this far. `returns`: the chance that it has
        # ended at a card of this seat.
        reached, sheds, returns, own = 1.0, 1.0, 0.0, True
        above = ABOVE.get(card)
        while above and above not in gone:
            if above in legal:
                sheds += reached
                own = True
            else:
                returns += reached * (1.0 - dealt) * own
                reached *= dealt
                own = False
            above = ABOVE.get(above)
        returns += reached * own
        below = _below(card, lowest)
        never_called = below is None or below in gone
        worth = _LEAD_AGAIN * returns + sheds + _NEVER_CALLED * never_called
        return worth, -HEIGHT[card], card

    starts = [card for card in legal if _below(card, lowest) not in legal]
    return max(starts, key=merit)


def _below(card: Card, lowest: str) -> Card | None:
    return None if card[0] == lowest else RANKS[RANKS.index(card[0]) - 1] + card[1]


def _higher_unseen(view: View, tableau: Tableau, card: Card) -> int:
    """How many higher cards of its suit other seats may hold."""
    gone = tableau.gone.union(view.hand)
    found, above = 0, ABOVE.get(card)
    while above:
        found += above not in gone
        above = ABOVE.get(above)
    return found


def _rising(view: View, tableau: Tableau, legal: Legal) -> Card:
    """To follow: the lowest. To lead: the lowest of the suit whose top card is hardest to beat.

    The turn goes round until nobody can play, so the top card may still come last.
    """
    if tableau.run:
        return min(legal, key=lambda card: (HEIGHT[card], card))
    tops: dict[str, Card] = {}
    for card in legal:
        top = tops.get(card[1])
        if top is None or HEIGHT[card] > HEIGHT[top]:
            tops[card[1]] = card
    beaten = {suit: _higher_unseen(view, tableau, top) for suit, top in tops.items()}
    return min(legal, key=lambda card: (beaten[card[1]], HEIGHT[card], card))


def _trick(view: View, tableau: Tableau, legal: Legal) -> Card:
    """To lead: the card that is hardest to beat; of several, the lowest.

    To follow: the lowest that is sure to win; else the highest, if it wins so far; else the lowest.
    """

    def beaten_by(card: Card) -> int:
        return _higher_unseen(view, tableau, card)

    if not tableau.run:
        return min(legal, key=lambda card: (beaten_by(card), HEIGHT[card], card))
    best = max(map(HEIGHT.__getitem__, tableau.run))
    winners = [card for card in legal if HEIGHT[card] > best]
    if not winners:
        return min(legal, key=lambda card: (HEIGHT[card], card))
    last = tableau.after(view.seat)[0] == tableau.players[0]
    sure = [card for card in winners if last or not beaten_by(card)]
    if sure:
        return min(sure, key=lambda card: (HEIGHT[card], card))
    return max(winners, key=lambda card: (HEIGHT[card], card))


def _thirty_one(_view: View, _tableau: Tableau, legal: Legal) -> Card:
    """The highest count that fits: it makes 31 if possible, and leaves others the least room."""
    return max(legal, key=lambda card: (PIPS[card], card))


_CHOOSERS: Final[Mapping[str, Callable[[View, Tableau, Legal], Card]]] = {
    "sequence": _in_sequence,
    "domino": _in_sequence,
    "rising": _rising,
    "tricks": _trick,
    "thirty-one": _thirty_one,
}
