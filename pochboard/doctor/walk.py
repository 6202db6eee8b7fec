"""What is shown to see whether every pixel is there, and whether chips can be counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from pochboard.lights.display import DisplayConfig, dark_frame, pixel
from pochboard.lights.frame import RINGS, Frame, limit
from pochboard.lights.palette import FULL, RED, WHITE
from pochboard.lights.render import render
from pochboard.lights.scene import Scene
from pochboard.rules.board import POOLS
from pochboard.rules.ruleset import shipped_rulesets
from pochboard.rules.state import State

GREEN: Final = "#00ff00"
PURE_BLUE: Final = "#0000ff"
_COLOURS: Final = (("Red", RED), ("Green", GREEN), ("Blue", PURE_BLUE))
_RING_STEPS: Final = 10
_WHITE_STEPS: Final = 30


class Step(msgspec.Struct, frozen=True):
    """A frame that is shown for some time."""

    frame: Frame
    says: str = ""
    """What should be seen from now on; empty where that has been said."""
    lasts: int = 1
    """For how many of the shortest steps."""


def parts(look: DisplayConfig) -> list[tuple[str, range]]:
    """The rings and the places, each with its pixels in the chain."""
    size = look.pixels_per_ring
    rings = [
        (f"ring {pool}", range(number * size, (number + 1) * size))
        for number, pool in enumerate(POOLS)
    ]
    return [*rings, ("the places", range(RINGS * size, look.pixels))]


def lit(look: DisplayConfig, pixels: range, colour: str) -> Frame:
    """These pixels of the chain at full brightness in a screen colour, all others dark."""
    frame = bytearray(dark_frame(look))
    frame[3 * pixels.start : 3 * pixels.stop] = pixel(look, colour, FULL) * len(pixels)
    return limit(bytes(frame), look.limit_ma)


def chain_steps(look: DisplayConfig) -> Iterator[Step]:
    """Each pixel alone in red, green and blue; each ring in white; all in white; then dark."""
    for name, colour in _COLOURS:
        for part, pixels in parts(look):
            way = "in their order" if part == "the places" else "clockwise from its top"
            says = (
                f"{name}: one pixel after the other, {part}, {way}"
                f" ({pixels.start} to {pixels.stop - 1} of the chain)"
            )
            for number in pixels:
                yield Step(lit(look, range(number, number + 1), colour), says)
                says = ""
    for part, pixels in parts(look):
        yield Step(lit(look, pixels, WHITE), f"White: {part}, all else dark", _RING_STEPS)
    everything = lit(look, range(look.pixels), WHITE)
    says = f"White: all {look.pixels} pixels alike, within {look.limit_ma} mA"
    yield Step(everything, says, _WHITE_STEPS)
    yield Step(dark_frame(look), "Dark: all of them")


def count_steps(look: DisplayConfig) -> Iterator[Step]:
    """One chip in every pool, then two, up to the most that a ring can tell; then dark."""
    rules = shipped_rulesets()["modern"]
    for chips in range(1, look.max_chips + 1):
        balances = (-chips * len(POOLS), *([chips] * len(POOLS)))
        state = State(phase="idle", ruleset=rules, balances=balances)
        carry = -(-chips // look.pixels_per_ring)
        first = (chips - 1) % look.pixels_per_ring + 1
        says = f"{chips}: {first} of {look.pixels_per_ring} pixels in colour {carry}"
        yield Step(render(Scene(state=state), look, 0), says)
    yield Step(dark_frame(look), "Dark: all of them")
