"""The face of a board: where every hole, button and inlay is, in mm from the centre, from above.

x points right and y points down, as in SVG; angles are turns, clockwise from the top. The page
draws this, and hardware/ builds it. The scale follows from the bowls, which must hold the chips,
and from the rings of inlays around them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Final

import msgspec

from pochboard.geometry.dimensions import Range, dimensions
from pochboard.rules.accounts import POOLS

Point = tuple[float, float]

# Proportions: the radii of the standard board in mm. Boards of larger rings are scaled.
EDGE_RADIUS: Final = 210
POOL_CIRCLE: Final = 113.2
"""Distance of the eight outer pools from the centre."""
POOL_RADIUS: Final = 42.1
CENTRE_POOL_RADIUS: Final = 66
RIM_RADIUS: Final = 155.8
"""Where the rim begins."""
NUMBER_RADIUS: Final = 155.05
LIGHT_RADIUS: Final = 167.9
PLACE_BUTTON_RADIUS: Final = 186.1
"""A place is one line towards the edge: its number, its light, its button."""
DEALER_RADIUS: Final = 160
DEALER_TURN: Final = 0.02
"""Where the dealer's mark lies: beside the light."""
SIGN_RADIUS: Final = 172.4
ACTION_RADIUS: Final = 197.4
NEXT_TURN: Final = 3 / 8
"""Where `next` is, outside of a sign; `undo` is its mirror image."""
POOL_BUTTON_RADIUS: Final = 143.1
CENTRE_BUTTON_RADIUS: Final = 75.8
"""Between the pools there is room for their buttons."""
SLOTS: Final = 8
"""The places are between the outer pools. With fewer of them, some of these spots stay free."""
PLACE_GAP: Final = 0.006
"""Between two places on the rim, in turns."""


class Well(msgspec.Struct, frozen=True, kw_only=True):
    """A pool: radii of its insert, all around one centre."""

    centre: Point
    bowl: float
    """Of the bowl, inside."""
    ring: float
    """Of the circle on which the inlays are."""
    hole: float
    """Of the hole in the plywood."""
    flange: float


class Hole(msgspec.Struct, frozen=True, kw_only=True):
    """A round hole through the plywood on top."""

    name: str
    """A button's name, or what the hole is for: `ring ace`, `place 1`."""
    centre: Point
    diameter: float


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A rectangle on or in the board, one side at right angles to the board's radius."""

    name: str
    turn: float
    radius: float
    """Of its middle."""
    size: Range
    """Tangential by radial."""

    @property
    def corners(self) -> tuple[Point, ...]:
        """Its corners, clockwise."""
        width, depth = self.size
        return tuple(
            self.at(x * width / 2, y * depth / 2) for x, y in ((-1, 1), (1, 1), (1, -1), (-1, -1))
        )

    def at(self, across: float, outwards: float) -> Point:
        """A point of it: clockwise and outwards from its middle."""
        return polar(self.turn + 0.25, across, polar(self.turn, self.radius + outwards))


class Sign(msgspec.Struct, frozen=True, kw_only=True):
    """The sign of a pool on the wood. Its top points to the board's centre."""

    pool: str
    centre: Point
    radius: float
    """Of a circle around it."""


class Inlay(msgspec.Struct, frozen=True, kw_only=True):
    """The lit area of a pixel: a bar with round ends; a disc where length and width are equal."""

    name: str
    """The pixel's number in the data chain, such as `pixel 0`."""
    centre: Point
    turn: float
    """The direction from the ring's centre, in turns. The bar is at right angles to it."""
    length: float
    width: float

    @property
    def ends(self) -> tuple[Point, Point]:
        """The centres of its two round ends."""
        half = (self.length - self.width) / 2
        return polar(self.turn - 0.25, half, self.centre), polar(
            self.turn + 0.25, half, self.centre
        )


class Face(msgspec.Struct, frozen=True, kw_only=True):
    """Everything on the face of a board that has a position."""

    scale: float
    """Millimetres for one unit of the proportions."""
    wells: tuple[Well, ...]
    """The nine pools in board order."""
    buttons: tuple[Hole, ...]
    """In the order of the protocol."""
    inlays: tuple[Inlay, ...]
    """In the order of the data chain."""
    places: tuple[Hole, ...]
    """The holes of the places' inserts, clockwise."""
    dealers: tuple[Point, ...]
    """Where the dealer's mark lies, for each place."""
    numbers: tuple[Point, ...]
    """The middle of each place's number."""
    signs: tuple[Sign, ...]

    @property
    def radius(self) -> float:
        """From the board's centre to its edge."""
        return self.scale * EDGE_RADIUS

    @property
    def rim(self) -> float:
        """From the board's centre to where the rim begins."""
        return self.scale * RIM_RADIUS


def polar(turn: float, radius: float, centre: Point = (0.0, 0.0)) -> Point:
    """The point at an angle (in turns, clockwise from the top) and a distance from a centre."""
    angle = turn * 2 * math.pi
    return centre[0] + radius * math.sin(angle), centre[1] - radius * math.cos(angle)


