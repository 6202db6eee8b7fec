"""The shapes of the cases, their lids, the buttons' bezels and the display's frame."""

from __future__ import annotations

import math
from itertools import product
from typing import Final

from build123d import (
    Align,
    Axis,
    Box,
    BuildPart,
    BuildSketch,
    Cylinder,
    Location,
    Locations,
    Mode,
    Part,
    Plane,
    Rectangle,
    RectangleRounded,
    chamfer,
    extrude,
)

from hardware.cases import Case, Opening, zero_posts
from pochboard.geometry.dimensions import dimensions

SIZE: Final = dimensions()
UP: Final = (Align.CENTER, Align.CENTER, Align.MIN)
TIE_HOLE: Final = 3.0


def tray(case: Case) -> Part:
    """The lower part of a case; z = 0 is its underside."""
    size = SIZE.case
    (width, depth), top = case.inside, size.height - size.lid
    with BuildPart() as part:
        Box(width + 2 * size.wall, depth + 2 * size.wall, top, align=UP)
        with Locations(*((x, y, 0) for x, y in _ear_boxes(case))):
            Box(size.ear + 1, size.ear, top, align=UP)
        with Locations((0, 0, size.floor)):
            Box(width, depth, top - size.floor, align=UP, mode=Mode.SUBTRACT)
        with Locations(*((x, y, size.floor) for x, y in case.board_holes)):
            Cylinder(size.post / 2, size.post_height, align=UP)
        with Locations(*((x, y, 1.0) for x, y in case.board_holes)):
            depth_of_hole = size.floor + size.post_height - 1.0
            Cylinder(size.pilot / 2, depth_of_hole, align=UP, mode=Mode.SUBTRACT)
        with Locations(*((x, y, top - size.lid_screw) for x, y in case.ears)):
            Cylinder(size.pilot / 2, size.lid_screw, align=UP, mode=Mode.SUBTRACT)
        with Locations(*((x, y, 0) for x, y in case.base_screws)):
            Cylinder(SIZE.room.screw / 2, size.floor, align=UP, mode=Mode.SUBTRACT)
        with Locations(*((x, y, 0) for x, y in case.vents)):
            Cylinder(size.vent / 2, size.floor, align=UP, mode=Mode.SUBTRACT)
        for opening in case.openings:
            _cut(case, opening)
        # Two holes beside the notch for the wires, for a cable tie.
        for opening in case.openings:
            if opening.side == "inner":
                y = -(depth + size.wall) / 2
                spots = ((side * 6.0, y, opening.low - 4.0) for side in (-1, 1))
                with Locations(*(Location(spot, (90, 0, 0)) for spot in spots)):
                    Cylinder(TIE_HOLE / 2, 2 * size.wall, mode=Mode.SUBTRACT)
    return part.part


def _ear_boxes(case: Case) -> list[tuple[float, float]]:
    """The middles of the ears, which reach half a millimetre into the walls."""
    return [(math.copysign(abs(x) - 0.5, x), y) for x, y in case.ears]


def _cut(case: Case, opening: Opening) -> None:
    """Cuts an opening through its wall; call it while a part is being built."""
    size = SIZE.case
    width, depth = case.inside
    middle, height = (opening.low + opening.high) / 2, opening.high - opening.low
    through = size.wall + 1
    if opening.side in {"outer", "inner"}:
        y = (depth + size.wall) / 2 * (1 if opening.side == "outer" else -1)
        if opening.is_round:
            with Locations(Location((opening.across, y, middle), (90, 0, 0))):
                Cylinder(opening.width / 2, through, mode=Mode.SUBTRACT)
        else:
            with Locations((opening.across, y, middle)):
                Box(opening.width, through, height, mode=Mode.SUBTRACT)
        return
    x = (width + size.wall) / 2 * (1 if opening.side == "right" else -1)
    with Locations((x, opening.across, middle)):
        Box(through, opening.width, height, mode=Mode.SUBTRACT)


