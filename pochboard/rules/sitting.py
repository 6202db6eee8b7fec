"""Who sits at the table, and the night's beginning and end (RULES.md 3 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from pochboard.errors import Refusal
from pochboard.rules.board import BANK, FIRST_SEAT, MOST_PLACES, POOLS, seat_account
from pochboard.rules.commands import Adjust, Dealer, End, Join, Leave, Rebuy, Rename, Start
from pochboard.rules.moves import Outcome, chips, next_live, order_of_play, transfer
from pochboard.rules.ruleset import Ruleset
from pochboard.rules.state import State

Resolve = Callable[[str, Mapping[str, Any]], Ruleset | Refusal]
"""Gives the ruleset of a name with options, or the refusal `bad-ruleset`."""

MOST_AT_START = 10_000


def start(command: Start, resolve: Resolve) -> Outcome:
    """A new night: the bank pays each seat the stack."""
    rules = resolve(command.ruleset, command.options)
    if isinstance(rules, Refusal):
        return rules
    names = tuple(name.strip() for name in command.players)
    count = len(names)
    live = tuple(range(1, count + 1))
    places = live if command.places is UNSET else command.places
    dealer = 1 if command.dealer is UNSET else command.dealer
    stack = rules.stack if command.stack is UNSET else command.stack
    refusal = _refuse_players(rules, names) or _refuse_places(count, places)
    if refusal:
        return refusal
    if dealer > count:
        return Refusal("bad-argument", f"The dealer {dealer} is none of the {count} players.")
    if stack > MOST_AT_START:
        return Refusal("bad-argument", f"A stack is at most {MOST_AT_START} chips.")
    return State(
        phase="idle",
        ruleset=rules,
        balances=(-stack * count, *(0 for _ in POOLS), *(stack for _ in live)),
        bought=(stack,) * count,
        names=names,
        places=places,
        live=live,
        order=order_of_play(rules, live, places),
        stack=stack,
        starters=count,
        dealer=dealer,
    )


def _refuse_places(count: int, places: tuple[int, ...]) -> Refusal | None:
    if len(places) != count:
        return Refusal("bad-place", f"{count} players need as many places, not {len(places)}.")
    if len(set(places)) < count or max(places) > MOST_PLACES:
        return Refusal("bad-place", f"Places are different numbers from 1 to {MOST_PLACES}.")
    return None


def _refuse_players(rules: Ruleset, names: tuple[str, ...]) -> Refusal | None:
    least, most = rules.players
    if not least <= len(names) <= most:
        return Refusal(
            "bad-players", f"{rules.name} is for {least} to {most} players, not {len(names)}."
        )
    if not all(names):
        return Refusal("bad-players", "Every player needs a name.")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return Refusal("bad-players", f"Two players are called {twice}; tell them apart.")
    return None


def rebuy(state: State, command: Rebuy) -> Outcome:
    """The bank pays the seat; a seat that was out is live again."""
    seat = command.seat
    if state.has_left(seat):
        return _left(state, seat)
    live = state.live
    if seat not in live:
        if len(live) >= state.rules.players[1]:
            return _full(state)
        live = tuple(sorted((*live, seat)))
    return replace(
        state,
        balances=transfer(state.balances, (BANK, seat_account(seat), command.chips)),
        bought=_with(state.bought, seat, state.bought[seat - 1] + command.chips),
        live=live,
        order=order_of_play(state.rules, live, state.places),
    )


def join(state: State, command: Join) -> Outcome:
    """A new seat with the night's starting stack."""
    name = command.name.strip()
    refusal = _refuse_name(state, name)
    if refusal:
        return refusal
    free = [place for place in range(1, MOST_PLACES + 1) if place not in state.places]
    if len(state.live) >= state.rules.players[1] or not free:
        return _full(state)
    place = free[0] if command.place is UNSET else command.place
    if place not in free:
        return Refusal("bad-place", f"Place {place} is not free; free are {_listed(free)}.")
    seat = len(state.names) + 1
    places = (*state.places, place)
    live = (*state.live, seat)
    return replace(
        state,
        balances=transfer((*state.balances, 0), (BANK, seat_account(seat), state.stack)),
        bought=(*state.bought, state.stack),
        names=(*state.names, name),
        places=places,
        live=live,
        order=order_of_play(state.rules, live, places),
    )


