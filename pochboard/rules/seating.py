"""Who sits at the table, and the night's beginning and end (RULES.md 3 and 8).

Each command has two functions. `verify_…` returns the refusal, if there is one. The function
named after the command returns the next state; it is called only if nothing was refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from pochboard.errors import Refusal, refuse
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
from pochboard.rules.ruleset_files import find_ruleset, lazy_ruleset
from pochboard.rules.ruleset_validation import BadParameterError, override
from pochboard.rules.state import State, order_of_play, passed_on
from pochboard.text.allowed_values import cut_off
from pochboard.text.lazy import lazy_gettext, lazy_listed, lazy_ngettext
from pochboard.text.unicode_names import sight

Resolve = Callable[[str, Mapping[str, Any]], Ruleset | Refusal]
"""Finds the ruleset of a `start`: by name, with options applied. Or the refusal `bad-ruleset`."""

MOST_AT_START: Final = 10_000
"""The largest stack that a night may start with."""


def unknown_seat(seat: int | str) -> Refusal:
    """The refusal of a number that no seat has."""
    return refuse("unknown-seat", lazy_gettext("There is no seat {seat}.", seat=seat))


def not_playing(state: State, seat: int) -> Refusal:
    """The refusal of a seat that is out."""
    return refuse("seat-out", lazy_gettext("{seat} is not playing.", seat=state.name_of(seat)))


def unknown_ruleset(name: str, known: Collection[str]) -> Refusal:
    """The refusal of a name that no ruleset has."""
    return refuse(
        "bad-ruleset",
        lazy_gettext(
            "There is no ruleset “{named}”. The rulesets are {rulesets}.",
            named=cut_off(name),
            rulesets=lazy_listed(tuple(known)),
        ),
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

    def resolve(*_: object) -> Ruleset:
        return rules

    return resolve


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
            lazy_gettext(
                "There is no player {dealer} to deal: there are {players} players.",
                dealer=dealer,
                players=count,
            ),
        )
    if stack > MOST_AT_START:
        return refuse(
            "bad-argument", lazy_gettext("A stack is at most {most} chips.", most=MOST_AT_START)
        )
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
            lazy_gettext(
                "“{ruleset}” is for {least} to {most} players, not {players}.",
                ruleset=lazy_ruleset(rules.name),
                least=least,
                most=most,
                players=len(names),
            ),
        )
    keys = [sight(name) for name in names]
    if not all(keys):
        return refuse("bad-players", lazy_gettext("Every player needs a name."))
    twice = next((name for name, one in zip(names, keys, strict=True) if keys.count(one) > 1), None)
    return (
        None
        if twice is None
        else refuse(
            "bad-players",
            lazy_gettext(
                "Two players are called {name}. Give one of them another name.", name=twice
            ),
        )
    )


def _verify_places(count: int, places: tuple[int, ...]) -> Refusal | None:
    if len(places) != count:
        return refuse(
            "bad-place",
            lazy_ngettext(
                "Each player needs one place: there are {players} players and {count} place.",
                "Each player needs one place: there are {players} players and {count} places.",
                len(places),
                players=count,
            ),
        )
    if len(set(places)) < count or max(places) > MOST_PLACES:
        return refuse(
            "bad-place",
            lazy_gettext("Places must be different numbers from 1 to {most}.", most=MOST_PLACES),
        )
    return None


def verify_rebuy(state: State, command: Rebuy) -> Refusal | None:
    """Refuse chips for a seat that has left, and for one that comes back to a full table."""
    seat = command.seat
    if state.has_left(seat):
        return _left(state, seat)
    if seat not in state.live and len(state.live) >= state.rules.players[1]:
        return _full(state)
    return None


def rebuy(state: State, command: Rebuy) -> State:
    """The bank pays the seat; a seat that was out is live again."""
    seat = command.seat
    return replace(
        _seated(state, seat),
        balances=transfer(state.balances, (BANK, seat_account(seat), command.chips)),
        bought=_with(state.bought, seat, state.bought[seat - 1] + command.chips),
    )


def _seated(state: State, seat: int) -> State:
    """The seat is live."""
    if seat in state.live:
        return state
    live = tuple(sorted((*state.live, seat)))
    return replace(
        state,
        live=live,
        sitting_out=_without(state.sitting_out, seat),
        order=order_of_play(state.rules, live, state.places),
    )


def verify_sit_out(state: State, _: SitOut) -> Refusal | None:
    """Refuse one of the last two live seats."""
    if len(state.live) > LEAST_LIVE:
        return None
    return refuse(
        "too-few",
        lazy_gettext("At least two players must play. Someone who sits out can play again first."),
    )


def sit_out(state: State, command: SitOut) -> State:
    """The seat skips deals. If it was to deal, the next live seat deals."""
    seat = command.seat
    live = _without(state.live, seat)
    return replace(
        state,
        dealer=passed_on(state, state.dealer, live),
        banker=passed_on(state, state.banker, live),
        live=live,
        sitting_out=tuple(sorted((*state.sitting_out, seat))),
        order=order_of_play(state.rules, live, state.places),
    )


def verify_sit_in(state: State, command: SitIn) -> Refusal | None:
    """Refuse a seat that does not sit out, and a full table."""
    if state.has_left(command.seat):
        return _left(state, command.seat)
    if command.seat not in state.sitting_out:
        return refuse(
            "not-sitting-out",
            lazy_gettext("{seat} does not sit out.", seat=state.name_of(command.seat)),
        )
    return _full(state) if len(state.live) >= state.rules.players[1] else None


def sit_in(state: State, command: SitIn) -> State:
    """A seat that sat out is live again."""
    return _seated(state, command.seat)


def free_places(state: State) -> tuple[int, ...]:
    """The places where nobody sits, ascending."""
    return tuple(place for place in range(1, MOST_PLACES + 1) if place not in state.places)


def verify_join(state: State, command: Join) -> Refusal | None:
    """Refuse a blank or taken name, a full table, and a place that is taken."""
    refusal = _verify_name(state, command.name.strip())
    if refusal:
        return refusal
    if len(state.live) >= state.rules.players[1]:
        return _full(state)
    free = free_places(state)
    if not free:
        return refuse(
            "table-full",
            lazy_gettext("The table is full: all {places} places are taken.", places=MOST_PLACES),
        )
    if command.place is not UNSET and command.place not in free:
        return refuse(
            "bad-place",
            lazy_ngettext(
                "Place {place} is not free. Only place {places} is free.",
                "Place {place} is not free. Places {places} are free.",
                len(tuple(str(place) for place in free)),
                place=command.place,
                places=lazy_listed(tuple(str(place) for place in free)),
            ),
        )
    return None


def join(state: State, command: Join) -> State:
    """A new seat with the night's starting stack."""
    place = free_places(state)[0] if command.place is UNSET else command.place
    seat = len(state.names) + 1
    places = (*state.places, place)
    live = (*state.live, seat)
    return replace(
        state,
        balances=transfer((*state.balances, 0), (BANK, seat_account(seat), state.stack)),
        bought=(*state.bought, state.stack),
        names=(*state.names, command.name.strip()),
        places=places,
        live=live,
        order=order_of_play(state.rules, live, places),
    )


