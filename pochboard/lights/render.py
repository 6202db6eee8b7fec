"""What each place and ring shows, the colours of all pixels, and their next change (BOARD.md 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, Literal, NamedTuple, assert_never

import msgspec
from msgspec.structs import replace

from pochboard.buttons.panel import OffSign
from pochboard.buttons.press import NOTHING, Lobby, Pending, shows_result
from pochboard.buttons.settings import SettingSign
from pochboard.ledger.results import results_of, winners
from pochboard.lights import animation
from pochboard.lights.animation import (
    BREATH,
    LINK_LOST,
    PULSE,
    DealerDraw,
    Effect,
    Flash,
    PlaceGlow,
    Reveal,
    RingCount,
    level_at,
)
from pochboard.lights.frame import (
    AMBER,
    BLUE,
    FULL,
    NORMAL,
    QUARTER,
    RED,
    RINGS,
    SOFT,
    WHITE,
    Frame,
    limit,
)
from pochboard.lights.lights_config import LightsConfig, pixel
from pochboard.rules.accounts import FIRST_SEAT, MOST_PLACES, POOL, POOLS
from pochboard.rules.melding import claimable
from pochboard.rules.state import State


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What the board is to show."""

    state: State = State()
    pending: Pending = NOTHING
    link: bool = True
    """Whether the board can be reached."""
    effects: tuple[Effect, ...] = ()
    """The effects under way, later ones on top; effects that are over are ignored."""
    pairing_since_us: int | None = None
    """When the pairing window was opened, while it is open."""
    pairing_code: tuple[int, ...] = ()
    """The digits of the code that pairs a phone, one for each of the first rings."""
    fault: bool = False
    """Whether nothing can be recorded, because of the ledger."""
    off: OffSign | None = None
    """The question whether to switch the machine off, or the sign that it is about to."""
    setting: SettingSign | None = None
    """The step that was just chosen at the board."""
    cannot_ante: frozenset[int] = frozenset()
    """The seats that could not ante when the last deal was refused."""
    aliases: Mapping[str, str] = {}
    """As in the remarks: by name, what the person is called instead."""


class PlaceLight(NamedTuple):
    """What a place shows: a colour at a level, steady, pulsing, or alternating with slow red."""

    colour: str
    level: float
    rhythm: Literal["steady", "pulse", "warning"] = "steady"


OFF: Final = PlaceLight(WHITE, 0.0)
PRESENT: Final = PlaceLight(AMBER, SOFT)
"""A seat that takes part and is not asked to act."""
JOINED: Final = PlaceLight(AMBER, NORMAL)
DEALER: Final = PlaceLight(WHITE, NORMAL)
SELECTED: Final = PlaceLight(WHITE, FULL)
"""A selected seat, or one that has been pressed already."""
ASKED: Final = PlaceLight(WHITE, FULL, "pulse")
"""A seat that may act or be pressed next."""

PlaceLights = dict[int, PlaceLight]
"""Lights by place; a place that is missing is off."""


def place_lights(scene: Scene) -> PlaceLights:
    """What the places show, without effects and pairing."""
    state, pending = scene.state, scene.pending
    if scene.fault:
        return dict.fromkeys(range(1, MOST_PLACES + 1), PlaceLight(RED, FULL, "pulse"))
    match state.phase:
        case "none" | "closed":
            if shows_result(state, pending):
                return _result(scene)
            return _lobby(pending.lobby or Lobby())
        case "idle":
            shown = _idle(state, scene.cannot_ante)
        case "meld":
            shown = _by_place(state, dict.fromkeys(state.live, PRESENT))
        case "pochen":
            seats = dict.fromkeys(state.still_in, PRESENT) | _only(state.to_act, ASKED)
            shown = _by_place(state, seats)
        case "showdown":
            seats = dict.fromkeys(state.still_in, ASKED) | dict.fromkeys(pending.hands, SELECTED)
            shown = _by_place(state, seats)
        case "shed":
            shown = _shed(scene)
        case _:
            assert_never(state.phase)
    if pending.place is not None:
        shown[pending.place] = SELECTED
    return shown


def _lobby(lobby: Lobby) -> PlaceLights:
    shown = dict.fromkeys(lobby.places, JOINED)
    if lobby.dealer is not None:
        shown[lobby.dealer] = SELECTED
    if lobby.armed:
        return {place: light._replace(level=FULL, rhythm="pulse") for place, light in shown.items()}
    return shown


def _result(scene: Scene) -> PlaceLights:
    """After a night: the places of those who have won it, among all that are taken."""
    state = scene.state
    best = [seat for result in winners(results_of(state, scene.aliases)) for seat in result.seats]
    seats = dict.fromkeys(state.seats, PRESENT) | dict.fromkeys(best, SELECTED)
    here = {seat: light for seat, light in seats.items() if not state.has_left(seat)}
    return _by_place(state, here)


