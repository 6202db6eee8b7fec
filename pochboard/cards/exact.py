"""The exact chance that a meld pool is won in a deal, counted from the cards (docs/SIMULATE.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import comb, perm, prod
from typing import Final

from pochboard.cards.card import deck_of
from pochboard.rules.ruleset import Ruleset, concrete

MOST_WORK: Final = 40_000
"""The most distributions of a suit over the hands that are counted in reasonable time."""


@cache
def chances(rules: Ruleset, live: int) -> Mapping[str, Fraction]:
    """The chance that each meld pool is won in a deal of `live` seats, if all claim all they may.

    It is 0 for a pool that is not anted, because an empty pool is never won. The sequence pool is
    missing where any run of three wins it and the hands are too many or too large to count.
    """
    by_pool = {pool: sum(each, Fraction(0)) for pool, each in hand_chances(rules, live).items()}
    for pool in rules.meld_pools:
        hands = rules.hand_sizes(live)
        if pool not in by_pool and can_be_counted(hands):
            by_pool[pool] = 1 - no_run(hands, rules.deck_for(live))
    return by_pool


@cache
def hand_chances(rules: Ruleset, live: int) -> Mapping[str, tuple[Fraction, ...]]:
    """The chance of each seat to win each meld pool in a deal, forehand's first.

    The sequence pool is missing where any run of three wins it: a tie between two runs would have
    to be counted.
    """
    return {
        pool: _in_each_hand(cards, rules, live)
        if pool in rules.antes(live)
        else (Fraction(0),) * live
        for pool, cards in rules.cards_of_pools.items()
        if cards or pool not in rules.antes(live)
    }


def expected(rules: Ruleset, deals: Mapping[int, int]) -> dict[str, float]:
    """The mean chance of each pool over deals, given as number of deals by number of live seats.

    A pool is missing if its chance could not be counted for each of them.
    """
    total = sum(deals.values())
    by_live = {live: chances(rules, live) for live in deals}
    return {
        pool: float(sum(deals[live] * by_live[live][pool] for live in deals) / total)
        for pool in rules.meld_pools
        if all(pool in of_live for of_live in by_live.values())
    }


def _in_each_hand(cards: tuple[str, ...], rules: Ruleset, live: int) -> tuple[Fraction, ...]:
    """The chance of each hand, forehand's first, to hold these cards of a pool.

    A hand is a number of places in the shuffled deck. Each card of the deck is turned up with the
    same chance; the others lie in the other places. If it is one of the pool's, the pool is won
    only if it is in a hand, or if it is the only one and the dealer takes it.
    """
    deck, hands = rules.deck_for(live), rules.hand_sizes(live)
    if not rules.turns_a_card:
        needed = len(concrete(cards, rules.fixed_trump))
        return tuple(Fraction(perm(hand, needed), perm(deck, needed)) for hand in hands)
    total = [Fraction(0)] * live
    holder = rules.deal_order(live)[-1] if rules.turned_is_held else None
    for turned in deck_of(deck):
        wanted = concrete(cards, turned[1])
        others = len(wanted - {turned})
        for seat, hand in enumerate(hands):
            if turned not in wanted or seat == holder:
                left = hand - (seat == holder)
                total[seat] += Fraction(perm(left, others), perm(deck - 1, others))
            elif rules.turned_card == "dealer" and not others and seat == live - 1:
                total[seat] += 1
    return tuple(chance / deck for chance in total)


# Runs of three in any suit. From the lowest card up, each card of a suit goes to a hand or to
# nobody, never three in a row to the same hand. The number of ways depends on how many cards each
# hand gets, not on which hand that is. The count covers the ways of four suits that fill all hands.

Counts = tuple[int, ...]
"""How many cards of a suit, or of two suits, each hand holds."""


def can_be_counted(hands: Sequence[int]) -> bool:
    """Whether hands of these sizes are few and small enough."""
    return prod(size + 1 for size in hands) <= MOST_WORK


@cache
def no_run(hands: Counts, deck: int) -> Fraction:
    """The chance that no hand holds three consecutive cards of a suit.

    A card turned up makes no difference: it is in a hand like any other, or in none, like those of
    the talon.
    """
    ranks = deck // 4
    suit = _suit(len(hands), ranks)

    @cache
    def two_suits(counts: Counts) -> int:
        """The ways to deal two suits so that the hands get these counts."""
        return sum(
            [
                suit.get(_sorted(part), 0) * suit.get(_sorted(rest), 0)
                for part, rest in _splits(counts)
            ]
        )

    most = 2 * ranks
    runless = sum(
        two_suits(_sorted(part)) * two_suits(_sorted(rest))
        for part, rest in _splits(hands)
        if sum(part) <= most and sum(rest) <= most
    )
    deals, left = 1, deck
    for size in hands:
        deals *= comb(left, size)
        left -= size
    return Fraction(runless, deals)


def _splits(counts: Counts) -> Iterator[tuple[Counts, Counts]]:
    """Every way to split what each hand holds in two."""
    for part in product(*[range(count + 1) for count in counts]):
        yield part, tuple([count - some for count, some in zip(counts, part, strict=True)])


def _sorted(counts: Counts) -> Counts:
    return tuple(sorted(counts))


def _suit(hands: int, ranks: int) -> Mapping[Counts, int]:
    """The number of ways to deal a suit so that the hands get these counts, sorted by size.

    Hands are interchangeable, so three values describe a state: how many consecutive cards the hand
    that got the last card has (0 if nobody got it), how many cards it holds, and the sorted counts
    of the other hands.
    """
    # Nobody got the card before the first: (0, 0, all hands).
    states: Counter[tuple[int, int, Counts]] = Counter({(0, 0, (0,) * hands): 1})
    for _ in range(ranks):
        following: Counter[tuple[int, int, Counts]] = Counter()
        for (row, own, others), ways in states.items():
            everybody = _sorted((*others, own)) if row else others
            following[0, 0, everybody] += ways
            if row == 1:
                following[2, own + 1, others] += ways
            for held, times in Counter(others).items():
                rest = list(others)
                rest.remove(held)
                left = _sorted((*rest, own)) if row else tuple(rest)
                following[1, held + 1, left] += ways * times
        states = following
    found: Counter[Counts] = Counter()
    for (row, own, others), ways in states.items():
        found[_sorted((*others, own)) if row else others] += ways
    # Of all ways to deal these counts, keep those in which each hand gets a given one.
    return {counts: ways // _orders(counts) for counts, ways in found.items()}


@cache
def _orders(counts: Counts) -> int:
    """The number of distinct orders of these counts."""
    return len(set(permutations(counts)))
