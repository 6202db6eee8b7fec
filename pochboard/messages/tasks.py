"""What a player has to do now, said to that player: for the phone that belongs to one."""

from __future__ import annotations

from pochboard.buttons.pending import Pending
from pochboard.rules.state import State
from pochboard.text.translator import Translator


def task(state: State, pending: Pending, seat: int, t: Translator) -> str | None:
    """What a seat has to do now, said to its player; None if the others are to act."""
    if seat not in state.live and state.phase != "idle":
        return None
    match state.phase:
        case "idle":
            return _between_deals(state, seat, t)
        case "pochen" if state.to_act == seat:
            return _bet(state, seat, t)
        case "showdown" if seat in state.still_in and seat not in pending.hands:
            return t.gettext("Show your hand")
        case "shed" if state.winner is None and state.leader == seat:
            return t.gettext("You lead")
        case "shed" if state.winner not in (None, seat) and seat not in pending.cards:
            return t.gettext("How many cards do you have left?")
        case _:
            return None


def _between_deals(state: State, seat: int, t: Translator) -> str | None:
    if state.has_left(seat):
        return None
    if state.is_short(seat):
        return t.gettext("You need more chips to play on")
    return t.gettext("You deal") if state.dealer == seat else None


def _bet(state: State, seat: int, t: Translator) -> str:
    need, stack = state.need(seat), state.stack_of(seat)
    if not need:
        return t.gettext("Your turn: nobody has knocked yet")
    if need <= stack:
        return t.ngettext(
            "Your turn: {count} chip to stay in", "Your turn: {count} chips to stay in", need
        )
    return t.ngettext(
        "Your turn: {count} chip to stay in, but only {stack} left",
        "Your turn: {count} chips to stay in, but only {stack} left",
        need,
        stack=stack,
    )