def turn_of(at: Point, centre: Point = (0.0, 0.0)) -> float:
    """The direction of a point from a centre, in turns."""
    return math.atan2(at[0] - centre[0], centre[1] - at[1]) / (2 * math.pi) % 1


PLACE_WIDTH: Final = 1 / SLOTS - PLACE_GAP
"""How much of the rim belongs to a place, in turns."""


def place_turns(places: int) -> tuple[float, ...]:
    """Where the places are: spread over the spots as evenly as possible, clockwise."""
    slots = (math.floor((place + 0.5) * SLOTS / places) for place in range(places))
    return tuple((slot + 0.5) / SLOTS for slot in slots)


@cache
def face(places: int, ring: int) -> Face:
    """The face of a board with rings of `ring` pixels."""
    size = dimensions()
    scale = _scale(ring)
    wells = _wells(scale)
    outer, turns = len(POOLS) - 1, place_turns(places)
    centres = [
        *(polar((pool + 0.5) / outer, POOL_BUTTON_RADIUS * scale) for pool in range(outer)),
        polar(0.5 + 0.5 / outer, CENTRE_BUTTON_RADIUS * scale),
        *(polar(turn, PLACE_BUTTON_RADIUS * scale) for turn in turns),
        *(polar(turn, ACTION_RADIUS * scale) for turn in (NEXT_TURN, 1 - NEXT_TURN)),
    ]
    names = (*POOLS, *(f"seat{place}" for place in range(1, places + 1)), "next", "undo")
    light = LIGHT_RADIUS * scale
    return Face(
        scale=scale,
        wells=wells,
        buttons=tuple(
            Hole(name=name, centre=centre, diameter=size.button.hole)
            for name, centre in zip(names, centres, strict=True)
        ),
        inlays=tuple(_inlays(ring, wells, turns)),
        places=tuple(
            Hole(name=f"place {place}", centre=polar(turn, light), diameter=size.place.hole)
            for place, turn in enumerate(turns, start=1)
        ),
        dealers=tuple(polar(turn + DEALER_TURN, DEALER_RADIUS * scale) for turn in turns),
        numbers=tuple(polar(turn, NUMBER_RADIUS * scale) for turn in turns),
        signs=tuple(_signs(scale)),
    )


def _signs(scale: float) -> Iterator[Sign]:
    """Outside of each outer pool; that of the middle in the two gaps at the top."""
    size, outer = dimensions().sign, len(POOLS) - 1
    for number, pool in enumerate(POOLS[:-1]):
        at = polar(number / outer, SIGN_RADIUS * scale)
        yield Sign(pool=pool, centre=at, radius=size.outer)
    for turn in (-0.5 / outer, 0.5 / outer):
        at = polar(turn, CENTRE_BUTTON_RADIUS * scale)
        yield Sign(pool=POOLS[-1], centre=at, radius=size.gap)


def _scale(ring: int) -> float:
    """The smallest scale at which the bowls and the pixels fit; the diameter is whole mm."""
    size = dimensions()
    # Neighbours are one chord apart, which is slightly less than the arc.
    fitting = size.pixel.pitch / 2 / math.sin(math.pi / ring)
    radius = max(size.bowl.radius + size.bowl_to_ring, fitting)
    diameter = (radius + size.ring_to_flange) / POOL_RADIUS * 2 * EDGE_RADIUS
    return math.ceil(round(diameter, 6)) / 2 / EDGE_RADIUS


def _wells(scale: float) -> tuple[Well, ...]:
    size = dimensions()
    outer = len(POOLS) - 1
    pools = [(polar(n / outer, POOL_CIRCLE * scale), POOL_RADIUS) for n in range(outer)]
    return tuple(
        Well(
            centre=centre,
            bowl=radius * scale - size.ring_to_flange - size.bowl_to_ring,
            ring=radius * scale - size.ring_to_flange,
            hole=radius * scale - size.mask.cover,
            flange=radius * scale,
        )
        for centre, radius in [*pools, ((0.0, 0.0), CENTRE_POOL_RADIUS)]
    )


def inlay_length(ring: int, well: Well) -> float:
    """The length of a ring's inlays: the bars between them must stay opaque and strong."""
    inlay, mask = dimensions().inlay, dimensions().mask
    chamber = inlay.clearance + inlay.lip
    inner = well.ring - inlay.width / 2 - chamber
    room = 2 * inner * math.sin(math.pi / ring) - mask.land - 2 * chamber
    return max(inlay.width, min(inlay.length, room))


def _inlays(ring: int, wells: tuple[Well, ...], turns: tuple[float, ...]) -> Iterator[Inlay]:
    """The inlays of the rings, then of the places."""
    size, away = dimensions(), LIGHT_RADIUS * _scale(ring)
    bars = [
        (polar(turn, well.ring, well.centre), turn, inlay_length(ring, well), size.inlay.width)
        for well in wells
        for turn in (index / ring for index in range(ring))
    ]
    bars += [(polar(turn, away), turn, size.place.length, size.place.width) for turn in turns]
    for number, (centre, turn, length, width) in enumerate(bars):
        yield Inlay(name=f"pixel {number}", centre=centre, turn=turn, length=length, width=width)
