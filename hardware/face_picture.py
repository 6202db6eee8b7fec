"""Pictures of the finished face: wood, felt, the engraved design and the names, from above."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import svg

from hardware.drawing import circle, line, sheet
from hardware.engraving import art_lines, strokes
from hardware.layout import Layout
from hardware.template import inlay_outline
from pochboard.config import Design
from pochboard.geometry.dimensions import dimensions

LOOKS: Final[dict[Design, tuple[str, str, str]]] = {
    "modern": ("#86502a", "#ecc877", "#1f5a41"),
    "1713": ("#d8b684", "#5a3416", "#7a2a22"),
    "plain": ("#d8b684", "#5a3416", "#1f5a41"),
}
"""The wood, what is engraved on it, the felt: walnut stain with brass, or pale birch with red."""
BURNT: Final = "#3a2110"
PLASTIC: Final = "#24211f"
METAL: Final = "#c9ccd0"
SMOKE: Final = "#3b3733"
"""An inlay whose pixel is dark."""


def face_svg(board: Layout) -> str:
    """The face as somebody sees it who stands over it."""
    half = board.radius + 4
    title = f"pochboard: the face, design {board.design}"
    return sheet((-half, -half, half, half), [*_wood(board), *_inserts(board)], title=title)


def _wood(board: Layout) -> Iterator[svg.Element]:
    wood, gold, _ = LOOKS[board.design]
    yield circle((0, 0), board.radius, colour=BURNT, width=0.6, fill=wood, name="edge")
    for stroke in art_lines(board):
        yield line(*stroke, colour=gold, width=0.7, name="art")
    for engraving in board.engravings:
        for stroke in strokes(engraving):
            yield line(*stroke, colour=gold, width=0.8, name="engraving")


def _inserts(board: Layout) -> Iterator[svg.Element]:
    size = dimensions()
    for well in board.wells:
        yield circle(well.centre, well.flange, colour=PLASTIC, fill=PLASTIC)
        yield circle(well.centre, well.bowl, colour=PLASTIC, fill=LOOKS[board.design][2])
    for hole in board.places:
        yield circle(hole.centre, size.place.flange / 2, colour=PLASTIC, fill=PLASTIC)
    for inlay in board.inlays:
        yield inlay_outline(inlay, PLASTIC, fill=SMOKE)
    for hole in board.buttons:
        yield circle(hole.centre, size.button.bezel / 2, colour=PLASTIC, fill=PLASTIC)
        yield circle(hole.centre, size.button.head / 2, colour=METAL, fill=METAL)
