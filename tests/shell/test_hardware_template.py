"""The drilling template: to scale, as the page shows the board, and without overlaps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from io import BytesIO
from itertools import combinations
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import pytest
import shapely
from pypdf import PageObject, PdfReader
from shapely import MultiLineString, Polygon
from shapely import Point as Spot

from hardware.bodies import bodies
from hardware.carrier_board import carrier_board, part_bodies
from hardware.engraving import strokes
from hardware.layout import ENGRAVED, Layout, layout
from hardware.plates import base_screws, face_holes, face_screws, room, vents
from hardware.spec import BoardSpec
from hardware.template import (
    A4,
    on_page,
    template_pages,
    template_pdf,
    template_svg,
)
from hardware.visibility import area_of
from pochboard.geometry.art import Language
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Face, Hole, face
from pochboard.lights.lights_config import LightsConfig
from pochboard.rules.accounts import POOLS
from pochboard.views.board import face_answer
from tests.not_empty import not_empty

SVG = "{http://www.w3.org/2000/svg}"
PLACES = range(3, 9)
RINGS = (4, 7, 12, 16, 24, 32, 64)
"""Of boards that the page draws; only the standard one is built."""
SIZE = dimensions()


def turn_of(at: tuple[float, float], middle: tuple[float, float] = (0, 0)) -> float:
    """The angle in turns, clockwise from the top, 0 to 1."""
    angle = math.atan2(at[0] - middle[0], middle[1] - at[1]) / (2 * math.pi)
    return angle % 1.0


def same_turn(one: float, other: float) -> bool:
    return abs((one - other + 0.5) % 1 - 0.5) < 1e-9


def circles(text: str) -> dict[str, tuple[float, float, float]]:
    """The named circles of an SVG: centre and radius."""
    circles = {}
    for circle in ET.fromstring(text).iter(f"{SVG}circle"):
        if name := circle.get("data-name"):
            x, y, r = (float(circle.attrib[key]) for key in ("cx", "cy", "r"))
            circles[name] = (x, y, r)
    return circles


# Positions


@pytest.mark.parametrize("ring", RINGS)
def test_pixel_chain_follows_the_order_of_a_frame(ring: int) -> None:
    board, look = face(8, ring), LightsConfig(pixels_per_ring=ring)
    assert [inlay.name for inlay in board.inlays] == [f"pixel {n}" for n in range(look.pixels)]
    assert [hole.name for hole in board.buttons[: len(POOLS)]] == list(POOLS)
    for pool, well in enumerate(board.wells):
        first = pool * ring
        for index in range(ring):
            pixel = board.inlays[first + index]
            assert math.dist(pixel.centre, well.centre) == pytest.approx(well.ring)
            assert same_turn(turn_of(pixel.centre, well.centre), index / ring)
            assert same_turn(pixel.turn, index / ring)
    # The last pool is in the centre, the others are around it in board order.
    assert board.wells[-1].centre == (0, 0)
    for index, well in enumerate(board.wells[:-1]):
        assert same_turn(turn_of(well.centre), index / 8)


@pytest.mark.parametrize("spec", [BoardSpec(), BoardSpec(places=3)])
def test_the_page_is_told_what_is_built(spec: BoardSpec) -> None:
    board = layout(spec)
    answered = face_answer(face(spec.places, spec.pixels_per_ring))

    def near(value: object) -> object:
        return pytest.approx(value, abs=0.01)

    assert answered.radius == near(board.radius)
    assert answered.buttons == {hole.name: near(hole.centre) for hole in board.buttons}
    firsts = board.inlays[: -spec.places : spec.pixels_per_ring]
    for pool, name, well, inlay in zip(answered.pools, POOLS, board.wells, firsts, strict=True):
        assert (pool.pool, (pool.x, pool.y)) == (name, near(well.centre))
        assert (pool.bowl, pool.ring, pool.flange) == near((well.bowl, well.ring, well.flange))
        assert (pool.length, pool.width) == near((inlay.length, inlay.width))
    holes = zip(answered.places, board.places, board.dealers, strict=True)
    for number, (place, hole, dealer) in enumerate(holes, start=1):
        assert (place.start + place.end) / 2 == pytest.approx(turn_of(hole.centre), abs=1e-5)
        assert (place.pixel, place.dealer) == (near(hole.centre), near(dealer))
        (words,) = (engraving for engraving in board.engravings if engraving.words == str(number))
        assert turn_of(place.number) == pytest.approx(words.turn, abs=1e-4)
    assert answered.pixels_per_ring == spec.pixels_per_ring
    assert answered.button == SIZE.button.head
    assert answered.inlay == (SIZE.place.length, SIZE.place.width)
    assert (answered.flange, answered.dealer_mark) == (SIZE.place.flange, SIZE.dealer_mark.diameter)


# Clearances


def disc(hole: Hole, margin: float = 0.0) -> Polygon:
    return Spot(hole.centre).buffer(hole.diameter / 2 + margin, quad_segs=64)


def covered(board: Face) -> list[tuple[str, Polygon]]:
    """What lies on the plywood: flanges, heads of buttons, dealer's marks."""
    flanges = [Spot(well.centre).buffer(well.flange) for well in board.wells]
    heads = [Spot(hole.centre).buffer(SIZE.button.bezel / 2) for hole in board.buttons]
    places = [Spot(hole.centre).buffer(SIZE.place.flange / 2) for hole in board.places]
    marks = [Spot(at).buffer(SIZE.dealer_mark.diameter / 2) for at in board.dealers]
    return [
        *(("flange", shape) for shape in flanges),
        *(("button", shape) for shape in heads),
        *(("place", shape) for shape in places),
        *(("mark", shape) for shape in marks),
    ]


