"""The drilling template: the board to scale as SVG, and as a PDF of pages to be taped together.

One page shows the middle of the board, and one each of the eight outer pools with the part of the
rim beside it. The seams between the pages lead around every hole.
"""

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
from shapely import MultiPoint, Polygon
from shapely import Point as Spot
from shapely.affinity import rotate
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

from hardware.drawing import (
    AMBER,
    BLUE,
    GREEN,
    GREY,
    RED,
    circle,
    document,
    line,
    paragraph,
    polygon,
    sheet,
    text,
)
from hardware.engraving import art_lines, strokes
from hardware.layout import Layout
from hardware.plates import face_screws
from hardware.sheet_words import in_words
from pochboard.geometry.face import Hole, Inlay, Point, polar
from pochboard.rules.accounts import POOLS

BORDER_MM: Final = 6.0
RULER_MM: Final = 100

A4: Final = (297.0, 210.0)
"""Width and height of a page."""
MARGIN_MM: Final = 8.0
"""What printers leave blank, and a little more."""
SEAM_MM: Final = 2.5
"""The least distance between a seam and a hole."""

SECTORS: Final = len(POOLS) - 1


# The template


def template_svg(board: Layout) -> str:
    """The template on one sheet, at a scale of 1:1."""
    half = board.radius + BORDER_MM
    parts = (element for feature in _features(board) for element in feature.elements)
    elements = [*_outline(board), *parts, *_legend(board)]
    title = f"pochboard: drilling template, {_summary(board)}"
    return sheet((-half, -half, half, half), elements, title=title)


def _summary(board: Layout) -> str:
    return f"{board.spec.places} places, rings of {board.spec.pixels_per_ring} pixels"


class Feature(msgspec.Struct, frozen=True):
    """Elements that belong together, and the points that decide which pages they go on."""

    points: tuple[Point, ...]
    elements: tuple[svg.Element, ...]


def _features(board: Layout) -> Iterator[Feature]:
    for pool, well in zip(POOLS, board.wells, strict=True):
        circles = (
            circle(well.centre, well.flange, colour=GREY, dash=(1, 1.5), name=f"flange {pool}"),
            circle(well.centre, well.bowl, colour=GREY, dash=(1, 1.5), name=f"bowl {pool}"),
        )
        # Data enters at the top and runs clockwise, which an arrow just inside the ring shows.
        arrow = _arrow(well.centre, (well.bowl + well.ring) / 2 - 1)
        yield Feature((well.centre,), (*circles, *arrow))
    colours = {AMBER: board.ring_holes, RED: board.buttons}
    colours[GREEN] = board.places
    colours[GREY] = tuple(face_screws(board))
    for colour, holes in colours.items():
        for hole in holes:
            yield Feature((hole.centre,), tuple(_hole(hole, colour)))
    for inlay in board.inlays:
        yield Feature((inlay.centre,), (inlay_outline(inlay, BLUE),))
    for engraving in board.engravings:
        lines = strokes(engraving)
        points = tuple(point for stroke in lines for point in stroke)
        drawn = tuple(line(*stroke, width=0.35, name="engraving") for stroke in lines)
        yield Feature(points, drawn)
    for stroke in art_lines(board):
        yield Feature(stroke, (line(*stroke, width=0.3, name="art"),))


def _outline(board: Layout) -> Iterator[svg.Element]:
    yield circle((0, 0), board.radius, width=0.5, name="edge")
    top = -board.radius
    yield line((0, top - 3), (0, top + 6), width=0.3)


def inlay_outline(inlay: Inlay, colour: str, fill: str = "none") -> svg.Element:
    """The outline of an inlay."""
    start, end = inlay.ends
    half = inlay.width / 2
    arcs = [
        *(polar(inlay.turn - 0.5 + step / 24, half, start) for step in range(13)),
        *(polar(inlay.turn + step / 24, half, end) for step in range(13)),
    ]
    return polygon(*arcs, colour=colour, width=0.25, fill=fill, name=inlay.name)


