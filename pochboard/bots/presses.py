"""Which press comes next on the way to a command (BOARD.md 3), given what is pending."""

from __future__ import annotations

from typing import Any, Final

from pochboard.buttons.press import NOTHING, Pending, Press
from pochboard.rules import commands
from pochboard.rules.commands import AnyCommand
from pochboard.rules.state import State

_ALL_IN_AT_ONCE: Final = 3
"""If more chips than this remain to be pressed, a whole stack goes in with one long press."""

NEXT = Press(("next",))
BOTH = Press(("next", "undo"), long=True)


def next_press(command: AnyCommand, state: State, pending: Pending | None) -> Press | None:
    """The next press on the way to a legal command; None if only a phone can send it.

    Call it again after each press, until the command is recorded.
    """
    press, now = None, pending or NOTHING
    match command:
        case commands.Deal() | commands.Next():
            press = NEXT
        case commands.Void() | commands.End():
            press = BOTH
        case commands.Claim(seat, pool):
            press = _seat_then_pool(seat, pool, state, now)
        case commands.Out(seat):
            press = _seat_then_pool(seat, "pinke", state, now)
        case commands.Go(seat) if not state.winner:
            press = _seat_then_pool(seat, "poch", state, now)
        case commands.Rebuy(seat, chips) if state.is_short(seat) and chips == state.stack:
            press = _seat_then_pool(seat, "pinke", state, now)
        case commands.Stake(seat, chips):
            press = _stake(seat, chips, state, now)
        case commands.Pass(seat):
            press = Press((_button(seat, state),), long=True)
        case commands.Showdown(ranking):
            press = _showdown(ranking, state, now)
        case commands.Settle(cards):
            press = _settle({int(seat): held for seat, held in cards.items()}, state, now)
        case _:
            pass
    return press


def _button(seat: int, state: State) -> str:
    return f"seat{state.places[seat - 1]}"


def _seat_then_pool(seat: int, pool: str, state: State, now: Pending) -> Press:
    selected = now.place == state.places[seat - 1]
    return Press((pool if selected else _button(seat, state),))


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


def _settle(cards: dict[int, int], state: State, now: Pending) -> Press:
    for seat, held in cards.items():
        counted = now.cards.get(seat)
        if counted != held:
            too_many = counted is not None and counted > held
            return Press((_button(seat, state),), long=too_many or held == 0)
    return NEXT
