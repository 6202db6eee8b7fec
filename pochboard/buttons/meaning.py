"""What a button means in a state (BOARD.md 3): one grammar, your seat, then the pool."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from pochboard.buttons.lobby import LOBBY_PHASES, lobby_meaning
from pochboard.buttons.pending import NOTHING, Pending
from pochboard.buttons.press import Desk, Keep, Meaning, Pair, Send, Times
from pochboard.errors import Refusal
from pochboard.rules.board import MELD_POOLS
from pochboard.rules.moves import chips
from pochboard.rules.state import State


def meaning_of(button: str, desk: Desk, pending: Pending, times: Times, places: int) -> Meaning:
    """What the button means now. Changes nothing."""
    state = desk.state
    if state.phase in LOBBY_PHASES:
        assert pending.lobby is not None, "between nights there is a lobby"
        return lobby_meaning(button, desk, pending.lobby, times, places)
    if button == "undo":
        return Meaning(_undo(state, pending), Send({"do": "redo"}), times.long_us)
    if button == "next":
        return Meaning(_next(state, pending), Pair(), times.next_long_us)
    if button.startswith("seat"):
        place = int(button.removeprefix("seat"))
        return _seat(place, state, pending, times)
    return _pool(button, state, pending, times)


def meaning_of_both(state: State) -> Send | Refusal:
    """What `next` and `undo` mean when they are held together."""
    if state.phase == "idle":
        return Send({"do": "end"})
    if state.phase in LOBBY_PHASES:
        return Refusal("no-meaning", "There is no night to end and no deal to void.")
    return Send({"do": "void"})


def _counting(state: State) -> bool:
    """In the shedding, after somebody has gone out: cards are counted."""
    return state.phase == "shed" and state.winner is not None


def _no_meaning(button: str) -> Refusal:
    return Refusal("no-meaning", f"The button {button} has no meaning now.")


def _undo(state: State, pending: Pending) -> Keep | Send:
    if pending.hands:
        return Keep(replace(pending, hands=pending.hands[:-1]), "last hand")
    if pending.counts:
        counts = pending.counts[:-1]
        last = counts[-1][-1][0] if counts and counts[-1] else None
        return Keep(replace(pending, counts=counts, last=last), "last count")
    if pending.chips:
        return Keep(NOTHING, f"let go {state.to_act}")
    if pending.place is not None and not pending.kept:
        return Keep(NOTHING, "deselect")
    return Send({"do": "undo"})


def _next(state: State, pending: Pending) -> Send | Refusal:
    if state.phase == "idle":
        return Send({"do": "deal"})
    if state.phase == "meld":
        return Send({"do": "next"})
    if _counting(state):
        cards = {str(seat): cards for seat, cards in sorted(pending.cards.items())}
        return Send({"do": "settle", "cards": cards})
    if pending.chips:
        return Refusal("pool-first", "Chips are counted; press the pool to put them in.")
    return _no_meaning("next")


def _seat(place: int, state: State, pending: Pending, times: Times) -> Meaning:
    seat = state.seat_at(place)
    if state.phase == "idle":
        selected = _select(place, pending)
        if seat is None:
            return Meaning(selected)
        leave = Send({"do": "leave", "seat": seat})
        return Meaning(selected, leave, times.leave_us)
    if seat is None:
        return Meaning(Refusal("no-seat", f"Nobody sits at place {place}."))
    if state.phase == "pochen":
        return _bettor(seat, state, pending, times)
    if state.phase == "showdown":
        return Meaning(_hand(seat, state, pending))
    if seat not in state.live:
        return Meaning(Refusal("seat-out", f"{state.name_of(seat)} does not take part."))
    if _counting(state):
        return _counter(seat, state, pending, times)
    return Meaning(_select(place, pending))


def _select(place: int, pending: Pending) -> Keep:
    if pending.place == place:
        return Keep(NOTHING, "deselect")
    return Keep(Pending(place=place), "select")


def _bettor(seat: int, state: State, pending: Pending, times: Times) -> Meaning:
    """The seat to act counts chips into the hand; held, it lets go of them, or passes."""
    if seat != state.to_act:
        assert state.to_act is not None
        turn = state.name_of(state.to_act)
        return Meaning(Refusal("not-your-turn", f"It is {turn}'s turn."))
    stack = state.stack_of(seat)
    counted = pending.chips + 1 if pending.chips else min(max(state.need(seat), 1), stack)
    short: Keep | Refusal = Keep(Pending(chips=counted), f"count {seat}")
    if counted > stack:
        short = Refusal("not-enough-chips", f"{state.name_of(seat)} has only {chips(stack)}.")
    let_go = Keep(NOTHING, f"let go {seat}")
    long = let_go if pending.chips else Send({"do": "pass", "seat": seat})
    return Meaning(short, long, times.long_us)


def _hand(seat: int, state: State, pending: Pending) -> Keep | Refusal:
    """The next best hand; the panel sends the hands as soon as they decide every pot."""
    if seat not in state.still_in:
        return Refusal("not-your-turn", f"{state.name_of(seat)} is not in the showdown.")
    if seat in pending.hands:
        return Refusal("bad-ranking", f"{state.name_of(seat)} has been pressed already.")
    return Keep(Pending(hands=(*pending.hands, seat)), "hand")


def _counter(seat: int, state: State, pending: Pending, times: Times) -> Meaning:
    """The cards a seat still holds, one a press; held: no count again, or no cards."""
    name = state.name_of(seat)
    if seat == state.winner:
        return Meaning(Refusal("bad-argument", f"{name} went out and holds no cards."))
    cards = pending.cards.get(seat)
    most = state.hand_sizes[seat]
    count = (cards or 0) + 1
    short: Keep | Refusal = _counted(pending, seat, count)
    if count > most:
        short = Refusal("too-many-cards", f"{name} was dealt only {most} cards.")
    long = _counted(pending, seat, 0 if cards is None else None)
    return Meaning(short, long, times.long_us)


def _counted(pending: Pending, seat: int, cards: int | None) -> Keep:
    others = {other: held for other, held in pending.cards.items() if other != seat}
    if cards is not None:
        others[seat] = cards
    counts = (*pending.counts, tuple(others.items()))
    word = "no count" if cards is None else "count" if cards else "no cards"
    return Keep(replace(pending, counts=counts, last=seat), word)


def _pool(button: str, state: State, pending: Pending, times: Times) -> Meaning:
    if state.phase == "pochen":
        return _bet_pool(button, state, pending, times)
    if state.phase == "showdown":
        empty = Send({"do": "showdown", "ranking": []})
        if button == state.rules.bet_pool and not pending.hands:
            return Meaning(None, empty, times.long_us)
        return Meaning(_no_meaning(button))
    command = _for_the_seat(button, state)
    if command is None:
        return Meaning(_no_meaning(button))
    if pending.place is None:
        return Meaning(Refusal("seat-first", "Press your seat before the pool."))
    if state.phase == "idle":
        return Meaning(_buy(pending.place, state))
    command["seat"] = state.seat_at(pending.place)
    then = replace(pending, kept=True) if command["do"] == "claim" else NOTHING
    return Meaning(Send(command, then))


def _for_the_seat(button: str, state: State) -> dict[str, Any] | None:
    """The command that a pool's button is for the selected seat, where it has a meaning."""
    if state.phase == "meld":
        return {"do": "claim", "pool": button} if button in MELD_POOLS else None
    if state.phase == "idle":
        return {"do": "rebuy"} if button == "pinke" else None
    if state.phase == "shed" and state.winner is None:
        if button == "poch" and state.rules.run_bonus:
            return {"do": "go"}
        if button == "pinke":
            return {"do": "out"}
    return None


def _buy(place: int, state: State) -> Send | Refusal:
    """Chips from the bank for a seat that needs them, or a new seat at an empty place."""
    seat = state.seat_at(place)
    if seat is None:
        return Send({"do": "join", "name": f"Place {place}", "place": place}, NOTHING)
    if seat not in state.live or not state.stack_of(seat) or state.is_short(seat):
        return Send({"do": "rebuy", "seat": seat, "chips": state.stack}, NOTHING)
    return Refusal("no-meaning", f"{state.name_of(seat)} has chips enough to play on.")


def _bet_pool(button: str, state: State, pending: Pending, times: Times) -> Meaning:
    if button != state.rules.bet_pool:
        return Meaning(_no_meaning(button))
    if not pending.chips:
        return Meaning(Refusal("seat-first", "Press your seat once for each chip, then the pool."))
    seat = state.to_act
    assert seat is not None
    some = Send({"do": "stake", "seat": seat, "chips": pending.chips})
    everything = Send({"do": "stake", "seat": seat, "chips": state.stack_of(seat)})
    return Meaning(some, everything, times.long_us)
