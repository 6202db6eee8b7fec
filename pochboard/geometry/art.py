"""What is engraved on a board besides its names: the fields, the rim, the middle, a cartouche.

Lengths are in mm from the board's centre, y points down. The fields lie on the floors of the bowls,
as on old boards, so they take no light and no room from anything. What is on the wood is cut off
where a flange, a button, a number or a name is, so one drawing suits boards of all sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, Literal

import msgspec

from pochboard.config import Design
from pochboard.geometry.dimensions import Stroke, dimensions, straight
from pochboard.geometry.face import Block, Face, Point, display_turn, polar, turn_of
from pochboard.geometry.signs import SUITS, Lines, circle, placed, sign_of
from pochboard.rules.accounts import POOLS

Language = Literal["en", "de"]

CLEAR: Final = 1.2
"""From a line on the wood to the edge of anything else."""
EDGE_LINES: Final[dict[Design, tuple[float, ...]]] = {
    "modern": (3.0, 4.6),
    "1713": (3.0, 9.0),
    "plain": (),
}
"""How far the circles along the edge are from it."""


SHORTEST: Final = 8.0
"""Of a line that is left where others cut it off."""


class Art(msgspec.Struct, frozen=True, kw_only=True):
    """The lines of a design on one board."""

    fields: tuple[tuple[Stroke, ...], ...]
    """Of each pool, in board order, around its centre and upright on the page."""
    wood: tuple[Stroke, ...]
    cartouche: tuple[Stroke, ...]
    """Across from the display. The page has the names of players there instead."""


class _Disc(msgspec.Struct, frozen=True):
    """What lines on the wood keep clear of."""

    centre: Point
    radius: float


@cache
def face_art(board: Face, design: Design, language: Language) -> Art:
    """What is engraved on a board."""
    if design == "plain":
        return Art(fields=((),) * len(POOLS), wood=(), cartouche=())
    obstacles, block = _obstacles(board), counterpart(board)
    around = [*obstacles, *(_covering(block) if block else ())]
    wood = [
        *_clipped(_edge(board, design), around),
        *_clipped(_middle(board, design), obstacles),
    ]
    return Art(
        fields=tuple(
            (
                circle(*well.centre, field_radius(well.bowl), 72),
                *placed(sign_of(pool, design, language), *well.centre, _sign_radius(well.bowl)),
            )
            for pool, well in zip(POOLS, board.wells, strict=True)
        ),
        wood=tuple(wood),
        cartouche=tuple(_cartouche(block, design)) if block else (),
    )


def field_radius(bowl: float) -> float:
    """The radius of the flat floor of a bowl, and of the disc that lies there."""
    size = dimensions()
    return size.bowl_radius(bowl, size.bowl_depth) - size.bowl.fillet - 0.5


def _sign_radius(bowl: float) -> float:
    return 0.92 * field_radius(bowl)


# The wood


def _edge(board: Face, design: Design) -> Iterator[Stroke]:
    """The lines along the edge, and where the rim begins."""
    steps = 360
    for inwards in EDGE_LINES[design]:
        yield circle(0, 0, board.radius - inwards, steps)
    yield circle(0, 0, board.rim, steps)
    if design == "modern":
        return
    yield circle(0, 0, board.rim + 1.6, steps)
    # A running scroll between the two lines along the edge.
    middle, waves = board.radius - 6.0, 72
    for side in (-1, 1):
        yield tuple(
            polar(step / (8 * waves), middle + side * 1.9 * math.sin(2 * math.pi * step / 8))
            for step in range(8 * waves + 1)
        )


def _middle(board: Face, design: Design) -> Iterator[Stroke]:
    """Suits around the middle, in the gaps between the pools, and a line around the middle."""
    well, outer = board.wells[-1], board.wells[0]
    yield circle(0, 0, well.flange + 2.4, 240)
    if design == "1713":
        yield circle(0, 0, well.flange + 4.0, 240)
    suits = SUITS[design]
    away, room = _gap(well.flange, math.hypot(*outer.centre), outer.flange)
    size = 0.62 * room
    for gap in range(len(POOLS) - 1):
        turn = (gap + 0.5) / (len(POOLS) - 1)
        at = polar(turn, away)
        if any(math.dist(at, hole.centre) < size + hole.diameter for hole in board.buttons):
            continue
        suit = suits[min(gap, len(POOLS) - 2 - gap)]
        # Their tops point to the middle, as those of the letters do.
        yield from placed(suit(), *at, size, turn + 0.5)


def _gap(middle: float, apart: float, pool: float) -> tuple[float, float]:
    """Where the largest circle between the middle and two pools is: its distance and radius."""
    half = math.pi / (len(POOLS) - 1)
    low, high = middle, apart
    for _ in range(40):
        away = (low + high) / 2
        across = apart * math.sin(half)
        room = math.hypot(apart * math.cos(half) - away, across) - pool
        if away - middle < room:
            low = away
        else:
            high = away
    return low, low - middle


def counterpart(board: Face) -> Block | None:
    """The cartouche across from the display; none where something is in the way."""
    places = len(board.places)
    for display in board.displays:
        block = Block(
            name="cartouche",
            turn=1 - float(display_turn(places)),
            radius=display.radius,
            size=display.size,
        )
        reach = math.hypot(*block.size) / 2
        things = [*board.buttons, *board.places, *board.dealer_holes]
        clear = all(
            _outside(block, hole.centre) > hole.diameter / 2
            for hole in things
            if math.dist(hole.centre, block.at(0, 0)) < 2 * reach
        )
        if clear and math.dist(display.at(0, 0), block.at(0, 0)) > 2 * reach:
            return block
    return None


def _outside(block: Block, at: Point) -> float:
    """How far a point is outside of a block; 0 inside."""
    middle = block.at(0, 0)
    turn = turn_of(at, middle) - block.turn
    away = math.dist(at, middle)
    across, out = away * math.sin(2 * math.pi * turn), away * math.cos(2 * math.pi * turn)
    gap = (abs(across) - block.size[0] / 2, abs(out) - block.size[1] / 2)
    return math.hypot(max(0.0, gap[0]), max(0.0, gap[1]))


def _cartouche(block: Block, design: Design) -> Lines:
    """The counterpart of the display: a frame of its size, with the game's name."""
    width, height = block.size
    frame = [
        _rounded(width - 2 * inset, height - 2 * inset, max(1.0, 4 - inset))
        for inset in ((0.5, 2.2) if design == "modern" else (0.5, 2.2, 3.0))
    ]
    suits = SUITS[design]
    if design == "modern":
        words = straight("POCH", 15, 0, -5)
        row = [
            line for n, suit in enumerate(suits) for line in placed(suit(), 14 * (n - 1.5), 12, 4)
        ]
    else:
        words = [*straight("BOCK SPILL", 8.5, 0, -9), *straight("1713", 8.5, 0, 4)]
        row = [
            line
            for n, suit in enumerate(suits)
            for line in placed(suit(), (-31, -21, 21, 31)[n], 4, 4.2)
        ]
        row += [((-30, 14), (30, 14)), ((-24, 15.4), (24, 15.4))]
    # As the letters, its top points to the middle of the board.
    return placed([*frame, *words, *row], *block.at(0, 0), 1.0, block.turn + 0.5)


