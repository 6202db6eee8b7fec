"""SVG elements in the drawings' own style, and the documents made of them. Lengths are in mm."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final, Literal

import svg
from fpdf import FPDF

from pochboard.geometry.face import Point

Anchor = Literal["start", "middle", "end"]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

BLACK: Final = "#111111"
GREY: Final = "#8a8a8a"
WHITE: Final = "#ffffff"
RED: Final = "#c8102e"
GREEN: Final = "#00843d"
BLUE: Final = "#1f5fbf"
AMBER: Final = "#b36b00"

_LINE_HEIGHT: Final = 1.45


def line(
    *points: Point,
    colour: str = BLACK,
    width: float = 0.35,
    dash: tuple[float, float] | None = None,
    name: str = "",
) -> svg.Polyline:
    """A line from point to point. `name` becomes the attribute data-name, as in all elements."""
    return svg.Polyline(
        points=_points(points),
        fill="none",
        stroke=colour,
        stroke_width=_round(width),
        stroke_dasharray=list(dash) if dash else None,
        stroke_linejoin="round",
        stroke_linecap=None if dash else "round",
        data=_data(name),
    )


def polygon(
    *points: Point,
    colour: str = BLACK,
    width: float = 0.35,
    fill: str = "none",
    name: str = "",
) -> svg.Polygon:
    """A closed shape."""
    return svg.Polygon(
        points=_points(points),
        fill=fill,
        stroke=colour,
        stroke_width=_round(width),
        stroke_linejoin="round",
        data=_data(name),
    )


def rectangle(
    box: Box, *, colour: str = BLACK, width: float = 0.35, fill: str = "none"
) -> svg.Polygon:
    """A rectangle."""
    left, top, right, bottom = box
    corners = (left, top), (right, top), (right, bottom), (left, bottom)
    return polygon(*corners, colour=colour, width=width, fill=fill)


def circle(
    centre: Point,
    radius: float,
    *,
    colour: str = BLACK,
    width: float = 0.25,
    fill: str = "none",
    dash: tuple[float, float] | None = None,
    name: str = "",
) -> svg.Circle:
    """A circle."""
    return svg.Circle(
        cx=_round(centre[0]),
        cy=_round(centre[1]),
        r=_round(radius),
        fill=fill,
        stroke=colour,
        stroke_width=_round(width),
        stroke_dasharray=list(dash) if dash else None,
        data=_data(name),
    )


def text(
    at: Point,
    words: str,
    *,
    size: float = 3.0,
    colour: str = BLACK,
    anchor: Anchor = "start",
    bold: bool = False,
    angle: float = 0.0,
    name: str = "",
) -> svg.Text:
    """A line of text with `at` on its baseline, turned by `angle` degrees clockwise around it.

    It is as long as in Helvetica whatever font the viewer has, so that it always fits.
    """
    x, y = _round(at[0]), _round(at[1])
    return svg.Text(
        x=x,
        y=y,
        text=svg.escape(words),
        fill=colour,
        font_size=_round(size),
        font_weight="bold" if bold else None,
        text_anchor=None if anchor == "start" else anchor,
        textLength=_round(text_width(words, size, bold=bold)),
        lengthAdjust="spacingAndGlyphs",
        transform=[svg.Rotate(_round(angle), x, y)] if angle else None,
        data=_data(name),
    )


def text_width(words: str, size: float, *, bold: bool = False) -> float:
    """The length of a line of text in Helvetica, in the unit of its size."""
    metrics = _metrics(bold=bold)
    plain = words.encode("latin-1", "ignore").decode("latin-1")
    # Helvetica's own table ends with Latin-1. Greek capitals and such are about as wide as an O.
    others = (len(words) - len(plain)) * 0.75
    return (metrics.get_string_width(plain) / metrics.font_size + others) * size


@cache
def _metrics(*, bold: bool) -> FPDF:
    pdf = FPDF(unit="mm")
    pdf.set_font("helvetica", style="B" if bold else "", size=10)
    return pdf


def label(
    at: Point, words: str, *, size: float = 3.0, colour: str = BLACK, bold: bool = False
) -> svg.Text:
    """A line of text centred on a point."""
    return text(at, words, size=size, colour=colour, bold=bold, anchor="middle")


def paragraph(
    at: Point, lines: Iterable[str], *, size: float = 3.0, colour: str = BLACK
) -> list[svg.Text]:
    """Lines of text below each other."""
    x, y = at
    return [
        text((x, y + row * size * _LINE_HEIGHT), words, size=size, colour=colour)
        for row, words in enumerate(lines)
    ]


def sheet(box: Box, elements: Iterable[svg.Element], *, title: str) -> str:
    """An SVG file: a titled document on white paper."""
    left, top, width, height = _extent(box)
    paper = svg.Rect(x=left, y=top, width=width, height=height, fill=WHITE)
    return document(box, [svg.Title(text=svg.escape(title)), paper, *elements])


def document(box: Box, elements: Iterable[svg.Element]) -> str:
    """An SVG document to scale, showing what lies within a box. Later elements cover earlier ones.

    Each element is on its own line, so that diffs of a drawing are readable.
    """
    left, top, width, height = _extent(box)
    root = svg.SVG(
        width=svg.mm(width),
        height=svg.mm(height),
        viewBox=svg.ViewBoxSpec(left, top, width, height),
        extra={"font-family": "Helvetica, Arial, sans-serif"},
        text="\n".join(["", *map(str, elements), ""]),
    )
    return f"{root}\n"


def _extent(box: Box) -> tuple[float, float, float, float]:
    left, top, right, bottom = box
    return _round(left), _round(top), _round(right - left), _round(bottom - top)


def _round(value: float) -> float:
    """To a hundredth of a millimetre; whole numbers without a fraction."""
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def _points(points: Iterable[Point]) -> list[svg.Point]:
    return [svg.Point(_round(x), _round(y)) for x, y in points]


def _data(name: str) -> dict[str, str] | None:
    return {"name": name} if name else None
