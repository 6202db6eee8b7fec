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
    Box,
    BuildPart,
    BuildSketch,
    Circle,
    Color,
    Cone,
    Cylinder,
    ExportSVG,
    Location,
    Locations,
    Mode,
    Part,
    Plane,
    Pos,
    Rectangle,
    RectangleRounded,
    Rot,
    SlotOverall,
    export_step,
    export_stl,
    extrude,
    fillet,
    section,
)

from hardware.case_solids import bezel, display_frame, lid, tray
from hardware.cases import NAMES, case
from hardware.engraving import strokes
from hardware.layout import Engraving, Layout
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
    }


# Pictures


def assembly(board: Layout, apart: float = 0.0) -> list[tuple[Part, str]]:
    """An outer pool with its parts as installed, or pulled apart, and their colours."""
    makers, well = shapes(board), board.wells[0]
    inlay = makers["inlay-ring"]()
    with BuildPart() as wood:
        with BuildSketch(Plane.XY):
            Circle(well.flange + 8)
            Circle(well.hole, mode=Mode.SUBTRACT)
        extrude(amount=-SIZE.panel.face)
    ring = [
        Pos(*_around(one.turn, well.ring), -apart) * Rot(0, 0, -360 * one.turn) * inlay
        for one in board.inlays[: board.spec.pixels_per_ring]
    ]
    return [
        (Pos(0, 0, apart) * makers["mask-outer"](), "#3a3a3a"),
        *((bar, "#c98a1b") for bar in ring),
        (Pos(0, 0, -2 * apart) * wood.part, "#9a6b3a"),
        (Pos(0, 0, -3 * apart) * makers["carrier-outer"](), "#3a3a3a"),
        (Pos(0, 0, -4.5 * apart) * makers["bowl-outer"](), "#2d5f8a"),
    ]


def exploded_svg(board: Layout, path: Path) -> None:
    """The parts of a pool above each other, as lines."""
    picture = ExportSVG(scale=1.0, margin=4, line_weight=0.3)
    for number, (shape, colour) in enumerate(assembly(board, apart=24)):
        lines, _ = shape.project_to_viewport((200, -400, 190), look_at=(0, 0, -40))
        red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        picture.add_layer(f"{number}", line_color=Color(red / 255, green / 255, blue / 255))
        picture.add_shape(lines, layer=f"{number}")
    picture.write(path)


def section_svg(board: Layout, path: Path) -> None:
    """A pool as installed, cut through its middle and through two pixels."""
    picture = ExportSVG(scale=2.0, margin=4)
    for number, (shape, colour) in enumerate(assembly(board)):
        cut = section(shape, section_by=Plane.XZ)
        if not cut.faces():
            continue
        red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        fill = Color(red / 255, green / 255, blue / 255)
        picture.add_layer(f"{number}", fill_color=fill, line_color=fill)
        # In a fixed order, so that the same parts make the same file.
        faces = cut.faces().sort_by(Axis.X)
        picture.add_shape([Rot(-90, 0, 0) * face for face in faces], layer=f"{number}")
    picture.write(path)


def case_svg(board: Layout, path: Path) -> None:
    """The case of the stripboard, seen from the middle of the board: tray, board and lid."""
    del board  # it is the same for all
    shape = case("supply")
    (x, y), size = shape.board_centre, SIZE.case
    with BuildPart() as plate:
        Box(*shape.board, size.board, align=UP)
    raised = Pos(x, y, 75) * plate.part
    picture = ExportSVG(scale=1.5, margin=4, line_weight=0.5)
    for number, (part, colour) in enumerate(
        (
            (tray(shape), Color(0.23, 0.23, 0.23)),
            (raised, Color(0.18, 0.42, 0.3)),
            (Pos(0, 0, 130) * lid(shape), Color(0.17, 0.37, 0.54)),
        )
    ):
        lines, _ = part.project_to_viewport((-160, -300, 260), look_at=(0, 0, 65))
        picture.add_layer(f"{number}", line_color=colour)
        picture.add_shape(lines, layer=f"{number}")
    picture.write(path)


def display_svg(board: Layout, path: Path) -> None:
    """The display above its hole: the wood, the module with its glass, the frame."""
    del board  # it is the same for all
    size = SIZE.display
    glass = size.cover * 2
    with BuildPart() as wood:
        with BuildSketch(Plane.XY):
            Rectangle(size.frame[0] + 24, size.frame[1] + 16)
            RectangleRounded(*size.hole, size.corner, mode=Mode.SUBTRACT)
            x, y = size.screw_at
            with Locations(*((a * x, b * y) for a in (-1, 1) for b in (-1, 1))):
                Circle(SIZE.room.screw / 2, mode=Mode.SUBTRACT)
        extrude(amount=-SIZE.panel.face)
    with BuildPart() as module:
        Box(*size.board, SIZE.case.board, align=UP)
        with Locations((0, size.glass_out, size.stack - glass)):
            Box(*size.glass, glass, align=UP)
        with BuildSketch(Plane.XY.offset(size.stack)), Locations((0, size.active_out)):
            Rectangle(*size.active)
        extrude(amount=0.01)
    picture = ExportSVG(scale=1.5, margin=4, line_weight=0.7)
    for number, (part, colour) in enumerate(
        (
            (wood.part, Color(0.6, 0.42, 0.23)),
            (Pos(0, 0, 62) * module.part, Color(0.18, 0.42, 0.3)),
            (Pos(0, 0, 120) * display_frame(), Color(0.17, 0.37, 0.54)),
        )
    ):
        lines, _ = part.project_to_viewport((-160, -300, 260), look_at=(0, 0, 60))
        picture.add_layer(f"{number}", line_color=colour)
        picture.add_shape(lines, layer=f"{number}")
    picture.write(path)


def write_parts(board: Layout, folder: Path) -> list[Path]:
    """Writes each part as STEP, as installed, and as STL, as printed. Returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    makers = shapes(board)
    paths = []
    rows = [",".join(PARTS_COLUMNS)]
    for printed in printed_parts(board):
        solid = makers[printed.name]()
        assert solid.is_valid, printed.name
        assert len(solid.solids()) == 1, printed.name
        step, stl = folder / f"{printed.name}.step", folder / f"{printed.name}.stl"
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
    pictures = {
        "exploded.svg": exploded_svg,
        "section.svg": section_svg,
        "case.svg": case_svg,
        "display.svg": display_svg,
    }
    for name, draw in pictures.items():
        draw(board, folder / name)
    (folder / FINGERPRINT).write_text(f"{fingerprint(board)}\n", "ascii")
    (folder / PARTS_TABLE).write_text("\n".join([*rows, ""]), "ascii")
    return [*paths, *(folder / name for name in (*pictures, FINGERPRINT, PARTS_TABLE))]
