"""The table in lists and drawings: rows of seats, plaques on the rim, pools, standings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from pochboard.buttons.pending import NOTHING, Lobby, Pending
from pochboard.ledger.results import Result
from pochboard.messages.bots import short_name
from pochboard.messages.labels import pool_name, signed
from pochboard.messages.tasks import task
from pochboard.rules.accounts import POOLS
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


class PoolDetail(msgspec.Struct, frozen=True):
    """A pool of the board; one that the ruleset lacks has neither a name nor a number of chips."""

    pool: str
    name: str
    chips: int | None
    blocked: bool
    claimable: bool
    note: str
    """The text under the number of chips."""
    label: str
    """The pool in words, for screen readers."""


class StandingsRow(msgspec.Struct, frozen=True):
    """A person at the end of a night, over all seats; equal nets have equal ranks."""

    rank: int
    seat: int
    """The first of `seats`."""
    name: str
    stack: int
    net: int
    net_text: str
    seats: tuple[int, ...]


def seat_rows(state: State, pending: Pending | None, t: Translator) -> tuple[SeatRow, ...]:
    """All seats of the night in the order of their places; those that have left come last."""
    rows = [_seat_row(state, pending or NOTHING, seat, t) for seat in state.seats]
    return tuple(sorted(rows, key=lambda row: (row.place is None, row.place or 0, row.seat)))


def _seat_row(state: State, pending: Pending, seat: int, t: Translator) -> SeatRow:
    stack = state.stack_of(seat)
    net = stack - state.bought[seat - 1]
    return SeatRow(
        seat=seat,
        place=state.places[seat - 1] or None,
        name=state.name_of(seat),
        stack=stack,
        net=net,
        net_text=signed(net),
        turn=state.to_act == seat,
        flags=(*_flags(state, seat, t), *_pending_flags(state, pending, seat, t)),
        task=task(state, pending, seat, t),
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
        flags.append(Flag("winner", t.pgettext("seat", "out of cards")))
    if state.knocker == seat:
        flags.append(Flag("knocker", t.pgettext("seat", "knocked")))
    if seat in state.passed:
        flags.append(Flag("passed", t.pgettext("seat", "passed")))
    if state.has_left(seat):
        flags.append(Flag("left", t.pgettext("seat", "left")))
    elif seat not in state.live:
        flags.append(Flag("out", t.pgettext("seat", "out")))
    return flags


def _pending_flags(state: State, pending: Pending, seat: int, t: Translator) -> list[Flag]:
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
    return flags


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
                name=short_name(state, seat, bots),
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


def pool_details(
    state: State, claims: Mapping[int, tuple[str, ...]], t: Translator
) -> tuple[PoolDetail, ...]:
    """The nine pools in board order. `claims` are the pools that each seat may claim now."""
    played = state.ruleset.pools if state.ruleset else ()
    named = played or POOLS
    claimable = {pool for pools in claims.values() for pool in pools}
    details = []
    for pool in POOLS:
        chips = state.pool(pool) if pool in played else None
        blocked, may_claim = pool in state.blocked, pool in claimable
        details.append(
            PoolDetail(
                pool=pool,
                name=pool_name(pool, t) if pool in named else "",
                chips=chips,
                blocked=blocked,
                claimable=may_claim,
                note=t.pgettext("pool", "blocked") if blocked else "",
                label=_pool_label(pool, chips, t, blocked=blocked, claimable=may_claim)
                if pool in named
                else _unnamed(pool, t),
            )
        )
    return tuple(details)


def board_label(pools: Iterable[PoolDetail], t: Translator) -> str:
    """The board in words, for screen readers that meet it as a picture."""
    return t.gettext("The board: {pools}.", pools="; ".join(pool.label for pool in pools))


def _unnamed(pool: str, t: Translator) -> str:
    """What the button of a pool is called that the ruleset lacks; the middle still has a use."""
    return t.gettext("The middle") if pool == "pinke" else t.gettext("A pool that is not played")


def _pool_label(
    pool: str, chips: int | None, t: Translator, *, blocked: bool, claimable: bool
) -> str:
    name = pool_name(pool, t)
    if chips is None:
        return t.gettext("{pool}, not played", pool=name)
    if blocked:
        return t.ngettext(
            "{pool}, {count} chip, blocked", "{pool}, {count} chips, blocked", chips, pool=name
        )
    if claimable:
        return t.ngettext(
            "{pool}, {count} chip, can be claimed",
            "{pool}, {count} chips, can be claimed",
            chips,
            pool=name,
        )
    return t.ngettext("{pool}, {count} chip", "{pool}, {count} chips", chips, pool=name)


def standings_rows(results: Iterable[Result]) -> tuple[StandingsRow, ...]:
    """The results of a night as the page shows them."""
    return tuple(
        StandingsRow(
            one.rank, one.seats[0], one.name, one.stack, one.net, signed(one.net), one.seats
        )
        for one in results
    )
