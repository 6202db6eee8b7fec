"""The stripboard: its picture, and what is connected to what."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
import svg
from shapely import Polygon

from hardware.bodies import BodyKind, Direction, bodies, body_of, entry_of
from hardware.cases import case
from hardware.drawing import (
    BLACK,
    BLUE,
    GREY,
    RED,
    WHITE,
    circle,
    label,
    line,
    polygon,
    rectangle,
    sheet,
)
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Point

Position = tuple[int, int]
"""Column and row, from 1."""

STRIPBOARD_FILE: Final = Path(__file__).with_name("stripboard.toml")
SCALE: Final = 3
"""The picture is three times as large as the board."""


class StripboardPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part and the holes of its pins."""

    name: str
    body: BodyKind
    pins: dict[str, Position]
    entry: Direction | None = None


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


def place_of(board: Stripboard, hole: Position) -> Point:
    """Where a hole is, in mm from the middle of the board: x to the right, y up."""
    x = (hole[0] - (board.columns + 1) / 2) * board.pitch_mm
    return x, ((board.rows + 1) / 2 - hole[1]) * board.pitch_mm


def body_on(board: Stripboard, part: StripboardPart) -> Polygon:
    """What a part covers."""
    return body_of(part.body, [place_of(board, hole) for hole in part.pins.values()], part.entry)


def wires_of(board: Stripboard, part: StripboardPart) -> Polygon | None:
    """What must stay free for the wires of a terminal."""
    if part.entry is None:
        return None
    poles = [place_of(board, hole) for hole in part.pins.values()]
    return entry_of(part.body, poles, part.entry)


def screws_of() -> tuple[Point, ...]:
    """Where screws hold it in its case."""
    shape = case("supply")
    x, y = shape.board_centre
    return tuple((hole[0] - x, hole[1] - y) for hole in shape.board_holes)


def stripboard_svg() -> str:
    """The stripboard from the side of the parts, with the strips shining through."""
    board = stripboard()
    width, height = (side / 2 * SCALE for side in dimensions().room.stripboard)
    left, top, right, bottom = -width - 22, -height - 22, width + 22, height + 10
    edge = rectangle((-width, -height, width, height), fill="#faf3e6")
    screws = [
        circle(_drawn((x, y)), radius * SCALE, colour=GREY, fill=fill, name=name)
        for x, y in screws_of()
        for radius, fill, name in ((bodies().around.head / 2, "#eeeeee", "head"), (1.35, WHITE, ""))
    ]
    elements = [edge, *screws, *_strips(board), *_parts(board)]
    words = (
        "From the side of the parts; the strips are on the other side.",
        "Red: cut the strip. Blue: bare wire. Grey: bodies of parts, heads of screws.",
    )
    for row, sentence in enumerate(words):
        elements.append(label((0, top + 6 + 5 * row), sentence, size=4))
    elements.append(
        label((0, -height - 3.5), "this side to socket and switch", size=4, colour=GREY)
    )
    elements.append(label((0, height + 6), "this side to the notch", size=4, colour=GREY))
    return sheet((left, top, right, bottom), elements, title="pochboard: the stripboard")


def _drawn(at: Sequence[float]) -> Point:
    return at[0] * SCALE, -at[1] * SCALE


def _at(hole: Position) -> Point:
    return _drawn(place_of(stripboard(), hole))


def _strips(board: Stripboard) -> Iterator[svg.Element]:
    half = board.pitch_mm * SCALE
    for row in range(1, board.rows + 1):
        (left, y), (right, _) = _at((1, row)), _at((board.columns, row))
        box = (left - half * 0.45, y - half * 0.38, right + half * 0.45, y + half * 0.38)
        yield rectangle(box, fill="#f0dcc0", colour="#e2c9a3", width=0.2)
        yield label((left - half * 1.8, y + 1.2), f"{row}", size=3, colour=GREY)
        for column in range(1, board.columns + 1):
            yield circle(_at((column, row)), 0.9, colour=GREY, width=0.15, fill=WHITE)
    for column in range(1, board.columns + 1):
        x, y = _at((column, 1))
        yield label((x, y - half * 0.7), f"{column}", size=3, colour=GREY)


def _parts(board: Stripboard) -> Iterator[svg.Element]:
    for part in board.part:
        outline = map(_drawn, body_on(board, part).exterior.coords)
        yield polygon(*outline, colour=BLACK, width=0.4, fill="#d5d9dccc", name=f"body {part.name}")
    for one, other in board.links:
        yield line(_at(one), _at(other), colour=BLUE, width=1.1, name="link")
        for hole in (one, other):
            yield circle(_at(hole), 1.1, colour=BLUE, fill=BLUE)
    for cut in board.cuts:
        yield circle(_at(cut), 2.6, colour=RED, width=0.8, fill="#ffffffaa", name="cut")
    for part in board.part:
        yield from _pins(board, part)


def _pins(board: Stripboard, part: StripboardPart) -> Iterator[svg.Element]:
    """The pins of a part with their names, and its own name."""
    (left, top), (right, bottom) = map(_drawn, _upper_left_lower_right(body_on(board, part)))
    out = {"left": -1, "right": 1}.get(part.entry or "", 0)
    for pin, hole in part.pins.items():
        x, y = _at(hole)
        yield circle((x, y), 1.2, colour=BLACK, fill=BLACK, name=f"{part.name} {pin}")
        if pin.isdigit():
            yield label((x + (-2.4 if int(pin) <= 7 else 2.4), y + 1), pin, size=2.6)
        elif out:
            yield label((x + 7 * out, y + 1), pin, size=2.8)
            edge = left if out < 0 else right
            yield line((edge, y), (edge + 7 * out, y), colour=GREY, width=1.6, name="wire")
    middle = (left + right) / 2, (top + bottom) / 2
    if part.body == "socket":
        yield circle((middle[0], top), 2.5, fill=WHITE, name="notch")
        yield label((middle[0], top - 4), part.name, size=3, bold=True)
    elif part.body == "capacitor":
        yield label((middle[0], top - 2.4), part.name, size=3, bold=True)
    else:
        yield label((middle[0] - 4 * out, middle[1] + 1), part.name, size=3, bold=True)


def _upper_left_lower_right(shape: Polygon) -> tuple[Point, Point]:
    left, bottom, right, top = shape.bounds
    return (left, top), (right, bottom)
