"""What the players see of each pixel: the visible part of its lit area, and its neighbours' light.

python -m hardware.visibility  prints the figures of pixels, signs and chips
python -m hardware.rendering   prints those of rays, traced past the printed parts and chips

**What is visible.** The eye is a point, light travels in straight lines, and areas are compared as
projected onto the board, so foreshortening does not count as hidden. Three things can hide a part
of an inlay: the edge of its own opening, if it lies deeper than the mask around it; the heads of
buttons and the dealer's marks, as upright cylinders; and the chips, as a cone over each bowl that
holds `chip.count` of them in a heap. Hands, cards and glasses are not considered.

**Neighbours' light.** The chamber of a pixel is evenly bright inside. Of the light that leaves it,
most leaves through the inlay; some passes the wall to the neighbouring chamber, and some the slit
under it, between mask and carrier. All light that arrives in a chamber is counted as if it left
through that chamber's inlay, which is more than can happen. The sum over all other pixels, each as
bright as the pixel itself, is compared with the pixel's own light. An inlay scatters evenly, so
this share is the same from every place. Inlays do not shine on each other, because none stands
above the plane of the others by more than the tolerance of its fit.

The transmission of the inlays and the density of the mask are assumptions, in face.toml, until
somebody measures them on a printed part.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Final

import click
import msgspec
import numpy as np
import numpy.typing as npt
import shapely
from shapely import LineString, MultiPolygon, Polygon, unary_union
from shapely import Point as Spot
from shapely.affinity import translate
from shapely.geometry.base import BaseGeometry
from shapely.strtree import STRtree

from hardware.layout import Engraving, Layout, layout
from hardware.spec import BoardSpec
from pochboard.geometry.dimensions import Dimensions, dimensions
from pochboard.geometry.face import PLACE_WIDTH, Inlay, Point, polar, turn_of

LEAST_VISIBLE: Final = 0.9
MOST_STRAY: Final = 0.05
LEAST_OF_SIGNS: Final = 0.8
LEAST_OF_CHIPS: Final = 0.6
"""What a board must reach from every place."""
SEATED: Final = ((500.0, 600.0), (600.0, 300.0))
"""How high above the table the eyes of people in chairs are, and how far from the board's edge."""

Polygons = npt.NDArray[np.object_]
Shares = npt.NDArray[np.float64]

Eye = tuple[float, float, float]
"""x and y as on the board, z above the upper side of the masks, in mm."""


class Obstacle(msgspec.Struct, frozen=True, kw_only=True):
    """An upright cylinder, or a cone if its upper radius is smaller."""

    centre: Point
    radius: float
    top_radius: float
    height: float
    """Above the upper side of the masks."""


# What is visible


def area_of(inlay: Inlay) -> Polygon:
    """The lit area of a pixel."""
    return LineString(inlay.ends).buffer(inlay.width / 2, quad_segs=8)


def seen_through_opening(openings: Polygons, depth: float, eye: Eye) -> Shares:
    """The visible part of areas that lie `depth` below openings of the same shapes.

    An opening, seen from the eye, covers a shifted and slightly larger area at that depth.
    """
    if depth <= 0:
        return np.ones(len(openings))
    x, y, z = eye
    pole = np.array([x, y])
    shown = shapely.transform(openings, lambda at: pole + (at - pole) * (z + depth) / z)
    parts: Shares = shapely.area(shapely.intersection(openings, shown)) / shapely.area(openings)
    return parts


def shadow(obstacle: Obstacle, eye: Eye) -> BaseGeometry:
    """What an obstacle hides from the eye in the plane from which its height counts."""
    x, y, z = eye
    factor = z / (z - obstacle.height)
    # The top is projected from the eye onto the plane.
    centre = tuple(e + (at - e) * factor for e, at in zip((x, y), obstacle.centre, strict=True))
    base = Spot(obstacle.centre).buffer(obstacle.radius, quad_segs=8)
    top = Spot(centre).buffer(max(obstacle.top_radius * factor, 0.01), quad_segs=8)
    return MultiPolygon([base, top]).convex_hull


