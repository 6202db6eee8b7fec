"""The count code: how a ring shows a number of chips (BOARD.md 4)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from pochboard.lights.frame import (
    FULL,
    NORMAL,
    RINGS,
    WHITE,
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
