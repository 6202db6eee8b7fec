"""Which card to lay: simple good sense for each way of shedding (docs/HOUSE.md)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from random import Random
from typing import Final

from pochboard.cards.card import ABOVE, HEIGHT, RANKS, Card, deck_of
from pochboard.cards.shedding.game import way_of
from pochboard.cards.shedding.layout import Layout
from pochboard.cards.shedding.thirty_one import MOST, PIPS, count
from pochboard.players.temper import Temper
from pochboard.players.view import View

Legal = Collection[Card]


def choose_card(view: View, temper: Temper, chance: Random) -> Card:
    """The card that the seat to play lays. It is always legal."""
    layout = view.layout
    assert layout is not None, "cards are laid in the shedding"
    rules = view.state.rules
    held = view.held
    legal = way_of(rules).legal(layout, held)
    if len(legal) == 1:
        return legal[0]
    if temper.at_random:
        return chance.choice(sorted(legal))
    return _SENSE[rules.shedding](view, layout, legal)


def _in_sequence(view: View, layout: Layout, legal: Legal) -> Card:
    """To lead: a run of one's own that ends with oneself, else the longest run from its bottom.

    A card whose lower neighbour is gone will never be called for and has to be led some day.
    """
    dead = {*layout.laid, layout.turned}
    lowest = deck_of(view.state.deck)[0][0]

    def merit(card: Card) -> tuple[bool, int, int, Card]:
        length, above = 1, ABOVE.get(card)
        while above and above in legal:
            length += 1
            above = ABOVE.get(above)
        keeps_lead = above is None or above in dead
        below = _below(card, lowest)
        never_called = below is None or below in dead
        return keeps_lead, 2 * length + 3 * never_called, -HEIGHT[card], card

    starts = [card for card in legal if _below(card, lowest) not in legal]
    return max(starts, key=merit)


def _below(card: Card, lowest: str) -> Card | None:
    return None if card[0] == lowest else RANKS[RANKS.index(card[0]) - 1] + card[1]


def _higher_unseen(view: View, layout: Layout, card: Card) -> int:
    """How many higher cards of its suit others may hold."""
    gone = {*layout.laid, *view.hand, layout.turned}
    found, above = 0, ABOVE.get(card)
    while above:
        found += above not in gone
        above = ABOVE.get(above)
    return found


def _rising(view: View, layout: Layout, legal: Legal) -> Card:
    """To lead: what nobody can top, else what fewest can. To follow: the lowest that will do."""
    if layout.run:
        return min(legal, key=lambda card: (HEIGHT[card], card))
    return _hardest_to_beat(view, layout, legal)


def _hardest_to_beat(view: View, layout: Layout, legal: Legal) -> Card:
    """Led alone it keeps the lead; of equals the lowest, which is the hardest to get rid of."""
    return min(legal, key=lambda card: (_higher_unseen(view, layout, card), HEIGHT[card], card))


def _trick(view: View, layout: Layout, legal: Legal) -> Card:
    """To lead: what fewest can beat. To follow: the lowest sure winner, else the lowest."""
    if not layout.run:
        return _hardest_to_beat(view, layout, legal)
    best = max(map(HEIGHT.__getitem__, layout.run))
    winners = [
        card for card in legal if HEIGHT[card] > best and not _higher_unseen(view, layout, card)
    ]
    return min(winners or legal, key=lambda card: (HEIGHT[card], card))


def _thirty_one(_view: View, layout: Layout, legal: Legal) -> Card:
    """31 itself, else the heaviest card: it leaves others the least room."""
    room = MOST - count(layout)
    return max(legal, key=lambda card: (PIPS[card] == room, PIPS[card], card))


_SENSE: Final[Mapping[str, Callable[[View, Layout, Legal], Card]]] = {
    "sequence": _in_sequence,
    "domino": _in_sequence,
    "rising": _rising,
    "tricks": _trick,
    "thirty-one": _thirty_one,
}