def _arrow(centre: Point, radius: float) -> Iterator[svg.Element]:
    arc = [polar(step / 100, radius, centre) for step in range(9)]
    yield line(*arc, colour=BLUE, width=0.3)
    back = 0.08 - 0.27 / radius
    barbs = (polar(back, radius + side, centre) for side in (0.8, -0.8))
    yield polygon(arc[-1], *barbs, colour=BLUE, fill=BLUE, width=0.2)


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
        yield text((x + step, y - 3.8), f"{step}{unit}", size=2.6, anchor="middle")


def _legend(board: Layout) -> Iterator[svg.Element]:
    """The legend, in the four corners outside of the circle."""
    corner = board.radius + BORDER_MM - 6
    size = f"{2 * board.radius:.0f} mm in diameter"
    lines = ["pochboard", _summary(board), size, "seen from above"]
    yield from paragraph((-corner, -corner + 4), lines)
    for row, (meaning, colour) in enumerate(_colours(board)):
        yield text(
            (corner, -corner + 4 + row * 4.35), meaning, size=2.8, anchor="end", colour=colour
        )
    # The first tick's number is centred on it and must not reach over the sheet's edge.
    yield from _ruler((-corner + 1, corner - 1))
    yield text((-corner, corner + 3), "print at 100 %: this is 100 mm", size=2.6)
    words = "dotted: flanges and bowls"
    yield from paragraph((corner - 44, corner - 3), [words], size=2.6, colour=GREY)


def _colours(board: Layout) -> list[tuple[str, str]]:
    """What each colour means, with the diameters."""
    ring, centre = (board.ring_holes[pool].diameter for pool in (0, -1))
    screws, place = face_screws(board), board.places[0].diameter
    return [
        (f"{SECTORS} × {ring:.1f} mm, 1 × {centre:.1f} mm: inserts", AMBER),
        (f"{len(board.buttons)} × {board.buttons[0].diameter:g} mm: buttons", RED),
        (f"{len(board.places)} × {place:g} mm: places", GREEN),
        (f"{len(screws)} × {screws[0].diameter:g} mm: screws", GREY),
        ("inlays, not drilled", BLUE),
    ]


