"""From a scene and a time to the colours of all pixels, and when they change next (BOARD.md 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from pochboard.lights import tempo
from pochboard.lights.effects import (
    Effect,
    Glow,
    Lot,
    Missing,
    Refused,
    Tally,
    chips_at,
    flash_at,
    glow_at,
    leads_to,
    next_step_us,
    stop_at,
)
from pochboard.lights.leads import CHOSEN, HERE, OFF, Lamp, Lamps, cards_shown, lamps, pool_levels
from pochboard.lights.levels import FULL, NORMAL, QUARTER, SOFT
from pochboard.lights.look import Frame, Look
from pochboard.lights.palette import BLUE, RED, WHITE
from pochboard.lights.power import limit
from pochboard.lights.rings import CARD_LAPS, card_ring, chip_ring, overflows, tint, with_hand
from pochboard.lights.scene import Scene
from pochboard.rules.board import FIRST_SEAT, POOL, POOLS

_CENTRE: Final = POOLS.index("pinke")
_RING_OF: Final = {pool: number for number, pool in enumerate(POOLS)}

# A frame in the making: the bytes of each ring, then of each place.
Parts = list[bytes]


def render(scene: Scene, look: Look, now_us: int) -> Frame:
    """The frame of this scene at this time, within the power limit."""
    if not scene.link:
        return limit(_silence(look, now_us), look.limit_ma)
    levels = pool_levels(scene)
    parts = _rings(scene, look, levels, now_us)
    parts += _places(lamps(scene), look, now_us, paired=scene.pairing_since_us is not None)
    for effect in _playing(scene):
        if effect.start_us <= now_us < effect.end_us:
            _draw(effect, parts, look, levels, now_us)
    return limit(b"".join(parts), look.limit_ma)


def next_change_us(scene: Scene, look: Look, now_us: int) -> int | None:
    """When the next different frame is due at the earliest; until then all are the same.

    None: the frame stays until the scene changes.
    """
    due = [tempo.next_step(now_us, step_us) for step_us in _steps(scene, look)]
    if scene.link:
        due += [
            step_us
            for step_us in (next_step_us(effect, now_us) for effect in _playing(scene))
            if step_us is not None
        ]
    return min(due, default=None)


def settled_at_us(scene: Scene) -> int:
    """When all effects of a scene are over; 0 where there are none."""
    return max((effect.end_us for effect in _playing(scene)), default=0)


def _playing(scene: Scene) -> Iterator[Effect]:
    return (effect for effect in scene.effects if leads_to(effect, scene.state, scene.pending))


def _steps(scene: Scene, look: Look) -> set[int]:
    """The steps of all rhythms that a scene has without its effects."""
    if not scene.link:
        return {tempo.SLOW_STEP_US}
    steps = {
        tempo.WARNING_STEP_US if lamp.rhythm == "warning" else tempo.SLOW_STEP_US
        for lamp in lamps(scene).values()
        if lamp.rhythm != "steady"
    }
    if scene.pairing_since_us is not None:
        steps.add(tempo.RUN_STEP_US)
    hand = _hand(scene)
    if hand is not None and overflows(look, *hand):
        steps.add(tempo.BLINK_STEP_US)
    cards = cards_shown(scene) or 0
    chips = max(scene.state.balances[POOL[POOLS[0]] : FIRST_SEAT])
    if chips > look.most_chips or cards >= len(CARD_LAPS) * look.pixels_per_ring:
        steps.add(tempo.SLOW_STEP_US)
    return steps


def _silence(look: Look, now_us: int) -> Frame:
    """What the board shows of itself while the host is silent: a slow blue pulse, no counts."""
    rings = bytes(3 * (look.pixels - look.places))
    return rings + tint(look, BLUE, tempo.silence(now_us)) * look.places


def _rings(scene: Scene, look: Look, levels: tuple[float, ...], now_us: int) -> Parts:
    chips = scene.state.balances[POOL[POOLS[0]] : FIRST_SEAT]
    parts = [
        chip_ring(look, count, level if count <= look.most_chips else level * tempo.breath(now_us))
        for count, level in zip(chips, levels, strict=True)
    ]
    hand = _hand(scene)
    if hand is not None and (not overflows(look, *hand) or tempo.blink(now_us)):
        bet = _RING_OF[scene.state.rules.bet_pool]
        parts[bet] = with_hand(look, parts[bet], *hand)
    cards = cards_shown(scene)
    if cards is not None:
        beyond = NORMAL + (FULL - NORMAL) * tempo.pulse(now_us)
        parts[_CENTRE] = card_ring(look, cards, beyond)
    return parts


def _hand(scene: Scene) -> tuple[int, int] | None:
    """The chips of the bet pool and those in the hand, if there are any."""
    if scene.state.phase != "pochen" or not scene.pending.chips:
        return None
    return scene.state.pool(scene.state.rules.bet_pool), scene.pending.chips


def _places(shown: Lamps, look: Look, now_us: int, *, paired: bool) -> Parts:
    lit = [shown.get(place, OFF) for place in range(1, look.places + 1)]
    if paired:
        # The others step back, so that the light that runs is not one white among many.
        lit = [lamp._replace(level=lamp.level * QUARTER) for lamp in lit]
        lit[tempo.runner(now_us, look.places) - 1] = CHOSEN
    return [_lit(lamp, look, now_us) for lamp in lit]


def _lit(lamp: Lamp, look: Look, now_us: int) -> bytes:
    match lamp.rhythm:
        case "steady":
            return tint(look, lamp.colour, lamp.level)
        case "pulse":
            return tint(look, lamp.colour, lamp.level * tempo.pulse(now_us))
        case "warning":
            if tempo.warning(now_us):
                return tint(look, RED, FULL)
            return tint(look, lamp.colour, lamp.level)
        case _:
            assert_never(lamp.rhythm)


def _draw(effect: Effect, parts: Parts, look: Look, levels: tuple[float, ...], now_us: int) -> None:
    match effect:
        case Tally():
            ring = _RING_OF[effect.pool]
            # Chips that are being taken are as bright as the pool was when it could be claimed.
            level = FULL if effect.chips < effect.was else levels[ring]
            parts[ring] = chip_ring(look, chips_at(effect, now_us), level)
        case Glow():
            level = SOFT + (FULL - SOFT) * glow_at(effect, now_us)
            _paint(parts, look, f"seat{effect.place}", tint(look, WHITE, level))
        case Lot():
            reached = stop_at(effect, now_us)
            for place in effect.places:
                lamp = CHOSEN if place == reached else HERE
                _paint(parts, look, f"seat{place}", _lit(lamp, look, now_us))
        case Missing():
            for place in effect.places:
                colour = tint(look, WHITE, FULL if flash_at(effect, now_us) else 0.0)
                _paint(parts, look, f"seat{place}", colour)
        case Refused():
            for button in effect.buttons:
                # Dark between the flashes: the pool's own chips may be as good as red.
                colour = tint(look, RED, FULL if flash_at(effect, now_us) else 0.0)
                _paint(parts, look, button, colour)
        case _:
            assert_never(effect)


def _paint(parts: Parts, look: Look, button: str, colour: bytes) -> None:
    """Paints the pixels at a button: a ring or a place; for a control button all places."""
    if button in _RING_OF:
        parts[_RING_OF[button]] = colour * look.pixels_per_ring
    elif button.startswith("seat"):
        place = int(button.removeprefix("seat"))
        if 1 <= place <= look.places:
            parts[len(POOLS) + place - 1] = colour
    else:
        parts[len(POOLS) :] = [colour] * look.places
