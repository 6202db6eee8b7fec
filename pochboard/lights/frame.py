"""Frames: colours, the bytes of all pixels, their current and the power limit (BOARD.md 4)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from math import hypot
from typing import Final

from pochboard.config import ColourOrder
from pochboard.rules.accounts import POOLS

Frame = bytes
"""Red, green, blue of each pixel: the rings in board order, each clockwise from its top, then the
places in their order. 116 pixels, 348 bytes by default."""

RINGS: Final = len(POOLS)

WHITE_MA: Final = 55
"""What a pixel in full white draws beyond what it draws dark."""
WHITE_SUM: Final = 765
"""The sum of the three bytes of full white."""
DARK_MA: Final = 1
"""What a pixel draws even when it is dark."""

_SCALE_STEPS: Final = 1 << 14


def hex_colours(frame: Frame) -> list[str]:
    """The pixels of a frame as `#rrggbb`, in the order of the frame."""
    text = frame.hex()
    return [f"#{text[start : start + 6]}" for start in range(0, len(text), 6)]


def estimate_ma(frame: Frame) -> float:
    """The current a frame draws: sum(R+G+B) × 55 / 765 + pixels × 1."""
    return sum(frame) * WHITE_MA / WHITE_SUM + len(frame) // 3 * DARK_MA


def limit(frame: Frame, limit_ma: float) -> Frame:
    """Scales a frame down until its estimate is within the limit; else returns it unchanged.

    Bytes are rounded to the nearest, because rounding down would shift the hue of dim pixels.
    Scaling cannot reduce what dark pixels draw: below that, the result is a dark frame.
    A LightsConfig refuses such a low limit.
    """
    if estimate_ma(frame) <= limit_ma:
        return frame
    dark_ma = len(frame) // 3 * DARK_MA
    if limit_ma <= dark_ma:
        return bytes(len(frame))
    budget = (limit_ma - dark_ma) * WHITE_SUM / WHITE_MA
    scale = int(budget / sum(frame) * _SCALE_STEPS)
    while scale > 0:
        scaled = frame.translate(_scaling(scale))
        if estimate_ma(scaled) <= limit_ma:
            return scaled
        # Rounding up has exceeded the limit by a little. Small steps end at a dark frame at worst.
        scale -= 1 + scale // 256
    return bytes(len(frame))


@lru_cache(maxsize=512)
def _scaling(scale: int) -> bytes:
    return bytes((value * scale + _SCALE_STEPS // 2) // _SCALE_STEPS for value in range(256))


Light = tuple[float, float, float]
"""Red, green and blue as fractions of what a pixel can emit: linear light, gamma removed."""

# In sevenths of the light: sky 0-3-6, yellow 5-6-0, plum 4-0-2, mint 0-7-4, blue 0-0-7 and
# orange 6-2-0. Found by search under these conditions:
# - Each colour uses two channels at most, and neither is small, so that their ratio survives
#   rounding in a dim pixel.
# - Any two colours, white included, are more than 25 degrees apart in RGB.
# - They can be told apart in simulations of the three colour-vision deficiencies, at full light
#   and at a quarter.
# The order alternates light and dark colours and puts the most different ones side by side. The
# last colour is a robust one, because a breathing ring dims it further.
PALETTE: Final = ("#00adee", "#dbee00", "#c60090", "#00ffc6", "#0000ff", "#ee9000")
"""The six colours of 1, 2, … 6 and more chips on a pixel, as a screen would show them."""

GAMMA: Final = 2.2
"""The gamma for which the palette is written: a screen's."""

WHITE: Final = "#ffffff"
AMBER: Final = "#ffba00"
RED: Final = "#ff0000"
BLUE: Final = "#0000ff"

# Brightness levels, as fractions of full brightness.

FULL: Final = 1.0
"""What may be pressed next: pools that can be claimed, and places that prompt a player."""

NORMAL: Final = 0.5
"""Counts, and lights that only inform."""

QUARTER: Final = 0.25
"""A blocked pool is dimmed to this fraction of the level it would have."""

SOFT: Final = 0.15
"""A place whose seat takes part and is not asked to act."""

BREATH_FLOOR: Final = 0.5
"""The lowest level of a breathing ring; its count stays readable."""

PULSE_FLOOR: Final = 0.08
"""The lowest level of a pulsing place: below `SOFT`, so that it stands out from soft ones."""


@cache
def linear_light(colour: str, gamma: float) -> Light:
    """The light of a screen colour such as `#ee9000`."""
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red**gamma, green**gamma, blue**gamma


def light_to_bytes(light: Light, brightness: float) -> bytes:
    """The red, green and blue byte of a pixel that emits a light at a brightness from 0 to 1.

    Dimming comes after gamma. All channels then scale alike, and only rounding can shift the hue;
    gamma after dimming would take the smaller channels to zero first.
    """
    red, green, blue = light
    scale = 255 * brightness
    return bytes((int(red * scale + 0.5), int(green * scale + 0.5), int(blue * scale + 0.5)))


@cache
def hue_vectors(palette: tuple[str, ...], gamma: float) -> tuple[Light, ...]:
    """White, then the colours of the palette, each as a vector of length 1."""
    vectors = []
    for light in (linear_light(colour, gamma) for colour in (WHITE, *palette)):
        red, green, blue = light
        length = hypot(*light) or 1.0
        vectors.append((red / length, green / length, blue / length))
    return tuple(vectors)


def nearest_hue(pixel: Iterable[int], hues: tuple[Light, ...]) -> int:
    """The index of the hue that a lit pixel is nearest to, however dim the pixel is."""
    red, green, blue = pixel
    similarity = [r * red + g * green + b * blue for r, g, b in hues]
    return similarity.index(max(similarity))


def reordered(frame: bytes, sent: ColourOrder, expected: ColourOrder) -> bytes:
    """The frame that is shown right by pixels that expect one order, when it is sent in another."""
    if sent == expected:
        return frame
    made = bytearray(len(frame))
    for sent_as, shown_as in zip(sent, expected, strict=True):
        made["RGB".index(sent_as) :: 3] = frame["RGB".index(shown_as) :: 3]
    return bytes(made)
