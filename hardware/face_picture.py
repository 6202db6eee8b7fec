"""Pictures of the finished face: wood, felt, the engraved design and the names, from above."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import svg

from hardware.drawing import circle, line, polygon, sheet
from hardware.engraving import art_of, strokes
from hardware.layout import Layout
from hardware.plates import rounded
from hardware.template import inlay_outline
from pochboard.geometry.dimensions import dimensions

WOOD: Final = "#d8b684"
BURNT: Final = "#5a3416"
FELT: Final = "#1f4f38"
GOLD: Final = "#dcc07a"
PLASTIC: Final = "#24211f"
METAL: Final = "#c9ccd0"
LIT: Final = "#f3ead2"


def face_svg(board: Layout) -> str:
    """The face as somebody sees it who stands over it."""
    half = board.radius + 4
    title = f"pochboard: the face, design {board.design}"
    return sheet((-half, -half, half, half), [*_wood(board), *_inserts(board)], title=title)


def _wood(board: Layout) -> Iterator[svg.Element]:
    yield circle((0, 0), board.radius, colour=BURNT, width=0.6, fill=WOOD, name="edge")
    for stroke in art_of(board).wood:
        yield line(*stroke, colour=BURNT, width=0.5, name="art")
    for engraving in board.engravings:
        for stroke in strokes(engraving):
            yield line(*stroke, colour=BURNT, width=0.8, name="engraving")


def _inserts(board: Layout) -> Iterator[svg.Element]:
    size = dimensions()
    for well, field in zip(board.wells, art_of(board).fields, strict=True):
        yield circle(well.centre, well.flange, colour=PLASTIC, fill=PLASTIC)
        yield circle(well.centre, well.bowl, colour=PLASTIC, fill=FELT)
        for stroke in field:
            yield line(*stroke, colour=GOLD, width=0.5, name="field")
    for hole in board.places:
        yield circle(hole.centre, size.place.flange / 2, colour=PLASTIC, fill=PLASTIC)
    for inlay in board.inlays:
        yield inlay_outline(inlay, PLASTIC, fill=LIT)
    for hole in board.buttons:
        yield circle(hole.centre, size.button.bezel / 2, colour=PLASTIC, fill=PLASTIC)
        yield circle(hole.centre, size.button.head / 2, colour=METAL, fill=METAL)
    for hole in board.dealer_holes:
        yield circle(hole.centre, hole.diameter / 2, colour=BURNT, fill="#3a2411")
    for block in board.displays:
        frame = rounded(block, block.size, size.display.frame_corner)
        yield polygon(*frame, colour=PLASTIC, fill=PLASTIC, name="frame")
        out, (width, height) = size.display.active_out, size.display.active
        corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        shown = [block.at(x * width / 2, out + y * height / 2) for x, y in corners]
        yield polygon(*shown, colour=PLASTIC, fill="#0b0c10")