def _idle(state: State, cannot_ante: frozenset[int]) -> PlaceLights:
    seats = _only(state.dealer, DEALER)
    for seat in cannot_ante & set(state.live):
        # A seat that has bought chips since then can ante again.
        if state.is_short(seat):
            seats[seat] = seats.get(seat, OFF)._replace(rhythm="warning")
    return _by_place(state, seats)


def _shed(scene: Scene) -> PlaceLights:
    state, pending = scene.state, scene.pending
    if state.winner is None:
        seats = dict.fromkeys(state.live, PRESENT) | _only(state.leader, ASKED)
        return _by_place(state, seats)
    counted = pending.cards
    seats = {seat: PRESENT if seat in counted else ASKED for seat in state.live}
    seats[state.winner] = OFF
    return _by_place(state, seats | _only(pending.last, SELECTED))


def _only(seat: int | None, light: PlaceLight) -> PlaceLights:
    return {} if seat is None else {seat: light}


def _by_place(state: State, seats: dict[int, PlaceLight]) -> PlaceLights:
    """Lights by place, from lights by seat."""
    return {state.places[seat - 1]: light for seat, light in seats.items()}


def pool_levels(scene: Scene) -> tuple[float, ...]:
    """The brightness of each pool's count, in board order; 0 for pools the ruleset lacks."""
    state = scene.state
    if state.ruleset is None:
        return (0.0,) * len(POOLS)
    bright: tuple[str, ...] = ()
    if state.phase == "meld":
        # A blocked pool shows a quarter of the level it would have if it were not blocked.
        place = scene.pending.place
        seat = None if place is None else state.seat_at(place)
        bright = claimable(replace(state, blocked=()), seat)
    present = state.ruleset.pools
    return tuple(
        (FULL if pool in bright else NORMAL) * (QUARTER if pool in state.blocked else 1.0)
        if pool in present
        else 0.0
        for pool in POOLS
    )


def cards_on_centre_ring(scene: Scene) -> int | None:
    """The cards of the seat pressed last, if the centre ring counts cards and not chips now."""
    if scene.state.phase != "shed" or scene.state.winner is None or scene.pending.last is None:
        return None
    return scene.pending.cards.get(scene.pending.last, 0)


_CENTRE: Final = POOLS.index("pinke")
_RING_OF: Final = {pool: number for number, pool in enumerate(POOLS)}

# A frame being drawn: the bytes of each ring, then of each place.
Parts = list[bytes]


def render(scene: Scene, lights: LightsConfig, now_us: int) -> Frame:
    """The frame of this scene at this time, within the power limit."""
    if not scene.link:
        return limit(_link_lost(lights, now_us), lights.limit_ma)
    if scene.off is not None:
        return limit(_switching_off(scene.off, lights, now_us), lights.limit_ma)
    levels = pool_levels(scene)
    parts = _rings(scene, lights, levels, now_us)
    pairing = scene.pairing_since_us is not None
    parts += _places(place_lights(scene), lights, now_us, pairing=pairing)
    effects = [e for e in _current_effects(scene) if e.start_us <= now_us < e.end_us]
    for effect in effects:
        _draw(effect, parts, lights, levels, now_us)
    if scene.pairing_code:
        # Chips on the move must not look like digits, but a wrong code has to flash.
        shown = [_some_lit(lights, WHITE, digit) for digit in scene.pairing_code]
        parts[: len(shown)] = shown
        for effect in effects:
            if isinstance(effect, Flash):
                _draw(effect, parts, lights, levels, now_us)
    if scene.setting is not None:
        # No pairing code is so long that it needs this ring.
        parts[_CENTRE] = _gauge(scene.setting, lights)
    return limit(b"".join(parts), lights.limit_ma)


def next_change_us(scene: Scene, lights: LightsConfig, now_us: int) -> int | None:
    """When the next different frame is due at the earliest; until then all are the same.

    None: the frame stays until the scene changes.
    """
    if scene.link and scene.off is not None:
        until_us, off_us = scene.off.until_us, _off_step_us(scene.off, lights)
        left_us = (until_us - now_us - 1) // off_us * off_us
        return None if now_us >= until_us else until_us - left_us
    due = [animation.next_step_us(now_us, step_us) for step_us in _rhythm_steps(scene, lights)]
    if scene.link:
        for effect in _current_effects(scene):
            step_us = animation.next_effect_step_us(effect, now_us)
            if step_us is not None:
                due.append(step_us)
    return min(due, default=None)


def _current_effects(scene: Scene) -> Iterator[Effect]:
    state, pending = scene.state, scene.pending
    return (e for e in scene.effects if animation.is_current(e, state, pending))


