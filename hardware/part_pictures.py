"""Pictures of the printed parts: a pool pulled apart, and cut open.

Hidden edges are left out, so that a part in front covers what is behind it. The words are lines
of text beside the parts, with a line to what they name.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

import svg
from build123d import (
    Axis,
    BuildPart,
    BuildSketch,
    Circle,
    Compound,
    Mode,
    Part,
    Plane,
    Pos,
    Rot,
    extrude,
    section,
)

from hardware.drawing import BLACK, BLUE, GREY, RED, line, polygon, sheet, text
from hardware.layout import Layout
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Inlay, Point, Well

SIZE: Final = dimensions()
EYE: Final = (200.0, -400.0, 190.0)
STEP_MM: Final = 1.5
"""Curves are drawn as lines of about this length."""


def part_pictures(board: Layout, parts: Mapping[str, Part]) -> dict[str, str]:
    """The pictures by the names of their files."""
    return {
        "exploded.svg": _exploded(board, parts),
        "section.svg": _section(board, parts),
    }


# Parts above each other


def _polyline(edge: Any) -> tuple[Point, ...]:
    steps = 1 if edge.geom_type.name == "LINE" else max(6, round(edge.length / STEP_MM))
    points = [edge @ (step / steps) for step in range(steps + 1)]
    found = [(round(point.X, 2) + 0.0, round(-point.Y, 2) + 0.0) for point in points]
    return tuple(min(found, found[::-1]))


def _on_paper(x: float, z: float) -> Point:
    """Where a point above the x axis is on the drawing, which looks at the origin."""
    across, away, up = EYE
    flat = math.hypot(across, away)
    far = math.hypot(flat, up)
    return -x * away / flat, x * across / flat * up / far - z * flat / far


def _exploded(board: Layout, parts: Mapping[str, Part]) -> str:
    """A pool's parts above each other, seen from a corner, with the name of each beside it."""
    well, ring = board.wells[0], board.spec.pixels_per_ring
    inlays = [
        Pos(x, y, 0) * Rot(0, 0, -360 * one.turn) * parts["inlay-ring"]
        for one in board.inlays[:ring]
        for x, y in [_around(one, well)]
    ]
    # Each with what is said of it, how high it is, and a point of it that a line leads to.
    stack: tuple[tuple[Any, str, str, float, Point], ...] = (
        (
            *(parts["bowl-outer"], "dish", "stands on the carrier; felt in it"),
            *(-50.0, (well.bowl, -6)),
        ),
        (
            *(parts["carrier-outer"], "carrier", f"holds {ring} pixels; screwed to the mask"),
            *(-80.0, (well.ring + 7, -SIZE.mask.height - 1)),
        ),
        (
            *(_wood(well), "plywood", "the face, between the flange and the carrier"),
            *(-22.0, (well.flange + 8, -2)),
        ),
        (
            *(Compound(children=inlays), "inlays", "pushed into the mask from below"),
            *(18.0, (well.ring + 3, 0)),
        ),
        (
            *(parts["mask-outer"], "mask", "its flange lies on the plywood"),
            *(56.0, (well.flange, 0.8)),
        ),
    )
    lifted = Compound(children=[Pos(0, 0, height) * part for part, _, _, height, _ in stack])
    seen, _ = lifted.project_to_viewport(EYE, look_at=(0, 0, 0))
    edges = sorted(_polyline(edge) for edge in seen)
    xs, ys = zip(*(point for edge in edges for point in edge), strict=True)
    right = max(xs) + 6
    elements: list[svg.Element] = [line(*edge, width=0.3) for edge in edges]
    for _, name, note, height, (out, up) in stack:
        x, y = _on_paper(out, height + up)
        elements.append(line((x, y), (right, y), width=0.25, colour=GREY, name="leader"))
        elements.append(text((right + 2, y + 0.6), name, size=5, colour=BLACK))
        elements.append(text((right + 2, y + 6.2), note, size=4, colour=GREY))
    box = (min(xs) - 4, min(ys) - 4, right + 104, max(ys) + 8)
    return sheet(box, elements, title="pochboard: the parts of a pool")


def _around(inlay: Inlay, well: Well) -> Point:
    angle = 2 * math.pi * inlay.turn
    return well.ring * math.sin(angle), well.ring * math.cos(angle)


def _wood(well: Well) -> Part:
    with BuildPart() as wood:
        with BuildSketch(Plane.XY):
            Circle(well.flange + 8)
            Circle(well.hole, mode=Mode.SUBTRACT)
        extrude(amount=-SIZE.panel.face)
    return wood.part


# A pool cut open


