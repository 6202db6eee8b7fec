"""Checks on cards that people enter: each fault is one sentence."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pochboard.cards.card import Card, deck_of, suit_name
from pochboard.cards.referee import Call, seat_call
from pochboard.errors import CardError
from pochboard.rules.moves import listed
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

    A hand may be shown in part. Raises CardError with the first fault.
    """
    cards = _each_once(hands, turned, call)
    tables = _tables(rules, len(hands), live)
    deck = max(map(rules.deck_for, tables))
    for card in cards:
        if card not in deck_of(deck):
            raise CardError(f"{card} is not in the deck of {deck} cards")
    fitting = [
        count for count in tables if all(card in deck_of(rules.deck_for(count)) for card in cards)
    ]
    _check_sizes(hands, [rules.hand_sizes(count) for count in fitting], call)


def _each_once(
    hands: Mapping[int, Collection[Card]], turned: Card | None, call: Call
) -> Collection[Card]:
    """All cards named. Raises CardError if one is there twice."""
    seen: dict[Card, str] = {} if turned is None else {turned: "turned up"}
    for seat, hand in hands.items():
        here = f"with {call(seat)}"
        own: dict[Card, str] = {}
        for card in hand:
            if card in own:
                raise CardError(f"{card} is there twice {here}")
            if card in seen:
                raise CardError(f"{card} is there twice: {seen[card]} and {here}")
            own[card] = here
        seen.update(own)
    return seen


def _tables(rules: Ruleset, hands: int, live: int | None) -> range:
    """How many live seats there may be where so many show their cards."""
    most = rules.players[1]
    if live is None:
        if hands > most:
            raise CardError(f"{hands} hands are more than {rules.name} has players")
        return range(max(LEAST_LIVE, hands), most + 1)
    if not LEAST_LIVE <= live <= most:
        raise CardError(f"{rules.name} is played by {LEAST_LIVE} to {most}, not by {live}")
    if hands > live:
        raise CardError(f"{hands} hands are more than {live} players hold")
    return range(live, live + 1)


def _check_sizes(
    hands: Mapping[int, Collection[Card]], dealt: Collection[tuple[int, ...]], call: Call
) -> None:
    """Whether hands so large are dealt by one of these numbers of cards, the largest first."""
    most = max(sizes[0] for sizes in dealt)
    for seat, hand in hands.items():
        if len(hand) > most:
            raise CardError(
                f"{call(seat)} cannot hold {len(hand)} cards: nobody is dealt more than {most}"
            )
    held = sorted(map(len, hands.values()), reverse=True)
    if not any(all(map(int.__le__, held, sizes)) for sizes in dealt):
        raise CardError(f"{listed(map(str, held))} cards are not dealt together")


def check_trump(trump: str | None, turned: Card | None) -> str | None:
    """The trump suit, named or that of the card turned up. Raises CardError if they differ."""
    if turned is None:
        return trump
    if trump is not None and trump != turned[1]:
        raise CardError(
            f"{turned} is turned up, so {suit_name(turned[1])} are trumps, not {suit_name(trump)}"
        )
    return turned[1]