def _rounded(width: float, height: float, corner: float) -> Stroke:
    x, y = width / 2 - corner, height / 2 - corner
    points = [
        (sx * x + corner * math.sin(a), sy * y - corner * math.cos(a))
        for sx, sy, start in ((1, -1, 0), (1, 1, 1), (-1, 1, 2), (-1, -1, 3))
        for a in ((start + step / 6) * math.pi / 2 for step in range(7))
    ]
    return (*points, points[0])


# Cutting off


def _obstacles(board: Face) -> list[_Disc]:
    size = dimensions()
    found = [_Disc(well.centre, well.flange) for well in board.wells]
    found += [_Disc(hole.centre, size.button.bezel / 2) for hole in board.buttons]
    found += [_Disc(hole.centre, size.place.flange / 2) for hole in board.places]
    found += [_Disc(hole.centre, size.dealer_mark.diameter / 2) for hole in board.dealer_holes]
    found += [_Disc(at, size.engraving.number) for at in board.numbers]
    for block in board.displays:
        found += _covering(block)
    return found


def _covering(block: Block) -> Iterator[_Disc]:
    """Discs that cover a block: along its middle, and in its corners."""
    width, depth = block.size
    count = 2 * math.ceil(width / depth)
    for n in range(count + 1):
        yield _Disc(block.at((n / count - 0.5) * (width - depth), 0), depth / 2)
    for sx, sy in ((-1, -1), (1, -1), (-1, 1), (1, 1)):
        for out in (5.0, 14.0):
            yield _Disc(block.at(sx * (width / 2 - out), sy * (depth / 2 - 5)), 5)


def _clipped(lines: Iterable[Stroke], obstacles: Iterable[_Disc]) -> Iterator[Stroke]:
    """The parts of lines that keep clear of everything."""
    around = [(one.centre, (one.radius + CLEAR) ** 2) for one in obstacles]
    for line in lines:
        part: list[Point] = []
        for at in (*line, None):
            if at is not None and all(
                (at[0] - x) ** 2 + (at[1] - y) ** 2 >= least for (x, y), least in around
            ):
                part.append(at)
                continue
            if len(part) > 1 and math.dist(part[0], part[-1]) + len(part) / 100 >= min(
                SHORTEST, math.dist(line[0], line[-1])
            ):
                yield tuple(part)
            part = []
