"""What a hand is worth: sets at the showdown, runs for the sequence pool, claims in the meld.

The referee checks the cards that people enter, and settles by them who wins. Its verdicts are data;
`pochboard.messages.verdicts` puts them in words. Sources: RULES.md 2 and 3, CARDS.md 3 to 5.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

import msgspec
from msgspec.structs import replace

from pochboard.cards.card import (
    BIT,
    HEIGHT,
    SUIT_BITS,
    SUIT_ORDER,
    Card,
    CardSet,
    card_set,
    cards_of,
    deck_of,
)
from pochboard.errors import card_error
from pochboard.rules.betting import pots, return_unmatched
from pochboard.rules.commands import RANKS, SUITS
from pochboard.rules.ruleset import LEAST_LIVE, MIN_RUN, RUN, Ruleset, concrete
from pochboard.rules.state import State
from pochboard.text.lazy import LazyText, lazy_gettext
from pochboard.text.names import suit_name

# The showdown


class HandValue(msgspec.Struct, frozen=True, order=True):
    """What a hand is worth at a showdown. The greater value wins; equal values tie.

    Only the best set counts: of two pairs the higher, of three and a pair the three. Only pairs
    can be equal, so `suit` and `others` never decide between larger sets.
    """

    count: int
    """Cards in the set: 4, 3 or 2; 0 without a set."""
    height: int
    """The height of the set, 2 to 14; 0 without a set."""
    suit: int
    """What the suits of a pair are worth between equal pairs; 0 if they do not count.

    With `tie_break = "trump"`, 1 if the pair holds the card of the trump suit. With `suits`, the
    higher suit of the pair, from 4 for clubs down to 1 for diamonds.
    """
    others: tuple[int, ...]
    """The heights of the cards outside the set, highest first, if they count; else empty.

    They count in a hand without a set and, with `tie_break = "side-cards"`, in a hand with a pair.
    """

    @property
    def rank(self) -> str:
        """The rank of the set."""
        return RANKS[self.height - 2]


_SUIT: Final = (1 << SUIT_BITS) - 1


def at_least(cards: CardSet) -> tuple[int, int, int, int]:
    """The ranks of which a set has at least 1, 2, 3 and 4 cards: a bit for each height."""
    clubs, diamonds = cards & _SUIT, cards >> SUIT_BITS & _SUIT
    hearts, spades = cards >> 2 * SUIT_BITS & _SUIT, cards >> 3 * SUIT_BITS
    minor, major = clubs ^ diamonds, hearts ^ spades
    both_minor, both_major = clubs & diamonds, hearts & spades
    return (
        clubs | diamonds | hearts | spades,
        both_minor | both_major | (minor & major),
        (both_minor & (hearts | spades)) | (both_major & (clubs | diamonds)),
        both_minor & both_major,
    )


def best_set(cards: CardSet) -> tuple[int, int]:
    """The number of cards and the height of a hand's best set; zeros without a set."""
    _, two, three, four = at_least(cards)
    if not two:
        return 0, 0
    count, ranks = (4, four) if four else (3, three) if three else (2, two)
    return count, ranks.bit_length() - 1


def has_set(cards: CardSet) -> bool:
    """Whether a hand has two cards of one rank."""
    return at_least(cards)[1] > 0


def hand_value(cards: Collection[Card], rules: Ruleset, trump: str | None) -> HandValue:
    """What a hand is worth at a showdown (RULES.md 2, `tie_break`).

    Without a trump suit, `tie_break = "trump"` leaves equal pairs tied.
    """
    count, height = best_set(card_set(cards))
    if count > 2:
        return HandValue(count, height, 0, ())
    if not count:
        return HandValue(0, 0, 0, _heights(cards))
    match rules.tie_break:
        case "trump":
            holds_trump = trump is not None and RANKS[height - 2] + trump in cards
            return HandValue(2, height, int(holds_trump), ())
        case "side-cards":
            side_cards = _heights([card for card in cards if HEIGHT[card] != height])
            return HandValue(2, height, 0, side_cards)
        case "suits":
            suits = [card[1] for card in cards if HEIGHT[card] == height]
            best = min(map(SUIT_ORDER.index, suits))
            return HandValue(2, height, len(SUIT_ORDER) - best, ())
        case _:
            assert rules.tie_break == "split", rules.tie_break
            return HandValue(2, height, 0, ())


def _heights(cards: Iterable[Card]) -> tuple[int, ...]:
    return tuple(sorted([HEIGHT[card] for card in cards], reverse=True))


# Sequences


