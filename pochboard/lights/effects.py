"""What moves on the board for a moment: data made when its cause is stored or refused.

An effect only plays on top of what the state shows anyway. The effects of an entry replace all that
are under way, those of a refusal join them. An effect that leads to what the state does not show,
because a newer state has come, is not drawn at all (`leads_to`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, assert_never

import msgspec

from pochboard.buttons.pending import Pending
from pochboard.rules.board import POOLS
from pochboard.rules.state import State

STEP_US: Final = 40_000
"""The grid of all effects, counted from the start of each: 25 frames a second."""

FILL_US: Final = 1_200_000
DRAIN_US: Final = 800_000
CHIP_US: Final = 120_000
"""How long a chip takes where there is time enough for all."""

FLASH_US: Final = 120_000
"""How long a flash lasts, and the dark between two of them."""

REFUSAL_US: Final = 3 * FLASH_US
MISSING_US: Final = 5 * FLASH_US
LOT_US: Final = 2_400_000
LOT_LAPS: Final = 3

_AT_ONCE: Final = frozenset(("undo", "redo", "void", "start"))
"""Commands whose changes of chips are shown at once: no hand moves them from pool to seat."""


class Timed(msgspec.Struct, frozen=True, kw_only=True):
    """What all effects have: a start, and the first moment at which they are over."""

    start_us: int
    end_us: int


class Tally(Timed, frozen=True, kw_only=True, tag="tally"):
    """A ring counts from one number of chips to another, chip by chip."""

    pool: str
    was: int
    chips: int


class Glow(Timed, frozen=True, kw_only=True, tag="glow"):
    """The place of a seat brightens while the seat gets chips; `chips` are its own afterwards."""

    seat: int
    place: int
    chips: int


class Refused(Timed, frozen=True, kw_only=True, tag="refused"):
    """Two red flashes on the buttons that were pressed."""

    buttons: tuple[str, ...]


class Missing(Timed, frozen=True, kw_only=True, tag="missing"):
    """Three white flashes on places that have to be pressed first."""

    places: tuple[int, ...]


class Lot(Timed, frozen=True, kw_only=True, tag="lot"):
    """A light that runs round these places and stops at the one that was drawn."""

    places: tuple[int, ...]
    winner: int


Effect = Tally | Glow | Refused | Missing | Lot


def effects_of_entry(
    before: State, after: State, command: Mapping[str, Any], at_us: int
) -> tuple[Effect, ...]:
    """What a stored entry sets off; it replaces all effects under way.

    Rings count up (an ante within 1.2 s) or down (a claim within 0.8 s) to what they hold now,
    while the places of the seats that get chips brighten.
    """
    if command.get("do") in _AT_ONCE:
        return ()
    # An entry is one movement of chips, so all its rings and places start and end together.
    changed = [(pool, before.pool(pool), after.pool(pool)) for pool in POOLS]
    most = max(abs(chips - was) for _, was, chips in changed)
    span_us = min(FILL_US if command.get("do") == "deal" else DRAIN_US, most * CHIP_US)
    tallies = tuple(
        Tally(pool=pool, was=was, chips=chips, start_us=at_us, end_us=at_us + span_us)
        for pool, was, chips in changed
        if was != chips
    )
    glow_us = span_us or DRAIN_US
    glows = tuple(
        Glow(
            seat=seat,
            place=after.places[seat - 1],
            chips=after.stack_of(seat),
            start_us=at_us,
            end_us=at_us + glow_us,
        )
        for seat in after.seats
        if not after.has_left(seat)
        and after.stack_of(seat) > (before.stack_of(seat) if seat in before.seats else 0)
    )
    return tallies + glows


def refusal_effect(buttons: tuple[str, ...], at_us: int) -> Refused:
    """Two red flashes within 0.4 s on what was pressed; it joins the effects under way.

    `next` and `undo` have no pixels: all places flash for them.
    """
    return Refused(buttons=buttons, start_us=at_us, end_us=at_us + REFUSAL_US)


def missing_effect(places: Iterable[int], at_us: int) -> Missing:
    """White flashes on places that lack a count, once the red ones for `next` are over."""
    start_us = at_us + REFUSAL_US + FLASH_US
    return Missing(places=tuple(places), start_us=start_us, end_us=start_us + MISSING_US)


def lot_effect(places: Iterable[int], winner: int, at_us: int) -> Lot:
    """A light that runs round these places, slower and slower, and stops at the winner."""
    places = tuple(places)
    assert winner in places, "only a place that is in can be drawn"
    return Lot(places=places, winner=winner, start_us=at_us, end_us=at_us + LOT_US)


def still(effects: Iterable[Effect], now_us: int) -> tuple[Effect, ...]:
    """Those of the effects that are not over."""
    return tuple(effect for effect in effects if now_us < effect.end_us)


def leads_to(effect: Effect, state: State, pending: Pending) -> bool:
    """Whether an effect still ends in what is there; if not, a newer state has cut it short."""
    match effect:
        case Tally():
            return state.pool(effect.pool) == effect.chips
        case Glow():
            return effect.seat in state.seats and state.stack_of(effect.seat) == effect.chips
        case Lot():
            return pending.lobby is not None and pending.lobby.dealer == effect.winner
        case Refused() | Missing():
            return True
        case _:
            assert_never(effect)


def chips_at(effect: Tally, now_us: int) -> int:
    """How many chips the ring of a tally shows."""
    span_us = effect.end_us - effect.start_us
    done_us = _elapsed(effect, now_us)
    moved = abs(effect.chips - effect.was) * done_us // span_us
    return effect.was + moved if effect.chips > effect.was else effect.was - moved


def glow_at(effect: Glow, now_us: int) -> float:
    """How far (0 to 1) a place has brightened."""
    return round(_elapsed(effect, now_us) / (effect.end_us - effect.start_us), 3)


def flash_at(effect: Refused | Missing, now_us: int) -> bool:
    """Whether a flash is on; between two of them there is dark."""
    return (now_us - effect.start_us) // FLASH_US % 2 == 0


def stop_at(effect: Lot, now_us: int) -> int:
    """The place that the running light has reached."""
    places = effect.places
    way = LOT_LAPS * len(places) + places.index(effect.winner)
    left = 1 - _elapsed(effect, now_us) / LOT_US
    # The way left shrinks with the square of the time left, as of a wheel that is running down.
    # It counts as arrived half a place early, so that the light rests where it stops.
    return places[(way - int(way * left * left + 0.5)) % len(places)]


def _elapsed(effect: Effect, now_us: int) -> int:
    done_us = now_us - effect.start_us
    return done_us - done_us % STEP_US


def next_step_us(effect: Effect, now_us: int) -> int | None:
    """When an effect changes what it shows next; None once it is over."""
    if now_us >= effect.end_us:
        return None
    if now_us < effect.start_us:
        return effect.start_us
    done_us = now_us - effect.start_us
    return min(effect.end_us, effect.start_us + done_us - done_us % STEP_US + STEP_US)
