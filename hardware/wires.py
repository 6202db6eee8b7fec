"""Wires that run straight or square and hop over those they cross, and the symbols they end in."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

from hardware.sheet import BLACK, WHITE, Circle, Path, Point, Shape, Text, box

THIN: Final = 0.45
THICK: Final = 1.0
_HOP: Final = 1.6
"""The radius of the half circle in which a wire hops over another."""
_CLEAR: Final = 0.05

Segment = tuple[Point, Point]


class Wiring:
    """Collects wires and symbols. Wires are drawn first, so that symbols cover their ends."""

    def __init__(self) -> None:
        self._segments: list[Segment] = []
        self._wires: list[Shape] = []
        self._symbols: list[Shape] = []

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """All that was drawn, the wires undermost."""
        return (*self._wires, *self._symbols)

    def put(self, *shapes: Shape) -> None:
        """Shapes above the wires."""
        self._symbols += shapes

    def wire(
        self, *points: Point, colour: str = BLACK, width: float = THIN, name: str = "wire"
    ) -> None:
        """A wire from point to point, each stretch level or upright.

        It hops over the wires before it where it crosses them inside. Where it ends on one of them
        they are joined: a dot shows it.
        """
        run = [points[0]]
        for start, end in pairwise(points):
            assert start[0] == end[0] or start[1] == end[1], (start, end)
            for x, y in self._crossed(start, end):
                run += _hop(start, (x, y))
            run.append(end)
        joined = [at for at in (points[0], points[-1]) if self._joins(at)]
        self._segments += pairwise(points)
        self._wires.append(Path(points=tuple(run), colour=colour, width=width, name=name))
        for at in joined:
            self.put(Circle(at=at, radius=0.9, colour=colour, fill=colour))

    def _crossed(self, start: Point, end: Point) -> list[Point]:
        """Where a stretch crosses others, in the order in which it meets them."""
        found = []
        level = start[1] == end[1]
        for first, second in self._segments:
            if (first[1] == second[1]) == level:
                continue
            at = (first[0], start[1]) if level else (start[0], first[1])
            if _within(at, (start, end)) and _within(at, (first, second)):
                found.append(at)
        return sorted(found, key=lambda at: math.dist(start, at))

    def _joins(self, at: Point) -> bool:
        """Whether a wire that ends here meets more than the end of one other."""
        met = [
            at in ends
            for ends in self._segments
            if all(min(a) <= x <= max(a) for x, a in zip(at, zip(*ends, strict=True), strict=True))
        ]
        return not all(met) or len(met) > 1

    def ground(self, at: Point) -> None:
        """The sign of 0 V below a point. All such signs are joined."""
        x, y = at
        for half, down in ((2.0, 0.0), (1.3, 0.8), (0.6, 1.6)):
            stroke = ((x - half, y + down), (x + half, y + down))
            self.put(Path(points=stroke, width=0.5, name="" if down else "earth"))

    def button(self, left: Point, width: float) -> None:
        """A push button that closes, between `left` and a point `width` to its right."""
        x, y = left
        gap = ((x, y), (x + width, y))
        self.put(Path(points=gap, colour=WHITE, width=1.6))
        for at in gap:
            self.put(Circle(at=at, radius=0.8, width=0.4, fill=WHITE))
        middle = x + width / 2
        self.put(
            Path(points=((x - 0.4, y - 1.7), (x + width + 0.4, y - 1.7)), width=0.5),
            Path(points=((middle, y - 1.7), (middle, y - 3.3)), width=0.5),
            Path(points=((middle - 1.3, y - 3.3), (middle + 1.3, y - 3.3)), width=0.5),
        )

    def block(self, corners: tuple[float, float, float, float], fill: str = WHITE) -> None:
        """A part as a rectangle: left, top, right, bottom."""
        self.put(Path(points=box(*corners), closed=True, fill=fill, width=0.5))

    def label(self, at: Point, text: str, size: float = 3.0, **more: str | bool) -> None:
        """Text centred on a point."""
        colour = str(more.get("colour", BLACK))
        bold = bool(more.get("bold", False))
        self.put(Text(at=at, text=text, size=size, anchor="middle", colour=colour, bold=bold))


def _within(at: Point, segment: Segment) -> bool:
    """Whether a point of the segment's line lies inside it, not at an end."""
    (ax, ay), (bx, by) = segment
    along = (at[0], *sorted((ax, bx))) if ay == by else (at[1], *sorted((ay, by)))
    return along[1] + _CLEAR < along[0] < along[2] - _CLEAR


def _hop(start: Point, over: Point) -> list[Point]:
    """A half circle over a point, upwards or to the right, as seen coming from `start`."""
    x, y = over
    steps = [math.pi * step / 8 for step in range(9)]
    if start[1] == y:
        sign = -1 if start[0] < x else 1
        return [(x + sign * _HOP * math.cos(a), y - _HOP * math.sin(a)) for a in steps]
    sign = -1 if start[1] < y else 1
    return [(x + _HOP * math.sin(a), y + sign * _HOP * math.cos(a)) for a in steps]
