"""The drilling template: to scale, as the page shows the board, and without overlaps."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import pytest
import svg
from pypdf import PageObject, PdfReader

from hardware.layout import Layout, drill_table, layout, next_turn, ring_of
from hardware.spec import BoardSpec
from hardware.template import A4, Tile, template_box, template_pdf, template_svg, tiles
from pochboard.lights.display import DisplayConfig
from pochboard.rules.accounts import POOLS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "hardware"
SVG = "{http://www.w3.org/2000/svg}"
PLACES = range(3, 9)
RINGS = (4, 7, 12, 16, 24, 32, 60, 64)
BUTTON_HEAD_MM = 19.0


def turn_of(at: tuple[float, float], middle: tuple[float, float] = (0, 0)) -> float:
    """The angle in turns, clockwise from the top, 0 to 1."""
    angle = math.atan2(at[0] - middle[0], middle[1] - at[1]) / (2 * math.pi)
    return angle % 1.0


def same_turn(one: float, other: float) -> bool:
    return abs((one - other + 0.5) % 1 - 0.5) < 1e-9


def circles(text: str) -> dict[str, tuple[float, float, float]]:
    """The named circles of an SVG: centre and radius."""
    found = {}
    for circle in ET.fromstring(text).iter(f"{SVG}circle"):
        if name := circle.get("data-name"):
            x, y, r = (float(circle.attrib[key]) for key in ("cx", "cy", "r"))
            found[name] = (x, y, r)
    return found


# Positions


@pytest.mark.parametrize("places", PLACES)
def test_places_are_spaced_evenly_clockwise_around_the_rim(places: int) -> None:
    board = layout(BoardSpec(places=places))
    pixels = board.pixels[-places:]
    for index in range(places):
        button = board.buttons[len(POOLS) + index]
        assert button.name == f"seat{index + 1}"
        for hole in (button, pixels[index]):
            assert same_turn(turn_of(hole.centre), (index + 0.5) / places)
        assert math.hypot(*pixels[index].centre) < math.hypot(*button.centre) < board.radius


@pytest.mark.parametrize("places", PLACES)
def test_next_is_at_the_lower_right_and_undo_mirrors_it(places: int) -> None:
    board = layout(BoardSpec(places=places))
    forward, back = board.buttons[-2:]
    assert (forward.name, back.name) == ("next", "undo")
    assert forward.centre[0] > 0
    assert forward.centre[1] > -1e-9
    assert back.centre == pytest.approx((-forward.centre[0], forward.centre[1]))
    # Midway between two places.
    steps = turn_of(forward.centre) * places
    assert steps == pytest.approx(round(steps))
    assert turn_of(forward.centre) == pytest.approx(float(next_turn(places)))


def test_with_eight_places_next_and_undo_are_where_the_page_has_them() -> None:
    board = layout(BoardSpec())
    assert turn_of(board.buttons[-2].centre) == pytest.approx(3 / 8)
    assert turn_of(board.buttons[-1].centre) == pytest.approx(5 / 8)


@pytest.mark.parametrize("ring", RINGS)
def test_pixel_chain_follows_the_order_of_a_frame(ring: int) -> None:
    board, look = layout(BoardSpec(pixels_per_ring=ring)), DisplayConfig(pixels_per_ring=ring)
    assert [hole.name for hole in board.pixels] == [f"pixel {n}" for n in range(look.pixels)]
    assert [hole.name for hole in board.buttons[: len(POOLS)]] == list(POOLS)
    for pool in range(len(POOLS)):
        first = look.ring(pool).start // 3
        middle = board.buttons[pool].centre
        assert middle == board.pools[pool]
        for index in range(ring):
            pixel = board.pixels[first + index]
            assert math.dist(pixel.centre, middle) == pytest.approx(board.ring.radius)
            assert same_turn(turn_of(pixel.centre, middle), index / ring)
    # The last pool is in the centre, the others are around it in board order.
    assert board.pools[-1] == (0, 0)
    for index, at in enumerate(board.pools[:-1]):
        assert same_turn(turn_of(at), index / 8)


def test_proportions_are_those_of_the_page() -> None:
    script = (ROOT / "web/static/board.js").read_text()

    def constant(pattern: str) -> float:
        found = re.search(pattern, script)
        assert found, pattern
        return float(found[1])

    edge = constant(r"disc\((\d+), \{ fill: \"url\(#wood\)\"")
    board = layout(BoardSpec())
    unit = board.radius / edge
    assert math.hypot(*board.pools[0]) / unit == pytest.approx(constant(r"POOL_CIRCLE = (\d+)"))
    assert board.pool_radius(0) / unit == pytest.approx(constant(r"OUTER_WELL = \{ r: (\d+)"))
    assert board.pool_radius(8) / unit == pytest.approx(constant(r"CENTRE_WELL = \{ r: (\d+)"))
    pixel = constant(r"drawPixel\(index, \.\.\.around\(turn, (\d+)\)")
    assert math.hypot(*board.pixels[-1].centre) / unit == pytest.approx(pixel)
    rim = constant(r"RIM = \{ inner: (\d+)")
    assert rim < math.hypot(*board.buttons[9].centre) / unit < edge


# Clearances


@pytest.mark.parametrize("ring", RINGS)
@pytest.mark.parametrize("places", [3, 8])
def test_holes_leave_enough_wood_between_them(places: int, ring: int) -> None:
    board = layout(BoardSpec(places=places, pixels_per_ring=ring))
    for hole in board.holes:
        assert math.hypot(*hole.centre) + hole.diameter / 2 <= board.radius - 8, hole
    near = sorted(board.holes, key=lambda hole: hole.centre)
    for index, one in enumerate(near):
        for other in near[index + 1 :]:
            if other.centre[0] - one.centre[0] > 20:
                break
            apart = math.dist(one.centre, other.centre) - (one.diameter + other.diameter) / 2
            # At least 2 mm of wood is left between any two holes.
            assert apart >= 2, (one, other)


@pytest.mark.parametrize("ring", RINGS)
def test_rings_fit_side_by_side_with_room_for_chips(ring: int) -> None:
    board = layout(BoardSpec(pixels_per_ring=ring))
    outer, inner = board.ring.outer_mm / 2, board.ring.inner_mm / 2
    for one, other in combinations(range(9), 2):
        apart = math.dist(board.pools[one], board.pools[other])
        assert apart >= board.pool_radius(one) + board.pool_radius(other)
    # The button's head fits into the ring; a chip of 22 mm fits around the ring or inside it.
    assert inner > BUTTON_HEAD_MM / 2
    assert max(board.pool_radius(0) - outer, inner - BUTTON_HEAD_MM / 2) >= 22
    assert board.pool_radius(0) >= outer
    # All pixels are on the ring's circuit board.
    assert inner < board.ring.radius - 2.5
    assert board.ring.radius + 2.5 < outer


def test_rings_are_ready_made_or_built_from_single_pixels() -> None:
    sold = {ring: ring_of(ring) for ring in range(4, 65) if ring_of(ring).is_ready_made}
    assert sorted(sold) == [12, 16, 24, 60]
    assert (sold[12].outer_mm, sold[12].inner_mm) == (36.8, 23.3)
    for pixels in range(4, 65):
        ring = ring_of(pixels)
        if not ring.is_ready_made:
            # Round circuit boards of 10 mm do not touch.
            assert 2 * ring.radius * math.sin(math.pi / pixels) >= 10.4


def test_standard_board_is_40_to_45_cm_in_diameter() -> None:
    assert 400 <= 2 * layout(BoardSpec()).radius <= 450


# The template


@pytest.mark.parametrize("places", PLACES)
def test_template_shows_every_hole_at_its_position_in_millimetres(places: int) -> None:
    board = layout(BoardSpec(places=places))
    text = template_svg(board)
    root = ET.fromstring(text)
    side = float(root.attrib["width"].removesuffix("mm"))
    assert root.attrib["height"] == root.attrib["width"]
    assert root.attrib["viewBox"] == f"{-side / 2:.2f} {-side / 2:.2f} {side:g} {side:g}"
    drawn = circles(text)
    for line in drill_table(board).splitlines()[1:]:
        name, x, y, diameter = line.split(",")
        found = drawn.pop(name)
        wanted = (float(x), -float(y), float(diameter) / 2)
        assert found == pytest.approx(wanted, abs=0.02)
    assert drawn["outside ace"][2] == pytest.approx(36.8 / 2)
    assert drawn["inside ace"][2] == pytest.approx(23.3 / 2, abs=0.01)
    assert drawn["edge"] == pytest.approx((0, 0, board.radius), abs=0.02)
    assert not [name for name in drawn if name.startswith(("seat", "pixel"))]


def test_ruler_is_100_mm_long() -> None:
    root = ET.fromstring((FOLDER / "template.svg").read_text("utf-8"))
    (line,) = (one for one in root.iter(f"{SVG}polyline") if one.get("data-name") == "ruler 100")
    start, end = ([float(v) for v in pair.split(",")] for pair in line.attrib["points"].split())
    assert math.dist(start, end) == pytest.approx(100)


def test_committed_template_is_that_of_the_standard_board() -> None:
    drawn = circles((FOLDER / "template.svg").read_text("utf-8"))
    buttons = [name for name in drawn if name in {*POOLS, "next", "undo"} or "seat" in name]
    assert len(buttons) == 19
    assert len([name for name in drawn if name.startswith("pixel")]) == 116


# The pages


def pages_of(spec: BoardSpec) -> tuple[Layout, list[Tile]]:
    board = layout(spec)
    return board, tiles(board)


def marks_of(tile: Tile) -> dict[str, tuple[float, float]]:
    """The registration marks of a page by name, in board coordinates."""
    x, y = tile.origin
    texts = [mark for mark in tile.marks if isinstance(mark, svg.Text) and mark.data]
    return {
        mark.text or "": (float(str(mark.x)) - x, float(str(mark.y)) - y)
        for mark in texts
        if str((mark.data or {})["name"]).startswith("mark ")
    }


class Circle(NamedTuple):
    """A circle on paper, in mm from the page's upper left corner."""

    x: float
    y: float
    radius: float


