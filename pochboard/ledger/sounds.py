"""What an entry sounds like, at the board and on phones."""

from __future__ import annotations

from typing import Literal

from pochboard.rules.commands import AnyCommand, Claim, End, Redo, Stake, Undo, Void
from pochboard.rules.state import State

Sound = Literal["knock", "claim", "chips", "end"]


def passes_turn(before: State, after: State) -> bool:
    """Whether it is another player's turn now, which the board plays (BOARD.md 4)."""
    return after.to_act is not None and after.to_act != before.to_act


def sound_of_entry(before: State, after: State, command: AnyCommand) -> Sound | None:
    """The sound of a stored entry; None if no chips moved and the night goes on.

    A seat that opens the betting or raises knocks on the table, which gave the game its name.
    """
    match command:
        case Stake(seat=seat, chips=chips):
            knocks = before.knocker is None or chips > before.need(seat)
            return "knock" if knocks else "chips"
        case Claim():
            return "claim"
        case End():
            return "end"
        case Undo() | Redo() | Void():
            return None
        case _:
            return "chips" if before.balances != after.balances else None
