"""The stripboard: its picture, and what is connected to what."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
import svg

from hardware.drawing import BLACK, BLUE, GREY, RED, WHITE, circle, label, line, rectangle, sheet
from pochboard.geometry.face import Point

Position = tuple[int, int]
"""Column and row, from 1."""

STRIPBOARD_FILE: Final = Path(__file__).with_name("stripboard.toml")
SCALE: Final = 3
"""The picture is three times as large as the board."""


class StripboardPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part and the holes of its pins."""

    name: str
    pins: dict[str, Position]


class Stripboard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of stripboard.toml."""

    columns: int
    rows: int
    pitch_mm: float
    cuts: list[Position]
    links: list[tuple[Position, Position]]
    part: list[StripboardPart]


@cache
def stripboard() -> Stripboard:
    """The stripboard of every board: the number of places and pixels does not matter."""
    return msgspec.convert(tomllib.loads(STRIPBOARD_FILE.read_text("utf-8")), Stripboard)


def nets(board: Stripboard) -> list[set[str]]:
    """The pins that are connected, such as `supply 5 V`, by strips and links."""
    strip_of: dict[Position, Position] = {}
    for row in range(1, board.rows + 1):
        start = (1, row)
        for column in range(1, board.columns + 1):
            if (column, row) in board.cuts:
                start = (column + 1, row)
            else:
                strip_of[column, row] = start
    joined = {strip: {strip} for strip in strip_of.values()}
    for one, other in board.links:
        together = joined[strip_of[one]] | joined[strip_of[other]]
        for strip in together:
            joined[strip] = together
    found: defaultdict[frozenset[Position], set[str]] = defaultdict(set)
    for part in board.part:
        for pin, hole in part.pins.items():
            found[frozenset(joined[strip_of[hole]])].add(f"{part.name} {pin}")
    return list(found.values())


def stripboard_svg() -> str:
    """The stripboard from the side of the parts, with the strips shining through."""
    board = stripboard()
    left, top, right, bottom = -8.0, -14.0, *_at((board.columns + 1, board.rows + 1))
    elements = [*_strips(board), *_parts(board)]
    words = (
        "from the side of the parts; the strips are on the other side. Red: cut the strip."
        " Blue: bare wire."
    )
    elements.append(label(((left + right) / 2, -8), words, size=4))
    return sheet((left, top, right, bottom), elements, title="pochboard: the stripboard")


def _at(hole: Position) -> Point:
    pitch = stripboard().pitch_mm * SCALE
    return hole[0] * pitch, hole[1] * pitch


def _strips(board: Stripboard) -> Iterator[svg.Element]:
    half = board.pitch_mm * SCALE
    for row in range(1, board.rows + 1):
        (left, y), (right, _) = _at((1, row)), _at((board.columns, row))
        box = (left - half * 0.45, y - half * 0.38, right + half * 0.45, y + half * 0.38)
        yield rectangle(box, fill="#f0dcc0", colour="#e2c9a3", width=0.2)
        yield label((left - half * 0.9, y + 1.2), f"{row}", size=3, colour=GREY)
        for column in range(1, board.columns + 1):
            yield circle(_at((column, row)), 0.9, colour=GREY, width=0.15, fill=WHITE)
    for column in range(1, board.columns + 1):
        x, y = _at((column, 1))
        yield label((x, y - half * 0.7), f"{column}", size=3, colour=GREY)
    for cut in board.cuts:
        yield circle(_at(cut), 2.6, colour=RED, width=0.8, fill=WHITE, name="cut")


def _parts(board: Stripboard) -> Iterator[svg.Element]:
    for one, other in board.links:
        yield line(_at(one), _at(other), colour=BLUE, width=1.1, name="link")
        for hole in (one, other):
            yield circle(_at(hole), 1.1, colour=BLUE, fill=BLUE)
    for part in board.part:
        xs, ys = zip(*(_at(hole) for hole in part.pins.values()), strict=True)
        box = (min(xs) - 3.2, min(ys) - 3.2, max(xs) + 3.2, max(ys) + 3.2)
        yield rectangle(box, colour=BLACK, width=0.5)
        for pin, hole in part.pins.items():
            x, y = _at(hole)
            yield circle((x, y), 1.2, colour=BLACK, fill=BLACK, name=f"{part.name} {pin}")
            if len(pin) > 1 or pin.isdigit():
                yield label((x, y - 1.6), pin, size=2.4)
        middle = (min(xs) + max(xs)) / 2, max(ys) + 6.6
        yield label(middle, part.name, size=3, bold=True)
