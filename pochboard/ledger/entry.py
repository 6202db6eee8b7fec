"""An entry of the ledger: a command that was applied, and the chips it moved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from pochboard.rules.accounts import BANK, account_names
from pochboard.rules.commands import AnyCommand
from pochboard.rules.state import State

Posting = tuple[str, int]
"""An account and the chips that came to it; negative where they went from it."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One line of the ledger. Entries are never changed or deleted."""

    number: int
    """1, 2, 3 … within the night."""
    time_ms: int
    """When it was booked: milliseconds since 1970, UTC."""
    command: AnyCommand
    """The command that was applied, without its id."""
    postings: tuple[Posting, ...]
    """Chips by account; they sum to zero."""
    ref: int | None = None
    """Of undo, the entry taken back; of redo, the one applied again; of void, that of the deal."""
    id: str | None = None
    """The id that the client made up, if any."""


def postings_between(before: State, after: State) -> tuple[Posting, ...]:
    """What came to each account between two states; accounts that did not change are left out."""
    old, new = before.balances, after.balances
    if len(old) != len(new):
        # A seat that is not there yet, or no more, has nothing.
        most = max(len(old), len(new))
        old += (0,) * (most - len(old))
        new += (0,) * (most - len(new))
    names = account_names(len(new))
    return tuple(
        [
            (name, chips - was)
            for name, was, chips in zip(names, old, new, strict=True)
            if was != chips
        ]
    )


Validator = Callable[[State, tuple[Posting, ...]], bool]
"""Whether the books are in order after an entry, as far as it looks."""


def _postings_sum_to_zero(_: State, postings: tuple[Posting, ...]) -> bool:
    return not sum([chips for _, chips in postings])


def _balances_sum_to_zero(state: State, _: tuple[Posting, ...]) -> bool:
    return not sum(state.balances)


def _no_pool_or_stack_is_negative(state: State, _: tuple[Posting, ...]) -> bool:
    return min(state.balances[BANK + 1 :]) >= 0


def _all_stakes_lie_in_the_bet_pool(state: State, _: tuple[Posting, ...]) -> bool:
    return not state.committed or sum(state.committed) <= state.pool(state.rules.bet_pool)


def _the_dealer_is_live(state: State, _: tuple[Posting, ...]) -> bool:
    return state.phase == "closed" or state.dealer in state.live


def _it_is_somebodys_turn_only_in_the_betting(state: State, _: tuple[Posting, ...]) -> bool:
    return (state.to_act is not None) == (state.phase == "pochen")


VALIDATORS: Final[tuple[Validator, ...]] = (
    _postings_sum_to_zero,
    _balances_sum_to_zero,
    _no_pool_or_stack_is_negative,
    _all_stakes_lie_in_the_bet_pool,
    _the_dealer_is_live,
    _it_is_somebodys_turn_only_in_the_betting,
)
"""What holds after every entry."""


def violated(state: State, postings: tuple[Posting, ...]) -> list[str]:
    """The names of the validators that an entry violates: a list that should be empty.

    Asked when an entry is made and again whenever it is read.
    """
    return [
        validator.__name__.strip("_").replace("_", " ")
        for validator in VALIDATORS
        if not validator(state, postings)
    ]