def _rhythm_steps(scene: Scene, lights: LightsConfig) -> set[int]:
    """The steps of all rhythms in a scene."""
    if not scene.link:
        return {animation.SLOW_STEP_US}
    steps = {
        animation.WARNING_STEP_US if light.rhythm == "warning" else animation.SLOW_STEP_US
        for light in place_lights(scene).values()
        if light.rhythm != "steady"
    }
    if scene.pairing_since_us is not None:
        steps.add(animation.CHASE_STEP_US)
    hand = _hand(scene)
    if hand is not None and hand_overflows(lights, *hand):
        steps.add(animation.BLINK_STEP_US)
    cards = cards_on_centre_ring(scene) or 0
    chips = max(scene.state.balances[POOL[POOLS[0]] : FIRST_SEAT])
    if chips > lights.max_chips or cards >= len(CARD_LEVELS) * lights.pixels_per_ring:
        steps.add(animation.SLOW_STEP_US)
    return steps


def _link_lost(lights: LightsConfig, now_us: int) -> Frame:
    """A slow blue pulse and no counts, as the board itself shows while the host is silent."""
    rings = bytes(3 * RINGS * lights.pixels_per_ring)
    return rings + pixel(lights, BLUE, level_at(LINK_LOST, now_us)) * lights.places