class Run(msgspec.Struct, frozen=True):
    """Consecutive cards of a suit in one hand, at full length."""

    suit: str
    length: int
    top: int
    """The height of its highest card."""

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards, lowest first."""
        return tuple(
            RANKS[height - 2] + self.suit
            for height in range(self.top - self.length + 1, self.top + 1)
        )


def find_runs(cards: Iterable[Card]) -> Iterator[Run]:
    """Every run of three cards or more in a hand, each at its full length."""
    held = card_set(cards)
    for place, suit in enumerate(SUITS):
        heights = held >> SUIT_BITS * place & _SUIT
        while heights:
            # The highest run: from its top down to the first card that is missing.
            top = heights.bit_length() - 1
            bottom = (~heights & (1 << top) - 1).bit_length()
            if top - bottom + 1 >= MIN_RUN:
                yield Run(suit, top - bottom + 1, top)
            heights &= (1 << bottom) - 1


def best_run(cards: Iterable[Card], trump: str | None, rules: Ruleset) -> Run | None:
    """The best run of a hand for the sequence pool of a ruleset, if any qualifies."""
    needed = rules.cards_of_pools.get(RUN)
    if needed:
        wanted = concrete(needed, trump)
        top = max(wanted, key=lambda card: RANKS.index(card[0]))
        holds_all = wanted.issubset(cards)
        return Run(top[1], len(wanted), RANKS.index(top[0]) + 2) if holds_all else None
    runs = find_runs(cards)
    return max(runs, key=lambda run: run_value(run, trump, rules), default=None)


def run_value(run: Run, trump: str | None, rules: Ruleset) -> tuple[int, ...]:
    """What a run is worth for the sequence pool. The greater value wins.

    Between equal runs the order of play decides; only one hand can hold given cards.
    """
    is_trump = int(run.suit == trump)
    match rules.sequence:
        case "best-run-trump-first":
            return (is_trump, run.top)
        case "best-run-height-first":
            return (run.top, is_trump)
        case _:
            return (run.length, run.top, is_trump)


# Claims


def hand_claims(hand: CardSet, trump: str | None, rules: Ruleset) -> tuple[str, ...]:
    """The meld pools that a hand may claim, sequence and marriage before the single cards.

    The pools of the single cards are included, although a marriage or a sequence takes them too.
    Blocked pools need no check: no hand can hold the cards of a pool that the turned card blocks.
    Another hand may have a better run for `sequence`, which the referee decides.
    """
    pools = _won_by(hand & _winning_cards(trump, rules), trump, rules)
    # Most hands have no three cards in a row, which is quick to see.
    row = hand & hand << 1 & hand << 2
    if row and rules.cards_of_pools.get(RUN) == () and best_run(cards_of(hand), trump, rules):
        return (RUN, *pools)
    return pools


@lru_cache(maxsize=256)
def _winning_cards(trump: str | None, rules: Ruleset) -> CardSet:
    """The cards that win a pool alone or with others."""
    needed = {card for cards in rules.cards_of_pools.values() for card in concrete(cards, trump)}
    return card_set(needed & BIT.keys())


@lru_cache(maxsize=8192)
def _won_by(cards: CardSet, trump: str | None, rules: Ruleset) -> tuple[str, ...]:
    """The pools that these winning cards take, those that need most cards first."""
    held = frozenset(cards_of(cards))
    pools = [
        pool
        for pool, needed in rules.cards_of_pools.items()
        if needed and concrete(needed, trump) <= held
    ]
    return tuple(sorted(pools, key=rules.cards_shown, reverse=True))


def cards_for_claim(
    pool: str, hand: Collection[Card], trump: str | None, rules: Ruleset
) -> tuple[Card, ...]:
    """The cards that a hand shows to claim a pool; empty if it does not hold them."""
    if pool == RUN:
        run = best_run(hand, trump, rules)
        return run.cards if run else ()
    cards = concrete(rules.cards_of_pools[pool], trump)
    return tuple(sorted(cards)) if cards.issubset(hand) else ()


# The referee

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
    without_set = [seat for seat, value in values.items() if value.others and not value.count]
    tied: dict[HandValue, list[int]] = {}
    for seat, value in values.items():
        if value.count or (rules.high_card and value.others):
            tied.setdefault(value, []).append(seat)
    ranking = tuple([tuple(sorted(tied[value])) for value in sorted(tied, reverse=True)])
    return Ranking(ranking, values, tuple(without_set) if rules.bet_needs_set else ())


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
    """The seat that takes the sequence pool under the ruleset (RULES.md 2, CARDS.md 4).

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
    if live is not None and hands > live:
        raise card_error("{hands} hands are too many for {live} players", hands=hands, live=live)
    if hands > most:
        raise card_error("{hands} hands are too many for {name}", hands=hands, name=rules.name)
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
    if known is None or trump in (None, known):
        return known or trump
    suit, other = LazyText(suit_name(known)), LazyText(suit_name(trump))
    if turned is None:
        raise card_error(
            "{suit} are always trumps in {name}, not {other}",
            suit=suit,
            name=rules.name,
            other=other,
        )
    raise card_error(
        "{turned} is turned up, so {suit} are trumps, not {other}",
        turned=turned,
        suit=suit,
        other=other,
    )
