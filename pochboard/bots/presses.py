"""Which press comes next on the way to a command (BOARD.md 3), given what is pending."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, assert_never

from pochboard.buttons.press import NOTHING, Pending, Press
from pochboard.rules.commands import (
    Adjust,
    AnyCommand,
    Banker,
    Claim,
    Deal,
    Dealer,
    End,
    Go,
    Join,
    Leave,
    Next,
    Out,
    Pass,
    Rebuy,
    Redo,
    Rename,
    Settle,
    Showdown,
    SitIn,
    SitOut,
    Stake,
    Start,
    Turn,
    Undo,
    Void,
)
from pochboard.rules.state import State

_ALL_IN_AT_ONCE: Final = 3
"""If more chips than this remain to be pressed, a whole stack goes in with one long press."""

NEXT = Press(("next",))
BOTH = Press(("next", "undo"), long=True)


def next_press(command: AnyCommand, state: State, pending: Pending | None) -> Press | None:
    """The next press on the way to a legal command; None if only a phone can send it.

    Call it again after each press, until the command is recorded.
    """
    now = pending or NOTHING
    match command:
        case Deal() | Next():
            return NEXT
        case Void() | End():
            return BOTH
        case Claim() | Go() | Out() | Rebuy():
            pool = _pool_of(command, state)
            return _seat_then_pool(command.seat, pool, state, now) if pool else None
        case Stake(seat, chips):
            return _stake(seat, chips, state, now)
        case Pass(seat):
            return Press((_button(seat, state),), long=True)
        case Showdown(ranking):
            return _showdown(ranking, state, now)
        case Settle(cards):
            return _settle(cards, state, now)
        case Start() | Turn() | Join() | Leave() | SitOut() | SitIn() | Rename():
            return None
        case Dealer() | Banker() | Adjust() | Undo() | Redo():
            return None
        case _:
            assert_never(command)


def _button(seat: int, state: State) -> str:
    return f"seat{state.places[seat - 1]}"


def _pool_of(command: Claim | Go | Out | Rebuy, state: State) -> str | None:
    """The pool to press after the seat; None if the buttons cannot send the command."""
    match command:
        case Claim():
            return command.pool
        case Out():
            return "pinke"
        case Go():
            return None if state.winner else "poch"
        case Rebuy(seat, chips):
            return "pinke" if state.is_short(seat) and chips == state.stack else None


def _seat_then_pool(seat: int, pool: str, state: State, now: Pending) -> Press:
    if now.place == state.places[seat - 1]:
        return Press((pool,))
    return Press((_button(seat, state),))


def _stake(seat: int, chips: int, state: State, now: Pending) -> Press:
    button, pool = _button(seat, state), state.rules.bet_pool
    if now.chips == chips:
        return Press((pool,))
    if now.chips > chips:
        return Press((button,), long=True)
    if now.chips and chips == state.stack_of(seat) and chips - now.chips > _ALL_IN_AT_ONCE:
        return Press((pool,), long=True)
    return Press((button,))


def _showdown(ranking: list[Any], state: State, now: Pending) -> Press | None:
    """Hands from the best one down. Only a phone can send a tie."""
    if any(isinstance(item, list) for item in ranking):
        return None
    pressed = list(now.hands)
    if pressed != ranking[: len(pressed)]:
        return Press(("undo",))
    if not ranking:
        return Press((state.rules.bet_pool,), long=True)
    return Press((_button(ranking[len(pressed)], state),))


def _settle(cards: Mapping[str, int], state: State, now: Pending) -> Press:
    for name, held in cards.items():
        seat = int(name)
        counted = now.cards.get(seat)
        if counted == held:
            continue
        too_many = counted is not None and counted > held
        return Press((_button(seat, state),), long=too_many or held == 0)
    return NEXT