def printed(page: PageObject) -> tuple[list[Circle], list[str]]:
    """The circles and the texts of a page, as another library reads them."""
    height = float(page.mediabox.height)
    circles: list[Circle] = []
    start: tuple[float, float] | None = None

    def read(operator: bytes, operands: Any, matrix: Any, _: Any) -> None:
        nonlocal start
        if operator == b"m":
            start = (float(operands[0]), float(operands[1]))
        elif operator == b"c" and start is not None:
            # The first of four arcs, which goes from the right to the top or to the bottom.
            centre = float(operands[4]), start[1]
            (x, y), (edge, _) = (on_paper(at, matrix) for at in (centre, start))
            circles.append(Circle(x, y, edge - x))
            start = None

    def on_paper(at: tuple[float, float], matrix: Any) -> tuple[float, float]:
        a, b, c, d, e, f = (float(value) for value in matrix)
        x, y = a * at[0] + c * at[1] + e, b * at[0] + d * at[1] + f
        return x * 25.4 / 72, (height - y) * 25.4 / 72

    text = page.extract_text(visitor_operand_before=read)
    return circles, text.splitlines()


@pytest.mark.parametrize(("ring", "count"), [(12, 6), (24, 12)])
def test_pages_cover_the_template_and_overlap(ring: int, count: int) -> None:
    board, pages = pages_of(BoardSpec(pixels_per_ring=ring))
    left, _, right, _ = template_box(board)
    assert len(pages) == count
    steps = [left + (right - left) * step / 100 for step in range(101)]
    for x in steps:
        for y in steps:
            assert any(
                page.window[0] <= x + page.origin[0] <= page.window[2]
                and page.window[1] <= y + page.origin[1] <= page.window[3]
                for page in pages
            )
    for page in pages:
        left, top, right, bottom = page.window
        assert min(left, top, A4[0] - right, A4[1] - bottom) >= 10


