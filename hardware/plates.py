"""The two sheets of plywood and the room between them: where everything goes, as DXF and picture.

The DXF files are in mm, seen from above, with the origin in the board's centre and y upwards.
Layer CUT is cut through, layer ENGRAVE is engraved or drawn, layer MARK shows what is glued or
screwed there. Cuts are drawn as the edges of the finished part: no kerf is added.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator
from typing import Final, Literal

import ezdxf
import msgspec
import svg
from ezdxf.document import Drawing
from ezdxf.units import MM

from hardware.cases import NAMES, case
from hardware.drawing import BLACK, BLUE, GREY, RED, circle, label, polygon, sheet, text
from hardware.engraving import art_of, strokes
from hardware.layout import Layout
from pochboard.geometry.art import field_radius
from pochboard.geometry.dimensions import Range, dimensions
from pochboard.geometry.face import Block, Hole, Point, supply_turn
from pochboard.rules.accounts import POOLS

SPACERS: Final = 8
"""The number of blocks at the edge, between face and base plate; one fewer if one is in the way."""

FIELDS_APART: Final = 4.0
"""Between two discs of fields.dxf, in mm."""

Layer = Literal["CUT", "ENGRAVE", "MARK"]

COLOURS: Final[dict[Layer, int]] = {"CUT": 1, "ENGRAVE": 5, "MARK": 8}
"""AutoCAD's colour numbers: red, blue, grey."""


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """Everything between face and base plate."""

    controller: Block
    """The case of the Raspberry Pi, or of the Pico on its carrier."""
    supply: Block
    """The case of the stripboard, with socket and switch."""
    spacers: tuple[Block, ...]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks in the room."""
        return self.controller, self.supply, *self.spacers


def room(board: Layout) -> Room:
    """Where things are in the room."""
    size = dimensions().room
    turn = float(supply_turn(board.spec.places))
    inside = board.wells[0].hole - board.wells[0].centre[1] + size.inner
    outsides = {name: case(name).outside for name in NAMES}
    spacers = (
        Block(
            name=f"spacer {number + 1}",
            turn=_beside_displays(board, (turn + (number + 0.5) / SPACERS) % 1),
            radius=board.radius - 3 - size.spacer[1] / 2,
            size=size.spacer,
        )
        for number in range(SPACERS)
    )
    # The plugs of the controller reach through the edge.
    reach = (outsides["controller"][0] + size.spacer[0]) / 2 + size.inner
    free = math.asin(reach / (board.radius - size.spacer[1])) / (2 * math.pi)
    return Room(
        controller=Block(
            name="case of the Pi or Pico",
            turn=0.0,
            radius=inside + outsides["controller"][1] / 2,
            size=outsides["controller"],
        ),
        supply=Block(
            name="case of the stripboard, socket, switch",
            turn=turn,
            radius=inside + outsides["supply"][1] / 2,
            size=outsides["supply"],
        ),
        spacers=tuple(block for block in spacers if free < block.turn < 1 - free),
    )


def _beside_displays(board: Layout, turn: float) -> float:
    """The turn of a spacer: beside the screws of each display, if it would be below them."""
    size, display = dimensions().room, dimensions().display
    radius = board.radius - 3 - size.spacer[1]
    apart = display.screw_at[0] + size.screw + size.spacer[0] / 2
    for one in board.displays:
        least = (apart + size.inner) / radius / (2 * math.pi)
        if abs(turn - one.turn) < least:
            turn = one.turn + math.copysign(least, turn - one.turn)
    return turn % 1


def face_screws(board: Layout) -> list[Hole]:
    """The countersunk holes that fasten the face to the spacers."""
    return [
        Hole(name=f"{block.name} screw", centre=block.at(0, 0), diameter=dimensions().room.screw)
        for block in room(board).spacers
    ]


def display_screws(board: Layout) -> list[Hole]:
    """The holes for the screws that hold the frames of the displays, from below."""
    x, y = dimensions().display.screw_at
    return [
        Hole(
            name=f"{block.name} screw {number}",
            centre=block.at(across * x, outwards * y),
            diameter=dimensions().room.screw,
        )
        for block in board.displays
        for number, (across, outwards) in enumerate(((-1, 1), (1, 1), (1, -1), (-1, -1)), start=1)
    ]


def display_corners(board: Layout) -> list[Hole]:
    """What to drill for the corners of the displays' holes, before they are sawn."""
    size = dimensions().display
    x, y = (side / 2 - size.corner for side in size.hole)
    return [
        Hole(
            name=f"{block.name} corner {number}",
            centre=block.at(across * x, outwards * y),
            diameter=2 * size.corner,
        )
        for block in board.displays
        for number, (across, outwards) in enumerate(((-1, 1), (1, 1), (1, -1), (-1, -1)), start=1)
    ]


