"""Runs of consecutive cards of a suit, and which takes the sequence pool (RULES.md 2 and 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from pochboard.cards.card import HEIGHT, RANKS, SUITS, Card

LEAST: Final = 3
"""Cards in the shortest run that counts."""


class Run(msgspec.Struct, frozen=True):
    """Consecutive cards of a suit in one hand, as many as there are."""

    suit: str
    length: int
    top: int
    """The height of its highest card."""

    @property
    def cards(self) -> tuple[Card, ...]:
        """From the lowest up."""
        return tuple(
            RANKS[height - 2] + self.suit
            for height in range(self.top - self.length + 1, self.top + 1)
        )


def runs(cards: Iterable[Card]) -> Iterator[Run]:
    """Every run of three cards or more in a hand, whole."""
    held: dict[str, list[int]] = {suit: [] for suit in SUITS}
    for card in cards:
        held[card[1]].append(HEIGHT[card])
    for suit, heights in held.items():
        if len(heights) < LEAST:
            continue
        heights.sort()
        length = 1
        for height, above in zip(heights, [*heights[1:], 0], strict=True):
            if above == height + 1:
                length += 1
                continue
            if length >= LEAST:
                yield Run(suit, length, height)
            length = 1


def best_run(cards: Iterable[Card], trump: str | None, law: str) -> Run | None:
    """The run that a hand can show for the sequence pool by a ruleset's `sequence`, if any."""
    if law == "trump-789":
        hand = frozenset(cards)
        seven_eight_nine = trump is not None and all(rank + trump in hand for rank in "789")
        return Run(trump, 3, HEIGHT["9C"]) if trump and seven_eight_nine else None
    return max(runs(cards), key=lambda run: value(run, trump, law), default=None)


def value(run: Run, trump: str | None, law: str) -> tuple[int, ...]:
    """What a run is worth by a ruleset's `sequence`: greater beats less, equal ones go by seat."""
    is_trump = int(run.suit == trump)
    match law:
        case "trump-789":
            return ()
        case "best-run-trump-first":
            return (is_trump, run.top)
        case "best-run-height-first":
            return (run.top, is_trump)
        case _:
            assert law == "longest-run", law
            return (run.length, run.top, is_trump)


def best_hand(
    hands: Mapping[int, Iterable[Card]], trump: str | None, law: str
) -> tuple[int, Run] | None:
    """The seat whose run takes the sequence pool, and the run; None if nobody holds one.

    `hands` stand in the order of play from forehand: of equal runs the first wins.
    """
    found: tuple[int, Run] | None = None
    for seat, cards in hands.items():
        run = best_run(cards, trump, law)
        if run and (found is None or value(run, trump, law) > value(found[1], trump, law)):
            found = seat, run
    return found
