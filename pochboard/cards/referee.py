"""The referee: settles by the cards who wins a showdown and who takes the sequence pool.

Its verdicts are data; `pochboard.messages.verdicts` puts them in words.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec
from msgspec.structs import replace

from pochboard.cards.card import Card
from pochboard.cards.hands import (
    HandValue,
    Run,
    best_run,
    hand_value,
    rank_hands,
    run_value,
    sequence_winner,
)
from pochboard.rules.pots import pots, return_unmatched
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State

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
    found = showdown(hands, state.rules, trump)
    if not found.ranking:
        return found
    ranked = {seat for tied in found.ranking for seat in tied}
    undecided: set[int] = set()
    for _, eligible in pots(return_unmatched(state)):
        if len(eligible) > 1 and not ranked.intersection(eligible):
            undecided.update(eligible)
    if not undecided:
        return found
    split = tuple(sorted(undecided))
    return replace(found, ranking=(*found.ranking, split), split=split)


def sequence(hands: ShownCards, rules: Ruleset, trump: str | None) -> SequenceHolder:
    """Who takes the sequence pool by the ruleset (RULES.md 2, CARDS.md 4).

    `hands` are in the order of play from forehand, which decides between equal runs.
    """
    winner = sequence_winner(hands, trump, rules.sequence)
    if winner is None:
        return SequenceHolder()
    seat, run = winner
    others = [
        (other, found)
        for other, cards in hands.items()
        if other != seat and (found := best_run(cards, trump, rules.sequence))
    ]
    rival = max(others, key=lambda other: run_value(other[1], trump, rules.sequence), default=None)
    return SequenceHolder(seat, run, rival)
