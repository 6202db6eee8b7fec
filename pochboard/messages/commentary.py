"""The commentary on the cards at a table of bots, in sentences."""

from __future__ import annotations

from collections.abc import Collection

from pochboard.cards.card import ABOVE, Card
from pochboard.cards.shedding_variants import MAX_COUNT, Tableau
from pochboard.messages.labels import card_phrase, suit_phrase
from pochboard.messages.translator import Translator
from pochboard.rules.ruleset import Ruleset


def cards_dealt_again(t: Translator) -> str:
    """After a misdeal."""
    return t.gettext("The cards are dealt again.")


def trump_suit(suit: str, t: Translator) -> str:
    """Which suit is trumps."""
    return t.gettext("The trump suit is {suit}.", suit=suit_phrase(suit, t))


def turned_card_is_kept(name: str, t: Translator) -> str:
    """Who holds the card turned up, where it is the last one dealt."""
    return t.gettext("{name} keeps it in hand.", name=name)


def cards_shown(cards: Collection[Card], t: Translator) -> str:
    """The cards that a claim shows. There must be at least one."""
    named = t.listed(t.gettext("the {card}", card=card_phrase(card, t)) for card in cards)
    return t.gettext("On show: {cards}.", cards=named)


def card_played(name: str, card: Card, t: Translator, *, leads: bool) -> str:
    """A card that leads or continues a run."""
    if leads:
        return t.gettext("{name} leads the {card}.", name=name, card=card_phrase(card, t))
    return t.gettext("{name} plays the {card}.", name=name, card=card_phrase(card, t))


def last_card(t: Translator) -> str:
    """After the last card of a hand."""
    return t.gettext("That was the last card!")


def takes_run(name: str, t: Translator) -> str:
    """Who goes on after a run that somebody else ended."""
    return t.gettext("{name} takes it and leads.", name=name)


def why_run_is_over(card: Card, rules: Ruleset, tableau: Tableau, count: int, t: Translator) -> str:
    """Why nobody plays after a card. `count` is the sum of the run, if the rules count it."""
    above = ABOVE.get(card)
    if rules.shedding == "thirty-one":
        if count == MAX_COUNT:
            return t.gettext("That makes {number}.", number=count)
        return t.gettext("Nobody adds to {number}.", number=count)
    if above is None and rules.shedding != "tricks":
        return t.gettext("The ace ends it.")
    if above is None or rules.shedding in ("tricks", "rising"):
        return t.gettext("Nobody can follow.")
    named = card_phrase(above, t)
    if above in tableau.played:
        return t.gettext("The {card} has been played.", card=named)
    if above == tableau.turned:
        return t.gettext("The {card} is turned up.", card=named)
    return t.gettext("The {card} is in the talon.", card=named)
