"""The referee: checks the cards that people enter, and settles by them who wins.

Its verdicts are data; `pochboard.messages.verdicts` puts them in words. Cards that cannot be right
are an error of one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import msgspec
from msgspec.structs import replace

from pochboard.cards.card import Card, deck_of
from pochboard.cards.hands import (
    HandValue,
    Run,
    best_run,
    hand_value,
    rank_hands,
    run_value,
)
from pochboard.errors import card_error
from pochboard.rules.betting import pots, return_unmatched
from pochboard.rules.ruleset import LEAST_LIVE, Ruleset
from pochboard.rules.state import State
from pochboard.text.lazy import LazyText, lazy_gettext
from pochboard.text.names import suit_name

ShownCards = Mapping[int, Collection[Card]]
"""The cards shown, by seat."""


class Ranking(msgspec.Struct, frozen=True):
    """Who wins a showdown."""

    ranking: tuple[tuple[int, ...], ...] = ()
    """Seats, best first, as the command `showdown` takes them; several in one item tie."""
    values: dict[int, HandValue] = {}
    """What each hand that was shown is worth."""
    without_set: tuple[int, ...] = ()
    """Seats that have shown cards but no set, although a set is needed to stake."""
    split: tuple[int, ...] = ()
    """The last item of the ranking, if its seats showed nothing that counts but split a pot."""


class SequenceHolder(msgspec.Struct, frozen=True):
    """Who takes the sequence pool."""

    seat: int | None = None
    """None if nobody qualifies."""
    run: Run | None = None
    """Its run."""
    rival: tuple[int, Run] | None = None
    """The seat with the best run of the others, if there is one."""


def showdown(hands: ShownCards, rules: Ruleset, trump: str | None) -> Ranking:
    """Ranks the hands shown (CARDS.md 5); empty if nobody has shown a hand that counts."""
    values = {seat: hand_value(cards, rules, trump) for seat, cards in hands.items()}
    without_set: tuple[int, ...] = ()
    if rules.bet_needs_set:
        without_set = tuple(
            [seat for seat, value in values.items() if value.others and not value.count]
        )
    return Ranking(rank_hands(values, high_card=rules.high_card), values, without_set)


def settle_showdown(state: State, hands: ShownCards, trump: str | None) -> Ranking:
    """Ranks the hands of the seats still in so that every pot is decided.

    Our reading: if nobody with a set is eligible for a pot, those who are eligible split it; they
    follow in the ranking as a tie. Seats that show nothing may be left out of `hands`; the cards of
    seats that have passed are ignored.
    """
    hands = {seat: hands[seat] for seat in state.still_in if seat in hands}
    verdict = showdown(hands, state.rules, trump)
    if not verdict.ranking:
        return verdict
    ranked = {seat for tied in verdict.ranking for seat in tied}
    undecided: set[int] = set()
    for _, eligible in pots(return_unmatched(state)):
        if len(eligible) > 1 and not ranked.intersection(eligible):
            undecided.update(eligible)
    if not undecided:
        return verdict
    split = tuple(sorted(undecided))
    return replace(verdict, ranking=(*verdict.ranking, split), split=split)


def sequence(hands: ShownCards, rules: Ruleset, trump: str | None) -> SequenceHolder:
    """Who takes the sequence pool by the ruleset (RULES.md 2, CARDS.md 4).

    `hands` are in the order of play from forehand: of equal runs the first wins.
    """
    runs = [(seat, run) for seat, cards in hands.items() if (run := best_run(cards, trump, rules))]
    # Equal runs stay in order.
    runs.sort(key=lambda found: run_value(found[1], trump, rules), reverse=True)
    if not runs:
        return SequenceHolder()
    return SequenceHolder(*runs[0], runs[1] if len(runs) > 1 else None)


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
            raise card_error("{card} is not in the deck of {deck} cards", card=card, deck=deck)
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
                raise card_error("{card} appears twice {here}", card=card, here=here)
            if card in seen:
                raise card_error(
                    "{card} appears twice: {seen} and {here}", card=card, seen=seen[card], here=here
                )
            own[card] = here
        seen.update(own)
    return seen


def _table_sizes(rules: Ruleset, hands: int, live: int | None) -> range:
    """The possible numbers of live seats if this many show their cards."""
    most = rules.players[1]
    if live is not None and not LEAST_LIVE <= live <= most:
        raise card_error(
            "{name} is for {least} to {most} players, not {count}",
            name=rules.name,
            least=LEAST_LIVE,
            most=most,
            count=live,
        )
    if hands > (live or most):
        raise card_error(
            "{hands} hands are too many for {players} players", hands=hands, players=live or most
        )
    return range(live or max(LEAST_LIVE, hands), (live or most) + 1)


def _check_hand_sizes(
    hands: Mapping[int, Collection[Card]], dealt: Collection[tuple[int, ...]], name_of: SeatNames
) -> None:
    """Raises CardError unless one of these deals has hands this large; `dealt` is largest first."""
    most = max(sizes[0] for sizes in dealt)
    for seat, hand in hands.items():
        if len(hand) > most:
            raise card_error(
                "{name} cannot hold {count} cards: nobody is dealt more than {most}",
                name=name_of(seat),
                count=len(hand),
                most=most,
            )
    held = sorted(map(len, hands.values()), reverse=True)
    if not any(all(map(int.__le__, held, sizes)) for sizes in dealt):
        raise card_error(
            "no deal has hands of {sizes} cards together", sizes=", ".join(map(str, held))
        )


def check_trump(rules: Ruleset, trump: str | None, turned: Card | None) -> str | None:
    """The trump suit: the ruleset's, else that of the card turned up, else the one named.

    Raises CardError if two of them differ, or if a card is turned up although the suit is fixed.
    """
    fixed = rules.fixed_trump
    if fixed is not None and turned is not None:
        raise card_error(
            "no card is turned up in {name}, where {suit} are always trumps",
            name=rules.name,
            suit=LazyText(suit_name(fixed)),
        )
    known = rules.trump_suit(turned)
    if known is not None and trump not in (None, known):
        raise card_error(
            "{suit} are trumps, not {other}",
            suit=LazyText(suit_name(known)),
            other=LazyText(suit_name(trump)),
        )
    return known or trump