def _section(board: Layout, parts: Mapping[str, Part]) -> str:
    """A pool as installed, cut through its middle and through two pixels, three times as large."""
    well, scale = board.wells[0], 3.0
    bar = parts["inlay-ring"]
    pieces: list[tuple[Part, str]] = [
        (_wood(well), "#c9a26b"),
        (parts["mask-outer"], "#4a4a4a"),
        (parts["carrier-outer"], "#7a7a7a"),
        (parts["bowl-outer"], "#2d5f8a"),
        *(
            (Pos(x, y, 0) * Rot(0, 0, -360 * one.turn) * bar, "#e8b04a")
            for one in board.inlays[: board.spec.pixels_per_ring]
            for x, y in [_around(one, well)]
        ),
    ]
    elements: list[svg.Element] = []
    for shape, colour in pieces:
        cut = section(shape, section_by=Plane.YZ)
        for face in cut.faces().sort_by(Axis.Y):
            outline = _loop(face.outer_wire())
            points = [(y * scale, -z * scale) for y, z in outline]
            elements.append(polygon(*points, fill=colour, width=0.2))
    elements += _pixels_cut(well, scale)
    elements += _section_words(well, scale)
    half = (well.flange + 8) * scale
    low = (SIZE.panel.face + SIZE.panel.room) * scale
    box = (-half - 4, -16.0, half + 110, low + 30)
    return sheet(box, elements, title="pochboard: section through a pool")


def _loop(wire: Any) -> Iterator[Point]:
    """The corners of a cut face, in order."""
    for edge in wire.order_edges():
        steps = 1 if edge.geom_type.name == "LINE" else 8
        for step in range(steps):
            at = edge @ (step / steps)
            yield at.Y, at.Z


def _pixels_cut(well: Well, scale: float) -> Iterator[svg.Element]:
    """The two pixels that are cut, as boxes."""
    pixel = SIZE.pixel
    top = -SIZE.mask.height
    for side in (-1, 1):
        y = side * well.ring
        body = _box(y - pixel.hole / 2, top, y + pixel.hole / 2, top - pixel.depth, scale)
        dome = _box(y - pixel.dome / 2, top + 5, y + pixel.dome / 2, top, scale)
        for corners in (body, dome):
            yield line(*corners, corners[0], colour=RED, width=0.4, dash=(2, 1.5), name="pixel")


def _box(left: float, top: float, right: float, bottom: float, scale: float) -> list[Point]:
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return [(x * scale, -z * scale) for x, z in corners]


def _section_words(well: Well, scale: float) -> Iterator[svg.Element]:
    """Names, and the two sums that must fit: above the base plate, and beside each other."""
    pixel = SIZE.pixel
    room, mask = SIZE.panel.room + SIZE.panel.face, SIZE.mask.height
    right = (well.flange + 8) * scale + 6
    names = (
        ("inlay", well.ring, 1.0, ""),
        ("mask", well.hole - 1.2, -6.0, ""),
        ("plywood", well.flange + 4, -2.0, f"{SIZE.panel.face:g} mm"),
        ("pixel", well.ring + pixel.hole / 2, -mask - 12, f"{pixel.depth:g} mm below its shoulder"),
        ("dish", 4.0, SIZE.bowl.floor - mask - 0.4, f"on the carrier, {SIZE.bowl_depth:g} mm deep"),
    )
    heights = (-8.0, 8.0, 24.0, 76.0, 46.0)
    for (name, y, z, note), at in zip(names, heights, strict=True):
        yield line((y * scale, -z * scale), (right - 2, at - 1), width=0.25, colour=GREY)
        yield text((right, at), f"{name}: {note}" if note else name, size=6)
    at = -(well.flange + 8) * scale + 6
    ends = [0.0, mask * scale, (mask + pixel.depth) * scale, room * scale]
    words = (f"{mask:g} mask", f"{pixel.depth:g} pixel", f"{room - mask - pixel.depth:.1f} left")
    for (top, bottom), length in zip(pairwise(ends), words, strict=True):
        yield line((at, top), (at, bottom), colour=BLUE, width=0.5)
        for end in (top, bottom):
            yield line((at - 2, end), (at + 2, end), colour=BLUE, width=0.5)
        yield text((at + 2.2, (top + bottom) / 2 + 1.5), length, size=4, colour=BLUE)
    bottom = room * scale
    base = (-(well.flange + 8) * scale, bottom), ((well.flange + 8) * scale, bottom)
    yield line(*base, width=0.8, colour="#9a6b3a", name="base plate")
    yield text((0, bottom + 6), "base plate", size=4.5, anchor="middle")
    above = mask + pixel.depth
    said = (f"What must fit, in mm: {mask:g} + {pixel.depth:g} = {above:g} of {room:g} in height.",)
    for row, sentence in enumerate(said):
        yield text((base[0][0], bottom + 15 + 8 * row), sentence, size=6, colour=BLUE)