# The pages


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the template."""

    title: str
    angle: float
    """By how many degrees the board is turned clockwise, so that the part fits on the paper."""
    origin: Point
    """The board's centre in mm from the page's upper left corner; mostly outside of the page."""
    outline: tuple[Point, ...]
    """Where to cut, in board coordinates."""
    marks: dict[str, Point]
    """Crosses that the neighbouring pages show under the same names, in board coordinates."""


def template_pages(board: Layout) -> list[Page]:
    """The pages: the middle, then the outer pools."""
    regions = _regions(board)
    turned = [
        rotate(region, -45.0 * (k - 1) if k else 0.0, (0, 0)) for k, region in enumerate(regions)
    ]
    seam = _seam_radius(board)
    pages = []
    for k, region in enumerate(regions):
        angle = -45.0 * (k - 1) if k else 0.0
        left, top, right, bottom = turned[k].bounds
        width, height = A4
        rings = range(SECTORS) if k == 0 else (k - 1,)
        marks = {f"c{n}": polar(n / SECTORS, seam) for n in rings}
        for side in () if k == 0 else ((k - 2) % SECTORS, k - 1):
            turn = (side + 0.5) / SECTORS
            throat = math.hypot(*board.wells[0].centre) * math.cos(math.pi / SECTORS)
            marks |= {f"a{side}": polar(turn, throat), f"b{side}": polar(turn, board.radius - 13.5)}
        pages.append(
            Page(
                title=POOLS[k - 1] if k else "the middle",
                angle=angle,
                origin=((width - left - right) / 2, (height - top - bottom) / 2),
                outline=tuple((x, y) for x, y in region.exterior.simplify(0.02).coords),
                marks=marks,
            )
        )
    return pages


def _seam_radius(board: Layout) -> float:
    """Of the seam around the middle: halfway between the holes of inner and outer pools."""
    outer, middle = board.wells[0], board.wells[-1]
    return (middle.hole + math.hypot(*outer.centre) - outer.hole) / 2


def _regions(board: Layout) -> list[Polygon]:
    """What each page shows. Where a hole is in the way, the seam bulges around it."""
    seam, outside = _seam_radius(board), board.radius + 1
    middle = Spot(0, 0).buffer(seam, quad_segs=64)
    disc = Spot(0, 0).buffer(outside, quad_segs=64)
    # A wedge that reaches over the edge.
    wedges = [
        Polygon([(0, 0), *(polar((k + side) / SECTORS, 2 * outside) for side in (-0.5, 0, 0.5))])
        for k in range(SECTORS)
    ]
    regions = [middle, *((wedge & disc) - middle for wedge in wedges)]
    kept: list[list[Polygon]] = [[] for _ in regions]
    shapes: list[tuple[Point, Polygon]] = [
        (hole.centre, Spot(hole.centre).buffer(hole.diameter / 2 + SEAM_MM, quad_segs=32))
        for hole in (*board.holes, *face_screws(board))
    ]
    for (x, y), shape in shapes:
        sector = round((math.atan2(x, -y) / (2 * math.pi) % 1) * SECTORS - 1e-6) % SECTORS
        owner = 0 if math.hypot(x, y) < seam else sector + 1
        kept[owner].append(shape)
    own = [unary_union(holes) for holes in kept]
    return [
        _polygon((region | own[k]) - unary_union([*own[:k], *own[k + 1 :]]))
        for k, region in enumerate(regions)
    ]


def _polygon(shape: BaseGeometry) -> Polygon:
    """The shape, which must be in one piece."""
    assert isinstance(shape, Polygon), shape.geom_type
    return shape


def template_pdf(board: Layout) -> bytes:
    """The template as a PDF at a scale of 1:1."""
    pages, (width, height) = template_pages(board), A4
    pdf = FPDF(unit="mm", orientation="landscape", format=(height, width))
    pdf.set_title(f"pochboard, {_summary(board)}")
    # The same drawing yields the same bytes everywhere: versions of zlib compress differently, and
    # the library's own version and the time of day have no place in the file.
    pdf.set_compression(False)
    pdf.set_producer("")
    pdf.set_creation_date(datetime.fromtimestamp(0, UTC))
    pdf.viewer_preferences = ViewerPreferences(print_scaling="None")
    page_box = (0.0, 0.0, width, height)
    features = list(_features(board))
    for number, page in enumerate(pages, start=1):
        x, y = page.origin
        region = Polygon(page.outline)
        drawn = [
            element
            for feature in features
            if region.intersects(MultiPoint(feature.points))
            for element in feature.elements
        ]
        # A group is moved, not the view box: fpdf2 2.8 moves a view box by the wrong unit.
        seams = (
            line(*page.outline, colour=GREEN, width=0.15, dash=(2, 2), name="cut"),
            *(part for at in page.marks.values() for part in _crosshair(at, 4, GREEN)),
        )
        group = svg.G(
            elements=[*_outline(board), *drawn, *seams],
            transform=[svg.Translate(x, y), svg.Rotate(page.angle, 0, 0)],
        )
        pdf.add_page()
        with pdf.rect_clip(MARGIN_MM, MARGIN_MM, width - 2 * MARGIN_MM, height - 2 * MARGIN_MM):
            SVGObject(document(page_box, [group])).draw_to_page(pdf, 0, 0)
        notes = _notes(page, (number, len(pages)), board)
        said = in_words(document(page_box, notes), board.language)
        SVGObject(said).draw_to_page(pdf, 0, 0)
    return bytes(pdf.output())


def on_page(page: Page, at: Point) -> Point:
    """Where a point of the board is on a page, in mm from the upper left corner."""
    x, y = at
    angle = math.radians(page.angle)
    cos, sin = math.cos(angle), math.sin(angle)
    return page.origin[0] + x * cos - y * sin, page.origin[1] + x * sin + y * cos


def _notes(page: Page, place: tuple[int, int], board: Layout) -> Iterator[svg.Element]:
    number, count = place
    left, bottom = MARGIN_MM, A4[1] - MARGIN_MM
    yield from paragraph(
        (left, bottom - 24),
        [
            f"pochboard, {_summary(board)}",
            f"page {number} of {count}: {page.title}",
            "Print at 100 %. Cut along the green line,",
            "tape edge to edge: crosses of one name meet.",
        ],
        size=2.6,
    )
    yield from _ruler((left + 1, bottom))
    for name, at in page.marks.items():
        x, y = on_page(page, at)
        yield text((x + 1, y - 1), name, size=2.6, colour=GREEN, name=f"mark {name}")
