"""The two sheets of plywood and the room between them: where everything goes, as DXF and picture.

The DXF files are in mm, seen from above, with the origin in the board's centre and y upwards.
Layer CUT is cut through, layer ENGRAVE is engraved or drawn, layer MARK shows what is glued or
screwed there. Cuts are drawn as the edges of the finished part: no kerf is added.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

import ezdxf
import msgspec
import svg
from ezdxf.document import Drawing
from ezdxf.units import MM

from hardware.drawing import BLACK, BLUE, GREY, RED, circle, label, polygon, sheet, text
from hardware.engraving import art_lines, strokes
from hardware.layout import Layout
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Block, Hole, Point
from pochboard.rules.accounts import POOLS

PANEL_DEPTH: Final = 14.0
"""Of the plate with socket and switch, with its foot."""
VENT: Final = 8.0
Layer = Literal["CUT", "ENGRAVE", "MARK"]

COLOURS: Final[dict[Layer, int]] = {"CUT": 1, "ENGRAVE": 5, "MARK": 8}
"""AutoCAD's colour numbers: red, blue, grey."""


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """Everything between face and base plate."""

    carrier: Block
    """The carrier board with the Pi, below the dish in the middle."""
    panel: Block
    """The plate with socket and switch, in the edge."""
    spacers: tuple[Block, ...]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks in the room."""
        return self.carrier, self.panel, *self.spacers


def room(board: Layout) -> Room:
    """Where things are in the room."""
    size, edge = dimensions().room, dimensions().panel.edge
    return Room(
        carrier=Block(name="carrier board", turn=0.0, radius=0.0, size=size.carrier),
        panel=Block(
            name="socket and switch",
            turn=0.0,
            radius=board.radius - edge - PANEL_DEPTH / 2,
            size=(size.panel[0], PANEL_DEPTH),
        ),
        spacers=tuple(
            Block(
                name=f"spacer {number + 1}",
                turn=(number + 0.5) / size.spacers,
                radius=board.radius - edge - size.spacer[1] / 2,
                size=size.spacer,
            )
            for number in range(size.spacers)
        ),
    )


def carrier_holes() -> tuple[Point, ...]:
    """The holes of the carrier board, from its middle: to the right and upwards."""
    size = dimensions().room
    (wide, high), shift = size.carrier_holes, size.carrier_shift
    return tuple((shift + x * wide / 2, y * high / 2) for x in (-1, 1) for y in (1, -1))


def face_screws(board: Layout) -> list[Hole]:
    """The countersunk holes that fasten the face to the spacers."""
    return [
        Hole(name=f"{block.name} screw", centre=block.at(0, 0), diameter=dimensions().room.screw)
        for block in room(board).spacers
    ]


def base_screws(board: Layout) -> list[Hole]:
    """The holes in the base plate: two for each spacer and the panel, one for each post."""
    size, found = dimensions().room, room(board)
    pairs = [
        Hole(name=f"{block.name} screw", centre=block.at(side * 12, 0), diameter=size.screw)
        for block in (*found.spacers, found.panel)
        for side in (-1, 1)
    ]
    posts = [
        Hole(name="carrier board screw", centre=found.carrier.at(*at), diameter=size.screw)
        for at in carrier_holes()
    ]
    return [*pairs, *posts]


def vents(board: Layout) -> list[Hole]:
    """Holes that let air in below the Pi, and one below the dish of `ten` that lets sound out."""
    block = room(board).carrier
    spots = [block.at(x, y) for x in (-6.0, 10.0, 26.0) for y in (-9.0, 9.0)]
    spots.append(board.wells[POOLS.index("ten")].centre)
    return [Hole(name="vent", centre=at, diameter=VENT) for at in spots]


def face_holes(board: Layout) -> tuple[Hole, ...]:
    """All round holes in the face."""
    return (*board.holes, *face_screws(board))


# DXF


def face_dxf(board: Layout) -> str:
    """The face: its edge and holes to cut, names and numbers to engrave."""
    drawing = _new_drawing()
    _circle(drawing, (0, 0), board.radius, "CUT")
    for hole in face_holes(board):
        _circle(drawing, hole.centre, hole.diameter / 2, "CUT")
    for engraving in board.engravings:
        for stroke in strokes(engraving):
            _line(drawing, stroke, "ENGRAVE")
    for stroke in art_lines(board):
        _line(drawing, stroke, "ENGRAVE")
    for well in board.wells:
        _circle(drawing, well.centre, well.flange, "MARK")
    return _text_of(drawing)


def base_dxf(board: Layout) -> str:
    """The base plate: its edge and holes to cut, and what stands on it."""
    drawing = _new_drawing()
    _circle(drawing, (0, 0), board.radius, "CUT")
    for hole in (*base_screws(board), *vents(board)):
        _circle(drawing, hole.centre, hole.diameter / 2, "CUT")
    for block in room(board).blocks:
        _line(drawing, (*block.corners, block.corners[0]), "MARK")
    return _text_of(drawing)


def sheet_dxf(layers: Mapping[Layer, Iterable[Iterable[Point]]]) -> str:
    """A sheet of lines, by the layers that they are on."""
    drawing = _new_drawing()
    for layer, lines in layers.items():
        for line in lines:
            _line(drawing, tuple((x, y) for x, y in line), layer)
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
        yield circle(well.centre, well.bowl + size.bowl.wall, colour=GREY, name=f"bowl {pool}")
        yield label((well.centre[0], well.centre[1] + 2), pool, size=6, bold=True)
    for inlay in board.inlays:
        radius = size.pixel.hole / 2
        yield circle(inlay.centre, radius, colour=BLUE, width=0.2)
    for hole in board.buttons:
        yield circle(hole.centre, size.room.nut / 2, colour=RED, dash=(2, 1), name=hole.name)
        yield text((hole.centre[0], hole.centre[1] + 1.5), hole.name, size=4, anchor="middle")
    for hole in board.places:
        yield circle(hole.centre, size.place.flange / 2, colour=GREY, dash=(2, 1.5))


def _drawn(block: Block) -> Iterator[svg.Element]:
    yield polygon(*block.corners, fill="#dfeadf", colour=BLACK, width=0.4, name=block.name)
    if not block.name.startswith("spacer"):
        up = -18.0 if block.radius == 0 else -1.5
        yield text(block.at(0, up), block.name, size=4.5, anchor="middle")