def _gauge(sign: SettingSign, lights: LightsConfig) -> bytes:
    """A ring that shows a step: all of it for the highest one, one red pixel for silence."""
    colour = {"brightness": WHITE, "volume": AMBER}[sign.setting] if sign.step else RED
    return _some_lit(lights, colour, max(1, -(-lights.pixels_per_ring * sign.step // sign.steps)))


def _switching_off(sign: OffSign, lights: LightsConfig, now_us: int) -> Frame:
    """The centre ring runs down in red while the board asks; then the places go out in turn."""
    left = max(0, -((now_us - sign.until_us) // _off_step_us(sign, lights)))
    rings = [bytes(3 * lights.pixels_per_ring)] * RINGS
    if sign.confirmed:
        lit = pixel(lights, WHITE, FULL) * left
        return b"".join((*rings, lit, bytes(3 * (lights.places - left))))
    rings[_CENTRE] = _some_lit(lights, RED, left)
    return b"".join((*rings, bytes(3 * lights.places)))


def _off_step_us(sign: OffSign, lights: LightsConfig) -> int:
    """The time that each pixel takes to go out."""
    pixels = lights.places if sign.confirmed else lights.pixels_per_ring
    return -(-(sign.until_us - sign.since_us) // pixels)


def _rings(scene: Scene, lights: LightsConfig, levels: tuple[float, ...], now_us: int) -> Parts:
    chips = scene.state.balances[POOL[POOLS[0]] : FIRST_SEAT]
    breath = level_at(BREATH, now_us)
    parts = [
        chip_ring(lights, count, level if count <= lights.max_chips else level * breath)
        for count, level in zip(chips, levels, strict=True)
    ]
    hand = _hand(scene)
    if hand and (not hand_overflows(lights, *hand) or now_us // animation.BLINK_STEP_US % 2 == 0):
        bet = _RING_OF[scene.state.rules.bet_pool]
        parts[bet] = add_hand(lights, parts[bet], *hand)
    cards = cards_on_centre_ring(scene)
    if cards is not None:
        overflow_level = NORMAL + (FULL - NORMAL) * level_at(PULSE, now_us)
        parts[_CENTRE] = card_ring(lights, cards, overflow_level)
    return parts


def _hand(scene: Scene) -> tuple[int, int] | None:
    """The chips of the bet pool and those in the hand, if there are any in the hand."""
    if not scene.pending.chips:
        return None
    return scene.state.pool(scene.state.rules.bet_pool), scene.pending.chips


def _places(at_places: PlaceLights, lights: LightsConfig, now_us: int, *, pairing: bool) -> Parts:
    shown = [at_places.get(place, OFF) for place in range(1, lights.places + 1)]
    if pairing:
        # The other places are dimmed, so that the running light stands out.
        shown = [light._replace(level=light.level * QUARTER) for light in shown]
        shown[now_us // animation.CHASE_STEP_US % lights.places] = SELECTED
    return [_place(light, lights, now_us) for light in shown]


def _place(light: PlaceLight, lights: LightsConfig, now_us: int) -> bytes:
    match light.rhythm:
        case "steady":
            return pixel(lights, light.colour, light.level)
        case "pulse":
            return pixel(lights, light.colour, light.level * level_at(PULSE, now_us))
        case "warning":
            if now_us // animation.WARNING_STEP_US % 2 == 0:
                return pixel(lights, RED, FULL)
            return pixel(lights, light.colour, light.level)
        case _:
            assert_never(light.rhythm)


def _draw(
    effect: Effect, parts: Parts, lights: LightsConfig, levels: tuple[float, ...], now_us: int
) -> None:
    match effect:
        case RingCount():
            ring = _RING_OF[effect.pool]
            # Chips that are being taken are as bright as the pool was when it could be claimed.
            level = FULL if effect.after < effect.before else levels[ring]
            parts[ring] = chip_ring(lights, animation.chips_at(effect, now_us), level)
        case PlaceGlow():
            share = animation.elapsed_us(effect, now_us) / (effect.end_us - effect.start_us)
            level = SOFT + (FULL - SOFT) * round(share, 3)
            _paint(parts, lights, f"seat{effect.place}", pixel(lights, WHITE, level))
        case DealerDraw():
            reached = animation.place_at(effect, now_us)
            for place in effect.places:
                light = SELECTED if place == reached else PRESENT
                _paint(parts, lights, f"seat{place}", _place(light, lights, now_us))
        case Reveal():
            lit = animation.elapsed_us(effect, now_us) // animation.REVEAL_US
            for place in (place for places in effect.order[lit:] for place in places):
                _paint(parts, lights, f"seat{place}", bytes(3))
            for place in effect.order[lit - 1] if lit else ():
                _paint(parts, lights, f"seat{place}", pixel(lights, AMBER, FULL))
        case Flash():
            # Dark between the flashes, because the pool's own chips may be nearly red.
            is_on = (now_us - effect.start_us) // animation.FLASH_US % 2 == 0
            for button in effect.buttons:
                colour = pixel(lights, effect.colour, FULL if is_on else 0.0)
                _paint(parts, lights, button, colour)
        case _:
            assert_never(effect)


def _paint(parts: Parts, lights: LightsConfig, button: str, colour: bytes) -> None:
    """Paints the pixels at a button: a ring or a place; for a control button all places."""
    if button in _RING_OF:
        parts[_RING_OF[button]] = colour * lights.pixels_per_ring
    elif button.startswith("seat"):
        place = int(button.removeprefix("seat"))
        if 1 <= place <= lights.places:
            parts[RINGS + place - 1] = colour
    else:
        parts[RINGS:] = [colour] * lights.places


CARD_LEVELS: Final = (0.0, NORMAL, FULL)
"""The level of a pixel that stands for no card, for one, for two."""


def chips_on_pixel(chips: int, index: int, pixels: int) -> int:
    """How many of the chips the pixel `index` (from 0) shows, on a ring of this many pixels."""
    return max(0, (chips - index + pixels - 1) // pixels)


@lru_cache(maxsize=4096)
def chip_ring(lights: LightsConfig, chips: int, level: float) -> bytes:
    """A ring that counts chips in the colours of the palette."""
    colours = [bytes(3)] + [pixel(lights, colour, level) for colour in lights.palette]
    shown, pixels = min(chips, lights.max_chips), lights.pixels_per_ring
    return b"".join(colours[chips_on_pixel(shown, index, pixels)] for index in range(pixels))


def add_hand(lights: LightsConfig, ring: bytes, chips: int, hand: int) -> bytes:
    """The ring of a pool with this many chips; those in the hand follow the last one in white."""
    start = 3 * (chips % lights.pixels_per_ring)
    shown = ring[:start] + pixel(lights, WHITE, NORMAL) * hand
    return shown[: len(ring)] + ring[len(shown) :]


def hand_overflows(lights: LightsConfig, chips: int, hand: int) -> bool:
    """Whether the chips in the hand go past the end of the ring."""
    return chips % lights.pixels_per_ring + hand > lights.pixels_per_ring


def card_ring(lights: LightsConfig, cards: int, overflow_level: float) -> bytes:
    """A ring that counts cards in white, brighter for two on a pixel; more at `overflow_level`."""
    pixels = lights.pixels_per_ring
    counts = (chips_on_pixel(cards, index, pixels) for index in range(pixels))
    return b"".join(
        pixel(lights, WHITE, CARD_LEVELS[count] if count < len(CARD_LEVELS) else overflow_level)
        for count in counts
    )


_LEAST_CODES: Final = 50_000


def code_format(lights: LightsConfig) -> tuple[int, int]:
    """The number of digits of a pairing code, and the highest digit (BOARD.md 5)."""
    highest = min(9, lights.pixels_per_ring)
    return next(n for n in range(1, RINGS + 1) if highest**n >= _LEAST_CODES), highest


def _some_lit(lights: LightsConfig, colour: str, count: int) -> bytes:
    """A ring whose first pixels are lit."""
    return pixel(lights, colour, FULL) * count + bytes(3 * (lights.pixels_per_ring - count))