def eyes(board: Layout, place: int) -> Iterator[Eye]:
    """Where the eyes of the player at a place (from 1) may be.

    The ends of the ranges suffice, because what is hidden grows as the eye goes down or away.
    Sideways, they are at both ends of the place's sector and in its middle.
    """
    size, width = dimensions().eye, PLACE_WIDTH
    middle = turn_of(board.places[place - 1].centre)
    for high, far, side in product(size.height, size.distance, (-width / 2, 0.0, width / 2)):
        yield eye_at(board, middle + side, high, far)


def chairs(board: Layout) -> Iterator[Eye]:
    """Where people sit: upright and a little back, or leaning forward, at each place."""
    for hole, (high, far) in product(board.places, SEATED):
        yield eye_at(board, turn_of(hole.centre), high, far)


def eye_at(board: Layout, turn: float, height: float, distance: float) -> Eye:
    """An eye some way above the table and away from the board's edge."""
    x, y = polar(turn, board.radius + distance)
    return x, y, height - dimensions().top_above_table


# Signs and chips


def sign_parts(board: Layout, eye: Eye) -> list[float]:
    """The visible part of each sign on the wood, 0 to 1: of a disc around it."""
    x, y, z = eye
    over = x, y, z + dimensions().mask.plate
    hidden = unary_union([shadow(one, over) for one in obstacles(board, flanges=True)])
    discs = [Spot(sign.centre).buffer(sign.radius, quad_segs=16) for sign in board.signs]
    return [1 - disc.intersection(hidden).area / disc.area for disc in discs]


def chip_parts(board: Layout, eye: Eye, chips: int) -> list[float]:
    """The visible part of the chips' tops in each dish, 0 to 1, seen over the mask's edge.

    The chips lie on the felt, or on each other: so deep is the top of the upper layer. They lie
    anywhere on the floor.
    """
    size, (x, y, z) = dimensions(), eye
    layer = size.chip.diameter**2 * math.pi / 4
    found = []
    for well in board.wells:
        floor = size.bowl_radius(well.bowl, size.bowl_depth) - size.bowl.fillet / 2
        layers = max(1, math.ceil(chips * layer / (math.pi * floor**2 * size.chip.packing)))
        depth = size.bowl_depth - size.bowl.felt - layers * size.chip.thickness
        if depth <= 0:
            found.append(1.0)
            continue
        shift = ((well.centre[0] - x) * depth / z, (well.centre[1] - y) * depth / z)
        tops = Spot(well.centre).buffer(floor, quad_segs=32)
        # The edge of the mask, as it is seen from the eye, on the plane of the tops.
        edge = Spot(well.centre).buffer(well.bowl * (z + depth) / z, quad_segs=32)
        edge = translate(edge, *shift)
        found.append(tops.intersection(edge).area / tops.area)
    return found


def heap_height(chips: int, radius: float, size: Dimensions) -> float:
    """How far the top of a heap of chips stands above the mask; negative if it stays below.

    A cone on a level layer: its slope is the angle of repose, its volume follows from the packing.
    """
    level = size.bowl_level(chips, radius)
    cone = radius * math.tan(math.radians(size.chip.repose_degrees))
    # A cone has a third of the volume of a cylinder of its height.
    return level + cone * 2 / 3 - size.bowl_depth


@cache
def obstacles(board: Layout, *, flanges: bool = False) -> tuple[Obstacle, ...]:
    """What stands above the masks, or with `flanges` above the wood."""
    size = dimensions()
    plate = 0.0 if flanges else size.mask.plate
    found = [
        Obstacle(
            centre=hole.centre,
            radius=size.button.bezel / 2,
            top_radius=size.button.bezel / 2,
            height=size.button.bezel_height - plate,
        )
        for hole in board.buttons
    ]
    mark = size.dealer_mark
    found += [
        Obstacle(
            centre=at,
            radius=mark.diameter / 2,
            top_radius=mark.diameter / 2,
            height=mark.height - plate,
        )
        for at in board.dealers
    ]
    slope = math.tan(math.radians(size.chip.repose_degrees))
    for well in board.wells:
        height = heap_height(size.chip.count, well.bowl, size) + size.mask.plate - plate
        cone = Obstacle(centre=well.centre, radius=height / slope, top_radius=0, height=height)
        found.append(cone)
        if flanges:
            found.append(
                Obstacle(
                    centre=well.centre,
                    radius=well.flange,
                    top_radius=well.flange,
                    height=size.mask.plate,
                )
            )
    return tuple(obstacle for obstacle in found if obstacle.height > 0)


