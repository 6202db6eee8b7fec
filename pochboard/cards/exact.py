"""The exact chance that a meld pool is won in a deal, counted from the cards (docs/SIMULATE.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import comb, perm, prod
from typing import Final

from pochboard.rules.melding import RANK_POOLS
from pochboard.rules.ruleset import Ruleset

MOST_WORK: Final = 40_000
"""The most distributions of a suit over the hands that are counted in reasonable time."""
_SINGLE: Final = frozenset(RANK_POOLS.values())


@cache
def chances(rules: Ruleset, live: int) -> Mapping[str, Fraction]:
    """The chance that each meld pool is won in a deal of `live` seats, if all claim all they may.

    It is 0 for a pool that is not anted, because an empty pool is never won. The sequence pool is
    missing where any run of three wins it and the hands are too many or too large to count.
    """
    by_pool = {}
    for pool in rules.meld_pools:
        chance = _chance(pool, rules, live) if pool in rules.ante_pools else Fraction(0)
        if chance is not None:
            by_pool[pool] = chance
    return by_pool


@cache
def hand_chances(rules: Ruleset, live: int) -> Mapping[str, tuple[Fraction, ...]]:
    """The chance of each seat to win each meld pool in a deal, forehand's first.

    The sequence pool is missing where any run of three wins it: a tie between two runs would have
    to be counted.
    """
    by_pool = {}
    for pool in rules.meld_pools:
        if pool not in rules.ante_pools:
            by_pool[pool] = (Fraction(0),) * live
        elif pool in _SINGLE:
            ranks = rules.deck_for(live) // 4
            turned = Fraction(1, ranks) if rules.turned_card == "dealer" else Fraction(0)
            *others, dealer = _in_each_hand(1, rules, live)
            by_pool[pool] = (*others, dealer + turned)
        elif pool == "marriage":
            by_pool[pool] = _in_each_hand(2, rules, live)
        elif rules.sequence == "trump-789":
            by_pool[pool] = _in_each_hand(3, rules, live)
    return by_pool


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


def _chance(pool: str, rules: Ruleset, live: int) -> Fraction | None:
    if pool in _SINGLE:
        ranks = rules.deck_for(live) // 4
        turned = Fraction(1, ranks) if rules.turned_card == "dealer" else Fraction(0)
        return turned + _in_one_hand(1, rules, live)
    if pool == "sequence" and rules.sequence != "trump-789":
        hands = rules.hand_sizes(live)
        return 1 - no_run(hands, rules.deck_for(live)) if can_be_counted(hands) else None
    return _in_one_hand({"marriage": 2, "sequence": 3}[pool], rules, live)


def _in_one_hand(cards: int, rules: Ruleset, live: int) -> Fraction:
    """The chance that one hand holds all of `cards` given ranks of the trump suit."""
    return sum(_in_each_hand(cards, rules, live), Fraction(0))


def _in_each_hand(cards: int, rules: Ruleset, live: int) -> tuple[Fraction, ...]:
    """The chance of each hand, forehand's first, to hold all of `cards` given ranks of trumps.

    A hand is a number of places in the shuffled deck. A card turned up has each rank with the same
    chance, and the other cards of its suit lie in the other places. If it is one of the given
    ranks, it counts only if it is in a hand.
    """
    deck, hands = rules.deck_for(live), list(rules.hand_sizes(live))
    if not rules.turns_a_card:
        return tuple(Fraction(perm(hand, cards), perm(deck, cards)) for hand in hands)
    among_ranks, beside_turned, holder = Fraction(cards, deck // 4), Fraction(0), None
    if rules.turned_is_held:
        holder = rules.deal_order(live)[-1]
        hands[holder] -= 1
        beside_turned = Fraction(perm(hands[holder], cards - 1), perm(deck - 1, cards - 1))
    return tuple(
        (1 - among_ranks) * Fraction(perm(hand, cards), perm(deck - 1, cards))
        + (among_ranks * beside_turned if position == holder else 0)
        for position, hand in enumerate(hands)
    )


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
