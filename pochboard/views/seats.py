"""The seats in lists and drawings: rows, plaques on the rim, standings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from pochboard.buttons.press import NOTHING, Lobby, Pending
from pochboard.ledger.results import Result
from pochboard.messages.labels import short_name, signed
from pochboard.rules.state import State
from pochboard.text.translator import Translator


class Flag(msgspec.Struct, frozen=True):
    """A remark about a seat: a name for style sheets, and its words."""

    name: str
    text: str


class SeatRow(msgspec.Struct, frozen=True):
    """A seat as the page lists it."""

    seat: int
    place: int | None
    """None once it has left."""
    name: str
    stack: int
    net: int
    net_text: str
    turn: bool
    flags: tuple[Flag, ...]
    task: str | None
    """What its player has to do now, said to that player; None if nothing."""


class Plaque(msgspec.Struct, frozen=True):
    """A taken place on the rim of the drawn board."""

    place: int
    seat: int | None
    """None between nights, when the place is only in for the next night."""
    name: str
    detail: str
    label: str
    """The place in words, for screen readers."""
    dealer: bool
    turn: bool
    """Whether it has something to do."""
    selected: bool
    dim: bool
    """Whether it does not take part now."""


class StandingsRow(msgspec.Struct, frozen=True):
    """A person at the end of a night, over all seats; equal nets have equal ranks."""

    rank: int
    name: str
    stack: int
    net_text: str


def seat_rows(
    state: State, pending: Pending | None, t: Translator, held: Collection[int] = ()
) -> tuple[SeatRow, ...]:
    """All seats of the night in the order of their places; those that have left come last.

    Nobody has to count the cards of the seats `held`, because the program has dealt them.
    """
    rows = [_seat_row(state, pending or NOTHING, seat, t, held) for seat in state.seats]
    return tuple(sorted(rows, key=lambda row: (row.place is None, row.place or 0, row.seat)))


def _seat_row(
    state: State, pending: Pending, seat: int, t: Translator, held: Collection[int]
) -> SeatRow:
    stack = state.stack_of(seat)
    net = stack - state.bought[seat - 1]
    return SeatRow(
        seat=seat,
        place=state.places[seat - 1] or None,
        name=t.person(state.name_of(seat)),
        stack=stack,
        net=net,
        net_text=signed(net),
        turn=state.to_act == seat,
        flags=(*_flags(state, seat, t), *_pending_flags(state, pending, seat, t, held)),
        task=_task(state, pending, seat, t, held),
    )


def _flags(state: State, seat: int, t: Translator) -> list[Flag]:
    flags = []
    if state.dealer == seat and state.phase == "idle":
        flags.append(Flag("dealer", t.pgettext("seat", "deals next")))
    elif state.dealer == seat:
        flags.append(Flag("dealer", t.pgettext("seat", "dealer")))
    if state.to_act == seat:
        flags.append(Flag("turn", t.pgettext("seat", "to act")))
    if state.leader == seat and state.winner is None:
        flags.append(Flag("leads", t.pgettext("seat", "leads")))
    if state.winner == seat:
        flags.append(Flag("winner", t.pgettext("seat", "finished")))
    if state.knocker == seat:
        flags.append(Flag("knocker", t.pgettext("seat", "knocked")))
    if seat in state.passed:
        flags.append(Flag("passed", t.pgettext("seat", "passed")))
    if state.has_left(seat):
        flags.append(Flag("left", t.pgettext("seat", "left")))
    elif seat in state.sitting_out:
        flags.append(Flag("sitting-out", t.pgettext("seat", "sits out")))
    elif seat not in state.live:
        flags.append(Flag("out", t.pgettext("seat", "out")))
    return flags


def _pending_flags(
    state: State, pending: Pending, seat: int, t: Translator, held: Collection[int]
) -> list[Flag]:
    """What is staked, and what is pending."""
    flags = []
    if chips := state.committed[seat - 1] if state.committed else 0:
        flags.append(Flag("committed", t.pgettext("seat", "{chips} staked", chips=chips)))
    if pending.chips and state.to_act == seat:
        flags.append(Flag("hand", t.pgettext("seat", "{chips} in hand", chips=pending.chips)))
    if seat in pending.hands:
        rank = pending.hands.index(seat) + 1
        flags.append(Flag("hand", t.pgettext("seat", "hand {rank}", rank=rank)))
    if seat in pending.cards:
        cards = t.ngettext("{count} card", "{count} cards", pending.cards[seat])
        flags.append(Flag("cards", cards))
    elif _has_to_count(state, pending, seat, held):
        flags.append(Flag("counting", t.pgettext("seat", "counting")))
    return flags


def _task(
    state: State, pending: Pending, seat: int, t: Translator, held: Collection[int]
) -> str | None:
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
        case "shed" if _has_to_count(state, pending, seat, held):
            return t.gettext("How many cards do you have left?")
        case _:
            return None


def _has_to_count(state: State, pending: Pending, seat: int, held: Collection[int]) -> bool:
    """Whether the deal waits for how many cards a seat has left."""
    is_counted = seat == state.winner or seat in pending.cards or seat in held
    return state.winner is not None and seat in state.live and not is_counted


def _between_deals(state: State, seat: int, t: Translator) -> str | None:
    if state.has_left(seat) or seat in state.sitting_out:
        return None
    if state.is_short(seat):
        return t.gettext("You need more chips to play on")
    return t.gettext("You deal") if state.dealer == seat else None


def _bet(state: State, seat: int, t: Translator) -> str:
    need, stack = state.need(seat), state.stack_of(seat)
    if not need:
        return t.gettext("Who’s betting? Your turn")
    if need <= stack:
        return t.ngettext(
            "Your turn: {count} chip to stay in", "Your turn: {count} chips to stay in", need
        )
    if state.rules.all_in:
        return t.gettext("Your turn: all in with {chips}, or pass", chips=stack)
    return t.gettext("Your turn: too few chips to stay in")


def rim(
    state: State,
    pending: Pending | None,
    t: Translator,
    bots: Collection[int] = (),
    lobby_names: Mapping[int, str] = {},
) -> tuple[Plaque, ...]:
    """The taken places, clockwise; between nights, the places that are in for the next one.

    Bots are named without their strategy, for which a plaque has no room. `lobby_names` are the
    names with which the next night would start.
    """
    if pending is not None and pending.lobby is not None:
        return _lobby_rim(pending.lobby, lobby_names, t)
    selected = None if pending is None else pending.place
    here = sorted((place, seat) for seat, place in enumerate(state.places, 1) if place)
    plaques = []
    for place, seat in here:
        name, stack = state.name_of(seat), state.stack_of(seat)
        leads = state.phase == "shed" and seat == (state.winner or state.leader)
        dealer = state.dealer == seat
        plaques.append(
            Plaque(
                place=place,
                seat=seat,
                name=t.person(short_name(state, seat, bots)),
                detail=str(stack),
                label=_seat_label(place, name, stack, t, dealer=dealer),
                dealer=dealer,
                turn=state.to_act == seat or leads,
                selected=selected == place,
                dim=seat not in state.live or seat in state.passed,
            )
        )
    return tuple(plaques)


def _seat_label(place: int, name: str, stack: int, t: Translator, *, dealer: bool) -> str:
    if dealer:
        return t.ngettext(
            "Place {place}: {name}, {count} chip, dealer",
            "Place {place}: {name}, {count} chips, dealer",
            stack,
            place=place,
            name=name,
        )
    return t.ngettext(
        "Place {place}: {name}, {count} chip",
        "Place {place}: {name}, {count} chips",
        stack,
        place=place,
        name=name,
    )


def _lobby_rim(lobby: Lobby, lobby_names: Mapping[int, str], t: Translator) -> tuple[Plaque, ...]:
    plaques = []
    for place in lobby.places:
        name, dealer = lobby_names.get(place), lobby.dealer == place
        plaques.append(
            Plaque(
                place=place,
                seat=None,
                name=name or t.gettext("Place {place}", place=place),
                detail=t.pgettext("place", "deals") if dealer else t.pgettext("place", "plays"),
                label=_lobby_label(place, name, t, dealer=dealer),
                dealer=dealer,
                turn=False,
                selected=lobby.armed,
                dim=False,
            )
        )
    return tuple(plaques)


def _lobby_label(place: int, name: str | None, t: Translator, *, dealer: bool) -> str:
    if name is None:
        if dealer:
            return t.gettext("Place {place}, deals first", place=place)
        return t.gettext("Place {place}", place=place)
    if dealer:
        return t.gettext("Place {place}: {name}, deals first", place=place, name=name)
    return t.gettext("Place {place}: {name}", place=place, name=name)


def standings_rows(results: Iterable[Result], t: Translator) -> tuple[StandingsRow, ...]:
    """The results of a night as the page shows them."""
    return tuple(
        StandingsRow(result.rank, t.person(result.name), result.stack, signed(result.net))
        for result in results
    )
