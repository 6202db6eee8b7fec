"""How lights change over time: repeating rhythms, and effects that play once.

A rhythm changes at multiples of its step, so that all frames between two steps are the same and the
next change is known.

An effect is data, made when its cause is stored or refused. It plays on top of what the state shows
anyway. The effects of an entry replace all effects under way; those of a refusal join them. If a
newer state no longer matches the end of an effect, the effect is not drawn (`is_current`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import cos, pi
from typing import Final, assert_never

import msgspec

from pochboard.buttons.press import Pending, shows_result
from pochboard.ledger.results import results_of
from pochboard.lights.frame import BREATH_FLOOR, PULSE_FLOOR, RED, WHITE
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import AnyCommand, Deal, Out, Redo, Start, Undo, Void
from pochboard.rules.state import State

# Rhythms

SLOW_STEP_US: Final = 80_000
BLINK_STEP_US: Final = 400_000
WARNING_STEP_US: Final = 800_000
CHASE_STEP_US: Final = 160_000
"""How long the running light of the pairing window stays at a place."""


def _wave(period_us: int, floor: float) -> tuple[float, ...]:
    """The levels of one period, step by step: a cosine from 1 down to the floor and back."""
    steps = period_us // SLOW_STEP_US
    return tuple(
        round(floor + (1 - floor) * (1 + cos(2 * pi * step / steps)) / 2, 4)
        for step in range(steps)
    )


PULSE: Final = _wave(1_600_000, PULSE_FLOOR)
"""The wave of a place or a card ring."""
BREATH: Final = _wave(3_200_000, BREATH_FLOOR)
"""The wave of a ring that holds more chips than it can count."""
LINK_LOST: Final = _wave(4_000_000, PULSE_FLOOR)
"""The wave of the places while host and board do not hear each other."""


def level_at(wave: tuple[float, ...], now_us: int) -> float:
    """The level of a wave."""
    return wave[now_us // SLOW_STEP_US % len(wave)]


def next_step_us(now_us: int, step_us: int) -> int:
    """When a rhythm of this step changes next."""
    return now_us - now_us % step_us + step_us


# Effects

EFFECT_STEP_US: Final = 40_000
"""The step of all effects, counted from the start of each: 25 frames a second."""

ANTE_US: Final = 1_200_000
DRAIN_US: Final = 800_000
CHIP_US: Final = 120_000
"""How long one chip takes if there is enough time for all."""

FLASH_US: Final = 120_000
"""How long a flash lasts, and the dark between two flashes."""

REVEAL_US: Final = 1_000_000
"""How long each rank of a night's result takes, on the large screen and on phones too."""
DRAW_US: Final = 2_400_000
DRAW_LAPS: Final = 3

_SHOWN_AT_ONCE: Final = (Undo, Redo, Void, Start)
"""Commands without an animation: they move no chips by hand from pool to seat."""


class TimedEffect(msgspec.Struct, frozen=True, kw_only=True):
    """What all effects have: a start, and the moment at which they are over."""

    start_us: int
    end_us: int


class RingCount(TimedEffect, frozen=True, kw_only=True, tag="ring-count"):
    """A ring counts from one number of chips to another, chip by chip."""

    pool: str
    before: int
    after: int


class PlaceGlow(TimedEffect, frozen=True, kw_only=True, tag="place-glow"):
    """A place brightens while its seat gets chips; `stack` is what the seat has afterwards."""

    seat: int
    place: int
    stack: int


class Flash(TimedEffect, frozen=True, kw_only=True, tag="flash"):
    """Buttons flash in a colour."""

    buttons: tuple[str, ...]
    colour: str


class Reveal(TimedEffect, frozen=True, kw_only=True, tag="reveal"):
    """The places of a night that is over light up, from the last to the first."""

    order: tuple[tuple[int, ...], ...]
    """Places on the rim that light up together, the winner's last."""


class DealerDraw(TimedEffect, frozen=True, kw_only=True, tag="dealer-draw"):
    """A light that runs round these places and stops at the one that was drawn to deal first."""

    places: tuple[int, ...]
    winner: int


Effect = RingCount | PlaceGlow | Flash | DealerDraw | Reveal


