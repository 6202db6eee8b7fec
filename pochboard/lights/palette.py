"""The colours of the board, and how a colour becomes the three bytes of a dimmed pixel."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from math import sqrt
from typing import Final

Light = tuple[float, float, float]
"""Red, green and blue as parts (0 to 1) of what a pixel can emit: linear light, gamma undone."""

# In sevenths of the light: sky 0-3-6, yellow 5-6-0, plum 4-0-2, mint 0-7-4, blue 0-0-7 and
# orange 6-2-0. Found by search: two channels at most, none of them small, so that the ratios
# survive rounding in a dim pixel; more than 25 degrees between any two directions in RGB, white
# included; told apart in simulations of the three deficiencies of colour vision, at full light and
# at a quarter. The order puts those farthest apart side by side, a light one and a dark one in
# turn, and a sturdy one last, which has to bear breathing as well.
PALETTE: Final = ("#00adee", "#dbee00", "#c60090", "#00ffc6", "#0000ff", "#ee9000")
"""The six colours of 1, 2, … 6 and more chips on a pixel, as a screen would show them."""

GAMMA: Final = 2.2
"""The gamma for which the palette is written: a screen's."""

WHITE: Final = "#ffffff"
AMBER: Final = "#ffba00"
RED: Final = "#ff0000"
BLUE: Final = "#0000ff"

_HEX: Final = re.compile(r"#[0-9a-fA-F]{6}")


def is_colour(text: str) -> bool:
    """Whether this is a colour like `#ee9000`."""
    return _HEX.fullmatch(text) is not None


@cache
def light(colour: str, gamma: float) -> Light:
    """The light of a screen colour like `#ee9000`."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red**gamma, green**gamma, blue**gamma


def pixel(shade: Light, part: float) -> bytes:
    """The bytes of a pixel that emits this part (0 to 1) of a light.

    Gamma is behind us here: the parts are scaled alike, so the hue stays and only rounding can
    spoil it. A gamma after the dimming would drive the smaller channels to zero first.
    """
    red, green, blue = shade
    full = 255 * part
    return bytes((int(red * full + 0.5), int(green * full + 0.5), int(blue * full + 0.5)))


@cache
def directions(palette: tuple[str, ...], gamma: float) -> tuple[Light, ...]:
    """White, then the colours of the palette, each as a vector of length 1."""
    return tuple(_unit(light(colour, gamma)) for colour in (WHITE, *palette))


def _unit(shade: Light) -> Light:
    length = sqrt(sum(part * part for part in shade)) or 1.0
    red, green, blue = shade
    return red / length, green / length, blue / length


def nearest(seen: Iterable[int], among: tuple[Light, ...]) -> int:
    """Which of these directions a lit pixel's bytes point to most nearly, however dim it is."""
    red, green, blue = seen
    likeness = [r * red + g * green + b * blue for r, g, b in among]
    return likeness.index(max(likeness))