def lid(case: Case) -> Part:
    """The lid of a case, with a lip that goes between the walls; z = 0 is the tray's upper side."""
    size = SIZE.case
    width, depth = case.inside
    inner = width - 2 * size.clearance, depth - 2 * size.clearance
    with BuildPart() as part:
        Box(width + 2 * size.wall, depth + 2 * size.wall, size.lid, align=UP)
        with Locations(*((x, y, 0) for x, y in _ear_boxes(case))):
            Box(size.ear + 1, size.ear, size.lid, align=UP)
        # The lip lies along the left and right side; the others have openings up to the lid.
        for side in (-1, 1):
            with Locations((side * (inner[0] - size.lip) / 2, 0, -size.lip_height)):
                Box(size.lip, inner[1], size.lip_height, align=UP)
        with Locations(*((x, y, 0) for x, y in case.ears)):
            Cylinder(SIZE.room.screw / 2, size.lid, align=UP, mode=Mode.SUBTRACT)
        slots = product((-30.0, -20.0, -10.0, 0.0, 10.0, 20.0, 30.0), (0.0,))
        with Locations(*((x, y, 0) for x, y in slots)):
            Box(3.0, depth - 16, size.lid, align=UP, mode=Mode.SUBTRACT)
    return part.part


def zero_bar() -> Part:
    """The loose bar under a Zero 2 W, with two posts; z = 0 is the floor of the case."""
    size = SIZE.case
    (left, y), (right, _) = zero_posts()
    middle, apart = (left + right) / 2, right - left
    with BuildPart() as part:
        with Locations((middle, y, 0)):
            Box(apart, size.post, SIZE.zero.bar, align=UP)
        with Locations(*((x, y, 0) for x in (left, right))):
            Cylinder(size.post / 2, size.post_height, align=UP)
        with Locations(*((x, y, 1.0) for x in (left, right))):
            Cylinder(size.pilot / 2, size.post_height, align=UP, mode=Mode.SUBTRACT)
    return part.part


def bezel() -> Part:
    """The ring around a button: a chip that slides over it does not press the button."""
    button = SIZE.button
    with BuildPart() as part:
        Cylinder(button.bezel / 2, button.bezel_height, align=UP)
        inner = button.head / 2 + button.bezel_gap
        Cylinder(inner, button.bezel_height, align=UP, mode=Mode.SUBTRACT)
    return part.part


def display_frame() -> Part:
    """The frame that holds the display on the wood.

    z = 0 is the wood, y points to the board's edge, and x and y are 0 in the middle of the frame.
    """
    size = SIZE.display
    glass_top, top = size.stack, size.height
    active = 0.0, size.active_out
    window = tuple(side + 2 * more for side, more in zip(size.active, size.window, strict=True))
    with BuildPart() as part:
        with BuildSketch(Plane.XY):
            RectangleRounded(*size.frame, size.frame_corner)
        extrude(amount=top)
        chamfer(part.faces().sort_by(Axis.Z)[-1].edges(), size.bevel)
        with Locations((0, 0, 0)):
            Box(*size.pocket, glass_top - size.seat, align=UP, mode=Mode.SUBTRACT)
        with Locations((0, size.glass_out, 0)):
            glass = tuple(side + 2 * size.fit for side in size.glass)
            Box(*glass, glass_top, align=UP, mode=Mode.SUBTRACT)
        # The window's edges are bevelled by 45°, so that it hides less from the side.
        with BuildSketch(Plane.XY.offset(glass_top)), Locations(active):
            Rectangle(*window)
        extrude(amount=size.lip, taper=-45, mode=Mode.SUBTRACT)
        x, y = size.screw_at
        with Locations(*((a * x, b * y, 0) for a in (-1, 1) for b in (-1, 1))):
            Cylinder(SIZE.case.pilot / 2, size.screw_depth, align=UP, mode=Mode.SUBTRACT)
    return part.part