def rounded(block: Block, size: Range, corner: float) -> tuple[Point, ...]:
    """The outline of a rectangle with round corners in the middle of a block."""
    x, y = (side / 2 - corner for side in size)
    arcs = ((1, 1, 0.0), (1, -1, 0.25), (-1, -1, 0.5), (-1, 1, 0.75))
    return tuple(
        block.at(
            across * x + corner * math.sin(2 * math.pi * (start + step / 32)),
            outwards * y + corner * math.cos(2 * math.pi * (start + step / 32)),
        )
        for across, outwards, start in arcs
        for step in range(9)
    )


def display_holes(board: Layout) -> list[tuple[Point, ...]]:
    """The outlines of the displays' holes in the face."""
    size = dimensions().display
    return [rounded(block, size.hole, size.corner) for block in board.displays]


def base_screws(board: Layout) -> list[Hole]:
    """The holes in the base plate: two for each spacer and each case."""
    size, found = dimensions().room, room(board)
    spacers = [
        Hole(name=f"{block.name} screw", centre=block.at(side * 12, 0), diameter=size.screw)
        for block in found.spacers
        for side in (-1, 1)
    ]
    cases = [
        Hole(name=f"{block.name} screw", centre=block.at(*spot), diameter=size.pilot)
        for block, name in zip((found.controller, found.supply), NAMES, strict=True)
        for spot in case(name).base_screws
    ]
    return [*spacers, *cases]


def vents(board: Layout) -> list[Hole]:
    """Holes that let air in through the floors of the cases."""
    found, diameter = room(board), dimensions().case.vent
    return [
        Hole(name=f"{block.name} vent", centre=block.at(*spot), diameter=diameter)
        for block, name in zip((found.controller, found.supply), NAMES, strict=True)
        for spot in case(name).vents
    ]


def face_holes(board: Layout) -> tuple[Hole, ...]:
    """All round holes in the face."""
    return (*board.holes, *face_screws(board), *display_screws(board))


def drill_table(board: Layout) -> str:
    """The face's holes as CSV for a CNC mill: mm right and up from the centre, and the diameter."""
    rows = ["name,x_mm,y_mm,diameter_mm"]
    for hole in (*face_holes(board), *display_corners(board)):
        x, y = hole.centre
        diameter = f"{round(hole.diameter, 2):g}"
        rows.append(f"{hole.name},{_coordinate(x)},{_coordinate(-y)},{diameter}")
    return "\n".join(rows) + "\n"


def _coordinate(value: float) -> str:
    # Adding 0.0 turns -0.0 into 0.0.
    return f"{round(value, 2) + 0.0:.2f}"


# DXF


def face_dxf(board: Layout) -> str:
    """The face: its edge and holes to cut, names and numbers to engrave."""
    drawing = _new_drawing()
    _circle(drawing, (0, 0), board.radius, "CUT")
    for hole in face_holes(board):
        _circle(drawing, hole.centre, hole.diameter / 2, "CUT")
    for outline in display_holes(board):
        _line(drawing, (*outline, outline[0]), "CUT")
    for engraving in board.engravings:
        for stroke in strokes(engraving):
            _line(drawing, stroke, "ENGRAVE")
    for stroke in art_of(board).wood:
        _line(drawing, stroke, "ENGRAVE")
    for well in board.wells:
        _circle(drawing, well.centre, well.flange, "MARK")
    for block in board.displays:
        frame = rounded(block, block.size, dimensions().display.frame_corner)
        _line(drawing, (*frame, frame[0]), "MARK")
    return _text_of(drawing)


def fields_dxf(board: Layout) -> str:
    """The discs on the floors of the bowls, side by side: their edges to cut, their signs."""
    drawing = _new_drawing()
    left = 0.0
    for well, (edge, *sign) in zip(board.wells, art_of(board).fields, strict=True):
        radius = field_radius(well.bowl)
        x, y = left + radius - well.centre[0], -radius - well.centre[1]
        _circle(drawing, (left + radius, -radius), radius, "CUT")
        del edge  # which is what is cut
        for stroke in sign:
            _line(drawing, tuple((u + x, v + y) for u, v in stroke), "ENGRAVE")
        left += 2 * radius + FIELDS_APART
    return _text_of(drawing)


