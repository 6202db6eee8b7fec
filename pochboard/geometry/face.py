"""The face of a board: where every hole, button and inlay is, in mm from the centre, from above.

x points right and y points down, as in SVG; angles are turns, clockwise from the top. The page
draws this, and hardware/ builds it. The scale follows from the bowls, which must hold the chips,
and from the rings of inlays around them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Final

import msgspec

from pochboard.config import PixelKind
from pochboard.geometry.dimensions import Range, dimensions
from pochboard.rules.accounts import POOLS

Point = tuple[float, float]

# Proportions, in units of which the board's radius has 494.
EDGE_RADIUS: Final = 494
POOL_CIRCLE: Final = 252
"""Distance of the eight outer pools from the centre."""
POOL_RADIUS: Final = 94
CENTRE_POOL_RADIUS: Final = 132
RIM_RADIUS: Final = 356
"""Where the rim begins."""
RIM_PIXEL_RADIUS: Final = 374
NEXT_TURN: Final = Fraction(3, 8)
"""Where `next` is if a place allows it: at the lower right; `undo` is its mirror image."""
WIDEST_PLACE: Final = 52 / 360
PLACE_GAP: Final = 0.006
"""The greatest width of a place on the rim, and the gap between two places, in turns."""
NUMBER_TURN: Final = 0.013
DEALER_TURN: Final = 0.015
"""How far a place's number and its dealer's mark are from the place's ends, in turns."""
NUMBER_RADIUS: Final = 376
POOL_BUTTON_RADIUS: Final = 320
CENTRE_BUTTON_RADIUS: Final = 167
"""Between the pools there is room for their buttons."""


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
    """A button's name, or what the hole is for: `ring ace`, `place 1`, `dealer 1`."""
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
    dealer_holes: tuple[Hole, ...]
    """One for each place."""
    numbers: tuple[Point, ...]
    """The middle of each place's number."""
    displays: tuple[Block, ...]
    """The frames of the displays. The top of what they show points to the board's centre."""

    @property
    def radius(self) -> float:
        """From the board's centre to its edge."""
        return self.scale * EDGE_RADIUS

    @property
    def rim(self) -> float:
        """From the board's centre to where the rim begins."""
        return self.scale * RIM_RADIUS

    @property
    def place_width(self) -> float:
        """How much of the rim belongs to a place, in turns."""
        return place_width(len(self.places))


def polar(turn: float, radius: float, centre: Point = (0.0, 0.0)) -> Point:
    """The point at an angle (in turns, clockwise from the top) and a distance from a centre."""
    angle = turn * 2 * math.pi
    return centre[0] + radius * math.sin(angle), centre[1] - radius * math.cos(angle)


def turn_of(at: Point, centre: Point = (0.0, 0.0)) -> float:
    """The direction of a point from a centre, in turns."""
    return math.atan2(at[0] - centre[0], centre[1] - at[1]) / (2 * math.pi) % 1


def place_width(places: int) -> float:
    """How much of the rim belongs to a place, in turns."""
    return min(1 / places, WIDEST_PLACE) - PLACE_GAP


@cache
def face(places: int, ring: int, kind: PixelKind) -> Face:
    """The face of a board with rings of `ring` pixels."""
    size = dimensions()
    scale = _scale(ring, kind)
    wells = _wells(scale)
    outer = len(POOLS) - 1
    turns = [(place + 0.5) / places for place in range(places)]
    next_ = float(next_turn(places))
    rim_buttons = (RIM_RADIUS + EDGE_RADIUS) / 2 * scale
    centres = [
        *(polar((pool + 0.5) / outer, POOL_BUTTON_RADIUS * scale) for pool in range(outer)),
        polar(0.5 + 0.5 / outer, CENTRE_BUTTON_RADIUS * scale),
        *(polar(turn, rim_buttons) for turn in (*turns, next_, 1 - next_)),
    ]
    names = (*POOLS, *(f"seat{place}" for place in range(1, places + 1)), "next", "undo")
    half = place_width(places) / 2
    rim = RIM_PIXEL_RADIUS * scale
    return Face(
        scale=scale,
        wells=wells,
        buttons=tuple(
            Hole(name=name, centre=centre, diameter=size.button.hole)
            for name, centre in zip(names, centres, strict=True)
        ),
        inlays=(*_ring_inlays(ring, wells), *_place_inlays(ring, turns, rim)),
        places=tuple(
            Hole(name=f"place {place}", centre=polar(turn, rim), diameter=size.place.hole)
            for place, turn in enumerate(turns, start=1)
        ),
        dealer_holes=tuple(
            Hole(
                name=f"dealer {place}",
                centre=polar(turn + half - DEALER_TURN, NUMBER_RADIUS * scale),
                diameter=size.dealer_mark.hole,
            )
            for place, turn in enumerate(turns, start=1)
        ),
        numbers=tuple(polar(turn - half + NUMBER_TURN, NUMBER_RADIUS * scale) for turn in turns),
        displays=(_display(places, EDGE_RADIUS * scale),),
    )


def supply_turn(places: int) -> Fraction:
    """Where the supply's plug is: midway between two places, without `next` or `undo`, in turns."""
    return {3: Fraction(1, 4), 4: Fraction(1, 2)}.get(places, Fraction(1, places))


def display_turn(places: int) -> Fraction:
    """The angle of the display, in turns: across from the supply, near the Pi's or Pico's case."""
    return Fraction(13, 16) if places == 4 else 1 - supply_turn(places)


def _display(places: int, radius: float) -> Block:
    size = dimensions().display
    return Block(
        name="display",
        turn=float(display_turn(places)),
        radius=radius - size.edge - size.frame[1] / 2,
        size=size.frame,
    )


def _scale(ring: int, kind: PixelKind) -> float:
    """The smallest scale at which the bowls and the pixels fit; the diameter is whole mm."""
    size = dimensions()
    # Neighbours are one chord apart, which is slightly less than the arc.
    fitting = size.pixel[kind].pitch / 2 / math.sin(math.pi / ring)
    radius = max(size.bowl.radius + size.bowl_to_ring, fitting)
    diameter = (radius + size.ring_to_flange) / POOL_RADIUS * 2 * EDGE_RADIUS
    return math.ceil(diameter) / 2 / EDGE_RADIUS


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


def _ring_inlays(ring: int, wells: tuple[Well, ...]) -> Iterator[Inlay]:
    for pool, well in enumerate(wells):
        for index in range(ring):
            yield Inlay(
                name=f"pixel {pool * ring + index}",
                centre=polar(index / ring, well.ring, well.centre),
                turn=index / ring,
                length=inlay_length(ring, well),
                width=dimensions().inlay.width,
            )


def _place_inlays(ring: int, turns: list[float], radius: float) -> Iterator[Inlay]:
    first, diameter = len(POOLS) * ring, dimensions().place.inlay
    for number, turn in enumerate(turns, start=first):
        yield Inlay(
            name=f"pixel {number}",
            centre=polar(turn, radius),
            turn=turn,
            length=diameter,
            width=diameter,
        )


def next_turn(places: int) -> Fraction:
    """The angle of `next`, in turns: midway between two places, as near as possible to the page's.

    If two angles are equally near, the upper one, which keeps `next` and `undo` apart.
    """
    candidates = [Fraction(step, places) for step in range(1, (places + 1) // 2)]
    return min(candidates, key=lambda turn: (abs(turn - NEXT_TURN), turn))