@pytest.mark.parametrize("ring", RINGS)
@pytest.mark.parametrize("places", PLACES)
def test_parts_on_the_face_do_not_touch_and_leave_wood_between_the_holes(
    places: int, ring: int
) -> None:
    board = face(places, ring)
    wells = [Hole(name="", centre=one.centre, diameter=2 * one.hole) for one in board.wells]
    holes = [*wells, *board.buttons, *board.places]
    for hole in holes:
        assert math.hypot(*hole.centre) + hole.diameter / 2 <= board.radius - 6, hole
    shapes = [disc(hole) for hole in holes]
    first, second = shapely.STRtree(shapes).query(shapes, predicate="dwithin", distance=4.0)
    assert {(a, b) for a, b in zip(first, second, strict=True) if a != b} == set()
    parts = covered(board)
    bodies = [shape for _, shape in parts]
    first, second = shapely.STRtree(bodies).query(bodies, predicate="dwithin", distance=0.9)
    assert [(parts[a], parts[b]) for a, b in zip(first, second, strict=True) if a < b] == []


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("places", PLACES)
def test_engraved_words_are_on_bare_wood(places: int, language: Language) -> None:
    board = layout(BoardSpec(places=places), language)
    assert {mark.words for mark in board.engravings} >= set(ENGRAVED[language].values())
    bodies = shapely.union_all([shape for _, shape in covered(board)])
    edge = Spot(0, 0).buffer(board.radius - 3)
    words = [MultiLineString(strokes(mark)) for mark in board.engravings]
    for mark, word in zip(board.engravings, words, strict=True):
        assert word.distance(bodies) >= 0.8, mark.words
        assert edge.contains(word), mark.words
    for one, other in combinations(words, 2):
        assert one.distance(other) > 1


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("ring", RINGS)
def test_bars_and_walls_around_the_inlays_are_thick_enough(places: int, ring: int) -> None:
    board = face(places, ring)
    chamber = SIZE.inlay.clearance + SIZE.inlay.lip
    for well, first in zip(board.wells, range(0, 9 * ring, ring), strict=True):
        areas = [area_of(inlay).buffer(chamber) for inlay in board.inlays[first : first + ring]]
        gaps = [areas[n].distance(areas[(n + 1) % ring]) for n in range(ring)]
        assert min(gaps) >= SIZE.mask.land - 0.3
        centre = Spot(well.centre)
        inside = centre.buffer(well.hole - SIZE.mask.clearance, quad_segs=64)
        assert min(inside.exterior.distance(area) for area in areas) >= 0.9
        collar = well.bowl + SIZE.bowl.wall + SIZE.mask.clearance
        assert min(centre.distance(area) for area in areas) - collar >= SIZE.mask.wall - 0.02


@pytest.mark.parametrize("ring", RINGS)
def test_bowls_pass_between_the_pixels_below_the_mask_which_fit_side_by_side(ring: int) -> None:
    for well in not_empty(face(8, ring).wells):
        hole = SIZE.pixel.hole / 2 + SIZE.carrier.clearance
        outside = SIZE.bowl_radius(well.bowl, SIZE.mask.plate + SIZE.mask.height)
        outside += SIZE.bowl.wall / math.cos(math.radians(SIZE.bowl.draft_degrees))
        assert outside + 0.1 <= well.ring - hole - SIZE.carrier.rim
        assert 2 * well.ring * math.sin(math.pi / ring) >= SIZE.pixel.pitch - 0.01