@pytest.mark.parametrize("ring", [12, 24])
def test_marks_of_the_same_name_are_the_same_point_of_the_board(ring: int) -> None:
    _, pages = pages_of(BoardSpec(pixels_per_ring=ring))
    marks = defaultdict(list)
    for page in pages:
        for name, at in marks_of(page).items():
            marks[name].append(at)
    assert marks
    for name, found in marks.items():
        assert len(found) == 2, name
        assert found[0] == pytest.approx(found[1], abs=0.02), name


@pytest.mark.parametrize("places", [5, 8])
def test_pdf_shows_every_circle_of_the_template_at_a_scale_of_1_to_1(places: int) -> None:
    board, pages = pages_of(BoardSpec(places=places))
    pdf = PdfReader(BytesIO(template_pdf(board)), strict=True)
    drawn = circles(template_svg(board))
    assert len(pdf.pages) == len(pages)
    seen = set()
    words = set()
    for tile, page in zip(pages, pdf.pages, strict=True):
        size = [float(side) * 25.4 / 72 for side in page.mediabox[2:]]
        assert size == pytest.approx(A4, abs=0.01)
        found, lines = printed(page)
        words |= set(lines)
        left, top, right, bottom = tile.window
        for name, (x, y, radius) in drawn.items():
            on_page = Circle(x + tile.origin[0], y + tile.origin[1], radius)
            if left < on_page.x < right and top < on_page.y < bottom:
                assert min(math.dist(on_page, circle) for circle in found) < 0.02, name
                seen.add(name)
    assert seen == set(drawn)
    assert {f"place {places}", "next", "9 pinke"} <= words
    assert f"place {places + 1}" not in words


def test_pdf_asks_viewers_to_print_at_actual_size() -> None:
    root: Any = PdfReader(FOLDER / "template-a4.pdf").trailer["/Root"]
    assert root["/ViewerPreferences"]["/PrintScaling"] == "/None"
