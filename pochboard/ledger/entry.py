"""An entry of the ledger: a command that was applied, and the chips it moved."""

from __future__ import annotations

from typing import Any

import msgspec

from pochboard.rules.board import BANK, account_names
from pochboard.rules.state import State

Posting = tuple[str, int]
"""An account and the chips that came to it; negative where they went from it."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One line of the ledger. Entries are never changed or deleted."""

    number: int
    """1, 2, 3 … within the night."""
    time_ms: int
    """When it was booked: milliseconds since 1970, UTC."""
    command: dict[str, Any]
    """The command as it was sent, without its id."""
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


def faults(state: State, postings: tuple[Posting, ...]) -> list[str]:
    """What is wrong with the books after an entry: a list that should be empty.

    Asked when an entry is made and again whenever it is read.
    """
    phase, balances = state.phase, state.balances
    found = []
    if sum([chips for _, chips in postings]):
        found.append("the postings do not sum to zero")
    if sum(balances):
        found.append("the balances do not sum to zero")
    if min(balances[BANK + 1 :]) < 0:
        found.append("a pool or a stack is negative")
    if state.committed and sum(state.committed) > state.pool(state.rules.bet_pool):
        found.append("more chips are staked than lie in the bet pool")
    if phase != "closed" and state.dealer not in state.live:
        found.append("the dealer does not take part")
    if (state.to_act is None) == (phase == "pochen"):
        found.append("it is somebody's turn in the betting, and only there")
    return found
