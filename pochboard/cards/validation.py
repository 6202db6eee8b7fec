"""Validation of cards that people enter; an error is one sentence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from pochboard.cards.card import Card, deck_of
from pochboard.errors import CardError
from pochboard.rules.ruleset import LEAST_LIVE, Ruleset
from pochboard.text.lazy import LazyText, lazy_gettext
from pochboard.text.names import suit_name

SeatNames = Callable[[int], str]
"""What a seat is called."""


def seat_label(seat: int) -> str:
    """What a seat is called if its player has no name."""
    return lazy_gettext("seat {seat}", seat=seat)


def check_cards(
    hands: Mapping[int, Collection[Card]],
    rules: Ruleset,
    *,
    turned: Card | None = None,
    live: int | None = None,
    name_of: SeatNames = seat_label,
) -> None:
    """Raises CardError unless these hands can be held at a table of `live` seats, or of any size.

    A hand may be shown in part.
    """
    cards = _distinct_cards(hands, None if rules.turned_is_held else turned, name_of)
    if turned is not None:
        cards.setdefault(turned, lazy_gettext("turned up"))
    sizes = _table_sizes(rules, len(hands), live)
    deck = max(map(rules.deck_for, sizes))
    for card in cards:
        if card not in deck_of(deck):
            raise CardError(
                lazy_gettext("{card} is not in the deck of {deck} cards", card=card, deck=deck)
            )
    fitting = [
        count for count in sizes if all(card in deck_of(rules.deck_for(count)) for card in cards)
    ]
    _check_hand_sizes(hands, [rules.hand_sizes(count) for count in fitting], name_of)


def _distinct_cards(
    hands: Mapping[int, Collection[Card]], unheld: Card | None, name_of: SeatNames
) -> dict[Card, str]:
    """All cards entered, each with its location. Raises CardError if one appears twice.

    `unheld` is the card turned up, if nobody holds it.
    """
    seen: dict[Card, str] = {} if unheld is None else {unheld: lazy_gettext("turned up")}
    for seat, hand in hands.items():
        here = lazy_gettext("with {name}", name=name_of(seat))
        own: dict[Card, str] = {}
        for card in hand:
            if card in own:
                raise CardError(lazy_gettext("{card} appears twice {here}", card=card, here=here))
            if card in seen:
                raise CardError(
                    lazy_gettext(
                        "{card} appears twice: {seen} and {here}",
                        card=card,
                        seen=seen[card],
                        here=here,
                    )
                )
            own[card] = here
        seen.update(own)
    return seen


def _table_sizes(rules: Ruleset, hands: int, live: int | None) -> range:
    """The possible numbers of live seats if this many show their cards."""
    most = rules.players[1]
    if live is None:
        if hands > most:
            raise CardError(
                lazy_gettext("{hands} hands are too many for {name}", hands=hands, name=rules.name)
            )
        return range(max(LEAST_LIVE, hands), most + 1)
    if not LEAST_LIVE <= live <= most:
        raise CardError(
            lazy_gettext(
                "{name} is for {least} to {most} players, not {count}",
                name=rules.name,
                least=LEAST_LIVE,
                most=most,
                count=live,
            )
        )
    if hands > live:
        raise CardError(
            lazy_gettext("{hands} hands are too many for {live} players", hands=hands, live=live)
        )
    return range(live, live + 1)


def _check_hand_sizes(
    hands: Mapping[int, Collection[Card]], dealt: Collection[tuple[int, ...]], name_of: SeatNames
) -> None:
    """Raises CardError unless one of these deals has hands this large; `dealt` is largest first."""
    most = max(sizes[0] for sizes in dealt)
    for seat, hand in hands.items():
        if len(hand) > most:
            raise CardError(
                lazy_gettext(
                    "{name} cannot hold {count} cards: nobody is dealt more than {most}",
                    name=name_of(seat),
                    count=len(hand),
                    most=most,
                )
            )
    held = sorted(map(len, hands.values()), reverse=True)
    if not any(all(map(int.__le__, held, sizes)) for sizes in dealt):
        raise CardError(
            lazy_gettext(
                "no deal has hands of {sizes} cards together", sizes=", ".join(map(str, held))
            )
        )


def check_trump(rules: Ruleset, trump: str | None, turned: Card | None) -> str | None:
    """The trump suit: the ruleset's, else that of the card turned up, else the one named.

    Raises CardError if two of them differ, or if a card is turned up although the suit is fixed.
    """
    if (fixed := rules.fixed_trump) is not None:
        if turned is not None:
            raise CardError(
                lazy_gettext(
                    "no card is turned up in {name}, where {suit} are always trumps",
                    name=rules.name,
                    suit=LazyText(suit_name(fixed)),
                )
            )
        if trump not in (None, fixed):
            raise CardError(
                lazy_gettext(
                    "{suit} are always trumps in {name}, not {other}",
                    suit=LazyText(suit_name(fixed)),
                    name=rules.name,
                    other=LazyText(suit_name(trump)),
                )
            )
        return fixed
    if turned is None:
        return trump
    if trump not in (None, turned[1]):
        raise CardError(
            lazy_gettext(
                "{turned} is turned up, so {suit} are trumps, not {other}",
                turned=turned,
                suit=LazyText(suit_name(turned[1])),
                other=LazyText(suit_name(trump)),
            )
        )
    return turned[1]
