"""Where everything on the board stands, seen from above, in millimetres from its middle.

The board is the one that the page draws (web/static/board.js): the same angles and proportions.
How large it is follows from the rings, round which the chips of a pool have to find room.
"""

from __future__ import annotations

import math
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import msgspec

from hardware.sheet import Point, around
from hardware.size import Size
from pochboard.rules.board import POOLS

FILE: Final = Path(__file__).with_name("rings.toml")

# The page's own measures: a board of 1000 by 1000.
CIRCLE: Final = 252
"""How far from the middle the eight outer pools stand."""
WELL: Final = 94
MIDDLE_WELL: Final = 132
RIM_INNER: Final = 356
RIM_PIXEL: Final = 374
EDGE: Final = 494
KNOB: Final = Fraction(3, 8)
"""Where on the page `next` stands, as a turn from the top; `undo` faces it."""


class Ring(msgspec.Struct, frozen=True, kw_only=True):
    """A ring of pixels, in millimetres across."""

    pixels: int
    outer_mm: float
    inner_mm: float
    is_sold: bool = True
    """Whether it comes in one piece; else it is made of single pixels."""

    @property
    def radius(self) -> float:
        """From its middle to its pixels."""
        return (self.outer_mm + self.inner_mm) / 4


class Hole(msgspec.Struct, frozen=True, kw_only=True):
    """A hole through the board."""

    name: str
    """The button's name, or of a pixel its number in the chain, as in `pixel 0`."""
    at: Point
    across: float


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """A board: what it is made from, and where."""

    size: Size
    ring: Ring
    unit: float
    """How many millimetres one unit of the page is."""
    pools: tuple[Point, ...]
    """The middles of the nine pools in board order."""
    buttons: tuple[Hole, ...]
    """In the order of the wire."""
    pixels: tuple[Hole, ...]
    """In the order of the chain."""

    @property
    def radius(self) -> float:
        """From the board's middle to its edge."""
        return self.unit * EDGE

    @property
    def holes(self) -> tuple[Hole, ...]:
        """All that is drilled."""
        return (*self.buttons, *self.pixels)

    def well(self, pool: int) -> float:
        """The radius of the room a pool (0 to 8) has."""
        return self.unit * (MIDDLE_WELL if pool == len(POOLS) - 1 else WELL)


def load() -> dict[str, Any]:
    """rings.toml as it stands."""
    return tomllib.loads(FILE.read_text("utf-8"))


def ring_of(pixels: int) -> Ring:
    """The ring that is sold with so many pixels, else the smallest made of single ones.

    Single pixels stand side by side, and the button's head fits between them.
    """
    plan = load()
    for ring in plan["ring"]:
        if ring["pixels"] == pixels:
            return Ring(**ring)
    board, pitch = plan["single"]["board_mm"], plan["single"]["pitch_mm"]
    least = plan["button"]["head_mm"] / 2 + plan["button"]["gap_mm"] + board / 2
    # Neighbours are a chord apart, which is a little less than the arc.
    radius = max(least, pitch / 2 / math.sin(math.pi / pixels))
    return Ring(
        pixels=pixels,
        outer_mm=round(2 * radius + board, 1),
        inner_mm=round(2 * radius - board, 1),
        is_sold=False,
    )


def layout(size: Size) -> Layout:
    """The board of a size."""
    plan = load()
    ring = ring_of(size.ring)
    chip, head = plan["board"]["chip_mm"], plan["button"]["head_mm"]
    # A chip lies between the button and a wide ring, or else round the ring.
    is_wide = ring.inner_mm / 2 >= head / 2 + chip + 2
    well = ring.outer_mm / 2 + (3 if is_wide else chip + 1)
    unit = well / WELL
    pools = (
        *(around(index / 8, CIRCLE * unit) for index in range(len(POOLS) - 1)),
        (0.0, 0.0),
    )
    turns = [(place + 0.5) / size.places for place in range(size.places)]
    pixel = plan["board"]["pixel_hole_mm"]
    chain = [
        around(index / size.ring, ring.radius, middle)
        for middle in pools
        for index in range(size.ring)
    ]
    chain += [around(turn, RIM_PIXEL * unit) for turn in turns]
    rim = (RIM_INNER + EDGE) / 2 * unit
    knob = next_turn(size.places)
    places = [around(turn, rim) for turn in turns]
    controls = [around(float(knob), rim), around(float(1 - knob), rim)]
    button = plan["button"]["hole_mm"]
    return Layout(
        size=size,
        ring=ring,
        unit=unit,
        pools=pools,
        buttons=tuple(
            Hole(name=name, at=at, across=button)
            for name, at in zip(size.buttons, [*pools, *places, *controls], strict=True)
        ),
        pixels=tuple(
            Hole(name=f"pixel {number}", at=at, across=pixel) for number, at in enumerate(chain)
        ),
    )


def next_turn(places: int) -> Fraction:
    """Where on the rim `next` stands: between two places, as near to the page's corner as can be.

    `undo` stands where it is mirrored. Of two as near, the one further up, so that they part.
    """
    between = [
        Fraction(step, places)
        for step in range(1, places)
        if Fraction(step, places) < Fraction(1, 2)
    ]
    return min(between, key=lambda turn: (abs(turn - KNOB), turn))


def holes_csv(board: Layout) -> str:
    """The holes as a table for a milling machine: right and up from the middle, and across."""
    rows = ["name,x_mm,y_mm,across_mm"]
    for hole in board.holes:
        x, y = (f"{value + 0.0:.2f}" for value in (hole.at[0], -hole.at[1]))
        rows.append(f"{hole.name},{_unsigned(x)},{_unsigned(y)},{hole.across:g}")
    return "\n".join(rows) + "\n"


def _unsigned(text: str) -> str:
    return "0.00" if text == "-0.00" else text
