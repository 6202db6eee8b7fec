"""What is engraved on a board besides its names: the signs of the pools, the edge, the middle.

Lengths are in mm from the board's centre, y points down. The signs are on the wood, where no chip
covers them. Other lines are cut off where a flange, a button, a number, a sign or a name is, so one
drawing suits boards of all sizes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, Literal

import msgspec

from pochboard.config import Design
from pochboard.geometry.dimensions import Stroke, dimensions
from pochboard.geometry.face import Face, Point, polar, turn_of
from pochboard.geometry.signs import SUITS, circle, placed, sign_of
from pochboard.rules.accounts import POOLS

Language = Literal["en", "de"]

CLEAR: Final = 1.2
"""From a line on the wood to the edge of anything else."""
NAME_GAPS: Final = (7 / 16,)
"""Beside the button of the pool in the middle there is its name."""
EDGE_LINES: Final[dict[Design, tuple[float, ...]]] = {
    "modern": (2.4,),
    "1713": (3.0, 9.0),
    "plain": (),
}
"""How far the circles along the edge are from it."""


SHORTEST: Final = 8.0
"""Of a line that is left where others cut it off."""


class Art(msgspec.Struct, frozen=True, kw_only=True):
    """The lines of a design on one board."""

    fields: tuple[tuple[Stroke, ...], ...]
    """The sign of each pool, in board order. Its top points to the middle of the board."""
    wood: tuple[Stroke, ...]


@cache
def face_art(board: Face, design: Design, language: Language) -> Art:
    """What is engraved on a board."""
    if design == "plain":
        return Art(fields=((),) * len(POOLS), wood=())
    lines = [*_edge(board, design), *_middle(board, design)]
    fields: dict[str, list[Stroke]] = {pool: [] for pool in POOLS}
    for sign in board.signs:
        drawn = sign_of(sign.pool, design, language)
        turn = turn_of(sign.centre) + 0.5
        fields[sign.pool] += placed(drawn, *sign.centre, sign.radius, turn)
    return Art(
        fields=tuple(tuple(field) for field in fields.values()),
        wood=tuple(_clipped(lines, board)),
    )


# The wood


def _edge(board: Face, design: Design) -> Iterator[Stroke]:
    """The lines along the edge."""
    for inwards in EDGE_LINES[design]:
        yield circle(0, 0, board.radius - inwards, 360)
    if design == "modern":
        return
    # A running scroll between the two lines along the edge.
    middle, waves = board.radius - 6.0, 72
    for side in (-1, 1):
        yield tuple(
            polar(step / (8 * waves), middle + side * 1.9 * math.sin(2 * math.pi * step / 8))
            for step in range(8 * waves + 1)
        )


def _middle(board: Face, design: Design) -> Iterator[Stroke]:
    """Suits around the middle, in those gaps between the pools that are free."""
    outer, suits = len(POOLS) - 1, SUITS[design]
    away, size = math.dist(board.signs[-1].centre, (0, 0)), 0.8 * board.signs[-1].radius
    taken = [*(sign.centre for sign in board.signs), *(hole.centre for hole in board.buttons)]
    for gap in range(outer):
        turn = (gap + 0.5) / outer
        at = polar(turn, away)
        if turn in NAME_GAPS or any(math.dist(at, other) < 2 * size for other in taken):
            continue
        # Their tops point to the middle, as those of the letters do.
        yield from placed(suits[min(gap, outer - 1 - gap) % len(suits)](), *at, size, turn + 0.5)


# Cutting off


def _obstacles(board: Face) -> Iterator[tuple[Point, float]]:
    """The discs that lines on the wood keep clear of: centre and radius."""
    size = dimensions()
    yield from ((well.centre, well.flange) for well in board.wells)
    yield from ((hole.centre, size.button.bezel / 2) for hole in board.buttons)
    yield from ((hole.centre, size.place.flange / 2) for hole in board.places)
    yield from ((at, size.engraving.number) for at in board.numbers)
    yield from ((sign.centre, sign.radius) for sign in board.signs)
    # The heads of the screws along the edge.
    away = board.radius - size.panel.edge - size.room.spacer[1] / 2
    for number in range(size.room.spacers):
        yield polar((number + 0.5) / size.room.spacers, away), size.room.screw


def _clipped(lines: Iterable[Stroke], board: Face) -> Iterator[Stroke]:
    """The parts of lines that keep clear of everything."""
    around = [(at, (radius + CLEAR) ** 2) for at, radius in _obstacles(board)]
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
