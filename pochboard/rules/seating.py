"""Who sits at the table, and the night's beginning and end (RULES.md 3 and 8).

The function named after a command returns the next state, or the refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from pochboard.errors import Refusal, refuse, refuse_counted
from pochboard.rules.accounts import (
    BANK,
    FIRST_SEAT,
    MOST_PLACES,
    POOLS,
    account_index,
    seat_account,
    transfer,
)
from pochboard.rules.commands import (
    Adjust,
    Banker,
    Dealer,
    End,
    Join,
    Leave,
    Rebuy,
    Rename,
    SitIn,
    SitOut,
    Start,
)
from pochboard.rules.ruleset import LEAST_LIVE, Ruleset
from pochboard.rules.ruleset_files import BadParameterError, find_ruleset, lazy_ruleset, override
from pochboard.rules.state import State, order_of_play
from pochboard.text.allowed_values import cut_off
from pochboard.text.lazy import lazy_listed
from pochboard.text.unicode_names import sight

T = TypeVar("T")
Resolve = Callable[[str, Mapping[str, Any]], Ruleset | Refusal]
"""Finds the ruleset of a `start`: by name, with options applied. Or the refusal `bad-ruleset`."""

MOST_AT_START: Final = 10_000
"""The largest stack that a night may start with."""


def unknown_seat(seat: int | str) -> Refusal:
    """The refusal of a number that no seat has."""
    return refuse("unknown-seat", "There is no seat {seat}.", seat=seat)


def not_playing(state: State, seat: int) -> Refusal:
    """The refusal of a seat that is out."""
    return refuse("seat-out", "{seat} is not playing.", seat=state.name_of(seat))


def gone_home(state: State, seat: int) -> Refusal:
    """The refusal of a seat that has left."""
    return refuse("seat-left", "{seat} has gone home.", seat=state.name_of(seat))


def unknown_ruleset(name: str, known: Collection[str]) -> Refusal:
    """The refusal of a name that no ruleset has."""
    return refuse(
        "bad-ruleset",
        "There is no ruleset “{named}”. The rulesets are {rulesets}.",
        named=cut_off(name),
        rulesets=lazy_listed(tuple(known)),
    )


def resolve_among(known: Mapping[str, Ruleset]) -> Resolve:
    """A function with which `start` finds its ruleset among these."""

    def resolve(name: str, options: Mapping[str, Any]) -> Ruleset | Refusal:
        base = find_ruleset(known, name)
        if base is None:
            return unknown_ruleset(name, known)
        try:
            return override(base, options) if options else base
        except BadParameterError as error:
            return refuse("bad-ruleset", error.reason)

    return resolve


def always(rules: Ruleset) -> Resolve:
    """A function with which every `start` gets this ruleset."""
    return lambda *_: rules


def start(command: Start, resolve: Resolve) -> State | Refusal:
    """A new night: the bank pays each seat the stack."""
    options = {} if command.options is UNSET else command.options
    rules = resolve(command.ruleset, options)
    if isinstance(rules, Refusal):
        return rules
    names = tuple(name.strip() for name in command.players)
    count = len(names)
    live = tuple(range(1, count + 1))
    places = live if command.places is UNSET else command.places
    dealer = 1 if command.dealer is UNSET else command.dealer
    stack = rules.stack if command.stack is UNSET else command.stack
    refusal = _verify_players(rules, names) or _verify_places(count, places)
    if refusal:
        return refusal
    if dealer > count:
        return refuse(
            "bad-argument",
            "There is no player {dealer} to deal: there are {players} players.",
            dealer=dealer,
            players=count,
        )
    if stack > MOST_AT_START:
        return refuse("bad-argument", "A stack is at most {most} chips.", most=MOST_AT_START)
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
        dealer=dealer,
        banker=dealer if rules.ante_from == "banker" else None,
    )


def _verify_players(rules: Ruleset, names: tuple[str, ...]) -> Refusal | None:
    least, most = rules.players
    if not least <= len(names) <= most:
        return refuse(
            "bad-players",
            "“{ruleset}” is for {least} to {most} players, not {players}.",
            ruleset=lazy_ruleset(rules.name),
            least=least,
            most=most,
            players=len(names),
        )
    keys = [sight(name) for name in names]
    if not all(keys):
        return refuse("bad-players", "Every player needs a name.")
    for name, key in zip(names, keys, strict=True):
        if keys.count(key) > 1:
            return refuse(
                "bad-players",
                "Two players are called {name}. Give one of them another name.",
                name=name,
            )
    return None


def _verify_places(count: int, places: tuple[int, ...]) -> Refusal | None:
    if len(places) != count:
        return refuse_counted(
            "bad-place",
            "Each player needs one place: there are {players} players and {count} place.",
            "Each player needs one place: there are {players} players and {count} places.",
            len(places),
            players=count,
        )
    if len(set(places)) < count or max(places) > MOST_PLACES:
        return refuse(
            "bad-place", "Places must be different numbers from 1 to {most}.", most=MOST_PLACES
        )
    return None


def rebuy(state: State, command: Rebuy) -> State | Refusal:
    """The bank pays the seat; a seat that was out is live again."""
    seated = _seated(state, command.seat)
    if isinstance(seated, Refusal):
        return seated
    return _paid(seated, command.seat, command.chips)


def _seated(state: State, seat: int) -> State | Refusal:
    """The seat is live, unless the table is full."""
    if seat in state.live:
        return state
    if len(state.live) >= state.rules.players[1]:
        return _full(state)
    state = replace(state, sitting_out=_without(state.sitting_out, seat))
    return state.with_live(tuple(sorted((*state.live, seat))))


def _paid(state: State, seat: int, chips: int) -> State:
    """The bank pays a seat, or takes chips back."""
    bought = state.bought[seat - 1] + chips
    return replace(
        state,
        balances=transfer(state.balances, (BANK, seat_account(seat), chips)),
        bought=_with(state.bought, seat, bought),
    )


def sit_out(state: State, command: SitOut) -> State | Refusal:
    """The seat skips deals. If it was to deal, the next live seat deals."""
    if len(state.live) <= LEAST_LIVE:
        return refuse(
            "too-few", "At least two players must play. Someone who sits out can play again first."
        )
    sitting_out = tuple(sorted((*state.sitting_out, command.seat)))
    state = state.with_live(_without(state.live, command.seat))
    return replace(state, sitting_out=sitting_out)


def sit_in(state: State, command: SitIn) -> State | Refusal:
    """A seat that sat out is live again."""
    if command.seat in state.sitting_out:
        return _seated(state, command.seat)
    name = state.name_of(command.seat)
    return refuse("not-sitting-out", "{seat} does not sit out.", seat=name)


def free_places(state: State) -> tuple[int, ...]:
    """The places where nobody sits, ascending."""
    return tuple(place for place in range(1, MOST_PLACES + 1) if place not in state.places)


def join(state: State, command: Join) -> State | Refusal:
    """A new seat with the night's starting stack."""
    refusal = _verify_name(state, command.name.strip())
    if refusal:
        return refusal
    if len(state.live) >= state.rules.players[1]:
        return _full(state)
    free, seat = free_places(state), len(state.names) + 1
    if not free:
        return refuse(
            "table-full", "The table is full: all {places} places are taken.", places=MOST_PLACES
        )
    place = free[0] if command.place is UNSET else command.place
    if place not in free:
        return refuse_counted(
            "bad-place",
            "Place {place} is not free. Only place {places} is free.",
            "Place {place} is not free. Places {places} are free.",
            len(free),
            place=place,
            places=lazy_listed([str(place) for place in free]),
        )
    state = replace(
        state,
        balances=(*state.balances, 0),
        bought=(*state.bought, 0),
        names=(*state.names, command.name.strip()),
        places=(*state.places, place),
    )
    return _paid(state.with_live((*state.live, seat)), seat, state.stack)


