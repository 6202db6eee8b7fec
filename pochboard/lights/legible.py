"""Whether the counts of a board can be read at the dimmest it will ever be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Final

from pochboard.lights.levels import BREATH_FLOOR, FULL, NORMAL, QUARTER
from pochboard.lights.palette import WHITE, Light, directions, light, nearest, pixel
from pochboard.lights.power import DARK_MA, WHITE_MA, WHITE_SUM
from pochboard.rules.board import POOLS

if TYPE_CHECKING:
    from pochboard.lights.look import Look

_LEAST_COSINE: Final = 0.97
"""Of two colours: about 14 degrees apart, which no dimming that passes here closes."""

_SHARES: Final = 48
"""How many steps of the power limit are tried between its strongest and none."""


def misread(look: Look) -> Iterator[str]:
    """Why counts could be misread, as sentences; nothing if every one is readable.

    Tries each colour at every dimming that a settled frame can have: by night, in a blocked pool,
    and under the power limit with all other rings in the palette's hungriest colour.
    """
    among = directions(look.palette, look.gamma)
    named = zip((WHITE, *look.palette), among, strict=True)
    for (one, first), (other, second) in combinations(named, 2):
        if sum(a * b for a, b in zip(first, second, strict=True)) > _LEAST_COSINE:
            yield f"{one} and {other} are too much alike to count by; brightness alone will not do."
    shades = [light(colour, look.gamma) for colour in look.palette]
    for part, share in _dimmings(look, max(map(sum, shades))):
        for number, shade in enumerate(shades, start=1):
            floor = BREATH_FLOOR if number == len(shades) else 1.0
            if _taken_for_another(shade, number, among, part * floor, share):
                yield (
                    f"With a brightness of {look.brightness:g} and {look.limit_ma} mA for"
                    f" {look.pixels} pixels, chips in the colour {look.palette[number - 1]} could"
                    " not always be read by night, in blocked pools or on a full board: raise the"
                    " brightness or the power limit."
                )


def _dimmings(look: Look, hungriest: float) -> Iterator[tuple[float, float]]:
    """The parts of light that pools are shown at, each with the least share the limit leaves."""
    budget = (look.limit_ma - look.pixels * DARK_MA) * WHITE_SUM / WHITE_MA
    # One ring may be all white instead: chips in the hand, or cards.
    whites = 3 * (look.pixels_per_ring + look.places)
    chips = hungriest * (len(POOLS) - 1) * look.pixels_per_ring
    # Night has to be readable wherever day is, so that it can be switched on at any time.
    for part in (look.brightness, look.brightness / 2):
        for level in (FULL, NORMAL):
            share = min(1.0, budget / (255 * part * (level * chips + FULL * whites)))
            yield part * level, share
            yield part * level * QUARTER, share


def _taken_for_another(
    shade: Light, number: int, among: tuple[Light, ...], part: float, least_share: float
) -> bool:
    shown = pixel(shade, part)
    for step in range(_SHARES):
        share = least_share ** (step / (_SHARES - 1))
        seen = [int(value * share + 0.5) for value in shown]
        if not any(seen) or nearest(seen, among) != number:
            return True
    return False
