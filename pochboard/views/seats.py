"""The seats in lists and drawings: rows, plaques on the rim, standings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

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
    net_text: str
    flags: tuple[Flag, ...] = ()
    task: str | None = None
    """What its player has to do now, said to that player; None if nothing."""


class Plaque(msgspec.Struct, frozen=True, kw_only=True):
    """A taken place on the rim of the drawn board; between nights, one that is in for the next."""

    place: int
    name: str
    detail: str
    label: str
    """The place in words, for screen readers."""
    dealer: bool
    turn: bool = False
    """Whether it has something to do."""
    selected: bool
    dim: bool = False
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
    return SeatRow(
        seat=seat,
        place=state.places[seat - 1] or None,
        name=t.person(state.name_of(seat)),
        stack=stack,
        net_text=signed(stack - state.bought[seat - 1]),
        flags=(*_flags(state, seat, t), *_pending_flags(state, pending, seat, t, held)),
        task=_task(state, pending, seat, t, held),
    )


def _flags(state: State, seat: int, t: Translator) -> Iterator[Flag]:
    has_left, sits_out = state.has_left(seat), seat in state.sitting_out
    is_out = seat not in state.live
    deals = t.pgettext("seat", "deals next") if state.phase == "idle" else _dealer(t)
    for holds, name, text in (
        (state.dealer == seat, "dealer", deals),
        (state.to_act == seat, "turn", t.pgettext("seat", "to act")),
        (state.leader == seat and not state.winner, "leads", t.pgettext("seat", "leads")),
        (state.winner == seat, "winner", t.pgettext("seat", "finished")),
        (state.knocker == seat, "knocker", t.pgettext("seat", "knocked")),
        (seat in state.passed, "passed", t.pgettext("seat", "passed")),
        (has_left, "left", t.pgettext("seat", "left")),
        (sits_out and not has_left, "sitting-out", t.pgettext("seat", "sits out")),
        (is_out and not sits_out and not has_left, "out", t.pgettext("seat", "out")),
    ):
        if holds:
            yield Flag(name, text)


def _dealer(t: Translator) -> str:
    return t.pgettext("seat", "dealer")


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
        case "pochen" if state.to_act == seat and not state.need(seat):
            return t.gettext("Who’s betting? Your turn")
        case "pochen" if state.to_act == seat:
            return t.gettext("Your turn: {what}", what=stake_words(state, seat, t))
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


def stake_words(state: State, seat: int, t: Translator) -> str:
    """The stake that keeps the seat to act in, in words."""
    need, stack = state.need(seat), state.stack_of(seat)
    if need <= stack:
        return t.ngettext("{count} chip to stay in", "{count} chips to stay in", need)
    if state.rules.all_in:
        return t.gettext("all in with {chips}, or pass", chips=stack)
    return t.gettext("too few chips to stay in")


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
        return tuple(
            _lobby_plaque(place, pending.lobby, lobby_names, t) for place in pending.lobby.places
        )
    here = sorted((place, seat) for seat, place in enumerate(state.places, 1) if place)
    return tuple(
        Plaque(
            place=place,
            name=t.person(short_name(state, seat, bots)),
            detail=str(state.stack_of(seat)),
            label=_label(
                place,
                state.name_of(seat),
                t.ngettext("{count} chip", "{count} chips", state.stack_of(seat)),
                _dealer(t) if state.dealer == seat else "",
                t=t,
            ),
            dealer=state.dealer == seat,
            turn=state.to_act == seat
            or (state.phase == "shed" and seat == (state.winner or state.leader)),
            selected=pending is not None and pending.place == place,
            dim=seat not in state.live or seat in state.passed,
        )
        for place, seat in here
    )


def _lobby_plaque(place: int, lobby: Lobby, names: Mapping[int, str], t: Translator) -> Plaque:
    name, deals = names.get(place, ""), lobby.dealer == place
    return Plaque(
        place=place,
        name=name or t.gettext("Place {place}", place=place),
        detail=t.pgettext("place", "deals") if deals else t.pgettext("place", "plays"),
        label=_label(place, name, t.pgettext("place", "deals first") if deals else "", t=t),
        dealer=deals,
        selected=lobby.armed,
    )


def _label(place: int, name: str, *more: str, t: Translator) -> str:
    """A place in words: `Place 3: Anna, 50 chips, dealer`."""
    called = (
        t.gettext("Place {place}: {name}", place=place, name=name)
        if name
        else t.gettext("Place {place}", place=place)
    )
    return ", ".join(filter(None, (called, *more)))


def standings_rows(results: Iterable[Result], t: Translator) -> tuple[StandingsRow, ...]:
    """The results of a night as the page shows them."""
    return tuple(
        StandingsRow(result.rank, t.person(result.name), result.stack, signed(result.net))
        for result in results
    )
