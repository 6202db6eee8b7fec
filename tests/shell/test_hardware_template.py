"""The template: to scale, as the page draws the board, and nothing on top of anything else."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from hardware.geometry import Layout, holes_csv, layout, next_turn, ring_of
from hardware.pdf import Page, pdf
from hardware.sheet import Text, svg
from hardware.size import Size
from hardware.template import template
from hardware.tiles import tiles
from pochboard.lights.display import DisplayConfig
from pochboard.rules.board import POOLS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "hardware"
SVG = "{http://www.w3.org/2000/svg}"
PLACES = range(3, 9)
RINGS = (4, 7, 12, 16, 24, 32, 60, 64)
A4 = (210.0, 297.0)
INNER_MOST_BUTTON = 19.0


def turn_of(at: tuple[float, float], middle: tuple[float, float] = (0, 0)) -> float:
    """Clockwise from the top, 0 to 1."""
    angle = math.atan2(at[0] - middle[0], middle[1] - at[1]) / (2 * math.pi)
    return angle % 1.0


def same_turn(one: float, other: float) -> bool:
    return abs((one - other + 0.5) % 1 - 0.5) < 1e-9


def circles(text: str) -> dict[str, tuple[float, float, float]]:
    """The circles of an SVG by name: the middle and the radius."""
    found = {}
    for circle in ET.fromstring(text).iter(f"{SVG}circle"):
        if name := circle.get("data-name"):
            x, y, r = (float(circle.attrib[key]) for key in ("cx", "cy", "r"))
            found[name] = (x, y, r)
    return found


# Where things stand


@pytest.mark.parametrize("places", PLACES)
def test_places_stand_evenly_round_the_rim_clockwise(places: int) -> None:
    board = layout(Size(places=places))
    pixels = board.pixels[-places:]
    for index in range(places):
        button = board.buttons[len(POOLS) + index]
        assert button.name == f"seat{index + 1}"
        for hole in (button, pixels[index]):
            assert same_turn(turn_of(hole.at), (index + 0.5) / places)
        assert math.hypot(*pixels[index].at) < math.hypot(*button.at) < board.radius


@pytest.mark.parametrize("places", PLACES)
def test_next_stands_below_on_the_right_and_undo_on_the_left(places: int) -> None:
    board = layout(Size(places=places))
    forward, back = board.buttons[-2:]
    assert (forward.name, back.name) == ("next", "undo")
    assert forward.at[0] > 0
    assert forward.at[1] > -1e-9
    assert back.at == pytest.approx((-forward.at[0], forward.at[1]))
    # Half-way between two places.
    steps = turn_of(forward.at) * places
    assert steps == pytest.approx(round(steps))
    assert turn_of(forward.at) == pytest.approx(float(next_turn(places)))


def test_with_eight_places_next_and_undo_stand_in_the_corners_of_the_page() -> None:
    board = layout(Size())
    assert turn_of(board.buttons[-2].at) == pytest.approx(3 / 8)
    assert turn_of(board.buttons[-1].at) == pytest.approx(5 / 8)


@pytest.mark.parametrize("ring", RINGS)
def test_the_chain_has_the_order_of_a_frame(ring: int) -> None:
    size = Size(ring=ring)
    board, look = layout(size), DisplayConfig(pixels_per_ring=ring)
    assert [hole.name for hole in board.pixels] == [f"pixel {n}" for n in range(look.pixels)]
    assert [hole.name for hole in board.buttons[: len(POOLS)]] == list(POOLS)
    for pool in range(len(POOLS)):
        first = look.ring(pool).start // 3
        middle = board.buttons[pool].at
        assert middle == board.pools[pool]
        for index in range(ring):
            pixel = board.pixels[first + index]
            assert math.dist(pixel.at, middle) == pytest.approx(board.ring.radius)
            assert same_turn(turn_of(pixel.at, middle), index / ring)
    # The last pool is in the middle, the others stand round it in board order.
    assert board.pools[-1] == (0, 0)
    for index, at in enumerate(board.pools[:-1]):
        assert same_turn(turn_of(at), index / 8)


def test_the_proportions_are_those_of_the_page() -> None:
    script = (ROOT / "web/static/board.js").read_text()

    def constant(pattern: str) -> float:
        found = re.search(pattern, script)
        assert found, pattern
        return float(found[1])

    edge = constant(r"r: (\d+), fill: \"url\(#wood\)\"")
    board = layout(Size())
    unit = board.radius / edge
    assert math.hypot(*board.pools[0]) / unit == pytest.approx(constant(r"CIRCLE = (\d+)"))
    assert board.well(0) / unit == pytest.approx(constant(r"return \{ x, y, r: (\d+)"))
    assert board.well(8) / unit == pytest.approx(constant(r"y: MIDDLE, r: (\d+)"))
    pixel = constant(r"pixel\(index, \.\.\.around\(turn, (\d+)\)")
    assert math.hypot(*board.pixels[-1].at) / unit == pytest.approx(pixel)
    rim = constant(r"RIM = \{ inner: (\d+)")
    assert rim < math.hypot(*board.buttons[9].at) / unit < edge


# Room


@pytest.mark.parametrize("ring", RINGS)
@pytest.mark.parametrize("places", [3, 8])
def test_nothing_lies_on_top_of_anything_else(places: int, ring: int) -> None:
    board = layout(Size(places=places, ring=ring))
    for hole in board.holes:
        assert math.hypot(*hole.at) + hole.across / 2 <= board.radius - 8, hole
    near = sorted(board.holes, key=lambda hole: hole.at)
    for index, one in enumerate(near):
        for other in near[index + 1 :]:
            if other.at[0] - one.at[0] > 20:
                break
            apart = math.dist(one.at, other.at) - (one.across + other.across) / 2
            # So much wood is left between any two holes.
            assert apart >= 2, (one, other)


@pytest.mark.parametrize("ring", RINGS)
def test_rings_fit_beside_each_other_with_room_for_chips(ring: int) -> None:
    board = layout(Size(ring=ring))
    outer, inner = board.ring.outer_mm / 2, board.ring.inner_mm / 2
    for one, other in combinations(range(9), 2):
        apart = math.dist(board.pools[one], board.pools[other])
        assert apart >= board.well(one) + board.well(other)
    # The button's head fits into the ring, and a chip of 22 mm into the pool beside or inside.
    assert inner > INNER_MOST_BUTTON / 2
    assert max(board.well(0) - outer, inner - INNER_MOST_BUTTON / 2) >= 22
    assert board.well(0) >= outer
    # All pixels lie on the ring's board.
    assert inner < board.ring.radius - 2.5
    assert board.ring.radius + 2.5 < outer


def test_the_rings_that_are_sold_have_their_size_and_others_are_made_of_single_pixels() -> None:
    sold = {ring: ring_of(ring) for ring in range(4, 65) if ring_of(ring).is_sold}
    assert sorted(sold) == [12, 16, 24, 60]
    assert (sold[12].outer_mm, sold[12].inner_mm) == (36.8, 23.3)
    for pixels in range(4, 65):
        ring = ring_of(pixels)
        if not ring.is_sold:
            # Round boards of 10 mm do not touch.
            assert 2 * ring.radius * math.sin(math.pi / pixels) >= 10.4


def test_a_board_of_rings_of_twelve_is_as_large_as_a_table_takes() -> None:
    assert 400 <= 2 * layout(Size()).radius <= 450


# The sheet


@pytest.mark.parametrize("places", PLACES)
def test_the_sheet_shows_every_hole_at_its_place_in_millimetres(places: int) -> None:
    board = layout(Size(places=places))
    text = svg(template(board))
    root = ET.fromstring(text)
    side = float(root.attrib["width"].removesuffix("mm"))
    assert root.attrib["height"] == root.attrib["width"]
    assert root.attrib["viewBox"] == f"0 0 {side:g} {side:g}"
    drawn = circles(text)
    for line in holes_csv(board).splitlines()[1:]:
        name, x, y, across = line.split(",")
        found = drawn.pop(name)
        wanted = (side / 2 + float(x), side / 2 - float(y), float(across) / 2)
        assert found == pytest.approx(wanted, abs=0.02)
    assert drawn["outside ace"][2] == pytest.approx(36.8 / 2)
    assert drawn["inside ace"][2] == pytest.approx(23.3 / 2, abs=0.01)
    assert drawn["edge"] == pytest.approx((side / 2, side / 2, board.radius), abs=0.02)
    assert not [name for name in drawn if name.startswith(("seat", "pixel"))]


def test_the_ruler_is_a_hundred_millimetres() -> None:
    root = ET.fromstring((FOLDER / "template.svg").read_text("utf-8"))
    (line,) = (one for one in root.iter(f"{SVG}polyline") if one.get("data-name") == "ruler 100")
    start, end = ([float(v) for v in pair.split(",")] for pair in line.attrib["points"].split())
    assert math.dist(start, end) == pytest.approx(100)


def test_the_committed_template_is_that_of_the_usual_board() -> None:
    drawn = circles((FOLDER / "template.svg").read_text("utf-8"))
    buttons = [name for name in drawn if name in {*POOLS, "next", "undo"} or "seat" in name]
    assert len(buttons) == 19
    assert len([name for name in drawn if name.startswith("pixel")]) == 116


# The pages


def pages_of(size: Size) -> tuple[Layout, float, list[Page]]:
    board = layout(size)
    sheet = template(board)
    return board, sheet.width, tiles(sheet)


@pytest.mark.parametrize(("ring", "count"), [(12, 6), (24, 12)])
def test_the_pages_show_all_of_the_sheet_and_overlap(ring: int, count: int) -> None:
    _, side, pages = pages_of(Size(ring=ring))
    assert len(pages) == count
    for step in range(101):
        for other in range(101):
            x, y = side * step / 100, side * other / 100
            assert any(
                page.window[0] <= x + page.shift[0] <= page.window[2]
                and page.window[1] <= y + page.shift[1] <= page.window[3]
                for page in pages
            )
    for page in pages:
        assert (page.width, page.height) == A4
        left, top, right, bottom = page.window
        assert min(left, top, A4[0] - right, A4[1] - bottom) >= 10


@pytest.mark.parametrize("ring", [12, 24])
def test_marks_of_the_same_name_are_the_same_point_on_two_pages(ring: int) -> None:
    _, _, pages = pages_of(Size(ring=ring))
    marks = defaultdict(list)
    for page in pages:
        for shape in page.marks:
            if isinstance(shape, Text) and shape.name.startswith("mark "):
                marks[shape.text].append((shape.at[0] - page.shift[0], shape.at[1] - page.shift[1]))
    assert marks
    for name, found in marks.items():
        assert len(found) == 2, name
        assert found[0] == pytest.approx(found[1]), name


def test_the_pdf_holds_together_and_is_to_scale() -> None:
    sheet = template(layout(Size()))
    data = pdf(sheet, tiles(sheet))
    assert data.startswith(b"%PDF-1.")
    (start,) = re.findall(rb"startxref\n(\d+)\n%%EOF\n$", data)
    table = data[int(start) :]
    assert table.startswith(b"xref\n0 ")
    offsets = [int(line) for line in re.findall(rb"(\d{10}) 00000 n ", table)]
    for number, offset in enumerate(offsets, start=1):
        assert data[offset:].startswith(b"%d 0 obj\n" % number)
    lengths = re.finditer(rb"/Length (\d+) >>\nstream\n", data)
    streams = [data[match.end() : match.end() + int(match[1]) + 10] for match in lengths]
    assert len(streams) == 1 + 6
    assert all(stream.endswith(b"\nendstream") for stream in streams)
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)
    assert [tuple(float(side) * 25.4 / 72 for side in box) for box in boxes] == [
        pytest.approx(A4, abs=0.01)
    ] * 6
    # A millimetre of the drawing is a millimetre of paper, and viewers are told to leave it so.
    for page in streams[1:]:
        scale = re.match(rb"([\d.]+) 0 0 -([\d.]+) 0 [\d.]+ cm\n", page)
        assert scale
        assert [float(one) * 25.4 / 72 for one in scale.groups()] == pytest.approx([1, 1], abs=1e-4)
        assert re.search(rb"cm\nq [\d. ]+ re W n 1 0 0 1 [-\d.]+ [-\d.]+ cm /D Do Q\n", page)
    assert b"/PrintScaling /None" in data


def test_the_pdf_draws_what_the_svg_draws() -> None:
    board = layout(Size(places=5))
    sheet = template(board)
    text = pdf(sheet, tiles(sheet)).decode("cp1252")
    drawing = text.split("stream\n")[1]
    drawn = circles(svg(sheet))
    for x, y, radius in drawn.values():
        # A circle begins at its right.
        start = f"{x + radius:.2f}".rstrip("0").rstrip(".")
        assert re.search(rf" {re.escape(start[:-1])}\S* \S+ m ", drawing), (x, y, radius)
    assert drawing.count(" c ") == 4 * len(drawn)
    assert "(place 5) Tj" in drawing
    assert "(place 6) Tj" not in drawing
