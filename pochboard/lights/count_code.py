"""The count code: how a ring shows a number of chips, and how it is read back (BOARD.md 4).

Only the hue of each pixel is read, as an eye would do. Brightness does not matter: blocked pools,
night mode and the power limit scale all channels of a pixel alike. With a valid LightsConfig
enough light is left to tell the hues apart.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec

from pochboard.lights.frame import (
    FULL,
    NORMAL,
    RINGS,
    WHITE,
    Frame,
    Light,
    hue_vectors,
    nearest_hue,
)
from pochboard.lights.lights_config import LightsConfig, pixel

CARD_LEVELS: Final = (0.0, NORMAL, FULL)
"""The level of a pixel that stands for no card, for one, for two."""


def chips_on_pixel(chips: int, index: int, pixels: int) -> int:
    """How many of the chips the pixel `index` (from 0) shows, on a ring of this many pixels."""
    return max(0, (chips - index + pixels - 1) // pixels)


def chip_ring(lights: LightsConfig, chips: int, level: float) -> bytes:
    """A ring that counts chips in the colours of the palette."""
    return _chip_ring(lights, min(chips, lights.max_chips), level)


@lru_cache(maxsize=4096)
def _chip_ring(lights: LightsConfig, chips: int, level: float) -> bytes:
    colours = [bytes(3)] + [pixel(lights, colour, level) for colour in lights.palette]
    pixels = lights.pixels_per_ring
    return b"".join(colours[chips_on_pixel(chips, index, pixels)] for index in range(pixels))


def add_hand(lights: LightsConfig, ring: bytes, chips: int, hand: int) -> bytes:
    """The ring of a pool with this many chips; those in the hand follow the last one in white."""
    first = chips % lights.pixels_per_ring
    shown = min(hand, lights.pixels_per_ring - first)
    white = pixel(lights, WHITE, NORMAL) * shown
    return ring[: 3 * first] + white + ring[3 * (first + shown) :]


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


def digit_ring(lights: LightsConfig, digit: int) -> bytes:
    """A ring that shows a digit of the pairing code."""
    lit = pixel(lights, WHITE, FULL) * digit
    return lit + bytes(3 * lights.pixels_per_ring - len(lit))


_WHITE_PIXEL: Final = -1


class RingReading(msgspec.Struct, frozen=True):
    """What is read from one ring."""

    chips: int | None
    """The chips it counts, up to six laps; a ring full of the last colour may stand for more.
    None if white pixels cover the whole ring."""
    white: int
    """How many pixels are white: chips in the hand, or the centre ring's cards."""


def read_rings(frame: Frame, lights: LightsConfig) -> tuple[RingReading, ...]:
    """Reads the nine rings of a frame without effects, in board order.

    Raises ValueError if a ring shows something that is not a count.
    """
    if len(frame) != 3 * lights.pixels:
        raise ValueError(f"This frame has {len(frame)} bytes, not 3 for each of {lights.pixels}.")
    hues = hue_vectors(lights.palette, lights.gamma)
    size = lights.pixels_per_ring
    pixels = [frame[start : start + 3] for start in range(0, 3 * RINGS * size, 3)]
    chips_of = {seen: _read_pixel(seen, hues) for seen in set(pixels)}
    counts = [chips_of[seen] for seen in pixels]
    return tuple(
        _read_ring(counts[ring * size : (ring + 1) * size], len(lights.palette))
        for ring in range(RINGS)
    )


def read_counts(frame: Frame, lights: LightsConfig) -> tuple[int | None, ...]:
    """The chips that the nine rings count, in board order."""
    return tuple(reading.chips for reading in read_rings(frame, lights))


def _read_pixel(seen: bytes, hues: tuple[Light, ...]) -> int:
    """How many chips a pixel stands for; 0 if it is dark."""
    return (nearest_hue(seen, hues) or _WHITE_PIXEL) if any(seen) else 0


def _read_ring(seen: list[int], most: int) -> RingReading:
    pixels = len(seen)
    white = seen.count(_WHITE_PIXEL)
    if white == pixels:
        return RingReading(chips=None, white=white)
    chips = sum(seen) if not white else _read_beside_hand(seen)
    expected = [min(chips_on_pixel(chips, index, pixels), most) for index in range(pixels)]
    if any(count not in (_WHITE_PIXEL, due) for count, due in zip(seen, expected, strict=True)):
        raise ValueError(f"The chips on each pixel of a ring, {seen}, are not a count.")
    return RingReading(chips=chips, white=white)


def _read_beside_hand(seen: list[int]) -> int:
    """The chips of a ring on which the white pixels of a hand follow the last chip."""
    first = seen.index(_WHITE_PIXEL)
    if first:
        return (seen[0] - 1) * len(seen) + first
    # The white pixels begin a lap: all pixels after them show the laps that are complete.
    return seen[-1] * len(seen)