def effects_of_entry(
    before: State,
    after: State,
    command: AnyCommand,
    now_us: int,
    aliases: Mapping[str, str] = {},
) -> tuple[Effect, ...]:
    """The effects that a stored entry starts; they replace all effects under way.

    Rings count up (an ante, in at most 1.2 s) or down (a claim, in at most 0.8 s), while the places
    of the seats that get chips brighten. `aliases` is as in the remarks.
    """
    if isinstance(command, _SHOWN_AT_ONCE):
        return ()
    # An entry is one movement of chips, so all its rings and places start and end together.
    changed = [(pool, before.pool(pool), after.pool(pool)) for pool in POOLS]
    most = max(abs(now - was) for _, was, now in changed)
    span_us = min(ANTE_US if isinstance(command, Deal) else DRAIN_US, most * CHIP_US)
    counts = tuple(
        RingCount(pool=pool, before=was, after=now, start_us=now_us, end_us=now_us + span_us)
        for pool, was, now in changed
        if was != now
    )
    glow_us = span_us or DRAIN_US
    # Whoever plays the last card gets no chips yet, but is who it is about.
    last = command.seat if isinstance(command, Out) else None
    glows = tuple(
        PlaceGlow(
            seat=seat,
            place=after.places[seat - 1],
            stack=after.stack_of(seat),
            start_us=now_us,
            end_us=now_us + glow_us,
        )
        for seat in after.seats
        if seat == last
        or (
            not after.has_left(seat)
            and after.stack_of(seat) > (before.stack_of(seat) if seat in before.seats else 0)
        )
    )
    ended = after.phase == "closed" and before.phase not in ("none", "closed")
    return counts + (_reveal(after, now_us, aliases) if ended else glows)


def _reveal(state: State, now_us: int, aliases: Mapping[str, str]) -> tuple[Effect, ...]:
    """The result of a night, a second for each rank."""
    seats: dict[int, list[int]] = {}
    for result in reversed(results_of(state, aliases)):
        seats.setdefault(result.rank, []).extend(result.seats)
    order = tuple(
        tuple(state.places[seat - 1] for seat in of_rank if not state.has_left(seat))
        for of_rank in seats.values()
    )
    end_us = now_us + REVEAL_US * len(order)
    return (Reveal(order=order, start_us=now_us, end_us=end_us),)


def refusal_flash(buttons: tuple[str, ...], now_us: int) -> Flash:
    """Two red flashes within 0.4 s on what was pressed; it joins the effects under way.

    `next` and `undo` have no pixels: all places flash for them.
    """
    return Flash(buttons=buttons, colour=RED, start_us=now_us, end_us=now_us + 3 * FLASH_US)


def missing_count_flash(places: Iterable[int], now_us: int) -> Flash:
    """Three white flashes on places without a count, after the red ones of the refused `next`."""
    buttons, start_us = tuple(f"seat{place}" for place in places), now_us + 4 * FLASH_US
    return Flash(buttons=buttons, colour=WHITE, start_us=start_us, end_us=start_us + 5 * FLASH_US)


def dealer_draw(places: Iterable[int], winner: int, now_us: int) -> DealerDraw:
    """A light that runs round these places, slower and slower, and stops at the winner."""
    places = tuple(places)
    assert winner in places, "only a place that takes part can be drawn"
    return DealerDraw(places=places, winner=winner, start_us=now_us, end_us=now_us + DRAW_US)


def is_current(effect: Effect, state: State, pending: Pending) -> bool:
    """Whether an effect still leads to what the state shows; otherwise a newer state ends it."""
    match effect:
        case RingCount():
            return state.pool(effect.pool) == effect.after
        case PlaceGlow():
            return effect.seat in state.seats and state.stack_of(effect.seat) == effect.stack
        case Reveal():
            return shows_result(state, pending)
        case DealerDraw():
            return pending.lobby is not None and pending.lobby.dealer == effect.winner
        case Flash():
            return True
        case _:
            assert_never(effect)


def chips_at(effect: RingCount, now_us: int) -> int:
    """How many chips the ring shows."""
    span_us = effect.end_us - effect.start_us
    moved = abs(effect.after - effect.before) * elapsed_us(effect, now_us) // span_us
    return effect.before + moved if effect.after > effect.before else effect.before - moved


def place_at(effect: DealerDraw, now_us: int) -> int:
    """The place that the running light has reached."""
    places = effect.places
    distance = DRAW_LAPS * len(places) + places.index(effect.winner)
    time_left = 1 - elapsed_us(effect, now_us) / DRAW_US
    # The distance left shrinks with the square of the time left, like a wheel running down.
    # Half a place is added, so that the light arrives early and rests where it stops.
    return places[(distance - int(distance * time_left * time_left + 0.5)) % len(places)]


def elapsed_us(effect: Effect, now_us: int) -> int:
    """The time that an effect has run, in whole steps."""
    return (now_us - effect.start_us) // EFFECT_STEP_US * EFFECT_STEP_US


def next_effect_step_us(effect: Effect, now_us: int) -> int | None:
    """When an effect changes next; None once it is over."""
    if now_us >= effect.end_us:
        return None
    if now_us < effect.start_us:
        return effect.start_us
    return min(effect.end_us, effect.start_us + elapsed_us(effect, now_us) + EFFECT_STEP_US)
