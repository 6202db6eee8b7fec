"""How likely it is that nobody is dealt a run of three, counted from the cards.

A suit's cards go, from the lowest up, to one of the hands or to nobody, never three in a row to
one hand. How many ways there are depends only on how many cards each hand gets, whichever hand
that is; the ways of four suits that fill all hands are what is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import comb, prod
from typing import Final

Counts = tuple[int, ...]
"""How many cards of a suit, or of two, each hand holds."""

MOST_WORK: Final = 10_000
"""Deals with more ways to part a suit between the hands take too long to count."""


def can_be_counted(hands: Sequence[int]) -> bool:
    """Whether hands of these sizes are few and small enough."""
    return prod(size + 1 for size in hands) <= MOST_WORK


@cache
def no_run(hands: Counts, ranks: int) -> Fraction:
    """The chance that no hand holds three consecutive cards of a suit.

    One card of the deck is turned up and nobody's; what is not dealt is nobody's either.
    """
    whole = _suit(len(hands), ranks, None)
    cut: Counter[Counts] = Counter()
    for turned in range(ranks):
        cut.update(_suit(len(hands), ranks, turned))

    @cache
    def two(counts: Counts, other: bool) -> int:
        """Ways of two suits, of which the other may be the one that lacks the card turned up."""
        second = cut if other else whole
        return sum(
            [
                whole.get(_sorted(part), 0) * second.get(_sorted(rest), 0)
                for part, rest in _parted(counts)
            ]
        )

    most = 2 * ranks
    runless = sum(
        two(_sorted(part), False) * two(_sorted(rest), True)
        for part, rest in _parted(hands)
        if sum(part) <= most and sum(rest) < most
    )
    deals, left = 1, 4 * ranks - 1
    for size in hands:
        deals *= comb(left, size)
        left -= size
    return Fraction(runless, ranks * deals)


def _parted(counts: Counts) -> Iterator[tuple[Counts, Counts]]:
    """Every way to part what each hand holds in two."""
    for part in product(*[range(count + 1) for count in counts]):
        yield part, tuple([count - some for count, some in zip(counts, part, strict=True)])


def _sorted(counts: Counts) -> Counts:
    return tuple(sorted(counts))


def _suit(hands: int, ranks: int, turned: int | None) -> Mapping[Counts, int]:
    """In how many ways a suit's cards go to hands that get these counts, given in order of size.

    Hands are alike, so a state is what the hand that got the card before holds, whether it got
    the one before that too, and what the others hold in order of size.
    """
    # Nobody got the card before: (0, 0, all hands).
    states: Counter[tuple[int, int, Counts]] = Counter({(0, 0, (0,) * hands): 1})
    for rank in range(ranks):
        following: Counter[tuple[int, int, Counts]] = Counter()
        for (row, own, others), ways in states.items():
            everybody = _sorted((*others, own)) if row else others
            following[0, 0, everybody] += ways
            if rank == turned:
                continue
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
    # Of all ways to hand out these counts, those in which each hand gets a certain one.
    return {counts: ways // _orders(counts) for counts, ways in found.items()}


@cache
def _orders(counts: Counts) -> int:
    """In how many orders these counts can stand."""
    return len(set(permutations(counts)))
