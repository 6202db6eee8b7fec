"""Both sheets of plywood in halves, for lasers on whose bed the whole disc has no room.

The seam of the face leads from the edge through the button and the light of a place to the hole of
a pool, through the middle, and out again on the other side: flanges and bezels cover most of it,
and no name or sign is cut. The seam of the base plate is about at right angles to it, so that each
sheet holds the other one together. A spacer below the seam gets a screw on each side of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import Final, Literal

import shapely
from shapely import LineString, MultiPoint, Polygon
from shapely import Point as Spot
from shapely.affinity import rotate
from shapely.geometry.base import BaseGeometry
from shapely.ops import split

from hardware.engraving import art_lines, strokes
from hardware.layout import Layout
from hardware.plates import Layer, base_screws, face_screws, room, sheet_dxf, vents
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import LIGHT_RADIUS, PLACE_BUTTON_RADIUS, Hole, Point, polar, turn_of
from pochboard.rules.accounts import POOLS

Half = Literal[1, 2]
HALVES: Final[tuple[Half, ...]] = (1, 2)
BESIDE: Final = 12.0
"""From the seam to a screw of the spacer below it."""
_OUTER: Final = len(POOLS) - 1
_STEPS: Final = 64


@cache
def seam(board: Layout) -> LineString:
    """The seam of the face: through two places that are opposite each other, if there are such."""
    turns = [turn_of(hole.centre) for hole in board.places]
    spots = [(pool - 0.5) / _OUTER % 1 for pool in range(_OUTER)]
    taken = [any(abs(turn - spot) < 0.01 for turn in turns) for spot in spots]
    half = _OUTER // 2
    pool = max(range(half), key=lambda pool: (taken[pool] + taken[pool + half], -pool))
    ends: list[list[Point]] = []
    for at in (pool, pool + half):
        radii = (
            board.radius + 1,
            *(far * board.scale for far in (PLACE_BUTTON_RADIUS, LIGHT_RADIUS)),
        )
        ends.append([*(polar(spots[at], radius) for radius in radii), board.wells[at].centre])
    return LineString([*ends[0], (0.0, 0.0), *ends[1][::-1]])


def visible_seam(board: Layout) -> BaseGeometry:
    """What nothing covers of the seam of the face."""
    size = dimensions()
    discs = [(well.centre, well.flange) for well in board.wells]
    discs += [(hole.centre, size.button.bezel / 2) for hole in board.buttons]
    discs += [(hole.centre, size.place.flange / 2) for hole in board.places]
    covers = shapely.union_all([Spot(at).buffer(radius) for at, radius in discs])
    inside = Spot(0, 0).buffer(board.radius)
    return seam(board).intersection(inside).difference(covers)


def face_sheet(board: Layout) -> Polygon:
    """The face as it is cut in halves, in one piece."""
    return _sheet(board, [*board.holes, *_screws(board)])


def base_sheet(board: Layout) -> Polygon:
    """The base plate in one piece."""
    return _sheet(board, [*base_screws(board), *vents(board)])


def base_seam(board: Layout) -> LineString:
    """The seam of the base plate: the diameter most nearly at right angles that meets no hole."""
    holes = [*base_screws(board), *vents(board)]
    discs = [Spot(hole.centre).buffer(hole.diameter / 2 + 3) for hole in holes]
    first = seam(board).coords[0]
    square = math.atan2(first[0], -first[1]) / (2 * math.pi) + 0.25
    turns = sorted((step / 256 for step in range(128)), key=lambda turn: _apart(turn, square))
    far = board.radius + 1
    lines = (LineString([polar(turn, far), polar(turn + 0.5, far)]) for turn in turns)
    return next(line for line in lines if not any(map(line.intersects, discs)))


def _apart(turn: float, other: float) -> float:
    """The angle between two diameters."""
    away = (turn - other) % 0.5
    return min(away, 0.5 - away)


def face_half(board: Layout, half: Half) -> str:
    """One half of the face as DXF."""
    words = [stroke for mark in board.engravings for stroke in strokes(mark)]
    flanges = [Spot(well.centre).buffer(well.flange, quad_segs=_STEPS) for well in board.wells]
    shape = halves_of(face_sheet(board), seam(board))[half - 1]
    marks = [flange.exterior.coords for flange in flanges]
    return _half_dxf(shape, {"ENGRAVE": (*words, *art_lines(board)), "MARK": marks})


def base_half(board: Layout, half: Half) -> str:
    """One half of the base plate."""
    marks = [(*block.corners, block.corners[0]) for block in room(board).blocks]
    shape = halves_of(base_sheet(board), base_seam(board))[half - 1]
    return _half_dxf(shape, {"MARK": marks})


def halves_of(sheet: Polygon, line: LineString) -> tuple[Polygon, Polygon]:
    """The two halves of a sheet, where they are on the board."""
    pieces = [piece for piece in split(sheet, line).geoms if isinstance(piece, Polygon)]
    one, other = sorted(pieces, key=lambda piece: -piece.centroid.x)
    return one, other


def _screws(board: Layout) -> list[Hole]:
    """The screws of the spacers: two instead of one where the seam is in the way."""
    line, found = seam(board), []
    for hole, block in zip(face_screws(board), room(board).spacers, strict=True):
        if line.distance(Spot(hole.centre)) > hole.diameter:
            found.append(hole)
            continue
        found += [
            Hole(name=f"{hole.name} {side}", centre=block.at(across, 0), diameter=hole.diameter)
            for side, across in ((1, -BESIDE), (2, BESIDE))
        ]
    return found


def _sheet(board: Layout, holes: Iterable[Hole]) -> Polygon:
    disc = Spot(0, 0).buffer(board.radius, quad_segs=_STEPS)
    gone = [Spot(hole.centre).buffer(hole.diameter / 2, quad_segs=_STEPS // 2) for hole in holes]
    rest = disc.difference(shapely.union_all(gone))
    assert isinstance(rest, Polygon), rest.geom_type
    return rest


def _half_dxf(shape: Polygon, drawn: Mapping[Layer, Iterable[Iterable[Point]]]) -> str:
    """A half, turned so that it needs the smallest bed, with what is drawn on it by layer."""
    outline = Polygon(shape.exterior)
    box = shape.minimum_rotated_rectangle
    assert isinstance(box, Polygon)
    (x, y), (u, v) = max(
        pairwise(box.exterior.coords[:3]),
        key=lambda side: math.dist(*side),
    )
    angle = -math.degrees(math.atan2(v - y, u - x))
    layers: dict[Layer, list[Iterable[Point]]] = {
        "CUT": [rotate(cut, angle, (0, 0)).coords for cut in (shape.exterior, *shape.interiors)]
    }
    for layer, strokes_of_it in drawn.items():
        layers[layer] = [
            rotate(part, angle, (0, 0)).coords
            for stroke in strokes_of_it
            for part in _parts(LineString(list(stroke)).intersection(outline))
        ]
    return sheet_dxf(layers)


def bed_of(half: Polygon) -> Point:
    """The sides of the bed that a half needs, the longer one first."""
    box = half.minimum_rotated_rectangle
    corners = MultiPoint(box.exterior.coords[:3]).geoms
    one, two = corners[0].distance(corners[1]), corners[1].distance(corners[2])
    return max(one, two), min(one, two)


def _parts(shape: BaseGeometry) -> list[LineString]:
    found = getattr(shape, "geoms", [shape])
    return [part for part in found if isinstance(part, LineString) and part.length > 0.2]
