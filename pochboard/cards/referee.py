"""The referee: settles by the cards what people argue about, and says why in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from pochboard.cards.card import HEIGHT, Card, Names, rank_name, rank_plural, suit_name
from pochboard.cards.hands import (
    HandValue,
    Run,
    best_run,
    hand_value,
    rank_hands,
    run_value,
    sequence_winner,
)
from pochboard.rules.moves import listed
from pochboard.rules.pots import pots, return_unmatched
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State

Hands = Mapping[int, Collection[Card]]
"""The cards shown, by seat."""

SeatNames = Callable[[int], str]
"""What a seat is called."""


class Ranking(msgspec.Struct, frozen=True):
    """Who wins a showdown."""

    ranking: tuple[tuple[int, ...], ...]
    """Seats, best first, as the command `showdown` takes them; several in one item tie."""
    why: str


class SequenceHolder(msgspec.Struct, frozen=True):
    """Who takes the sequence pool."""

    seat: int | None
    """None if nobody qualifies."""
    why: str


def seat_label(seat: int) -> str:
    """What a seat is called if its player has no name."""
    return f"seat {seat}"


def showdown(
    hands: Hands,
    rules: Ruleset,
    trump: str | None,
    *,
    name_of: SeatNames = seat_label,
    names: Names = "english",
) -> Ranking:
    """Ranks the hands shown (RULES.md 6 and 10); empty if nobody has shown a hand that counts."""
    ranking = rank_hands(hands, trump, high_card=rules.high_card)
    if not ranking:
        return Ranking((), "Nobody has shown a set, so the chips stay where they are.")
    values = {seat: hand_value(tuple(cards), trump) for seat, cards in hands.items()}
    return Ranking(tuple(ranking), _why_ranked(ranking, values, _Words(name_of, names)))


def settle_showdown(
    state: State, hands: Hands, trump: str | None, *, names: Names = "english"
) -> Ranking:
    """Ranks the hands of the seats still in so that every pot is decided.

    Our reading: if nobody with a set is eligible for a pot, those who are eligible split it; they
    follow in the ranking as a tie. Seats that show nothing may be left out of `hands`; the cards of
    seats that have passed are ignored.
    """
    hands = {seat: hands[seat] for seat in state.still_in if seat in hands}
    found = showdown(hands, state.rules, trump, name_of=state.name_of, names=names)
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
    why = _why_split(split, state, _Words(state.name_of, names))
    return Ranking((*found.ranking, split), f"{found.why} {why}")


def sequence(
    hands: Hands,
    rules: Ruleset,
    trump: str | None,
    *,
    name_of: SeatNames = seat_label,
    names: Names = "english",
) -> SequenceHolder:
    """Who takes the sequence pool by the ruleset (RULES.md 2 and 10).

    `hands` are in the order of play from forehand, which decides between equal runs.
    """
    winner = sequence_winner(hands, trump, rules.sequence)
    if winner is None:
        return SequenceHolder(None, _why_nobody(rules.sequence))
    seat, run = winner
    others = {
        other: found
        for other, cards in hands.items()
        if other != seat and (found := best_run(cards, trump, rules.sequence))
    }
    words = _Words(name_of, names)
    return SequenceHolder(seat, _why_this_run(seat, run, others, trump, rules.sequence, words))


# Sentences


def hand_in_words(cards: Collection[Card], trump: str | None, *, names: Names = "english") -> str:
    """What a hand shows: `three queens`, `a pair of kings with the trump`, `an ace and no set`."""
    value, words = hand_value(tuple(cards), trump), _Words(seat_label, names)
    if value.count or not value.heights:
        return words.hand(value) + (" with the trump" if value.trump else "")
    return f"{words.high_card(value.heights[0])} and no set"


_RANK_AT: Final = {height: card[0] for card, height in HEIGHT.items()}


class _Words:
    """How a sentence names seats and cards."""

    def __init__(self, name_of: SeatNames, names: Names) -> None:
        self.name_of = name_of
        self.names = names

    def seats(self, seats: Iterable[int]) -> str:
        return listed(map(self.name_of, seats))

    def sentence(self, text: str) -> str:
        """Begins with a capital letter, but leaves a player's name as it was entered."""
        first = text[:1].upper() if self.name_of is seat_label else text[:1]
        return f"{first}{text[1:]}."

    def hand(self, value: HandValue) -> str:
        if not value.count:
            return "no set" if value.heights else "nothing"
        number = {2: "a pair of", 3: "three", 4: "four"}[value.count]
        return f"{number} {rank_plural(value.rank, self.names)}"

    def high_card(self, height: int) -> str:
        name = rank_name(_RANK_AT[height], self.names)
        return f"{'an' if name[0] in 'aAOU8' else 'a'} {name}"

    def run(self, run: Run, trump: str | None) -> str:
        suit = suit_name(run.suit, self.names)
        ranks = " ".join(rank_name(card[0], self.names) for card in run.cards)
        cards = f"{ranks} of {suit}" if self.names == "english" else f"{suit} {ranks}"
        return f"{cards}, the trump suit" if run.suit == trump else cards