@pytest.mark.parametrize("places", PLACES)
def test_nothing_in_the_room_is_in_the_way_of_anything_else(places: int) -> None:
    board = layout(BoardSpec(places=places))
    space = room(board)
    blocks = {block.name: Polygon(block.corners) for block in space.blocks}
    inside = Spot(0, 0).buffer(board.radius, quad_segs=64)
    pixel = SIZE.pixel.hole / 2
    bodies = [
        *(Spot(inlay.centre).buffer(pixel) for inlay in board.inlays),
        *(Spot(hole.centre).buffer(SIZE.room.nut / 2) for hole in board.buttons),
        *(Spot(hole.centre).buffer(SIZE.place.flange / 2) for hole in board.places),
    ]
    for name, shape in not_empty(blocks.items()):
        assert inside.contains(shape), name
        assert min(shape.distance(body) for body in bodies) >= 1, name
    for (name, one), (other, two) in not_empty(combinations(blocks.items(), 2)):
        assert one.distance(two) >= 1, (name, other)
    drilled = [disc(hole) for hole in (*base_screws(board), *vents(board))]
    for one, two in not_empty(combinations(drilled, 2)):
        assert one.distance(two) >= 2
    for hole in not_empty(face_screws(board)):
        assert min(disc(hole).distance(disc(other)) for other in board.holes) > 4


class Box(NamedTuple):
    """Something in the room: what it covers, and from where to where above the base plate."""

    name: str
    shape: Polygon
    low: float
    high: float


def boxes(board: Layout) -> Iterator[Box]:
    """All that is between the sheets, and the plug outside, each as an upright box."""
    panel, size, zero = SIZE.panel, SIZE.room, bodies().zero

    def bought(name: str, x: float, y: float, low: float) -> Box:
        wide, deep, high = bodies().bought[name]
        return Box(
            name,
            shapely.box(x - wide / 2, y - deep / 2, x + wide / 2, y + deep / 2),
            low,
            low + high,
        )

    edge, middle = -(board.radius - panel.edge), size.panel[1] / 2
    inside = edge + 2.4
    _, socket_deep, socket_high = bodies().bought["barrel_socket"]
    _, switch_deep, switch_high = bodies().bought["switch"]
    _, plug_deep, plug_high = bodies().bought["supply_plug"]
    yield bought("barrel_socket", -18, inside + socket_deep / 2, middle - socket_high / 2)
    yield bought("switch", 2, inside + switch_deep / 2, middle - switch_high / 2)
    yield bought("supply_plug", -18, edge - plug_deep / 2, middle - plug_high / 2)
    yield bought("capacitor", -18, inside + socket_deep + 6, 0)
    yield Box("plate", shapely.box(-size.panel[0] / 2, edge, size.panel[0] / 2, inside), 0, 30)
    for pool, well in zip(POOLS, board.wells, strict=True):
        x, y = well.centre
        # The clamps hang below the dish; in the middle they lie beside the carrier board.
        away, low = (38.5, 0.0) if pool == "pinke" else (9.6, 12.5)
        yield bought("clamp", x, y - away, low)
        yield bought("clamp", x, y + away, low)
        if pool in ("marriage", "sequence", "poch"):
            yield bought("fuse", x, y, 0)
        elif pool == "ten":
            yield bought("piezo", x, y, 0)
    (wide, deep), board_top = size.carrier, size.post[1] + 1.6
    pi = board_top + zero.height
    yield Box("carrier", shapely.box(-wide / 2, -deep / 2, wide / 2, deep / 2), 0, pi)
    (body,) = (part.body for part in part_bodies(carrier_board()) if part.name == "Pi")
    left, _, right, top = body.bounds
    far = top + zero.card
    yield Box("Pi and card", shapely.box(left, -far, right, far), pi, pi + zero.parts)
    plugs = shapely.box(right, -22, right + zero.plug, 22)
    yield Box("plugs of the Pi", plugs, pi, pi + zero.parts + 2)
    below = panel.room + panel.face - SIZE.mask.height
    for inlay in board.inlays:
        shape = Spot(inlay.centre).buffer(SIZE.pixel.hole / 2)
        yield Box("pixel", shape, below - SIZE.pixel.depth, below)
    for hole in board.buttons:
        nut = Spot(hole.centre).buffer(size.nut / 2)
        yield Box("button", nut, panel.room - SIZE.button.depth, panel.room)
    for block in room(board).spacers:
        yield Box("spacer", Polygon(block.corners), 0, panel.room)


