"""The carrier board for a manufacturer, as Gerber X2 (RS-274X) and Excellon, and as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import svg
from shapely import LineString, MultiPolygon, Polygon, box, union_all
from shapely import Point as Spot
from shapely.geometry.base import BaseGeometry

from hardware.bodies import bodies
from hardware.carrier_board import (
    GROUND,
    PLANE_CLEARANCE,
    POWER_NAMES,
    SUPPLY,
    CarrierBoard,
    Pad,
    PartBody,
    Trace,
    carrier_board,
    part_bodies,
)
from hardware.drawing import BLACK, WHITE, circle, label, line, polygon, sheet, text
from pochboard.geometry.dimensions import Stroke, straight, word_length
from pochboard.geometry.face import Point

EDGE: Final = 0.5
"""From copper to the edge of the board."""
MASK: Final = 0.1
"""By how much the solder mask is open around a pad."""
CORNER: Final = 3.0
RELIEF: Final = 0.3
SPOKE: Final = 0.6
"""Of the thermal relief of a pad in the plane: the gap, and the width of the four spokes."""
SILK: Final = 0.15
LETTER: Final = 1.1
"""The width of lines and the height of letters that are printed on the board."""
SILK_NAMES: Final = {
    GROUND: "0V", SUPPLY: "5V", "data out": "DATA", "supply": "5V IN", "branch 1": "B1",
    "branch 2": "B2", "branch 3": "B3",
}  # fmt: skip
FIRST_PINS: Final = {"74AHCT125": (0.0, -2.4), "header": (2.2, 0.0)}
"""Where a 1 stands, from the first pin of these parts."""


def outline(board: CarrierBoard) -> Polygon:
    """The edge of the board, with the round corners of a Pi."""
    width, height = board.size
    inner = box(-width / 2 + CORNER, -height / 2 + CORNER, width / 2 - CORNER, height / 2 - CORNER)
    return inner.buffer(CORNER, quad_segs=16)


def copper_of(part: Pad | Trace) -> BaseGeometry:
    """The copper of a pad or trace, seen from above."""
    if isinstance(part, Pad):
        return Spot(part.at).buffer(part.copper / 2, quad_segs=16)
    return LineString(part.points).buffer(part.width / 2, quad_segs=16)


def plane(board: CarrierBoard) -> Polygon:
    """The plane of ground on the lower side. Pads of ground lie in it."""
    others = [copper_of(pad).buffer(PLANE_CLEARANCE) for pad in board.pads if pad.net != GROUND]
    others += [_relief(pad) for pad in board.pads if pad.net == GROUND]
    screws = [Spot(hole).buffer(board.hole / 2 + 1.5) for hole in board.holes]
    rest = outline(board).buffer(-EDGE).difference(union_all([*others, *screws]))
    # Leave out what is too thin to be etched.
    firm = rest.buffer(-0.1).buffer(0.1)
    return max(firm.geoms, key=lambda one: one.area) if isinstance(firm, MultiPolygon) else firm


def _relief(pad: Pad) -> BaseGeometry:
    """The gap around a pad of the plane, without its four spokes: so a hand can solder it."""
    x, y = pad.at
    far = pad.copper / 2 + RELIEF
    spokes = [LineString([(x - far, y), (x + far, y)]), LineString([(x, y - far), (x, y + far)])]
    cross = union_all([spoke.buffer(SPOKE / 2, cap_style="flat") for spoke in spokes])
    return Spot(pad.at).buffer(far, quad_segs=16).difference(copper_of(pad)).difference(cross)


def silk(board: CarrierBoard) -> list[tuple[Stroke, float]]:
    """What is printed on the board: the name of every terminal, and the outlines of the parts."""
    lines: list[tuple[Stroke, float]] = []
    for pad in board.pads:
        if pad.part == "terminals":
            is_left = pad.at[0] < 0
            words = SILK_NAMES.get(pad.net, pad.net.upper())
            half = word_length(words, LETTER) / 2
            edge = bodies().on_carrier["strip"].front + 0.8
            x = pad.at[0] + (-edge - half if is_left else edge + half)
            lines += _word(words, x, pad.at[1])
        elif pad.part in POWER_NAMES and pad.pin == 1:
            words = SILK_NAMES[pad.part]
            lines += _word(words, pad.at[0] + 4.0 + word_length(words, LETTER) / 2, pad.at[1] - 2.5)
        elif pad.pin == 1 and pad.part in FIRST_PINS:
            right, up = FIRST_PINS[pad.part]
            lines += _word("1", pad.at[0] + right, pad.at[1] + up)
    lines += [(tuple(part.body.exterior.coords), SILK) for part in part_bodies(board)]
    copper = union_all([copper_of(pad).buffer(2 * MASK) for pad in board.pads])
    inside = outline(board).buffer(-EDGE)
    return [
        (tuple((x, y) for x, y in piece.coords), width)
        for points, width in lines
        for piece in _pieces(LineString(points).intersection(inside).difference(copper))
    ]


def _pieces(shape: BaseGeometry) -> Iterator[LineString]:
    for piece in getattr(shape, "geoms", [shape]):
        if isinstance(piece, LineString) and piece.length > 0.15:
            yield piece


def _word(words: str, x: float, y: float) -> list[tuple[Stroke, float]]:
    """A word on the board, whose y points up."""
    lines = straight(words, LETTER, x, -y)
    return [(tuple((u, -v) for u, v in line), SILK) for line in lines]


def gerbers(board: CarrierBoard) -> dict[str, str]:
    """The files by name."""
    pads = [(pad.at, pad.copper) for pad in board.pads]
    open_pads = [(at, copper + 2 * MASK) for at, copper in pads]
    tracks = [(trace.points, trace.width) for trace in board.traces]
    edge = tuple(outline(board).exterior.coords)
    return {
        "carrier-top.gtl": _layer("Copper,L1,Top", discs=pads, lines=tracks),
        "carrier-bottom.gbl": _layer("Copper,L2,Bot", discs=pads, areas=[plane(board)]),
        "carrier-mask-top.gts": _layer("Soldermask,Top", discs=open_pads),
        "carrier-mask-bottom.gbs": _layer("Soldermask,Bot", discs=open_pads),
        "carrier-silk-top.gto": _layer("Legend,Top", lines=silk(board)),
        "carrier-edge.gm1": _layer("Profile,NP", lines=[(edge, 0.1)]),
        "carrier.drl": _drills(board),
    }


def _layer(
    function: str,
    *,
    discs: Iterable[tuple[Point, float]] = (),
    lines: Iterable[tuple[Iterable[Point], float]] = (),
    areas: Iterable[Polygon] = (),
) -> str:
    discs, drawn = list(discs), [(list(points), width) for points, width in lines]
    widths = sorted({size for _, size in discs} | {width for _, width in drawn})
    aperture = {width: number for number, width in enumerate(widths, start=10)}
    rows = [f"%TF.FileFunction,{function}*%", "%TF.GenerationSoftware,pochboard,hardware*%"]
    rows += ["%FSLAX46Y46*%", "%MOMM*%", "G01*"]
    rows += [f"%ADD{number}C,{width:.3f}*%" for width, number in aperture.items()]
    for area in areas:
        rows += ["%LPD*%", *_region(area.exterior.coords), "%LPC*%"]
        for hole in area.interiors:
            rows += _region(hole.coords)
        rows.append("%LPD*%")
    for at, size in discs:
        rows += [f"D{aperture[size]}*", f"{_at(at)}D03*"]
    for points, width in drawn:
        rows += [f"D{aperture[width]}*", f"{_at(points[0])}D02*"]
        rows += [f"{_at(point)}D01*" for point in points[1:]]
    return "\n".join([*rows, "M02*", ""])


def _region(points: Iterable[tuple[float, ...]]) -> Iterator[str]:
    first, *rest = ((point[0], point[1]) for point in points)
    yield from ("G36*", f"{_at(first)}D02*", *(f"{_at(point)}D01*" for point in rest), "G37*")


def _at(point: Point) -> str:
    x, y = (round(value * 1_000_000) for value in point)
    return f"X{x}Y{y}"


def _drills(board: CarrierBoard) -> str:
    holes = [(pad.drill, pad.at) for pad in board.pads]
    holes += [(board.hole, hole) for hole in board.holes]
    sizes = sorted({size for size, _ in holes})
    tools = (f"T{number}C{size:.2f}" for number, size in enumerate(sizes, 1))
    rows = ["M48", "METRIC,TZ", *tools, "%", "G90"]
    for number, size in enumerate(sizes, 1):
        rows += [f"T{number}", *(f"X{x:.3f}Y{y:.3f}" for of, (x, y) in holes if of == size)]
    return "\n".join([*rows, "M30", ""])


# The picture


def carrier_svg() -> str:
    """The board from the side of the parts, four times as large as it is."""
    board = carrier_board()
    scale = 4.0

    def spot(point: tuple[float, ...]) -> Point:
        return point[0] * scale, -point[1] * scale

    def area(shape: Polygon, fill: str) -> svg.Polygon:
        return polygon(*(spot(point) for point in shape.exterior.coords), width=0.2, fill=fill)

    elements: list[svg.Element] = [area(outline(board), "#1f5a3c")]
    elements += [
        line(*map(spot, trace.points), colour="#d9b25f", width=trace.width * scale)
        for trace in board.traces
    ]
    for pad in board.pads:
        colour = "#8fb8e8" if pad.net == GROUND else "#f0d58a"
        elements.append(circle(spot(pad.at), pad.copper / 2 * scale, fill=colour, width=0.1))
        elements.append(circle(spot(pad.at), pad.drill / 2 * scale, fill=WHITE, width=0.1))
    elements += [
        circle(spot(hole), board.hole / 2 * scale, fill=WHITE, width=0.3) for hole in board.holes
    ]
    for part in part_bodies(board):
        outline_ = map(spot, part.body.exterior.coords)
        elements.append(polygon(*outline_, colour=WHITE, width=0.4, name=f"body {part.name}"))
        if part.name in {"Pi", "74AHCT125", "10 kΩ", "390 Ω", "100 nF"}:
            elements.append(
                label(spot(_name_at(part)), part.name, size=4.2, colour=WHITE, bold=True)
            )
    elements += [
        circle(spot(hole), bodies().around.head / 2 * scale, colour=WHITE, width=0.3, name="head")
        for hole in board.holes
    ]
    elements += [
        line(*map(spot, points), colour=WHITE, width=width * scale, name="silk")
        for points, width in silk(board)
    ]
    half_width, half_height = (side / 2 * scale + 8 for side in board.size)
    words = "Blue: 0 V, joined by the plane on the lower side. Yellow: traces on the upper side."
    elements.append(text((-half_width + 2, half_height + 6), words, size=5, colour=BLACK))
    title = "pochboard: the carrier board from the side of the parts"
    return sheet((-half_width, -half_height, half_width, half_height + 12), elements, title=title)


def _name_at(part: PartBody) -> Point:
    """Where the name of a part is written: on it, or above it if it is too small."""
    left, bottom, right, top = part.body.bounds
    x, y = (left + right) / 2, (bottom + top) / 2
    return x, y - 0.4 if right - left > 7 and part.name != "390 Ω" else top + 0.6
