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
    if old is new:
        return ()  # a pass, or another command that moves no chips
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


def chips_are_conserved(state: State, postings: tuple[Posting, ...]) -> bool:
    """The postings sum to zero, and so do the balances."""
    return not (sum([chips for _, chips in postings]) or sum(state.balances))


def no_account_is_overdrawn(state: State, _: tuple[Posting, ...]) -> bool:
    """No pool and no stack is negative, and all stakes lie in the bet pool."""
    if min(state.balances[BANK + 1 :]) < 0:
        return False
    return not state.committed or sum(state.committed) <= state.pool(state.rules.bet_pool)


def roles_are_filled(state: State, _: tuple[Posting, ...]) -> bool:
    """The dealer is live, and it is somebody's turn in the betting and only there."""
    if state.dealer not in state.live and state.phase != "closed":
        return False
    return (state.to_act is not None) == (state.phase == "pochen")


VALIDATORS: Final[tuple[Validator, ...]] = (
    chips_are_conserved,
    no_account_is_overdrawn,
    roles_are_filled,
)
"""What holds after every entry."""


def violated(state: State, postings: tuple[Posting, ...]) -> list[str]:
    """The names of the validators that an entry violates: a list that should be empty.

    Asked when an entry is made and again whenever it is read.
    """
    return [
        validator.__name__.replace("_", " ")
        for validator in VALIDATORS
        if not validator(state, postings)
    ]
