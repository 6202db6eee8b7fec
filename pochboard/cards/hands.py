"""What a hand is worth: sets at the showdown, runs for the sequence pool, claims in the meld.

Sources of the rules: RULES.md 2 and 3, CARDS.md 3 to 5.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

import msgspec

from pochboard.cards.card import (
    BIT,
    HEIGHT,
    SUIT_BITS,
    SUIT_ORDER,
    Card,
    CardSet,
    card_set,
    cards_of,
)
from pochboard.rules.commands import RANKS, SUITS
from pochboard.rules.ruleset import MIN_RUN, RUN, Ruleset, concrete

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


def rank_hands(values: Mapping[int, HandValue], *, high_card: bool) -> tuple[tuple[int, ...], ...]:
    """Ranks seats by what their hands are worth, best first; equal hands share an item.

    Without `high_card` hands without a set are left out.
    """
    tied: dict[HandValue, list[int]] = {}
    for seat, value in values.items():
        if value.count or (high_card and value.others):
            tied.setdefault(value, []).append(seat)
    return tuple([tuple(sorted(tied[value])) for value in sorted(tied, reverse=True)])


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
