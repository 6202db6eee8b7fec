"""The shapes of the printed parts, made with build123d and written as STEP and STL."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Final

from build123d import (
    Align,
    Axis,
    Box,
    BuildLine,
    BuildPart,
    BuildSketch,
    Circle,
    Cone,
    Cylinder,
    GeomType,
    Location,
    Locations,
    Mode,
    Part,
    Plane,
    Polyline,
    Pos,
    Rot,
    SlotOverall,
    export_step,
    export_stl,
    extrude,
    fillet,
    make_face,
)

from hardware.engraving import strokes
from hardware.layout import Engraving, Layout
from hardware.part_pictures import part_pictures
from hardware.plates import PANEL_DEPTH
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
WALL: Final = 2.4
"""Of the plate with socket and switch, which clamp up to 3 mm."""
CABLE: Final = 6.0
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
        # The edge over which one looks and reaches into the dish.
        inner = part.edges().filter_by(GeomType.CIRCLE).filter_by_position(Axis.Z, TOP, TOP)
        fillet(inner.sort_by(lambda edge: edge.radius)[0], SIZE.bowl.soft)
        for grown, start, end in _pocket():
            with BuildSketch(Plane.XY.offset(start)):
                for inlay in inlays:
                    _bar(well, inlay, grown)
            extrude(amount=end - start, mode=Mode.SUBTRACT)
        for turn in screw_turns(board):
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
                SlotOverall(length + 2 * grown, width + 2 * grown)
            extrude(amount=height)
    return part.part


def carrier(board: Layout, well: Well) -> Part:
    """The plate under a mask that holds the pixels, and on which the dish stands."""
    inner, outer = carrier_radii(well)
    pixel = SIZE.pixel
    ring = board.spec.pixels_per_ring
    with BuildPart() as part:
        with BuildSketch(Plane.XY.offset(BOTTOM)):
            Circle(outer)
            Circle(inner, mode=Mode.SUBTRACT)
            for index in range(ring):
                with Locations(_around(index / ring, well.ring)):
                    Circle(pixel.hole / 2 + SIZE.carrier.clearance, mode=Mode.SUBTRACT)
            for turn in screw_turns(board):
                with Locations(_around(turn, well.ring)):
                    Circle(SIZE.carrier.screw / 2, mode=Mode.SUBTRACT)
        extrude(amount=-SIZE.carrier.thickness)
    return part.part


def bowl(well: Well) -> Part:
    """The dish: it stands on the carrier and ends just below the mask."""
    size = SIZE.bowl
    top, floor = -size.gap, BOTTOM + size.floor

    def inside(z: float) -> float:
        return SIZE.bowl_radius(well.bowl, TOP - z)

    with BuildPart() as part:
        with Locations((0, 0, BOTTOM)):
            Cone(inside(BOTTOM) + size.wall, inside(top) + size.wall, top - BOTTOM, align=UP)
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
            with BuildSketch(Plane.XY.offset(start)):
                SlotOverall(size.length + 2 * grown, size.width + 2 * grown)
            extrude(amount=end - start, mode=Mode.SUBTRACT)
    return part.part


def place_carrier() -> Part:
    """The cap that holds the pixel of a place, over the lower end of its mask."""
    size = SIZE.place
    inner = size.hole / 2 - SIZE.mask.clearance + size.fit
    pixel = SIZE.pixel
    floor = SIZE.carrier.thickness
    with BuildPart() as part:
        with Locations((0, 0, BOTTOM - floor)):
            Cylinder(inner + size.carrier_wall, size.carrier_height, align=UP)
            Cylinder(pixel.hole / 2 + SIZE.carrier.clearance, floor, align=UP, mode=Mode.SUBTRACT)
        with Locations((0, 0, BOTTOM)):
            Cylinder(inner, size.carrier_height - floor, align=UP, mode=Mode.SUBTRACT)
    return part.part


def dealer_mark() -> Part:
    """The dealer's mark: a disc with a D, which lies beside a place."""
    size = SIZE.dealer_mark
    # A circle so large that the letter stands straight, upright around the middle.
    letter = Engraving(words="D", centre=(0, 4.5 - 1e6), radius=1e6, turn=0.5, height=9.0)
    with BuildPart() as part:
        Cylinder(size.diameter / 2, size.height, align=UP)
        with BuildSketch(Plane.XY.offset(size.height)):
            for stroke in strokes(letter):
                for (x, y), (u, v) in pairwise(stroke):
                    middle = ((x + u) / 2, -(y + v) / 2)
                    angle = math.degrees(math.atan2(y - v, u - x))
                    with Locations(Location((*middle, 0), (0, 0, angle))):
                        SlotOverall(math.dist((x, y), (u, v)) + 1.2, 1.2)
        extrude(amount=-0.6, mode=Mode.SUBTRACT)
    return part.part


def bezel() -> Part:
    """The ring around a button: a chip that slides over it does not press the button."""
    button = SIZE.button
    with BuildPart() as part:
        Cylinder(button.bezel / 2, button.bezel_height, align=UP)
        inner = button.head / 2 + button.bezel_gap
        Cylinder(inner, button.bezel_height, align=UP, mode=Mode.SUBTRACT)
    return part.part


