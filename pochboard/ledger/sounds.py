"""What an entry sounds like, and whom it is about: at the board, on phones and the large screen."""

from __future__ import annotations

from typing import Literal

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
