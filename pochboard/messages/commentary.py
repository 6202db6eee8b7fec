"""The commentary on the cards at a table of bots, in sentences."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import msgspec

from pochboard.cards.card import ABOVE, BIT, Card
from pochboard.cards.shedding import MAX_COUNT, Tableau
from pochboard.messages.labels import card_phrase, suit_phrase
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State
from pochboard.text.translator import Translator

BetWhy = Literal[
    "chance",
    "bluff",
    "no-bluff",
    "alone",
    "alone-without-set",
    "needs-set",
    "cannot-win",
    "too-dear",
    "random",
]


class BetReason(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Why a computer player stakes or passes."""

    why: BetWhy
    """`chance`: by the chance to win. `bluff` and `no-bluff`: the hand alone is not worth it.
    `alone`: all others have passed. `needs-set`: the rules forbid it. `cannot-win`: without a set.
    `too-dear`: it cannot match the stakes."""
    stakes: bool = False
    """Whether it stakes."""
    chips: int = 0
    """What it stakes; if it passes, what it considered staking."""
    need: int = 0
    """What it lacked to stay in; 0 before the first stake."""
    prize: int = 0
    """The chips that were to be won."""
    chance: float = 0.0
    """The chance to win them with the stake."""
    raiser: int | None = None
    """The seat that had knocked or raised last."""


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
    """Who continues after a run that somebody else ended."""
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
    if BIT[above] & tableau.played:
        return t.gettext("The {card} has been played.", card=named)
    if above == tableau.turned:
        return t.gettext("The {card} is turned up.", card=named)
    return t.gettext("The {card} is in the talon.", card=named)


def why_bet(state: State, seat: int, reason: BetReason, hand: str, t: Translator) -> str:
    """Why a computer player staked or passed in this state; `hand` is what it held.

    It gives the hand away, so say it only when all cards are known.
    """
    name = state.name_of(seat)
    match reason.why:
        case "chance":
            return _why_by_chance(state, name, reason, hand, t)
        case "bluff":
            return t.gettext(
                "{name} bluffed with {hand}, hoping that everybody else would pass.",
                name=name,
                hand=hand,
            )
        case "no-bluff":
            return t.gettext("{name} passed with {hand}, and did not bluff.", name=name, hand=hand)
        case "alone":
            return t.gettext("{name} knocked because all others had passed.", name=name)
        case "alone-without-set":
            return t.gettext("{name} had no set and left the pool as it was.", name=name)
        case "needs-set":
            return t.gettext("{name} passed: only a hand with a set may stake.", name=name)
        case "cannot-win":
            return t.gettext("{name} passed: without a set nothing can be won.", name=name)
        case "too-dear":
            return t.gettext("{name} passed: the stack was too small to stay in.", name=name)
        case "random":
            return t.gettext("{name} bets at random.", name=name)


def _why_by_chance(state: State, name: str, reason: BetReason, hand: str, t: Translator) -> str:
    places: dict[str, object] = {
        "name": name,
        "hand": hand,
        "prize": reason.prize,
        "percent": round(100 * reason.chance),
    }
    if reason.stakes and not reason.need:
        return t.gettext(
            "{name} knocked with {hand}: the chance to win was about {percent}%.", **places
        )
    if reason.stakes and reason.chips > reason.need:
        return t.gettext(
            "{name} raised with {hand}: the chance to win {prize} was about {percent}%.", **places
        )
    if reason.stakes:
        return t.ngettext(
            "{name} held with {hand}: {count} chip could win {prize},"
            " with a chance of about {percent}%.",
            "{name} held with {hand}: {count} chips could win {prize},"
            " with a chance of about {percent}%.",
            reason.chips,
            **places,
        )
    if reason.need and reason.raiser is not None:
        return t.ngettext(
            "{name} passed with {hand}: {count} chip could win {prize},"
            " but after {raiser}’s stake the chance was only about {percent}%.",
            "{name} passed with {hand}: {count} chips could win {prize},"
            " but after {raiser}’s stake the chance was only about {percent}%.",
            reason.chips,
            raiser=state.name_of(reason.raiser),
            **places,
        )
    if not reason.prize:
        return t.gettext("{name} passed with {hand}: the pool was empty.", **places)
    return t.ngettext(
        "{name} passed with {hand}: {count} chip would have won {prize}"
        " only about {percent}% of the time.",
        "{name} passed with {hand}: {count} chips would have won {prize}"
        " only about {percent}% of the time.",
        reason.chips,
        **places,
    )