def verify_leave(state: State, command: Leave) -> Refusal | None:
    """Refuse a seat that has left, and one of the last two."""
    if state.has_left(command.seat):
        return _left(state, command.seat)
    if command.seat in state.live and len(state.live) <= 2:
        return refuse(
            "too-few", lazy_gettext("At least two players must stay. End the night instead.")
        )
    return None


def leave(state: State, command: Leave) -> State:
    """The seat's chips go back to the bank and its place is free."""
    seat = command.seat
    live = _without(state.live, seat)
    stack = state.stack_of(seat)
    places = _with(state.places, seat, 0)
    return replace(
        state,
        balances=transfer(state.balances, (seat_account(seat), BANK, stack)),
        bought=_with(state.bought, seat, state.bought[seat - 1] - stack),
        dealer=passed_on(state, state.dealer, live),
        banker=passed_on(state, state.banker, live),
        live=live,
        sitting_out=_without(state.sitting_out, seat),
        places=places,
        order=order_of_play(state.rules, live, places),
    )


def verify_rename(state: State, command: Rename) -> Refusal | None:
    """Refuse a seat that has left, and a blank or taken name."""
    if state.has_left(command.seat):
        return _left(state, command.seat)
    return _verify_name(state, command.name.strip(), but=command.seat)


def rename(state: State, command: Rename) -> State:
    """Another name for a seat."""
    seat, name = command.seat, command.name.strip()
    return replace(state, names=(*state.names[: seat - 1], name, *state.names[seat:]))


def dealer(state: State, command: Dealer) -> State:
    """This seat deals next."""
    return replace(state, dealer=command.seat)


def verify_banker(state: State, _: Banker) -> Refusal | None:
    """Refuse the office where no banker fills the pools."""
    if state.rules.ante_from == "banker":
        return None
    return refuse("wrong-phase", lazy_gettext("No banker fills the pools with these rules."))


def banker(state: State, command: Banker) -> State:
    """This seat is the banker from now on."""
    return replace(state, banker=command.seat)


def verify_adjust(state: State, command: Adjust) -> Refusal | None:
    """Refuse chips of seats that do not take part, and more chips than the account has."""
    accounts = [account_index(name) for name in (command.from_, command.to)]
    seats = [index - FIRST_SEAT + 1 for index in accounts if index >= FIRST_SEAT]
    for seat in seats:
        if state.has_left(seat):
            return _left(state, seat)
    for seat in seats:
        if seat not in state.here:
            return refuse(
                "seat-out", lazy_gettext("{seat} is out. Buy in first.", seat=state.name_of(seat))
            )
    source = accounts[0]
    if source != BANK and state.balances[source] < command.chips:
        return refuse(
            "not-enough-chips",
            lazy_ngettext(
                "There is only {count} chip to move.",
                "There are only {count} chips to move.",
                state.balances[source],
            ),
        )
    return None


def adjust(state: State, command: Adjust) -> State:
    """Move chips between two accounts after a recount; the bank always has enough."""
    source, target = account_index(command.from_), account_index(command.to)
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
        return refuse("bad-players", lazy_gettext("A player needs a name."))
    for seat in state.seats:
        if seat != but and not state.has_left(seat) and sight(state.name_of(seat)) == given:
            return refuse(
                "bad-players",
                lazy_gettext("The name {name} is taken. Choose another one.", name=name),
            )
    return None


def _left(state: State, seat: int) -> Refusal:
    return refuse("seat-left", lazy_gettext("{seat} has gone home.", seat=state.name_of(seat)))


def _full(state: State) -> Refusal:
    return refuse(
        "table-full",
        lazy_gettext(
            "The table is full: “{ruleset}” is for at most {most} players.",
            ruleset=lazy_ruleset(state.rules.name),
            most=state.rules.players[1],
        ),
    )


def _without(seats: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return tuple(other for other in seats if other != seat)


def _with(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[: seat - 1], value, *values[seat:])
