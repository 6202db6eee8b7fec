"""Reads the counts off a frame again, as an eye would: by the hue of each pixel alone.

How bright a ring is does not matter: blocked pools, night and the power limit scale all channels of
a pixel alike, and a Look that exists leaves enough of them. A frame must be settled (no effects).
"""

from __future__ import annotations

from typing import Final

import msgspec

from pochboard.lights.look import RINGS, Frame, Look
from pochboard.lights.palette import Light, directions, nearest
from pochboard.lights.rings import carried

_WHITE: Final = -1


class Reading(msgspec.Struct, frozen=True):
    """What one ring tells."""

    chips: int | None
    """The chips it counts, up to six laps (a full ring of the last colour: so many or more); None
    where it cannot be told, because white pixels cover the whole ring."""
    white: int
    """How many pixels are white: chips in the hand, or the centre ring's cards."""


def read_rings(frame: Frame, look: Look) -> tuple[Reading, ...]:
    """What the nine rings tell, in board order. Raises ValueError for what no count looks like."""
    if len(frame) != 3 * look.pixels:
        raise ValueError(f"This frame has {len(frame)} bytes, not 3 for each of {look.pixels}.")
    among = directions(look.palette, look.gamma)
    pixels = [frame[at : at + 3] for at in range(0, 3 * RINGS * look.pixels_per_ring, 3)]
    laps = {seen: _laps(seen, among) for seen in set(pixels)}
    seen_laps = [laps[seen] for seen in pixels]
    size = look.pixels_per_ring
    return tuple(_read(seen_laps[ring * size : (ring + 1) * size], look) for ring in range(RINGS))


def read_counts(frame: Frame, look: Look) -> tuple[int | None, ...]:
    """The chips that the nine rings count, in board order."""
    return tuple(reading.chips for reading in read_rings(frame, look))


def _read(seen: list[int], look: Look) -> Reading:
    pixels = len(seen)
    white = seen.count(_WHITE)
    if white == pixels:
        return Reading(chips=None, white=white)
    chips = sum(seen) if not white else _behind_the_hand(seen)
    expected = [min(carried(chips, at, pixels), len(look.palette)) for at in range(pixels)]
    if any(laps not in (_WHITE, due) for laps, due in zip(seen, expected, strict=True)):
        raise ValueError(f"No count looks like {seen}, the chips on each pixel of a ring.")
    return Reading(chips=chips, white=white)


def _laps(seen: bytes, among: tuple[Light, ...]) -> int:
    """How many chips a pixel stands for: 0 if it is dark, and -1 if it is white."""
    return (nearest(seen, among) or _WHITE) if any(seen) else 0


def _behind_the_hand(seen: list[int]) -> int:
    """The chips of a ring on which white ones follow the last."""
    first = seen.index(_WHITE)
    if first:
        return (seen[0] - 1) * len(seen) + first
    # The white ones begin a lap: all pixels behind them carry the laps that are complete.
    return seen[-1] * len(seen)