def spacer() -> Part:
    """A block at the edge, between the two sheets; it takes a screw from above, two from below."""
    (width, depth), height = SIZE.room.spacer, SIZE.panel.room
    with BuildPart() as part:
        Box(width, depth, height, align=UP)
        for x, z in ((-12.0, 0.0), (12.0, 0.0), (0.0, height), (-12.0, height), (12.0, height)):
            align = UP if z == 0 else DOWN
            with Locations((x, 0, z)):
                Cylinder(SIZE.room.pilot / 2, 12.0, align=align, mode=Mode.SUBTRACT)
    return part.part


def post() -> Part:
    """A post below the carrier board, for a screw M2.5 from below."""
    diameter, height = SIZE.room.post
    with BuildPart() as part:
        Cylinder(diameter / 2, height, align=UP)
        Cylinder(SIZE.room.screw / 2, height, align=UP, mode=Mode.SUBTRACT)
    return part.part


def panel() -> Part:
    """The plate in the edge with socket, switch and the hole for the cable of the display.

    z = 0 is the base plate, y points outwards. It is printed with its outer side down.
    """
    (width, height), wall = SIZE.room.panel, WALL
    switch = SIZE.room.switch_hole
    with BuildPart() as part:
        with Locations((0, -wall / 2, 0)):
            Box(width, wall, height, align=UP)
        with Locations((0, -PANEL_DEPTH / 2, 0)):
            Box(width, PANEL_DEPTH, wall, align=UP)
        for x, diameter in ((-18.0, SIZE.room.dc_hole), (22.0, CABLE)):
            with Locations(Location((x, -wall / 2, height / 2), (90, 0, 0))):
                Cylinder(diameter / 2, 2 * wall, mode=Mode.SUBTRACT)
        with Locations((2.0, -wall / 2, height / 2)):
            Box(switch[0], 2 * wall, switch[1], mode=Mode.SUBTRACT)
        with Locations(*((side * 12.0, -PANEL_DEPTH / 2, 0) for side in (-1, 1))):
            Cylinder(SIZE.room.pilot / 2, wall, align=UP, mode=Mode.SUBTRACT)
    return part.part


def display_stand() -> Part:
    """The stand of the display: a front that leans back, and two cheeks.

    z = 0 is the front, which is printed down; y points up as one reads. The module is laid in from
    behind, glass first, and two screws hold each side.
    """
    size = SIZE.display
    width, height = size.frame
    deep = size.glass_height + size.lip
    window = tuple(side + 2 * more for side, more in zip(size.active, size.window, strict=True))
    foot = height * math.tan(math.radians(size.lean_degrees)) + 18.0
    with BuildPart() as part:
        Box(width, height, deep, align=UP)
        for side in (-1, 1):
            x = side * (width / 2 - size.wall / 2)
            with BuildSketch(Plane.YZ.offset(x)):
                with BuildLine():
                    Polyline((-height / 2, 0), (height / 2, 0), (-height / 2, foot), close=True)
                make_face()
            extrude(amount=size.wall / 2, both=True)
        up = size.glass_up
        glass = tuple(side + 0.6 for side in size.glass)
        with Locations((0, up, size.lip)):
            Box(*glass, deep, align=UP, mode=Mode.SUBTRACT)
        with Locations((0, up + size.active_up, 0)):
            Box(*window, deep, align=UP, mode=Mode.SUBTRACT)
        x, y = size.board[0] / 2 - 2.5, size.board[1] / 2 - 2.5
        with Locations(*((a * x, b * y, deep) for a in (-1, 1) for b in (-1, 1))):
            Cylinder(2.1 / 2, deep - 0.8, align=DOWN, mode=Mode.SUBTRACT)
    return part.part


def shapes(board: Layout) -> dict[str, Callable[[], Part]]:
    """What makes each part, by its name."""
    ring = board.spec.pixels_per_ring
    outer, centre = board.wells[0], board.wells[-1]
    first, last = board.inlays[:ring], board.inlays[8 * ring : 9 * ring]
    width, place = SIZE.inlay.width, SIZE.place
    return {
        "mask-outer": lambda: mask(board, outer, first),
        "mask-centre": lambda: mask(board, centre, last),
        "mask-place": place_mask,
        "inlay-ring": lambda: inlay_bar(inlay_length(board.spec.pixels_per_ring, outer), width),
        "inlay-place": lambda: inlay_bar(place.length, place.width),
        "carrier-outer": lambda: carrier(board, outer),
        "carrier-centre": lambda: carrier(board, centre),
        "carrier-place": place_carrier,
        "bowl-outer": lambda: bowl(outer),
        "bowl-centre": lambda: bowl(centre),
        "dealer-mark": dealer_mark,
        "bezel": bezel,
        "spacer": spacer,
        "post": post,
        "panel": panel,
        "display-stand": display_stand,
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
        turned = Rot(*printed.turned) * solid
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
