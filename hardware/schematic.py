"""A schematic: horizontal and vertical wires that jump over each other, and component symbols.

Lengths are in mm from the sheet's upper left corner.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

import svg

from hardware.drawing import BLACK, RED, WHITE, Box, circle, line, rectangle, text
from pochboard.geometry.face import Point

SIGNAL_WIDTH: Final = 0.45
DATA_WIDTH: Final = 0.7
POWER_WIDTH: Final = 1.0
"""Line widths of wires."""

_JUMP_RADIUS: Final = 1.6
_CLEARANCE: Final = 0.05

Segment = tuple[Point, Point]


class Schematic:
    """Collects wires and symbols. Wires are drawn first, so that symbols cover their ends."""

    def __init__(self) -> None:
        self._segments: list[Segment] = []
        self._wires: list[svg.Element] = []
        self._symbols: list[svg.Element] = []

    @property
    def elements(self) -> list[svg.Element]:
        """Everything drawn, wires first."""
        return [*self._wires, *self._symbols]

    def add(self, *elements: svg.Element) -> None:
        """Adds elements on top of the wires."""
        self._symbols += elements

    def wire(
        self, *points: Point, colour: str = BLACK, width: float = SIGNAL_WIDTH, name: str = "wire"
    ) -> None:
        """A wire from point to point, each segment horizontal or vertical.

        It jumps over earlier wires where it crosses them. A wire that ends on another one is
        connected to it: a dot marks the junction.
        """
        path = [points[0]]
        for start, end in pairwise(points):
            assert start[0] == end[0] or start[1] == end[1], (start, end)
            for crossing in self._crossings(start, end):
                path += _jump(start, crossing)
            path.append(end)
        junctions = [at for at in (points[0], points[-1]) if self._is_junction(at)]
        self._segments += pairwise(points)
        self._wires.append(line(*path, colour=colour, width=width, name=name))
        self.add(*(circle(at, 0.9, colour=colour, fill=colour) for at in junctions))

    def _crossings(self, start: Point, end: Point) -> list[Point]:
        """Where a segment crosses earlier ones, by distance from its start."""
        crossings = []
        is_horizontal = start[1] == end[1]
        for other in self._segments:
            if (other[0][1] == other[1][1]) == is_horizontal:
                continue
            at = (other[0][0], start[1]) if is_horizontal else (start[0], other[0][1])
            if _is_inside(at, (start, end)) and _is_inside(at, other):
                crossings.append(at)
        return sorted(crossings, key=lambda at: math.dist(start, at))

    def _is_junction(self, at: Point) -> bool:
        """Whether a wire that ends here meets more than the end of one other wire."""
        meets_end = [at in segment for segment in self._segments if _touches(at, segment)]
        return not all(meets_end) or len(meets_end) > 1

    def ground(self, at: Point) -> None:
        """The ground symbol below a point. All of them are connected."""
        x, y = at
        for half, down in ((2.0, 0.0), (1.3, 0.8), (0.6, 1.6)):
            bar = ((x - half, y + down), (x + half, y + down))
            self.add(line(*bar, width=0.5, name="" if down else "ground symbol"))

    def supply_symbol(self, at: Point, words: str) -> None:
        """A bar above a point. All bars with the same words are connected."""
        x, y = at
        self.add(
            line((x, y), (x, y - 2.5), width=SIGNAL_WIDTH, name=f"{words} symbol"),
            line((x - 2.2, y - 2.5), (x + 2.2, y - 2.5), width=0.7),
            text((x, y - 3.6), words, size=2.9, anchor="middle"),
        )

    def push_button(self, left: Point, width: float) -> None:
        """A normally open push button between `left` and a point `width` to its right."""
        x, y = left
        middle = x + width / 2
        self.add(line(left, (x + width, y), colour=WHITE, width=1.6))
        for at in (left, (x + width, y)):
            self.add(circle(at, 0.8, width=0.4, fill=WHITE))
        self.add(
            line((x - 0.4, y - 1.7), (x + width + 0.4, y - 1.7), width=0.5),
            line((middle, y - 1.7), (middle, y - 3.3), width=0.5),
            line((middle - 1.3, y - 3.3), (middle + 1.3, y - 3.3), width=0.5),
        )

    def capacitor(self, at: Point) -> None:
        """The plates of a capacitor, 2 mm apart, below a point."""
        x, y = at
        for plate in (y, y + 2.0):
            self.add(line((x - 3, plate), (x + 3, plate), width=0.7))

    def piezo(self, left: Point) -> None:
        """A piezo between `left` and a point 3 mm to its right: a disc between two plates."""
        x, y = left
        self.add(line(left, (x + 3, y), colour=WHITE, width=1.6))
        for plate in (x, x + 3):
            self.add(line((plate, y - 2.2), (plate, y + 2.2), width=0.7))
        self.block((x + 0.8, y - 2.2, x + 2.2, y + 2.2))

    def electrolytic_capacitor(self, at: Point) -> None:
        """The plates of an electrolytic capacitor, 2.5 mm apart, below a point: hollow is plus."""
        x, y = at
        self.add(
            rectangle((x - 4, y - 0.6, x + 4, y + 0.6), fill=WHITE),
            rectangle((x - 4, y + 1.9, x + 4, y + 3.1), fill=BLACK),
            text((x + 2, y - 2), "+", size=3.4, bold=True),
        )

    def resistor(self, box: Box) -> None:
        """A resistor that covers the wire through it."""
        self.block(box)

    def fuse(self, at: Point) -> None:
        """A fuse, 7 mm long, in a vertical 5 V wire below a point."""
        x, y = at
        self.block((x - 1.8, y, x + 1.8, y + 7))
        self.add(line((x, y), (x, y + 7), colour=RED, width=0.5))

    def switch(self, left: Point, width: float) -> None:
        """An open switch between `left` and a point `width` to its right."""
        x, y = left
        self.add(line((x, y), (x + width, y - 3), width=0.6))
        for at in (left, (x + width, y)):
            self.add(circle(at, 0.8, width=0.4, fill=WHITE))

    def block(self, box: Box, fill: str = WHITE) -> None:
        """A component as a rectangle."""
        self.add(rectangle(box, fill=fill, width=0.5))


def _touches(at: Point, segment: Segment) -> bool:
    (ax, ay), (bx, by) = segment
    return min(ax, bx) <= at[0] <= max(ax, bx) and min(ay, by) <= at[1] <= max(ay, by)


def _is_inside(at: Point, segment: Segment) -> bool:
    """Whether a point on the segment's line lies between its ends."""
    (ax, ay), (bx, by) = segment
    position, low, high = (at[0], *sorted((ax, bx))) if ay == by else (at[1], *sorted((ay, by)))
    return low + _CLEARANCE < position < high - _CLEARANCE


def _jump(start: Point, crossing: Point) -> list[Point]:
    """A half circle over a crossing, upwards or to the right, for a wire coming from `start`."""
    x, y = crossing
    angles = [math.pi * step / 8 for step in range(9)]
    if start[1] == y:
        sign = -1 if start[0] < x else 1
        return [
            (x + sign * _JUMP_RADIUS * math.cos(a), y - _JUMP_RADIUS * math.sin(a)) for a in angles
        ]
    sign = -1 if start[1] < y else 1
    return [(x + _JUMP_RADIUS * math.sin(a), y + sign * _JUMP_RADIUS * math.cos(a)) for a in angles]