def test_what_is_bought_has_room_in_the_case() -> None:
    """Every bought body where BUILD puts it."""
    found = list(boxes(layout(BoardSpec())))
    assert {box.name for box in found} >= set(bodies().bought)
    for one, other in not_empty(combinations(found, 2)):
        if one.low < other.high - 0.01 and other.low < one.high - 0.01:
            assert one.shape.intersection(other.shape).area < 0.01, (one, other)
    ceiling = SIZE.panel.room + SIZE.panel.face - SIZE.mask.height - SIZE.carrier.thickness
    for box in not_empty(found):
        if box.name not in ("plate", "pixel", "button", "spacer"):
            assert 0 <= box.low < box.high <= ceiling, box


def test_everything_fits_between_face_and_base_plate() -> None:
    panel, mask, carrier = SIZE.panel, SIZE.mask, SIZE.carrier
    low, high = SIZE.button.panel
    assert low <= panel.face <= high
    assert SIZE.button.depth <= panel.room + panel.face
    assert mask.height + SIZE.pixel.depth <= panel.face + panel.room
    assert SIZE.pixel.hole > carrier.thickness


# The template


@pytest.mark.parametrize("places", PLACES)
def test_template_shows_every_hole_at_its_position_in_millimetres(places: int) -> None:
    board = layout(BoardSpec(places=places))
    text = template_svg(board)
    root = ET.fromstring(text)
    side = float(root.attrib["width"].removesuffix("mm"))
    assert root.attrib["height"] == root.attrib["width"]
    assert root.attrib["viewBox"] == f"{-side / 2:g} {-side / 2:g} {side:g} {side:g}"
    drawn = circles(text)
    for hole in face_holes(board):
        wanted = (*hole.centre, hole.diameter / 2)
        assert drawn.pop(hole.name) == pytest.approx(wanted, abs=0.02)
    well = board.wells[0]
    assert drawn["flange ace"][2] == pytest.approx(well.flange, abs=0.01)
    assert drawn["bowl ace"][2] == pytest.approx(well.bowl, abs=0.01)
    assert drawn["edge"] == pytest.approx((0, 0, board.radius), abs=0.02)
    others = ("seat", "ring", "place", "dealer", "spacer", "display")
    assert not [name for name in drawn if name.startswith(others)]
    outlines = {outline.get("data-name") for outline in root.iter(f"{SVG}polygon")}
    assert {f"pixel {number}" for number in range(9 * 12 + places)} <= outlines


# The pages


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
            (x, y), edge = (on_paper(at, matrix) for at in (centre, start))
            circles.append(Circle(x, y, math.dist((x, y), edge)))
            start = None

    def on_paper(at: tuple[float, float], matrix: Any) -> tuple[float, float]:
        a, b, c, d, e, f = (float(value) for value in matrix)
        x, y = a * at[0] + c * at[1] + e, b * at[0] + d * at[1] + f
        return x * 25.4 / 72, (height - y) * 25.4 / 72

    text = page.extract_text(visitor_operand_before=read)
    return circles, text.splitlines()


@pytest.mark.parametrize("places", [5, 8])
def test_pdf_shows_every_hole_once_at_a_scale_of_1_to_1(places: int) -> None:
    board = layout(BoardSpec(places=places))
    pages = template_pages(board)
    pdf = PdfReader(BytesIO(template_pdf(board)), strict=True)
    assert len(pdf.pages) == len(pages) == 9
    names = []
    for page, printed_page in zip(pages, pdf.pages, strict=True):
        size = [float(side) * 25.4 / 72 for side in printed_page.mediabox[2:]]
        assert size == pytest.approx(A4, abs=0.01)
        found, lines = printed(printed_page)
        assert "Print at 100 %. Cut along the green line," in lines
        region = Polygon(page.outline)
        for hole in not_empty(face_holes(board)):
            if region.contains(Spot(hole.centre)):
                names.append(hole.name)
                x, y = on_page(page, hole.centre)
                wanted = Circle(x, y, hole.diameter / 2)
                assert min(math.dist(wanted, circle) for circle in found) < 0.02, hole.name
    assert sorted(names) == sorted(hole.name for hole in face_holes(board))
