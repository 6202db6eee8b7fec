"""The two cases in the room: one for the Pi or Pico, one for the stripboard, socket and switch.

Each is a tray that is screwed to the base plate, with a lid. Positions are in mm from the middle of
the tray, seen from above: x to the right, y outwards, towards the edge of the board; z = 0 is the
upper side of the base plate.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from pochboard.geometry.dimensions import Range, dimensions
from pochboard.geometry.face import Point

CaseName = Literal["controller", "supply"]
Side = Literal["outer", "inner", "left", "right"]
NAMES: Final[tuple[CaseName, ...]] = ("controller", "supply")


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """A rectangular or round opening in a wall."""

    side: Side
    across: float
    """Of its middle, to the right if one looks at the outer or inner side from the middle outwards;
    outwards on the left and right."""
    low: float
    high: float
    width: float
    is_round: bool = False


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A case: everything that its shape follows from."""

    name: CaseName
    inside: Range
    """Width and depth between the walls."""
    overhang: float = 0.0
    """By how much the ears are beyond the inner and outer wall."""
    board: Range
    board_centre: Point
    board_holes: tuple[Point, ...]
    openings: tuple[Opening, ...]

    @property
    def outside(self) -> Range:
        """Width and depth with walls and the ears for the lid's screws."""
        size = dimensions().case
        width, depth = self.inside
        return width + 2 * (size.wall + size.ear), depth + 2 * (size.wall + self.overhang)

    @property
    def ears(self) -> tuple[Point, ...]:
        """The middles of the four ears that take the lid's screws."""
        size = dimensions().case
        x = self.inside[0] / 2 + size.wall + size.ear / 2
        y = self.inside[1] / 2 + size.wall + self.overhang - size.ear / 2
        return tuple((sx * x, sy * y) for sx, sy in ((-1, 1), (1, 1), (1, -1), (-1, -1)))

    @property
    def base_screws(self) -> tuple[Point, Point]:
        """Where it is screwed to the base plate, under the board."""
        x, y = self.board_centre
        reach = dimensions().case.base_screw
        return (x - reach, y), (x + reach, y)

    @property
    def vents(self) -> tuple[Point, ...]:
        """Holes in its floor and in the base plate."""
        x, y = self.board_centre
        return tuple((x + dx, y + dy) for dx in (-18.0, 0.0, 18.0) for dy in (-8.0, 8.0))


def case(name: CaseName) -> Case:
    """One of the two cases."""
    room, size = dimensions().room, dimensions().case
    board_z = size.floor + size.post_height + size.board
    lid_z = size.height - size.lid
    notch = Opening(
        side="inner", across=0, low=lid_z - size.notch[1], high=lid_z, width=size.notch[0]
    )
    if name == "controller":
        width, depth = room.controller
        spacing = room.controller_holes
        # The Pi's holes are nearer to its left edge, seen from outside the board: to its right
        # seen from above with the edge at the top.
        shift = (width - spacing[0]) / 2 - size.hole_edge
        inside = width + 2 * size.gap, depth + 2 * size.gap
        plug = size.plug_height
        # From the card of a Zero to the other side of that of a Pi, which is in the middle.
        near, far = _zero_card() - dimensions().zero.card_width / 2, 10.0
        return Case(
            name=name,
            inside=inside,
            overhang=size.ear_overhang,
            board=room.controller,
            board_centre=(0, 0),
            board_holes=_corners(spacing, (shift, 0)),
            openings=(
                notch,
                Opening(
                    side="outer", across=0, low=board_z - 2, high=board_z + plug, width=width - 12
                ),
                Opening(side="left", across=0, low=board_z - 2, high=lid_z, width=size.sockets),
                Opening(
                    side="right",
                    across=(near + far) / 2,
                    low=size.floor,
                    high=board_z + 2,
                    width=far - near,
                ),
            ),
        )
    width, depth = room.stripboard
    inside = room.panel_width, depth + 2 * size.gap + size.behind_panel
    centre = 0.0, -size.behind_panel / 2
    z, switch = size.panel_centre, room.switch_hole
    return Case(
        name=name,
        inside=inside,
        board=room.stripboard,
        board_centre=centre,
        board_holes=_corners(room.stripboard_holes, centre),
        openings=(
            notch,
            *(
                Opening(
                    side="outer",
                    across=across,
                    low=z - height / 2,
                    high=z + height / 2,
                    width=across_width,
                    is_round=is_round,
                )
                for across, across_width, height, is_round in (
                    (-26.0, room.dc_hole, room.dc_hole, True),
                    (2.0, *switch, False),
                )
            ),
            # A slot: a cable with its plug does not go through a hole.
            Opening(
                side="outer",
                across=28.0,
                low=z - room.cable_slot / 2,
                high=lid_z,
                width=room.cable_slot,
            ),
        ),
    )


def zero_board() -> tuple[Point, Point]:
    """The corners of a Zero 2 W in the case of the controller: the lowest and the highest."""
    (width, depth), (board_width, board_depth) = (
        dimensions().room.controller,
        dimensions().zero.board,
    )
    right, inner = width / 2, -depth / 2
    return (right - board_width, inner), (right, inner + board_depth)


def zero_posts() -> tuple[Point, Point]:
    """The two posts of a Zero 2 W that are not those of the case."""
    pi = case("controller").board_holes
    inner = sorted(hole for hole in pi if hole[1] < 0)
    left, right = ((x, y + dimensions().zero.holes[1]) for x, y in inner)
    return left, right


def _zero_card() -> float:
    return zero_board()[1][1] - dimensions().zero.card


def _corners(spacing: Range, centre: Point) -> tuple[Point, ...]:
    (width, depth), (x, y) = spacing, centre
    return tuple(
        (x + sx * width / 2, y + sy * depth / 2) for sx, sy in ((-1, 1), (1, 1), (1, -1), (-1, -1))
    )
