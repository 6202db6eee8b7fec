"""The showdown: the ranking of the hands and what it pays (RULES.md 6)."""

from __future__ import annotations

from typing import Any

from pochboard.errors import Refusal
from pochboard.rules.betting import end_betting, pay
from pochboard.rules.commands import Showdown
from pochboard.rules.moves import Outcome, spoken
from pochboard.rules.pots import award, return_unmatched
from pochboard.rules.state import State


def showdown(state: State, command: Showdown) -> Outcome:
    """Awards the pots; with an empty ranking they stay for the next deal."""
    matched = return_unmatched(state)
    if not command.ranking:
        return end_betting(matched, leader=state.forehand)
    ranking = _groups(state, command.ranking)
    if isinstance(ranking, Refusal):
        return ranking
    awards = award(matched, ranking)
    if awards is None:
        return Refusal(
            "bad-ranking",
            f"This does not decide every pot; still in are {spoken(state, state.still_in)}.",
        )
    return pay(awards)


def _groups(state: State, ranking: list[Any]) -> list[tuple[int, ...]] | Refusal:
    still_in = state.still_in
    seen: set[int] = set()
    groups = []
    for item in ranking:
        tied = tuple(item) if isinstance(item, list | tuple) else (item,)
        if not tied:
            return Refusal("bad-ranking", "A tie in the ranking names no seat.")
        for seat in tied:
            # A bool is an int to Python, but no seat.
            if type(seat) is not int or seat not in still_in:
                return Refusal(
                    "bad-ranking",
                    f"The ranking names others than the seats still in: {spoken(state, still_in)}.",
                )
            if seat in seen:
                return Refusal("bad-ranking", f"{state.name_of(seat)} is ranked twice.")
            seen.add(seat)
        groups.append(tied)
    return groups
