"""Reads the counts of a frame back, as an eye would (BOARD.md 4).

Only the hue of each pixel is read. Brightness does not matter: blocked pools, night mode and the
power limit scale all channels of a pixel alike. With a valid LightsConfig enough light is left to
tell the hues apart.
"""

from __future__ import annotations

from typing import Final

import msgspec

from pochboard.lights.frame import RINGS, Frame, Light, hue_vectors, nearest_hue
from pochboard.lights.lights_config import LightsConfig, part_pixels
from pochboard.lights.render import chips_on_pixel

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


def part_of(frame: Frame, lights: LightsConfig, part: str) -> bytes:
    """The bytes of a pool or a place in a frame."""
    pixels = part_pixels(lights, part)
    return frame[3 * pixels.start : 3 * pixels.stop]


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
