"""The legal actions, according to the checks that commands go through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from pochboard.ledger.book import Book
from pochboard.rules.betting import StakeRange, stake_range
from pochboard.rules.commands import CommandName, Settle
from pochboard.rules.registry import RULES, Rule, verify
from pochboard.rules.seating import free_places
from pochboard.rules.shedding import verify_known


class LegalActions(msgspec.Struct, frozen=True):
    """The commands that would be accepted now with fitting arguments, and those arguments."""

    commands: tuple[CommandName, ...]
    """In the order of RULES.md 3."""
    seats: Mapping[CommandName, tuple[int, ...]]
    """For each command that names a seat, the seats that it may name."""
    claims: Mapping[int, tuple[str, ...]]
    """During melding, the pools that each seat may claim, in board order; only seats with any."""
    stakes: StakeRange | None
    """During the betting, what the seat to act may stake, if anything."""
    places: tuple[int, ...]
    """Between deals, the free places for a new seat."""


def accepted_candidates(book: Book, rule: Rule[Any]) -> list[Any]:
    """The sample commands of a rule that would be accepted now."""
    # Of a settle there is only a sample, and other counts are legal.
    held = {} if rule.struct is Settle else book.held
    return [
        candidate
        for candidate in rule.candidates(book.state)
        if not (verify(book.state, candidate) or verify_known(book.state, candidate, held))
    ]


def legal_actions(
    book: Book, accepted_by: Callable[[Book, Rule[Any]], list[Any]] = accepted_candidates
) -> LegalActions:
    """What would be accepted now. A caller may have a way of its own to try a rule."""
    state = book.state
    commands: list[CommandName] = []
    seats: dict[CommandName, tuple[int, ...]] = {}
    claims: dict[int, tuple[str, ...]] = {}
    for name, rule in RULES.items():
        if state.phase not in rule.phases:
            continue
        if name in ("start", "undo", "redo"):
            if _by_history(book, name):
                commands.append(name)
            continue
        accepted = accepted_by(book, rule)
        if not accepted:
            continue
        commands.append(name)
        if "seat" in rule.struct.__struct_fields__:
            seats[name] = tuple(dict.fromkeys(candidate.seat for candidate in accepted))
        if name == "claim":
            # The candidates come in board order for each seat.
            for candidate in accepted:
                claims[candidate.seat] = (*claims.get(candidate.seat, ()), candidate.pool)
    return LegalActions(
        commands=tuple(commands),
        seats=seats,
        claims=claims,
        stakes=stake_range(state) if "stake" in commands else None,
        places=free_places(state) if "join" in commands else (),
    )


def _by_history(book: Book, name: CommandName) -> bool:
    """Whether a command that depends on the night's history would be accepted."""
    if name == "undo":
        return book.undoes() is not None
    if name == "redo":
        return book.redoes() is not None
    return True  # `start` depends on its arguments only
