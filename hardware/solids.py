"""The shapes of the printed parts, made with build123d and written as STEP and STL."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Final

from build123d import (
    Align,
    Axis,
    BuildPart,
    BuildSketch,
    Circle,
    Cone,
    Cylinder,
    Location,
    Locations,
    Mode,
    Part,
    Plane,
    Pos,
    Rot,
    SlotOverall,
    export_step,
    export_stl,
    extrude,
    fillet,
)

from hardware.case_solids import bezel, display_frame, lid, tray, zero_bar
from hardware.cases import NAMES, case
from hardware.engraving import strokes
from hardware.layout import Engraving, Layout
from hardware.part_pictures import part_pictures
from hardware.printing import (
    FINGERPRINT,
    PARTS_COLUMNS,
    PARTS_TABLE,
    carrier_radii,
    fingerprint,
    printed_parts,
    screw_turns,
)
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Inlay, Well, inlay_length

SIZE: Final = dimensions()
TOP: Final = SIZE.mask.plate
BOTTOM: Final = -SIZE.mask.height
"""z of the masks' upper and lower side."""

DOWN: Final = (Align.CENTER, Align.CENTER, Align.MAX)
UP: Final = (Align.CENTER, Align.CENTER, Align.MIN)
TOLERANCE_MM: Final = 0.02
"""How far the triangles of an STL file may be from the true surface."""


def mask(board: Layout, well: Well, inlays: tuple[Inlay, ...]) -> Part:
    """The black part of a pool: flange, bars between the inlays, and the pixels' chambers."""
    with BuildPart() as part:
        with BuildSketch(Plane.XY):
            Circle(well.flange)
            Circle(well.bowl, mode=Mode.SUBTRACT)
        extrude(amount=TOP)
        with BuildSketch(Plane.XY):
            Circle(well.hole - SIZE.mask.clearance)
            Circle(well.bowl + SIZE.bowl.wall + SIZE.mask.clearance, mode=Mode.SUBTRACT)
        extrude(amount=BOTTOM)
        for grown, start, end in _pocket():
            with BuildSketch(Plane.XY.offset(start)):
                for inlay in inlays:
                    _bar(well, inlay, grown)
            extrude(amount=end - start, mode=Mode.SUBTRACT)
        for turn in screw_turns(board, well):
            x, y = _around(turn, well.ring)
            with Locations((x, y, BOTTOM)):
                Cylinder(
                    SIZE.room.pilot / 2, SIZE.carrier.screw_depth, align=UP, mode=Mode.SUBTRACT
                )
    return part.part


def _pocket() -> list[tuple[float, float, float]]:
    """How much wider than the inlay the opening and the chamber are, and from where to where."""
    opening = SIZE.inlay.clearance
    return [(opening, 0.0, TOP), (opening + SIZE.inlay.lip, BOTTOM, 0.0)]


def _bar(well: Well, inlay: Inlay, grown: float) -> None:
    x, y = _around(inlay.turn, well.ring)
    length, width = inlay.length + 2 * grown, inlay.width + 2 * grown
    with Locations(Location((x, y, 0), (0, 0, -360 * inlay.turn))):
        if length - width < 0.01:
            Circle(width / 2)
        else:
            SlotOverall(length, width)


def _around(turn: float, radius: float) -> tuple[float, float]:
    """A point at an angle; y points away from the player here, so the sense stays clockwise."""
    angle = 2 * math.pi * turn
    return radius * math.sin(angle), radius * math.cos(angle)


def inlay_bar(length: float, width: float) -> Part:
    """An inlay: it is pushed in from below until its lip stops it."""
    lip = SIZE.inlay.lip
    with BuildPart() as part:
        for grown, start, height in (
            (0.0, 0.0, TOP + SIZE.inlay.proud),
            (lip, -SIZE.inlay.lip_height, SIZE.inlay.lip_height),
        ):
            with BuildSketch(Plane.XY.offset(start)):
                if length == width:
                    Circle(width / 2 + grown)
                else:
                    SlotOverall(length + 2 * grown, width + 2 * grown)
            extrude(amount=height)
    return part.part


def carrier(board: Layout, well: Well) -> Part:
    """The plate under a mask that holds the pixels."""
    inner, outer = carrier_radii(board, well)
    pixel = SIZE.pixel[board.spec.pixel_kind]
    ring = board.spec.pixels_per_ring
    with BuildPart() as part:
        with BuildSketch(Plane.XY.offset(BOTTOM)):
            Circle(outer)
            Circle(inner, mode=Mode.SUBTRACT)
            for index in range(ring):
                with Locations(_around(index / ring, well.ring)):
                    Circle(pixel.hole / 2 + SIZE.carrier.clearance, mode=Mode.SUBTRACT)
            for turn in screw_turns(board, well):
                with Locations(_around(turn, well.ring)):
                    Circle(SIZE.carrier.screw / 2, mode=Mode.SUBTRACT)
        extrude(amount=-SIZE.carrier.thickness)
    return part.part


def bowl(well: Well) -> Part:
    """The bowl: it stands on the base plate and ends just below the mask."""
    size = SIZE.bowl
    top, bottom = -size.gap, -SIZE.panel.face - SIZE.panel.room
    floor = bottom + size.floor

    def inside(z: float) -> float:
        return SIZE.bowl_radius(well.bowl, TOP - z)

    with BuildPart() as part:
        with Locations((0, 0, bottom)):
            Cone(inside(bottom) + size.wall, inside(top) + size.wall, top - bottom, align=UP)
        with Locations((0, 0, floor)):
            Cone(inside(floor), inside(top), top - floor, align=UP, mode=Mode.SUBTRACT)
        edge = part.edges().filter_by_position(Axis.Z, floor - 0.01, floor + 0.01)
        fillet(edge, size.fillet)
    return part.part