def _why_ranked(
    ranking: Sequence[tuple[int, ...]], values: Mapping[int, HandValue], words: _Words
) -> str:
    first = ranking[0]
    best = values[first[0]]
    if len(first) > 1:
        if best.count:
            return words.sentence(f"{words.seats(first)} tie with {words.hand(best)} each")
        return f"Nobody has a set; {words.seats(first)} tie, their cards being equally high."
    winner = words.name_of(first[0])
    rest = [seat for seat in values if seat != first[0]]
    runner_up = ranking[1] if len(ranking) > 1 else ()
    if runner_up:
        return _why_better_than(runner_up, winner, best, values[runner_up[0]], words)
    if not best.count:
        high = words.high_card(best.heights[0])
        return words.sentence(f"{winner} has no set, but {high}, and nobody else shows a hand")
    if not rest:
        return words.sentence(f"{winner} shows {words.hand(best)}")
    has = "have" if len(rest) > 1 else "has"
    return words.sentence(
        f"{winner} wins with {words.hand(best)}; {words.seats(rest)} {has} no set"
    )


def _why_better_than(
    others: tuple[int, ...], winner: str, best: HandValue, second: HandValue, words: _Words
) -> str:
    """Why one hand beats the hands that come next, which are equal."""
    loser = words.seats(others)
    has = "have" if len(others) > 1 else "has"
    if not best.count:
        return f"Nobody has a set; {_why_higher(best, second, winner, loser, words)}."
    if best.count == second.count == 2 and best.height == second.height:
        return words.sentence(
            f"{winner} and {loser} have {words.hand(best)} each;"
            f" {winner}'s holds the {rank_name(best.rank, words.names)} of trumps"
        )
    return words.sentence(
        f"{winner} wins with {words.hand(best)}; {loser} {has} {words.hand(second)}"
    )


def _why_higher(best: HandValue, second: HandValue, winner: str, loser: str, words: _Words) -> str:
    """The highest card in which two hands without a set differ."""
    for depth, height in enumerate(best.heights):
        if depth == len(second.heights):
            return f"{winner} has a card more than {loser}, all others being equal"
        if height != second.heights[depth]:
            than = words.high_card(second.heights[depth])
            after = "next after equal cards " if depth else ""
            return f"{after}{winner} has {words.high_card(height)}, {loser} {than}"
    raise AssertionError("equal hands tie")


def _why_split(seats: tuple[int, ...], state: State, words: _Words) -> str:
    lacking = "a hand" if state.rules.high_card else "a set"
    return (
        f"{words.seats(seats)} share what only they are in for: none of them has shown {lacking}."
    )


def _why_nobody(sequence_rule: str) -> str:
    needed = (
        "7 8 9 of trumps in one hand"
        if sequence_rule == "trump-789"
        else "three cards of a suit in a row"
    )
    return f"Nobody holds {needed}, so the chips stay where they are."


def _why_this_run(
    seat: int,
    run: Run,
    others: Mapping[int, Run],
    trump: str | None,
    sequence_rule: str,
    words: _Words,
) -> str:
    held = f"{words.name_of(seat)} holds {words.run(run, trump)}"
    if not others:
        return words.sentence(held)
    rival = max(others, key=lambda other: run_value(others[other], trump, sequence_rule))
    second = others[rival]
    theirs = f"{words.name_of(rival)} has {words.run(second, trump)}"
    why = words.sentence(f"{held}; {theirs}: {_why_better(run, second, trump, sequence_rule)}")
    # Every rule with runs to compare prefers trumps at some point.
    warning = " No trump suit is named, so none is preferred." if trump is None else ""
    return why + warning


def _why_better(run: Run, other: Run, trump: str | None, sequence_rule: str) -> str:
    """The first criterion in which the better of two runs differs."""
    if run_value(run, trump, sequence_rule) == run_value(other, trump, sequence_rule):
        return "equal runs, and the first seat from forehand on takes it"
    differs = {
        "longer": run.length != other.length and sequence_rule == "longest-run",
        "higher": run.top != other.top,
        "trump": (run.suit == trump) != (other.suit == trump),
    }
    order = (
        ("trump", "higher")
        if sequence_rule == "best-run-trump-first"
        else ("longer", "higher", "trump")
    )
    said = {"longer": "longer wins", "higher": "higher wins", "trump": "trumps win"}
    return next(said[thing] for thing in order if differs[thing])
