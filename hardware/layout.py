"""The layout of a board: the position of every hole, in mm from its centre, seen from above.

x points right and y points down, as in SVG. Angles and proportions are those of the board on the
page (web/static/board.js). The scale follows from the rings, because the chips of a pool need room
around its ring.
"""

from __future__ import annotations

import math
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import msgspec

from hardware.spec import BoardSpec
from pochboard.rules.accounts import POOLS

Point = tuple[float, float]

RINGS_FILE: Final = Path(__file__).with_name("rings.toml")

# The page's own dimensions: its board is 1000 units wide.
POOL_CIRCLE: Final = 252
"""Distance of the eight outer pools from the centre."""
POOL_RADIUS: Final = 94
CENTRE_POOL_RADIUS: Final = 132
RIM_RADIUS: Final = 356
"""Where the rim begins."""
RIM_PIXEL_RADIUS: Final = 374
EDGE_RADIUS: Final = 494
NEXT_TURN: Final = Fraction(3, 8)
"""Where the page shows `next`, in turns clockwise from the top; `undo` is its mirror image."""


class Ring(msgspec.Struct, frozen=True, kw_only=True):
    """A ring of pixels."""

    pixels: int
    outer_mm: float
    inner_mm: float
    """Outer and inner diameter."""
    is_ready_made: bool = True
    """Whether it is sold in one piece; otherwise it is built from single pixels."""

    @property
    def radius(self) -> float:
        """From its centre to its pixels, in mm."""
        return (self.outer_mm + self.inner_mm) / 4


class Hole(msgspec.Struct, frozen=True, kw_only=True):
    """A hole to be drilled through the board."""

    name: str
    """The button's name, or the pixel's number in the data chain, such as `pixel 0`."""
    centre: Point
    diameter: float


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """The layout of one board."""

    spec: BoardSpec
    ring: Ring
    scale: float
    """Millimetres for one unit of the page."""
    pools: tuple[Point, ...]
    """The centres of the nine pools in board order."""
    buttons: tuple[Hole, ...]
    """In the order of the protocol."""
    pixels: tuple[Hole, ...]
    """In the order of the data chain."""

    @property
    def radius(self) -> float:
        """From the board's centre to its edge."""
        return self.scale * EDGE_RADIUS

    @property
    def holes(self) -> tuple[Hole, ...]:
        """All holes: buttons, then pixels."""
        return (*self.buttons, *self.pixels)

    @property
    def place_pixels(self) -> tuple[Hole, ...]:
        """The pixels of the places, at the end of the data chain."""
        return self.pixels[len(POOLS) * self.ring.pixels :]

    def pool_radius(self, pool: int) -> float:
        """The radius of the area for a pool's chips; pools count from 0 to 8."""
        return self.scale * (CENTRE_POOL_RADIUS if pool == len(POOLS) - 1 else POOL_RADIUS)


def polar(turn: float, radius: float, centre: Point = (0.0, 0.0)) -> Point:
    """The point at an angle (in turns, clockwise from the top) and a distance from a centre."""
    angle = turn * 2 * math.pi
    return centre[0] + radius * math.sin(angle), centre[1] - radius * math.cos(angle)


def layout(spec: BoardSpec) -> Layout:
    """The layout for a specification."""
    dimensions = _dimensions()
    button = dimensions["button"]
    pixel_hole, chip = dimensions["board"]["pixel_hole_mm"], dimensions["board"]["chip_mm"]
    ring = ring_of(spec.pixels_per_ring)
    # Chips lie inside a wide ring, between it and the button; otherwise they lie around the ring.
    has_room_inside = ring.inner_mm / 2 >= button["head_mm"] / 2 + chip + 2
    scale = (ring.outer_mm / 2 + (3 if has_room_inside else chip + 1)) / POOL_RADIUS
    outer_pools = len(POOLS) - 1
    pools = (*(polar(n / outer_pools, POOL_CIRCLE * scale) for n in range(outer_pools)), (0.0, 0.0))
    turns = [(place + 0.5) / spec.places for place in range(spec.places)]
    pixels = [
        polar(index / ring.pixels, ring.radius, pool)
        for pool in pools
        for index in range(ring.pixels)
    ] + [polar(turn, RIM_PIXEL_RADIUS * scale) for turn in turns]
    next_ = float(next_turn(spec.places))
    buttons_radius = (RIM_RADIUS + EDGE_RADIUS) / 2 * scale
    rim_buttons = [polar(turn, buttons_radius) for turn in (*turns, next_, 1 - next_)]
    return Layout(
        spec=spec,
        ring=ring,
        scale=scale,
        pools=pools,
        buttons=tuple(
            Hole(name=name, centre=centre, diameter=button["hole_mm"])
            for name, centre in zip(spec.buttons, [*pools, *rim_buttons], strict=True)
        ),
        pixels=tuple(
            Hole(name=f"pixel {number}", centre=centre, diameter=pixel_hole)
            for number, centre in enumerate(pixels)
        ),
    )


def ring_of(pixels: int) -> Ring:
    """The ring of that many pixels: ready-made if there is one, else the smallest of single pixels.

    Single pixels sit side by side, and leave room for the button's head between them.
    """
    dimensions = _dimensions()
    for ring in dimensions["ring"]:
        if ring["pixels"] == pixels:
            return Ring(**ring)
    single, button = dimensions["single"], dimensions["button"]
    smallest = button["head_mm"] / 2 + button["gap_mm"] + single["board_mm"] / 2
    # Neighbours are one chord apart, which is slightly less than the arc.
    radius = max(smallest, single["pitch_mm"] / 2 / math.sin(math.pi / pixels))
    return Ring(
        pixels=pixels,
        outer_mm=round(2 * radius + single["board_mm"], 1),
        inner_mm=round(2 * radius - single["board_mm"], 1),
        is_ready_made=False,
    )


def next_turn(places: int) -> Fraction:
    """The angle of `next`, in turns: midway between two places, as near as possible to the page's.

    If two angles are equally near, the upper one, which keeps `next` and `undo` apart.
    """
    candidates = [Fraction(step, places) for step in range(1, (places + 1) // 2)]
    return min(candidates, key=lambda turn: (abs(turn - NEXT_TURN), turn))


def drill_table(board: Layout) -> str:
    """The holes as CSV for a CNC mill: mm right and up from the centre, and the diameter."""
    rows = ["name,x_mm,y_mm,diameter_mm"]
    for hole in board.holes:
        x, y = hole.centre
        rows.append(f"{hole.name},{_coordinate(x)},{_coordinate(-y)},{hole.diameter:g}")
    return "\n".join(rows) + "\n"


def _coordinate(value: float) -> str:
    # Adding 0.0 turns -0.0 into 0.0.
    return f"{round(value, 2) + 0.0:.2f}"


def _dimensions() -> dict[str, Any]:
    return tomllib.loads(RINGS_FILE.read_text("utf-8"))