def leave(state: State, command: Leave) -> Outcome:
    """The seat's chips go back to the bank and its place is free."""
    seat = command.seat
    if state.has_left(seat):
        return _left(state, seat)
    live = tuple(other for other in state.live if other != seat)
    if seat in state.live and len(live) < 2:
        return Refusal("too-few", "Two must remain; end the night instead.")
    stack = state.stack_of(seat)
    places = _with(state.places, seat, 0)
    return replace(
        state,
        balances=transfer(state.balances, (seat_account(seat), BANK, stack)),
        bought=_with(state.bought, seat, state.bought[seat - 1] - stack),
        dealer=next_live(state, seat, live) if state.dealer == seat else state.dealer,
        places=places,
        live=live,
        order=order_of_play(state.rules, live, places),
    )


def rename(state: State, command: Rename) -> Outcome:
    """Another name for a seat."""
    seat, name = command.seat, command.name.strip()
    if state.has_left(seat):
        return _left(state, seat)
    refusal = _refuse_name(state, name, but=seat)
    if refusal:
        return refusal
    return replace(state, names=(*state.names[: seat - 1], name, *state.names[seat:]))


def dealer(state: State, command: Dealer) -> Outcome:
    """This seat deals next."""
    return replace(state, dealer=command.seat)


def adjust(state: State, command: Adjust) -> Outcome:
    """A recount: moves chips between two accounts; the bank always has enough."""
    accounts = [account_index(name) for name in (command.from_, command.to)]
    seats = [index - FIRST_SEAT + 1 for index in accounts if index >= FIRST_SEAT]
    for seat in seats:
        if state.has_left(seat):
            return _left(state, seat)
    for seat in seats:
        if seat not in state.live:
            return Refusal("seat-out", f"{state.name_of(seat)} is out; buy in first.")
    source, target = accounts
    if source != BANK and state.balances[source] < command.chips:
        return Refusal(
            "not-enough-chips", f"There are only {chips(state.balances[source])} to move."
        )
    return replace(state, balances=transfer(state.balances, (source, target, command.chips)))


def account_index(name: str) -> int:
    """Where an account of this name stands in the balances, known pool or seat or not.

    Raises KeyError for a pool that no board has.
    """
    kind, _, rest = name.partition(":")
    if kind == "bank":
        return BANK
    return seat_account(int(rest)) if kind == "seat" else 1 + POOLS.index(rest)


def end(state: State, _: End) -> Outcome:
    """Closes the night."""
    return close(state)


def close(state: State) -> State:
    """What is left in the pools goes to the bank, or is split; the night is closed."""
    left = sum(state.balances[1:FIRST_SEAT])
    balances = list(state.balances)
    balances[1:FIRST_SEAT] = [0] * len(POOLS)
    if state.rules.leftover == "split" and state.live:
        share, odd = divmod(left, len(state.live))
        for turn, seat in enumerate(state.live):
            balances[seat_account(seat)] += share + (turn < odd)
    else:
        balances[BANK] += left
    return replace(state, phase="closed", balances=tuple(balances), dealer=None)


def _refuse_name(state: State, name: str, but: int | None = None) -> Refusal | None:
    if not name:
        return Refusal("bad-players", "A player needs a name.")
    for seat in state.seats:
        if seat != but and not state.has_left(seat) and state.name_of(seat) == name:
            return Refusal("bad-players", f"The name {name} is taken; tell the two apart.")
    return None


def _left(state: State, seat: int) -> Refusal:
    return Refusal("seat-left", f"{state.name_of(seat)} has gone home.")


def _full(state: State) -> Refusal:
    most = min(state.rules.players[1], MOST_PLACES)
    return Refusal("table-full", f"The table is full: {state.rules.name} is for at most {most}.")


def _listed(places: list[int]) -> str:
    return ", ".join(map(str, places))


def _with(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[: seat - 1], value, *values[seat:])