def place_mask() -> Part:
    """The black part around the inlay of a place."""
    size = SIZE.place
    with BuildPart() as part:
        with Locations((0, 0, 0)):
            Cylinder(size.flange / 2, TOP, align=UP)
            Cylinder(size.hole / 2 - SIZE.mask.clearance, -BOTTOM, align=DOWN)
        for grown, start, end in _pocket():
            with Locations((0, 0, start)):
                Cylinder(size.inlay / 2 + grown, end - start, align=UP, mode=Mode.SUBTRACT)
    return part.part


def place_carrier(board: Layout) -> Part:
    """The cap that holds the pixel of a place, over the lower end of its mask."""
    size = SIZE.place
    inner = size.hole / 2 - SIZE.mask.clearance + size.fit
    pixel = SIZE.pixel[board.spec.pixel_kind]
    floor = SIZE.carrier.thickness
    with BuildPart() as part:
        with Locations((0, 0, BOTTOM - floor)):
            Cylinder(inner + size.carrier_wall, size.carrier_height, align=UP)
            Cylinder(pixel.hole / 2 + SIZE.carrier.clearance, floor, align=UP, mode=Mode.SUBTRACT)
        with Locations((0, 0, BOTTOM)):
            Cylinder(inner, size.carrier_height - floor, align=UP, mode=Mode.SUBTRACT)
    return part.part


def dealer_mark() -> Part:
    """The dealer's mark: a disc with a D, and a peg for the hole beside a place."""
    size = SIZE.dealer_mark
    # A circle so large that the letter stands straight, upright around the middle.
    letter = Engraving(words="D", centre=(0, 4.5 - 1e6), radius=1e6, turn=0.5, height=9.0)
    with BuildPart() as part:
        Cylinder(size.diameter / 2, size.height, align=UP)
        Cylinder(size.peg / 2, size.peg_length, align=DOWN)
        with BuildSketch(Plane.XY.offset(size.height)):
            for stroke in strokes(letter):
                for (x, y), (u, v) in pairwise(stroke):
                    middle = ((x + u) / 2, -(y + v) / 2)
                    angle = math.degrees(math.atan2(y - v, u - x))
                    with Locations(Location((*middle, 0), (0, 0, angle))):
                        SlotOverall(math.dist((x, y), (u, v)) + 1.2, 1.2)
        extrude(amount=-0.6, mode=Mode.SUBTRACT)
    return part.part


def shapes(board: Layout) -> dict[str, Callable[[], Part]]:
    """What makes each part, by its name."""
    ring = board.spec.pixels_per_ring
    outer, centre = board.wells[0], board.wells[-1]
    first, last = board.inlays[:ring], board.inlays[8 * ring : 9 * ring]
    width, place = SIZE.inlay.width, SIZE.place.inlay
    return {
        "mask-outer": lambda: mask(board, outer, first),
        "mask-centre": lambda: mask(board, centre, last),
        "mask-place": place_mask,
        "inlay-ring": lambda: inlay_bar(inlay_length(board.spec.pixels_per_ring, outer), width),
        "inlay-place": lambda: inlay_bar(place, place),
        "carrier-outer": lambda: carrier(board, outer),
        "carrier-centre": lambda: carrier(board, centre),
        "carrier-place": lambda: place_carrier(board),
        "bowl-outer": lambda: bowl(outer),
        "bowl-centre": lambda: bowl(centre),
        "dealer-mark": dealer_mark,
        "bezel": bezel,
        "display-frame": display_frame,
        **{f"case-{name}": partial(tray, case(name)) for name in NAMES},
        **{f"lid-{name}": partial(lid, case(name)) for name in NAMES},
        "zero-bar": zero_bar,
    }


def write_parts(board: Layout, folder: Path, models: Path) -> list[Path]:
    """Writes each part as STL, as printed, and into `models` as STEP, as installed.

    Returns the paths.
    """
    folder.mkdir(parents=True, exist_ok=True)
    models.mkdir(parents=True, exist_ok=True)
    makers = shapes(board)
    paths = []
    rows = [",".join(PARTS_COLUMNS)]
    for printed in printed_parts(board):
        solid = makers[printed.name]()
        assert solid.is_valid, printed.name
        assert len(solid.solids()) == 1, printed.name
        step, stl = models / f"{printed.name}.step", folder / f"{printed.name}.stl"
        export_step(solid, step, timestamp="1970-01-01T00:00:00")
        turned = Rot(180, 0, 0) * solid if printed.is_flipped else solid
        on_bed = Pos(0, 0, -turned.bounding_box().min.Z) * turned
        export_stl(on_bed, stl, tolerance=TOLERANCE_MM, angular_tolerance=0.2)
        paths += [step, stl]
        size = solid.bounding_box().size
        row = (
            *(printed.name, f"{printed.count}", printed.material),
            *(f"{side:.1f}" for side in (size.X, size.Y, size.Z)),
            f"{solid.volume / 1000:.2f}",
        )
        rows.append(",".join(row))
    pictures = part_pictures(board, {name: make() for name, make in makers.items()})
    for name, text in pictures.items():
        (folder / name).write_text(text, "utf-8")
    (folder / FINGERPRINT).write_text(f"{fingerprint(board)}\n", "ascii")
    (folder / PARTS_TABLE).write_text("\n".join([*rows, ""]), "ascii")
    return [*paths, *(folder / name for name in (*pictures, FINGERPRINT, PARTS_TABLE))]