def leave(state: State, command: Leave) -> State | Refusal:
    """The seat's chips go back to the bank and its place is free."""
    seat = command.seat
    if seat in state.live and len(state.live) <= LEAST_LIVE:
        return refuse("too-few", "At least two players must stay. End the night instead.")
    state = _paid(state.with_live(_without(state.live, seat)), seat, -state.stack_of(seat))
    return replace(
        state,
        sitting_out=_without(state.sitting_out, seat),
        places=_with(state.places, seat, 0),
    )


def rename(state: State, command: Rename) -> State | Refusal:
    """Another name for a seat."""
    seat, name = command.seat, command.name.strip()
    refusal = _verify_name(state, name, but=seat)
    return refusal or replace(state, names=_with(state.names, seat, name))


def dealer(state: State, command: Dealer) -> State:
    """This seat deals next."""
    return replace(state, dealer=command.seat)


def banker(state: State, command: Banker) -> State | Refusal:
    """This seat is the banker from now on."""
    if state.rules.ante_from == "banker":
        return replace(state, banker=command.seat)
    return refuse("wrong-phase", "No banker fills the pools with these rules.")


def adjust(state: State, command: Adjust) -> State | Refusal:
    """Move chips between two accounts after a recount; the bank always has enough."""
    source, target = accounts = [account_index(name) for name in (command.from_, command.to)]
    seats = [index - FIRST_SEAT + 1 for index in accounts if index >= FIRST_SEAT]
    for seat in seats:
        if state.has_left(seat):
            return gone_home(state, seat)
    for seat in seats:
        if seat not in state.here:
            return refuse("seat-out", "{seat} is out. Buy in first.", seat=state.name_of(seat))
    if source != BANK and state.balances[source] < command.chips:
        return refuse_counted(
            "not-enough-chips",
            "There is only {count} chip to move.",
            "There are only {count} chips to move.",
            state.balances[source],
        )
    return replace(state, balances=transfer(state.balances, (source, target, command.chips)))


def end(state: State, _: End) -> State:
    """Close the night."""
    return close(state)


def close(state: State) -> State:
    """Close the night: the chips left in the pools go to the bank or are split."""
    left = sum(state.balances[1:FIRST_SEAT])
    balances = list(state.balances)
    balances[1:FIRST_SEAT] = [0] * len(POOLS)
    here = state.here
    if state.rules.leftover == "split" and here:
        share, odd = divmod(left, len(here))
        for turn, seat in enumerate(here):
            balances[seat_account(seat)] += share + (turn < odd)
    else:
        balances[BANK] += left
    return replace(state, phase="closed", balances=tuple(balances), dealer=None, banker=None)


def _verify_name(state: State, name: str, but: int | None = None) -> Refusal | None:
    given = sight(name)
    if not given:
        return refuse("bad-players", "A player needs a name.")
    for seat in state.seats:
        if seat != but and not state.has_left(seat) and sight(state.name_of(seat)) == given:
            return refuse("bad-players", "The name {name} is taken. Choose another one.", name=name)
    return None


def _full(state: State) -> Refusal:
    return refuse(
        "table-full",
        "The table is full: “{ruleset}” is for at most {most} players.",
        ruleset=lazy_ruleset(state.rules.name),
        most=state.rules.players[1],
    )


def _without(seats: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return tuple(other for other in seats if other != seat)


def _with(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    return (*values[: seat - 1], value, *values[seat:])
