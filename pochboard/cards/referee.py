"""The referee: settles by the cards what people argue about, and says why in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec

from pochboard.cards.card import HEIGHT, Card, Names, rank_name, rank_plural, suit_name
from pochboard.cards.runs import Run, best_hand, best_run, value
from pochboard.cards.sets import Shown, rank_hands, worth
from pochboard.rules.moves import listed
from pochboard.rules.pots import pots, return_unmatched
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State

Hands = Mapping[int, Collection[Card]]
"""The cards shown, by seat."""

Call = Callable[[int], str]
"""What a seat is called."""


class Ranking(msgspec.Struct, frozen=True):
    """Who wins a showdown."""

    ranking: tuple[tuple[int, ...], ...]
    """Seats, best first, as the command `showdown` takes them; more than one is a tie."""
    why: str


class Holder(msgspec.Struct, frozen=True):
    """Who takes the sequence pool."""

    seat: int | None
    """None where nobody qualifies."""
    why: str


def seat_call(seat: int) -> str:
    """What a seat is called where nobody has a name."""
    return f"seat {seat}"


def showdown(
    hands: Hands,
    rules: Ruleset,
    trump: str | None,
    *,
    call: Call = seat_call,
    names: Names = "english",
) -> Ranking:
    """Ranks the hands shown (RULES.md 6 and 10). Empty where nobody has shown a set that counts."""
    ranking = rank_hands(hands, trump, high_card=rules.high_card)
    words = _Words(call, names)
    shown = {seat: worth(tuple(cards), trump) for seat, cards in hands.items()}
    if not ranking:
        return Ranking((), "Nobody has shown a set, so the chips stay where they are.")
    return Ranking(tuple(ranking), _why_ranked(ranking, shown, words))


def settle_showdown(
    state: State, hands: Hands, trump: str | None, *, names: Names = "english"
) -> Ranking:
    """Ranks the hands of the seats still in so that every pot is decided.

    Our reading: a pot for which nobody with a set is eligible is split by those who are, so the
    seats concerned follow as a tie. Seats that show nothing may be left out of `hands`; the cards
    of those who have passed count for nothing.
    """
    hands = {seat: hands[seat] for seat in state.still_in if seat in hands}
    found = showdown(hands, state.rules, trump, call=state.name_of, names=names)
    if not found.ranking:
        return found
    decided = {seat for tied in found.ranking for seat in tied}
    left: set[int] = set()
    for _, eligible in pots(return_unmatched(state)):
        if len(eligible) > 1 and not decided.intersection(eligible):
            left.update(eligible)
    if not left:
        return found
    split = tuple(sorted(left))
    who = _Words(state.name_of, names).all_of(split)
    lacking = "a hand" if state.rules.high_card else "a set"
    return Ranking(
        (*found.ranking, split),
        f"{found.why} {who} share what only they are in for: none of them has shown {lacking}.",
    )


def hand_in_words(cards: Collection[Card], trump: str | None, *, names: Names = "english") -> str:
    """What a hand shows: `three queens`, `a pair of kings with the trump`, `an ace and no set`."""
    shown, words = worth(tuple(cards), trump), _Words(seat_call, names)
    if shown.count or not shown.heights:
        return words.hand(shown) + (" with the trump" if shown.trump else "")
    return f"{words.rank_high(shown.heights[0])} and no set"


class _Words:
    """How a sentence says seats and cards."""

    def __init__(self, call: Call, names: Names) -> None:
        self.call = call
        self.names = names

    def all_of(self, seats: Iterable[int]) -> str:
        return listed(map(self.call, seats))

    def sentence(self, text: str) -> str:
        """Begins with a capital, but a name stays as its player writes it."""
        return f"{text[:1].upper() if self.call is seat_call else text[:1]}{text[1:]}."

    def hand(self, shown: Shown) -> str:
        if not shown.count:
            return "no set" if shown.heights else "nothing"
        number = {2: "a pair of", 3: "three", 4: "four"}[shown.count]
        return f"{number} {rank_plural(shown.rank, self.names)}"

    def rank_high(self, height: int) -> str:
        rank = _RANK_AT[height]
        name = rank_name(rank, self.names)
        return f"{'an' if name[0] in 'aAOU8' else 'a'} {name}"

    def run(self, run: Run, trump: str | None) -> str:
        suit = suit_name(run.suit, self.names)
        ranks = " ".join(rank_name(card[0], self.names) for card in run.cards)
        cards = f"{ranks} of {suit}" if self.names == "english" else f"{suit} {ranks}"
        return f"{cards}, the trump suit" if run.suit == trump else cards


_RANK_AT = {HEIGHT[card]: card[0] for card in HEIGHT}


def _why_ranked(
    ranking: Sequence[tuple[int, ...]], shown: Mapping[int, Shown], words: _Words
) -> str:
    first = ranking[0]
    best = shown[first[0]]
    if len(first) > 1:
        if best.count:
            return words.sentence(f"{words.all_of(first)} tie with {words.hand(best)} each")
        return f"Nobody has a set; {words.all_of(first)} tie, their cards being equally high."
    winner = words.call(first[0])
    rest = [seat for seat in shown if seat != first[0]]
    runner_up = ranking[1] if len(ranking) > 1 else ()
    if runner_up:
        return _why_better_than(runner_up, winner, best, shown[runner_up[0]], words)
    if not best.count:
        high = words.rank_high(best.heights[0])
        return words.sentence(f"{winner} has no set, but {high}, and nobody else shows a hand")
    if not rest:
        return words.sentence(f"{winner} shows {words.hand(best)}")
    has = "have" if len(rest) > 1 else "has"
    return words.sentence(
        f"{winner} wins with {words.hand(best)}; {words.all_of(rest)} {has} no set"
    )


def _why_better_than(
    others: tuple[int, ...], winner: str, best: Shown, second: Shown, words: _Words
) -> str:
    """Why one hand wins against those that come next, which are equal."""
    loser = words.all_of(others)
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


def _why_higher(best: Shown, second: Shown, winner: str, loser: str, words: _Words) -> str:
    """Where two hands without a set part, from the highest card down."""
    for depth, height in enumerate(best.heights):
        if depth == len(second.heights):
            return f"{winner} has a card more than {loser}, all others being equal"
        if height != second.heights[depth]:
            than = words.rank_high(second.heights[depth])
            after = "next after equal cards " if depth else ""
            return f"{after}{winner} has {words.rank_high(height)}, {loser} {than}"
    raise AssertionError("equal hands tie")


def sequence(
    hands: Hands,
    rules: Ruleset,
    trump: str | None,
    *,
    call: Call = seat_call,
    names: Names = "english",
) -> Holder:
    """Who takes the sequence pool by the ruleset (RULES.md 2 and 10).

    `hands` stand in the order of play from forehand, which decides between equal runs.
    """
    law = rules.sequence
    words = _Words(call, names)
    best = best_hand(hands, trump, law)
    if best is None:
        needed = (
            "7 8 9 of trumps in one hand"
            if law == "trump-789"
            else "three cards of a suit in a row"
        )
        return Holder(None, f"Nobody holds {needed}, so the chips stay where they are.")
    seat, run = best
    others = {
        other: found
        for other, cards in hands.items()
        if other != seat and (found := best_run(cards, trump, law))
    }
    held = f"{call(seat)} holds {words.run(run, trump)}"
    if not others:
        return Holder(seat, words.sentence(held))
    rival = max(others, key=lambda other: value(others[other], trump, law))
    theirs = f"{call(rival)} has {words.run(others[rival], trump)}"
    why = words.sentence(f"{held}; {theirs}: {_why_better(run, others[rival], trump, law)}")
    # By each of these laws trumps decide, sooner or later.
    warning = " No trump suit is named, so none is preferred." if trump is None else ""
    return Holder(seat, why + warning)


def _why_better(run: Run, other: Run, trump: str | None, law: str) -> str:
    """The first thing in which the better of two runs differs."""
    if value(run, trump, law) == value(other, trump, law):
        return "equal runs, and the first seat from forehand on takes it"
    differs = {
        "longer": run.length != other.length and law == "longest-run",
        "higher": run.top != other.top,
        "trump": (run.suit == trump) != (other.suit == trump),
    }
    order = ("trump", "higher") if law == "best-run-trump-first" else ("longer", "higher", "trump")
    said = {"longer": "longer wins", "higher": "higher wins", "trump": "trumps win"}
    return next(said[thing] for thing in order if differs[thing])
