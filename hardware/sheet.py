"""A sheet of paper: shapes in millimetres from its upper left corner, written as SVG.

Written by hand rather than with a drawing library, so that nothing needs to be installed and the
same data give the same bytes everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, Literal
from xml.sax.saxutils import escape, quoteattr

import msgspec

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]

BLACK: Final = "#111111"
GREY: Final = "#8a8a8a"
PALE: Final = "#d5d5d5"
WHITE: Final = "#ffffff"
RED: Final = "#c8102e"
GREEN: Final = "#00843d"
BLUE: Final = "#1f5fbf"
AMBER: Final = "#b36b00"


class Path(msgspec.Struct, frozen=True, kw_only=True):
    """Straight lines from point to point; closed, they may be filled."""

    points: tuple[Point, ...]
    colour: str = BLACK
    width: float = 0.35
    closed: bool = False
    fill: str = ""
    dash: tuple[float, float] | None = None
    name: str = ""


class Circle(msgspec.Struct, frozen=True, kw_only=True):
    """A circle."""

    at: Point
    radius: float
    colour: str = BLACK
    width: float = 0.25
    fill: str = ""
    dash: tuple[float, float] | None = None
    name: str = ""


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """A line of text; `at` is on its base line."""

    at: Point
    text: str
    size: float = 3.0
    colour: str = BLACK
    anchor: Anchor = "start"
    bold: bool = False
    turn: float = 0.0
    """Degrees clockwise round `at`."""
    name: str = ""


Shape = Path | Circle | Text


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """A sheet with its shapes, the first one undermost."""

    width: float
    height: float
    title: str
    shapes: tuple[Shape, ...]


def number(value: float) -> str:
    """A length as it is written: to a hundredth of a millimetre, without needless digits."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def box(left: float, top: float, right: float, bottom: float) -> tuple[Point, ...]:
    """The corners of a rectangle."""
    return (left, top), (right, top), (right, bottom), (left, bottom)


def around(turn: float, radius: float, middle: Point = (0.0, 0.0)) -> Point:
    """The point at `turn` (0 to 1, clockwise from the top), as the page has it."""
    angle = turn * 2 * math.pi
    return middle[0] + radius * math.sin(angle), middle[1] - radius * math.cos(angle)


def svg(sheet: Sheet) -> str:
    """The sheet as SVG whose units are millimetres, each shape on a line of its own."""
    width, height = number(sheet.width), number(sheet.height)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm"'
        f' viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">'
    )
    lines = [
        opening,
        f"<title>{escape(sheet.title)}</title>",
        f'<rect width="{width}" height="{height}" fill="{WHITE}"/>',
        *(_element(shape) for shape in sheet.shapes),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _element(shape: Shape) -> str:
    match shape:
        case Path():
            points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.points)
            kind = "polygon" if shape.closed else "polyline"
            ends = "" if shape.closed or shape.dash else ' stroke-linecap="round"'
            return f'<{kind} points="{points}"{_stroke(shape)} stroke-linejoin="round"{ends}/>'
        case Circle():
            x, y = map(number, shape.at)
            return f'<circle cx="{x}" cy="{y}" r="{number(shape.radius)}"{_stroke(shape)}/>'
        case Text():
            x, y = map(number, shape.at)
            more = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
            more += ' font-weight="bold"' if shape.bold else ""
            more += f' transform="rotate({number(shape.turn)} {x} {y})"' if shape.turn else ""
            return (
                f'<text x="{x}" y="{y}" font-size="{number(shape.size)}" fill="{shape.colour}"'
                f"{more}{_name(shape)}>{escape(shape.text)}</text>"
            )


def _stroke(shape: Path | Circle) -> str:
    dash = ""
    if shape.dash:
        dash = f' stroke-dasharray="{" ".join(map(number, shape.dash))}"'
    return (
        f' fill="{shape.fill or "none"}" stroke="{shape.colour}"'
        f' stroke-width="{number(shape.width)}"{dash}{_name(shape)}'
    )


def _name(shape: Shape) -> str:
    return f" data-name={quoteattr(shape.name)}" if shape.name else ""


def lines_of_text(
    at: Point, lines: Iterable[str], size: float = 3.0, colour: str = BLACK
) -> Sequence[Text]:
    """Lines of text below each other."""
    x, y = at
    return [
        Text(at=(x, y + index * size * 1.45), text=line, size=size, colour=colour)
        for index, line in enumerate(lines)
    ]
