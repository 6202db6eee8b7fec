"""An entry of the ledger: a command that was applied, the chips it moved, and its sound."""

from __future__ import annotations

from operator import itemgetter
from typing import Final, Literal

import msgspec

from pochboard.rules.accounts import BANK, account_names
from pochboard.rules.betting import betting_end
from pochboard.rules.commands import (
    AnyCommand,
    Claim,
    End,
    Go,
    Out,
    Pass,
    Redo,
    Settle,
    Showdown,
    Stake,
    Undo,
    Void,
)
from pochboard.rules.state import State

Posting = tuple[str, int]
"""An account and the chips it received; negative if it paid them."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One line of the ledger. Entries are never changed or deleted."""

    number: int
    """1, 2, 3 … within the night."""
    time_ms: int
    """When it was recorded: milliseconds since 1970, UTC."""
    command: AnyCommand
    """The command that was applied, without its id."""
    postings: tuple[Posting, ...]
    """Chips by account; they sum to zero."""
    ref: int | None = None
    """Undo: the entry taken back. Redo: the entry applied again. Void: the entry of the deal."""
    id: str | None = None
    """The id that the client chose, if any."""


def postings_between(before: State, after: State) -> tuple[Posting, ...]:
    """What each account received between two states, without those that did not change."""
    old, new = before.balances, after.balances
    if old is new:
        return ()  # a pass, or another command that moves no chips
    if len(old) != len(new):
        # A seat that is missing from one of the states has a balance of 0 there.
        most = max(len(old), len(new))
        old += (0,) * (most - len(old))
        new += (0,) * (most - len(new))
    postings: tuple[Posting, ...] = ()
    for name, was, chips in zip(account_names(len(new)), old, new, strict=True):
        # Most accounts have the very same number as before.
        if chips is not was and chips != was:
            postings += ((name, chips - was),)
    return postings


_CHIPS: Final = itemgetter(1)


def violated(state: State, postings: tuple[Posting, ...], before: State | None = None) -> list[str]:
    """The properties of the books that an entry violates: a list that should be empty.

    Called when an entry is made and again whenever it is read. If no chip has moved since the state
    `before`, the chips are as they were checked there.
    """
    found = []
    committed = state.committed
    if not (before and state.balances is before.balances and committed is before.committed):
        if sum(map(_CHIPS, postings)) or sum(state.balances):
            found.append("chips are conserved")
        if min(state.balances[BANK + 1 :]) < 0 or (
            committed and sum(committed) > state.pool(state.rules.bet_pool)
        ):
            found.append("no account is overdrawn")
    dealt = state.dealer in state.live or state.phase == "closed"
    if not dealt or (state.to_act is not None) != (state.phase == "pochen"):
        found.append("roles are filled")
    return found


# Sounds, and whom an entry is about

Sound = Literal["knock", "claim", "chips", "win", "out", "end"]
Cue = Literal["knock", "claim", "chips", "win", "out", "turn", "end"]
"""What is announced: a sound, or that it is another player's turn."""
SoundName = Cue | Literal["refused", "volume"]
"""All that the board's piezo plays."""


def passes_turn(before: State, after: State) -> bool:
    """Whether it is another player's turn now, which the board plays (BOARD.md 4)."""
    return after.to_act is not None and after.to_act != before.to_act


def sound_of_entry(before: State, after: State, command: AnyCommand) -> Sound | None:
    """The sound of a stored entry; None if no chips moved and the night goes on.

    A seat that opens the betting or raises knocks on the table, which gave the game its name.
    """
    match command:
        case Stake() | Pass() | Showdown() if betting_winners(before, after, command):
            return "win"
        case Stake(seat=seat, chips=chips):
            knocks = before.knocker is None or chips > before.need(seat)
            return "knock" if knocks else "chips"
        case Claim():
            return "claim"
        case Out():
            return "out"
        case End():
            return "end"
        case Undo() | Redo() | Void():
            return None
        case _:
            return "chips" if before.balances != after.balances else None


def betting_winners(before: State, after: State, command: AnyCommand) -> tuple[int, ...]:
    """The seats that won chips by the entry that ended a betting; none if it goes on.

    What a knocker takes back because nobody has matched it is not won.
    """
    end = betting_end(before, command, after)
    if end is None:
        return ()
    return tuple(s for s in before.live if after.stack_of(s) > end.staked.stack_of(s))


def seats_of_entry(before: State, after: State, command: AnyCommand) -> tuple[int, ...]:
    """Whom an entry is about: those who won, knocked, claimed, played their last card."""
    if winners := betting_winners(before, after, command):
        return winners
    match command:
        case Stake(seat=seat) | Claim(seat=seat) | Out(seat=seat) | Go(seat=seat):
            return (seat,)
        case Settle() if before.winner is not None:
            return (before.winner,)
        case _:
            return tuple(seat for _, seat in after.claims[len(before.claims) :])
