"""Checks on cards that people enter: each fault is one sentence."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pochboard.cards.card import Card, deck_of, suit_name
from pochboard.cards.referee import Call, seat_call
from pochboard.errors import CardError
from pochboard.rules.ruleset import LEAST_LIVE, Ruleset


def check_cards(
    hands: Mapping[int, Collection[Card]],
    rules: Ruleset,
    *,
    turned: Card | None = None,
    live: int | None = None,
    call: Call = seat_call,
) -> None:
    """Whether these hands can be held at one table of so many live seats; by default any number.

    Raises CardError with the first fault.
    """
    seen: dict[Card, str] = {} if turned is None else {turned: "turned up"}
    for seat, hand in hands.items():
        for card in hand:
            if card in seen:
                where = seen[card]
                here = f"with {call(seat)}"
                raise CardError(
                    f"{card} is there twice: {where}"
                    + (f" and {here}" if where != here else ", named twice")
                )
            seen[card] = f"with {call(seat)}"
    tables = _tables(rules, len(hands)) if live is None else range(live, live + 1)
    if not tables:
        raise CardError(f"{len(hands)} hands are more than {rules.name} has players")
    decks = {rules.deck_for(count) for count in tables}
    for card in seen:
        if card not in deck_of(max(decks)):
            raise CardError(f"{card} is not in the deck of {max(decks)} cards")
    _check_sizes(hands, rules, tables, seen, call)


def _tables(rules: Ruleset, hands: int) -> range:
    """How many live seats there may be where so many show their cards."""
    return range(max(LEAST_LIVE, hands), max(rules.players[1], LEAST_LIVE) + 1)


def _check_sizes(
    hands: Mapping[int, Collection[Card]],
    rules: Ruleset,
    tables: range,
    cards: Collection[Card],
    call: Call,
) -> None:
    fitting = [
        count for count in tables if all(card in deck_of(rules.deck_for(count)) for card in cards)
    ]
    most = max(max(rules.hand_sizes(count)) for count in fitting)
    for seat, hand in hands.items():
        if len(hand) > most:
            raise CardError(
                f"{call(seat)} cannot hold {len(hand)} cards: nobody is dealt more than {most}"
            )


def check_trump(trump: str | None, turned: Card | None) -> str | None:
    """The trump suit, named or that of the card turned up. Raises CardError if they differ."""
    if turned is None:
        return trump
    if trump is not None and trump != turned[1]:
        raise CardError(
            f"{turned} is turned up, so {suit_name(turned[1])} are trumps, not {suit_name(trump)}"
        )
    return turned[1]
