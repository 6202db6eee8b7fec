"""The drilling template: the board to scale as SVG, and as a PDF on pages of A4 to be taped up."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import msgspec
import svg
from fpdf import FPDF
from fpdf.prefs import ViewerPreferences
from fpdf.svg import SVGObject

from hardware.drawing import (
    AMBER,
    BLUE,
    GREEN,
    GREY,
    RED,
    Box,
    circle,
    document,
    label,
    line,
    paragraph,
    polygon,
    rectangle,
    sheet,
    text,
)
from hardware.layout import RIM_RADIUS, Hole, Layout, Point, polar
from hardware.spec import BoardSpec
from pochboard.rules.accounts import POOLS

BORDER_MM: Final = 8.0
RULER_MM: Final = 100

A4: Final = (210.0, 297.0)
MARGIN_MM: Final = 12.0
"""Most printers leave that much blank."""
OVERLAP_MM: Final = 10.0
"""The strip of the template that two neighbouring pages both show."""


# The template


class Feature(msgspec.Struct, frozen=True):
    """Elements that belong together, and a box that contains them."""

    box: Box
    elements: tuple[svg.Element, ...]


def template_box(board: Layout) -> Box:
    """The template's sheet, with the board's centre at (0, 0)."""
    half = board.radius + BORDER_MM
    return -half, -half, half, half


def template_svg(board: Layout) -> str:
    """The template on one sheet, at a scale of 1:1."""
    elements = [element for feature in _features(board) for element in feature.elements]
    title = f"pochboard: drilling template, {_summary(board.spec)}"
    return sheet(template_box(board), elements, title=title)


def _summary(spec: BoardSpec) -> str:
    return f"{spec.places} places, rings of {spec.pixels_per_ring} pixels"


def _features(board: Layout) -> Iterator[Feature]:
    yield Feature(template_box(board), (*_outline(board), *_legend(board)))
    for pool, centre in enumerate(board.pools):
        reach = board.pool_radius(pool) + 1
        yield Feature(_around(centre, reach), tuple(_pool(board, pool)))
    spec = board.spec
    names = [*(f"place {place}" for place in range(1, spec.places + 1)), "next", "undo"]
    for name, hole in zip(names, board.buttons[len(POOLS) :], strict=True):
        below = hole.centre[0], hole.centre[1] + hole.diameter / 2 + 5
        words = label(below, name, size=3.6, bold=True)
        yield Feature(_around(hole.centre, 20), (*_hole(hole, RED), words))
    for hole in board.place_pixels:
        x, y = hole.centre
        number = text((x + 3.5, y + 3.4), hole.name.removeprefix("pixel "), size=2.6, colour=BLUE)
        yield Feature(_around(hole.centre, 15), (*_hole(hole, BLUE), number))


def _around(centre: Point, reach: float) -> Box:
    x, y = centre
    return x - reach, y - reach, x + reach, y + reach


def _outline(board: Layout) -> Iterator[svg.Element]:
    yield circle((0, 0), board.radius, width=0.5, name="edge")
    yield circle((0, 0), RIM_RADIUS * board.scale, colour=GREY, dash=(4, 2), name="rim")
    top = -board.radius
    yield line((0, top - 3), (0, top + 6), width=0.3)
    yield label((0, top + 10), "top", colour=GREY)


def _pool(board: Layout, pool: int) -> Iterator[svg.Element]:
    centre, ring, name = board.pools[pool], board.ring, POOLS[pool]
    x, y = centre
    area = board.pool_radius(pool)
    yield circle(centre, area, colour=GREY, dash=(1, 1.5), name=f"pool {name}")
    for diameter, side in ((ring.outer_mm, "outside"), (ring.inner_mm, "inside")):
        yield circle(centre, diameter / 2, colour=AMBER, width=0.2, name=f"{side} {name}")
    first = pool * ring.pixels
    for hole in board.pixels[first : first + ring.pixels]:
        yield from _hole(hole, BLUE)
    yield from _hole(board.buttons[pool], RED)
    # Data enters at the top and runs clockwise, which an arrow just outside the ring shows.
    radius = ring.outer_mm / 2 + 1.5
    arc = [polar(step / 100, radius, centre) for step in range(2, 11)]
    yield line(*arc, colour=BLUE, width=0.3)
    back = 0.1 - 0.27 / radius
    barbs = (polar(back, radius + side, centre) for side in (0.8, -0.8))
    yield polygon(arc[-1], *barbs, colour=BLUE, fill=BLUE, width=0.2)
    yield text((x + 0.5, y - radius - 0.6), f"pixel {first}", size=2.6, anchor="end", colour=BLUE)
    yield label((x, y + radius + 4), f"{pool + 1} {name}", size=4.2, bold=True)


def _hole(hole: Hole, colour: str) -> Iterator[svg.Element]:
    radius = hole.diameter / 2
    yield circle(hole.centre, radius, colour=colour, name=hole.name)
    yield from _crosshair(hole.centre, min(radius + 1, 4), colour)


def _crosshair(at: Point, arm: float, colour: str) -> Iterator[svg.Element]:
    x, y = at
    yield line((x - arm, y), (x + arm, y), width=0.15, colour=colour)
    yield line((x, y - arm), (x, y + arm), width=0.15, colour=colour)


def _ruler(start: Point) -> Iterator[svg.Element]:
    """A ruler of 100 mm, to check the scale of a print."""
    x, y = start
    yield line((x, y), (x + RULER_MM, y), width=0.25, name=f"ruler {RULER_MM}")
    for step in range(0, RULER_MM + 1, 5):
        tick = 3.0 if step % 10 == 0 else 1.8
        yield line((x + step, y), (x + step, y - tick), width=0.2)
    for step in (0, 50, RULER_MM):
        unit = " mm" if step == RULER_MM else ""
        yield label((x + step, y - 3.8), f"{step}{unit}", size=2.6)


def _legend(board: Layout) -> Iterator[svg.Element]:
    """The legend, in the four corners outside of the circle."""
    corner = board.radius + BORDER_MM - 6
    ring = board.ring
    button, pixel = board.buttons[0].diameter, board.pixels[0].diameter
    size = f"{2 * board.radius:.0f} mm in diameter"
    yield from paragraph(
        (-corner, -corner + 4), ["pochboard", _summary(board.spec), size, "seen from above"]
    )
    made = "ready-made ring:" if ring.is_ready_made else "ring of single pixels:"
    rows = (
        (f"{len(board.buttons)} × {button:g} mm: button", RED),
        (f"{len(board.pixels)} × {pixel:g} mm: pixel", BLUE),
        (made, AMBER),
        (f"{ring.outer_mm:g} / {ring.inner_mm:g} mm", AMBER),
    )
    for row, (words, colour) in enumerate(rows):
        at = corner, -corner + 4 + row * 4.35
        yield text(at, words, anchor="end", colour=colour)
    # The first tick's number is centred on it and must not reach over the sheet's edge.
    yield from _ruler((-corner + 1, corner - 1))
    yield text((-corner, corner + 3), "print at 100 %: this is 100 mm", size=2.6)
    notes = ["dashed: where the rim begins", "dotted: room for chips"]
    yield from paragraph((corner - 44, corner - 6), notes, size=2.6, colour=GREY)


# The pages


class Tile(msgspec.Struct, frozen=True, kw_only=True):
    """A page of A4: the part of the template in its window, under registration marks."""

    window: Box
    """The part of the page, in mm from its upper left corner, that the template covers."""
    origin: Point
    """The board's centre in mm from the page's upper left corner; mostly outside of the page."""
    marks: tuple[svg.Element, ...]


def template_pdf(board: Layout) -> bytes:
    """The template as a PDF of A4 pages at a scale of 1:1."""
    page = (0.0, 0.0, *A4)
    features = list(_features(board))
    pdf = FPDF(unit="mm", format="A4")
    pdf.set_title(f"pochboard: drilling template, {_summary(board.spec)}")
    # The same drawing yields the same bytes everywhere: versions of zlib compress differently, and
    # the library's own version and the time of day have no place in the file.
    pdf.set_compression(False)
    pdf.set_producer("")
    pdf.set_creation_date(datetime.fromtimestamp(0, UTC))
    pdf.viewer_preferences = ViewerPreferences(print_scaling="None")
    for tile in tiles(board):
        left, top, right, bottom = tile.window
        x, y = tile.origin
        shown = (left - x, top - y, right - x, bottom - y)
        visible = [
            element
            for feature in features
            if _overlap(feature.box, shown)
            for element in feature.elements
        ]
        # A group is moved, not the view box: fpdf2 2.8 moves a view box by the wrong unit.
        board_part = svg.G(elements=visible, transform=[svg.Translate(x, y)])
        pdf.add_page()
        with pdf.rect_clip(left, top, right - left, bottom - top):
            SVGObject(document(page, [board_part])).draw_to_page(pdf, 0, 0)
        SVGObject(document(page, tile.marks)).draw_to_page(pdf, 0, 0)
    return bytes(pdf.output())


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def grid(board: Layout) -> tuple[int, int]:
    """How many pages the template takes, across and down."""
    left, top, right, bottom = template_box(board)
    across, down = (
        math.ceil((length - OVERLAP_MM) / (paper - 2 * MARGIN_MM - OVERLAP_MM) - 1e-9)
        for length, paper in zip((right - left, bottom - top), A4, strict=True)
    )
    return across, down


def tiles(board: Layout) -> list[Tile]:
    """The pages, row by row."""
    across, down = grid(board)
    window = (MARGIN_MM, MARGIN_MM, A4[0] - MARGIN_MM, A4[1] - MARGIN_MM)
    half = board.radius + BORDER_MM
    step_x, step_y = (length - 2 * MARGIN_MM - OVERLAP_MM for length in A4)
    return [
        Tile(
            window=window,
            origin=(half + MARGIN_MM - column * step_x, half + MARGIN_MM - row * step_y),
            marks=tuple(_marks(board, window, column, row)),
        )
        for row in range(down)
        for column in range(across)
    ]


def _marks(board: Layout, window: Box, column: int, row: int) -> Iterator[svg.Element]:
    """Frame, cut lines with registration marks, title and ruler of a page."""
    across, down = grid(board)
    left, top, right, bottom = window
    yield rectangle(window, colour=GREY, width=0.15)
    half = OVERLAP_MM / 2
    for seam, x in ((column - 1, left + half), (column, right - half)):
        if 0 <= seam < across - 1:
            yield from _cut_line((x, top), (x, bottom), [f"{row}{seam}{mark}" for mark in "abc"])
    for seam, y in ((row - 1, top + half), (row, bottom - half)):
        if 0 <= seam < down - 1:
            names = [f"{seam}{column}{mark}" for mark in "def"]
            yield from _cut_line((left, y), (right, y), names)
    words = (
        f"pochboard: drilling template, {_summary(board.spec)};"
        f" row {row + 1} of {down}, column {column + 1} of {across}."
        " Print at 100 %; cut one of two neighbours along the green line."
    )
    yield text((left, top - 3), words, size=2.6)
    yield from _ruler((left, A4[1] - 4.5))


def _cut_line(start: Point, end: Point, names: list[str]) -> Iterator[svg.Element]:
    """A line to cut along, with marks that the neighbouring page shows under the same names."""
    yield line(start, end, colour=GREEN, width=0.15, dash=(2, 2))
    for index, name in enumerate(names, start=1):
        part = index / (len(names) + 1)
        x = start[0] + (end[0] - start[0]) * part
        y = start[1] + (end[1] - start[1]) * part
        yield from _crosshair((x, y), 4, GREEN)
        yield text((x + 1, y - 1), name, size=2.6, colour=GREEN, name=f"mark {name}")