@cache
def _lit_areas(board: Layout) -> Polygons:
    return np.array([area_of(inlay) for inlay in board.inlays])


def visible_parts(board: Layout, eye: Eye) -> Shares:
    """The visible part of each inlay from an eye, 0 to 1, in the order of the chain."""
    areas = _lit_areas(board)
    parts = seen_through_opening(areas, dimensions().inlay.recess, eye)
    hidden = unary_union([shadow(one, eye) for one in obstacles(board)])
    shapely.prepare(hidden)
    touched = shapely.intersects(hidden, areas)
    lost = shapely.area(shapely.intersection(areas[touched], hidden))
    parts[touched] -= lost / shapely.area(areas[touched])
    return parts


def least_visible(board: Layout, place: int) -> Shares:
    """The least visible part of each inlay from anywhere at a place."""
    least: Shares = np.min([visible_parts(board, eye) for eye in eyes(board, place)], axis=0)
    return least


# Letters


def name_minutes(engraving: Engraving, eye: Eye) -> float:
    """How high the letters of an engraved name look, in minutes of arc."""
    low = -dimensions().mask.plate
    to_top, to_bottom = (
        np.array([*polar(engraving.turn, radius, engraving.centre), low]) - eye
        for radius in (engraving.radius - engraving.height, engraving.radius)
    )
    cosine = to_top @ to_bottom / np.linalg.norm(to_top) / np.linalg.norm(to_bottom)
    return math.degrees(math.acos(min(1.0, float(cosine)))) * 60


# Neighbours' light


class Barrier(msgspec.Struct, frozen=True, kw_only=True):
    """What separates two chambers."""

    wall: float
    """The thinnest part of the wall, in mm."""
    facing: float
    """The length of wall that faces the neighbour, in mm."""


def stray_share(barrier: Barrier, lit_area: float, size: Dimensions) -> float:
    """The light that reaches a chamber from another one, as a share of its own light."""
    height = size.mask.height
    through_wall = barrier.facing * height * 10 ** (-size.light.density_per_mm * barrier.wall)
    # The view factor of two equal parallel strips, which the ends of a slit are to each other.
    ratio = barrier.wall / size.mask.gap
    through_slit = barrier.facing * size.mask.gap * (math.hypot(1, ratio) - ratio)
    return (through_wall + through_slit) / (lit_area * size.light.transmission)


def stray_shares(board: Layout) -> Shares:
    """For each inlay the light of all other pixels that reaches it, as a share of its own."""
    size = dimensions()
    chamber = size.inlay.clearance + size.inlay.lip
    areas = [area_of(inlay) for inlay in board.inlays]
    chambers = [area.buffer(chamber) for area in areas]
    tree = STRtree(chambers)
    shares = []
    for index, (own, area) in enumerate(zip(chambers, areas, strict=True)):
        total = 0.0
        # Behind 8 mm of black not even a millionth arrives.
        for other in tree.query(own, predicate="dwithin", distance=8.0):
            if other != index:
                barrier = Barrier(wall=own.distance(chambers[other]), facing=own.length / 2)
                total += stray_share(barrier, area.area, size)
        shares.append(total)
    return np.array(shares)


def sight(board: Layout) -> dict[str, float]:
    """What people see at least of signs, chips and lights, from every chair."""
    seated = list(chairs(board))
    least = {"signs of the pools": min(min(sign_parts(board, eye)) for eye in seated)}
    for count in (3, 8, dimensions().chip.count):
        parts = (min(chip_parts(board, eye, count)) for eye in seated)
        least[f"tops of {count} chips in each dish"] = min(parts)
    least["lights, with full dishes"] = min(float(min(visible_parts(board, eye))) for eye in seated)
    return least


def main() -> None:
    """Prints the figures."""
    board = layout(BoardSpec())
    for what, part in sight(board).items():
        click.echo(f"{what}: at least {part:.1%} visible from every chair")
    least = min(min(least_visible(board, place)) for place in range(1, board.spec.places + 1))
    stray = max(stray_shares(board))
    click.echo(f"lights from anywhere: at least {least:.1%}; at most {stray:.2%} of others' light")


if __name__ == "__main__":
    main()
