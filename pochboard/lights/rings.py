"""The count code: how a ring of pixels shows a number of chips (BOARD.md 4)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from pochboard.lights.levels import FULL, NORMAL
from pochboard.lights.look import Look
from pochboard.lights.palette import WHITE, light, pixel

CARD_LAPS: Final = (0.0, NORMAL, FULL)
"""How bright a pixel is that stands for no card, for one, for two."""


def carried(chips: int, at: int, pixels: int) -> int:
    """How many of the chips pixel `at` (from 0) of a ring of so many pixels carries."""
    return max(0, (chips - at + pixels - 1) // pixels)


@lru_cache(maxsize=1024)
def tint(look: Look, colour: str, level: float) -> bytes:
    """The bytes of one pixel in a screen colour, at a level (0 to 1) of full brightness."""
    return pixel(light(colour, look.gamma), look.part * level)


def chip_ring(look: Look, chips: int, level: float) -> bytes:
    """A ring that counts chips in the colours of the palette."""
    return _chip_ring(look, min(chips, look.most_chips), level)


@lru_cache(maxsize=4096)
def _chip_ring(look: Look, chips: int, level: float) -> bytes:
    colours = [bytes(3)] + [tint(look, colour, level) for colour in look.palette]
    pixels = look.pixels_per_ring
    return b"".join(colours[carried(chips, at, pixels)] for at in range(pixels))


def with_hand(look: Look, ring: bytes, chips: int, hand: int) -> bytes:
    """The ring of a pool of so many chips, with the chips in the hand in white after the last."""
    first = chips % look.pixels_per_ring
    shown = min(hand, look.pixels_per_ring - first)
    white = tint(look, WHITE, NORMAL) * shown
    return ring[: 3 * first] + white + ring[3 * (first + shown) :]


def overflows(look: Look, chips: int, hand: int) -> bool:
    """Whether the chips in the hand go past the ring's end."""
    return chips % look.pixels_per_ring + hand > look.pixels_per_ring


def card_ring(look: Look, cards: int, beyond: float) -> bytes:
    """A ring that counts cards in white: one a pixel, two on a bright pixel, more at `beyond`."""
    pixels = look.pixels_per_ring
    laps = (carried(cards, at, pixels) for at in range(pixels))
    return b"".join(
        tint(look, WHITE, CARD_LAPS[lap] if lap < len(CARD_LAPS) else beyond) for lap in laps
    )
