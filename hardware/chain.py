"""The links of the data chain from ring to ring: where they lead, and how long they are.

The dishes end far above the base plate, so a wire leads straight below them.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

import msgspec

from hardware.layout import Layout
from pochboard.geometry.face import Point
from pochboard.rules.accounts import POOLS

SLACK: Final = 1.1
ENDS_MM: Final = 40
"""What a link needs beyond its path: its ends, and the way down from the pixels and up again."""


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A link from a pixel to the next one in another ring or place."""

    start: str
    end: str
    path: tuple[Point, Point]
    length_mm: int
    """Of the wires to cut."""


@cache
def links(board: Layout) -> tuple[Link, ...]:
    """All links that are longer than the string's own wires, in the order of the data."""
    ring, rings = board.spec.pixels_per_ring, len(POOLS) * board.spec.pixels_per_ring
    names = [*POOLS, *(f"place {place}" for place in range(1, board.spec.places + 1))]
    last = [*range(ring - 1, rings, ring), *range(rings, len(board.inlays) - 1)]
    found = []
    for number, pixel in enumerate(last):
        path = board.inlays[pixel].centre, board.inlays[pixel + 1].centre
        length = math.ceil((math.dist(*path) * SLACK + ENDS_MM) / 10) * 10
        found.append(Link(start=names[number], end=names[number + 1], path=path, length_mm=length))
    return tuple(found)
