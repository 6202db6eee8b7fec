"""The links of the data chain from ring to ring: how they lead round the bowls, and how long."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from functools import cache
from itertools import combinations, pairwise
from typing import Final

import msgspec
import shapely
from shapely import LineString, unary_union
from shapely import Point as Spot

from hardware.layout import Layout
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Point
from pochboard.rules.accounts import POOLS

BESIDE_MM: Final = 4.0
"""From the middle of a wire to a bowl."""
CORNERS: Final = 24
"""A bowl counts as a polygon with so many corners."""
SLACK: Final = 1.1
ENDS_MM: Final = 40
"""What a link needs beyond its path: its ends, and the way down from the pixels and up again."""


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A link from a pixel to the next one in another ring or place."""

    start: str
    end: str
    path: tuple[Point, ...]
    length_mm: int
    """Of the wires to cut."""


@cache
def links(board: Layout) -> tuple[Link, ...]:
    """All links that are longer than the string's own wires, in the order of the data."""
    ring, rings = board.spec.pixels_per_ring, len(POOLS) * board.spec.pixels_per_ring
    names = [*POOLS, *(f"place {place}" for place in range(1, board.spec.places + 1))]
    last = [*range(ring - 1, rings, ring), *range(rings, len(board.inlays) - 1)]
    graph = _Graph(board)
    found = []
    for number, pixel in enumerate(last):
        path = graph.path(board.inlays[pixel].centre, board.inlays[pixel + 1].centre)
        length = sum(math.dist(one, other) for one, other in pairwise(path))
        found.append(
            Link(
                start=names[number],
                end=names[number + 1],
                path=path,
                length_mm=math.ceil((length * SLACK + ENDS_MM) / 10) * 10,
            )
        )
    return tuple(found)


class _Graph:
    """The corners round the bowls, and which of them a straight wire can join."""

    def __init__(self, board: Layout) -> None:
        size = dimensions().bowl
        radii = [well.bowl + size.wall for well in board.wells]
        bowls = [
            Spot(well.centre).buffer(radius + BESIDE_MM / 2, quad_segs=16)
            for well, radius in zip(board.wells, radii, strict=True)
        ]
        self._bowls = unary_union(bowls)
        shapely.prepare(self._bowls)
        self._corners: list[Point] = [
            at
            for well, radius in zip(board.wells, radii, strict=True)
            for at in _round(well.centre, (radius + BESIDE_MM) / math.cos(math.pi / CORNERS))
        ]
        self._ways: dict[int, list[tuple[int, float]]] = {n: [] for n in range(len(self._corners))}
        self._join(list(combinations(range(len(self._corners)), 2)), self._corners, self._ways)

    def path(self, start: Point, end: Point) -> tuple[Point, ...]:
        """The shortest way of a wire."""
        spots = [*self._corners, start, end]
        first, last = len(spots) - 2, len(spots) - 1
        ways = {n: list(found) for n, found in self._ways.items()} | {first: [], last: []}
        pairs = [(end_, n) for end_ in (first, last) for n in range(first)] + [(first, last)]
        self._join(pairs, spots, ways)
        best, before, open_ = {first: 0.0}, {first: first}, [(0.0, first)]
        while open_:
            away, at = heapq.heappop(open_)
            if at == last:
                break
            for then, step in ways[at]:
                if away + step < best.get(then, math.inf) - 1e-9:
                    best[then], before[then] = away + step, at
                    heapq.heappush(open_, (away + step, then))
        way = [last]
        while way[-1] != first:
            way.append(before[way[-1]])
        return tuple(spots[n] for n in reversed(way))

    def _join(
        self,
        pairs: Sequence[tuple[int, int]],
        spots: Sequence[Point],
        ways: dict[int, list[tuple[int, float]]],
    ) -> None:
        lines = [LineString([spots[one], spots[other]]) for one, other in pairs]
        for (one, other), is_blocked, line in zip(
            pairs, shapely.intersects(self._bowls, lines), lines, strict=True
        ):
            if not is_blocked:
                ways[one].append((other, line.length))
                ways[other].append((one, line.length))


def _round(centre: Point, radius: float) -> list[Point]:
    angles = (2 * math.pi * n / CORNERS for n in range(CORNERS))
    return [(centre[0] + radius * math.sin(a), centre[1] + radius * math.cos(a)) for a in angles]
