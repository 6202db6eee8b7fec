"""Which card to lay: simple good sense for each way of shedding (docs/HOUSE.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from random import Random
from typing import Final

from pochboard.cards.card import ABOVE, HEIGHT, RANKS, Card, deck_of
from pochboard.cards.shedding_variants import PIPS, Tableau, variant_of
from pochboard.players.temper import Temper
from pochboard.players.view import View

Legal = Collection[Card]


def choose_card(view: View, temper: Temper, chance: Random) -> Card:
    """The card that the seat to play lays. It is always legal."""
    tableau = view.tableau
    assert tableau is not None, "cards are laid in the shedding"
    rules = view.state.rules
    held = view.held
    legal = variant_of(rules).legal(tableau, held)
    if len(legal) == 1:
        return legal[0]
    if temper.at_random:
        return chance.choice(sorted(legal))
    return _SENSE[rules.shedding](view, tableau, legal)


def _in_sequence(view: View, tableau: Tableau, legal: Legal) -> Card:
    """To lead: where the run comes back to oneself, else where one sheds the most cards.

    A card whose lower neighbour is gone will never be called for and has to be led some day.
    """
    dead = {*tableau.played, tableau.turned}
    lowest = deck_of(view.state.deck)[0][0]
    unseen = view.state.deck - len(dead) - len(legal)
    # The chance that a card which one does not see is in a hand, and not in the talon.
    dealt = (sum(tableau.hand_sizes) - len(legal)) / unseen

    def merit(card: Card) -> tuple[float, int, Card]:
        reached, sheds, returns, own = 1.0, 1.0, 0.0, True
        above = ABOVE.get(card)
        while above and above not in dead:
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
        never_called = below is None or below in dead
        return _LEAD * returns + sheds + _RID * never_called, -HEIGHT[card], card

    starts = [card for card in legal if _below(card, lowest) not in legal]
    return max(starts, key=merit)


_LEAD: Final = 4.0
"""Cards that leading again is worth; found by trying, as the next."""
_RID: Final = 2.0
"""Cards that it is worth to be rid of one that nobody will ever call for."""


def _below(card: Card, lowest: str) -> Card | None:
    return None if card[0] == lowest else RANKS[RANKS.index(card[0]) - 1] + card[1]


def _higher_unseen(view: View, tableau: Tableau, card: Card) -> int:
    """How many higher cards of its suit others may hold."""
    gone = {*tableau.played, *view.hand, tableau.turned}
    found, above = 0, ABOVE.get(card)
    while above:
        found += above not in gone
        above = ABOVE.get(above)
    return found


def _rising(view: View, tableau: Tableau, legal: Legal) -> Card:
    """The lowest that will do; to lead, of the suit whose top card fewest can beat.

    The turn goes round and round, so that the top card may still come last.
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
    """To lead: what fewest can beat, of equals the lowest, the hardest to get rid of.

    To follow: the lowest sure winner, else the highest if it wins so far, else the lowest.
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
    """The heaviest card that fits: it leaves others the least room, and makes 31 if one can."""
    return max(legal, key=lambda card: (PIPS[card], card))


_SENSE: Final[Mapping[str, Callable[[View, Tableau, Legal], Card]]] = {
    "sequence": _in_sequence,
    "domino": _in_sequence,
    "rising": _rising,
    "tricks": _trick,
    "thirty-one": _thirty_one,
}