def base_dxf(board: Layout) -> str:
    """The base plate: its edge and holes to cut, and what stands on it."""
    drawing = _new_drawing()
    _circle(drawing, (0, 0), board.radius, "CUT")
    for hole in (*base_screws(board), *vents(board)):
        _circle(drawing, hole.centre, hole.diameter / 2, "CUT")
    for block in room(board).blocks:
        _line(drawing, (*block.corners, block.corners[0]), "MARK")
    for well in board.wells:
        _circle(drawing, well.centre, well.bowl + dimensions().bowl.wall, "MARK")
    return _text_of(drawing)


def sheet_dxf(cuts: Iterable[Iterable[Point]], engraved: Iterable[Iterable[Point]]) -> str:
    """A sheet of outlines to cut and lines to engrave."""
    drawing = _new_drawing()
    for cut in cuts:
        _line(drawing, tuple((x, y) for x, y in cut), "CUT")
    for line in engraved:
        _line(drawing, tuple((x, y) for x, y in line), "ENGRAVE")
    return _text_of(drawing)


def _new_drawing() -> Drawing:
    # Otherwise the file has the time of day and random identifiers.
    ezdxf.options.write_fixed_meta_data_for_testing = True
    drawing = ezdxf.new("R2000", units=MM)
    for layer, colour in COLOURS.items():
        drawing.layers.add(layer, color=colour)
    return drawing


def _circle(drawing: Drawing, centre: Point, radius: float, layer: Layer) -> None:
    x, y = centre
    drawing.modelspace().add_circle(
        (round(x, 4) + 0.0, round(-y, 4) + 0.0), round(radius, 4), dxfattribs={"layer": layer}
    )


def _line(drawing: Drawing, points: tuple[Point, ...], layer: Layer) -> None:
    flipped = [(round(x, 4) + 0.0, round(-y, 4) + 0.0) for x, y in points]
    drawing.modelspace().add_lwpolyline(flipped, dxfattribs={"layer": layer})


def _text_of(drawing: Drawing) -> str:
    stream = io.StringIO()
    drawing.write(stream)
    return stream.getvalue()


# The picture


def room_svg(board: Layout) -> str:
    """The room from above, with the face taken off: what goes where."""
    half = board.radius + 8
    elements = [
        *_bodies(board),
        *(element for block in room(board).blocks for element in _drawn(block)),
        *(
            circle(hole.centre, hole.diameter / 2, colour=BLACK, name=hole.name)
            for hole in (*base_screws(board), *vents(board))
        ),
    ]
    title = "pochboard: the base plate from above, and what stands on it or hangs from the face"
    return sheet((-half, -half, half, half), elements, title=title)


def _bodies(board: Layout) -> Iterator[svg.Element]:
    size = dimensions()
    yield circle((0, 0), board.radius, width=0.6, fill="#f7f2e6", name="edge")
    for pool, well in zip(POOLS, board.wells, strict=True):
        yield circle(well.centre, well.hole, colour=GREY, dash=(2, 1.5), fill="#eeeeee")
        yield circle(well.centre, well.bowl + size.bowl.wall, fill="#dddddd", name=f"bowl {pool}")
        yield label((well.centre[0], well.centre[1] + 2), pool, size=6, bold=True)
    for inlay in board.inlays:
        radius = size.pixel[board.spec.pixel_kind].hole / 2
        yield circle(inlay.centre, radius, colour=BLUE, width=0.2)
    for hole in board.buttons:
        yield circle(hole.centre, size.room.nut / 2, colour=RED, dash=(2, 1), name=hole.name)
        yield text((hole.centre[0], hole.centre[1] + 1.5), hole.name, size=4, anchor="middle")
    for hole in board.places:
        yield circle(hole.centre, size.place.flange / 2, colour=GREY, dash=(2, 1.5))
    for block, outline in zip(board.displays, display_holes(board), strict=True):
        yield polygon(*outline, colour=RED, name=f"{block.name} hole")
        yield label((block.at(0, 0)[0], block.at(0, 0)[1] + 1.5), block.name, size=5)


def _drawn(block: Block) -> Iterator[svg.Element]:
    yield polygon(*block.corners, fill="#dfeadf", colour=BLACK, width=0.4, name=block.name)
    if not block.name.startswith("spacer"):
        # Along the block, upright, and beside the holes in its middle.
        is_upside_down = 0.25 < block.turn < 0.75
        yield text(
            block.at(0, 15.0),
            block.name,
            size=4.5,
            anchor="middle",
            angle=360 * block.turn + (180 if is_upside_down else 0),
        )
