"""The carrier board: its rules of design, and its connections against the pins."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from typing import Final

import click
import msgspec
import pytest
from shapely import LineString, union_all
from shapely import Point as Spot
from shapely.geometry.base import BaseGeometry
from shapely.strtree import STRtree

from hardware.bodies import bodies
from hardware.carrier_board import (
    CLEARANCE,
    DATA_IN,
    DATA_OUT,
    GROUND,
    POWER,
    POWER_NAMES,
    SHIFTED,
    SUPPLY,
    Pad,
    Trace,
    carrier_board,
    part_bodies,
)
from hardware.gerber import EDGE, RELIEF, copper_of, gerbers, outline, plane
from hardware.kicad import FILE, check_board, kicad_board
from hardware.pins import pinout
from hardware.spec import BoardSpec
from tests.not_empty import not_empty

BOARD: Final = carrier_board()
PARTS: Final[tuple[Pad | Trace, ...]] = (*BOARD.pads, *BOARD.traces)
RING_MM: Final = 0.25
"""The least copper around a hole that common manufacturers drill."""


def test_copper_of_different_nets_keeps_its_distance() -> None:
    shapes = [copper_of(part) for part in PARTS]
    tree = STRtree(shapes)
    for index, part in enumerate(PARTS):
        for other in tree.query(shapes[index].buffer(CLEARANCE)):
            if int(other) > index and not (part.net and part.net == PARTS[int(other)].net):
                distance = shapes[index].distance(shapes[int(other)])
                assert distance >= CLEARANCE - 1e-6, (part, PARTS[int(other)])


def test_holes_edges_and_rings_can_be_made() -> None:
    drilled = [(pad.at, pad.drill) for pad in BOARD.pads]
    drilled += [(hole, BOARD.hole) for hole in BOARD.holes]
    for (one, first), (other, second) in not_empty(combinations(drilled, 2)):
        assert Spot(one).distance(Spot(other)) - (first + second) / 2 >= 0.5, (one, other)
    inside = outline(BOARD).buffer(-EDGE)
    for part in PARTS:
        assert inside.contains(copper_of(part)), part
        if isinstance(part, Pad):
            assert (part.copper - part.drill) / 2 >= RING_MM, part
    # The heads of the screws, 5 mm wide, touch no copper.
    for hole in not_empty(BOARD.holes):
        assert min(copper_of(part).distance(Spot(hole)) for part in PARTS) >= 2.6


def test_bodies_leave_room_for_each_other_the_screws_and_the_wires() -> None:
    around, parts = bodies().around, part_bodies(BOARD)
    assert len(parts) == 1 + 4 + 5 + 4
    heads = [Spot(hole).buffer(around.head / 2) for hole in BOARD.holes]
    side_by_side = set(POWER_NAMES)
    for one, other in not_empty(combinations(parts, 2)):
        if {one.name, other.name} <= side_by_side:
            assert one.body.intersection(other.body).area < 1e-6, (one.name, other.name)
        else:
            assert one.body.distance(other.body) >= around.gap, (one.name, other.name)
    for part in not_empty(parts):
        # The Pi, on its socket above the others, is longer than the board is high.
        if part.name != "Pi":
            assert outline(BOARD).buffer(0.01).contains(part.body), part.name
        assert min(part.body.distance(head) for head in heads) >= around.gap, part.name
        leads = [pad for pad in BOARD.pads if part.body.intersects(Spot(pad.at))]
        assert len({pad.part for pad in leads}) <= 1, part.name
        if part.wires is not None:
            in_the_way = [*heads, *(other.body for other in parts if other is not part)]
            assert not [body for body in in_the_way if body.intersects(part.wires)], part.name


def test_each_net_is_one_piece_and_the_wires_are_those_of_the_pins() -> None:
    pieces: dict[str, list[BaseGeometry]] = defaultdict(list)
    for part in PARTS:
        if part.net:
            pieces[part.net].append(copper_of(part))
    for net, shapes in pieces.items():
        if net != GROUND:
            assert union_all(shapes).geom_type == "Polygon", net
    ground = plane(BOARD)
    for pad in not_empty(BOARD.pads):
        if pad.net == GROUND:
            # Joined by spokes, with gaps between them: an iron can heat it.
            ring = Spot(pad.at).buffer(pad.copper / 2 + RELIEF / 2).exterior
            joined = ring.intersection(ground).length / ring.length
            assert 0.1 < joined < 0.7, pad
            assert ground.intersects(copper_of(pad))
        else:
            assert ground.distance(copper_of(pad)) >= CLEARANCE, pad
    assert not [trace for trace in BOARD.traces if trace.net == GROUND]

    connected = {(pad.part, pad.pin): pad.net for pad in BOARD.pads}
    for pin in not_empty(pinout("gpio")):
        net, terminal = connected["header", pin.number], connected["terminals", pin.number]
        if pin.kind == "button":
            assert net == terminal == pin.button
        elif pin.kind == "ground":
            assert net == terminal == GROUND
        elif pin.kind == "pixels":
            assert (net, terminal) == (DATA_IN, "")
        elif pin.label == "5 V":
            assert net == terminal == SUPPLY, "one supply feeds the Pi as well"
    names = {pad.net for pad in BOARD.pads if pad.part == "terminals"}
    assert {"3V3", "SDA", "SCL", "PIEZO", *BoardSpec().buttons} <= names
    chip = {pin: connected["74AHCT125", pin] for pin in range(1, 15)}
    assert (chip[2], chip[3], chip[14]) == (DATA_IN, SHIFTED, SUPPLY)
    # No input floats, and the wiring diagrams say the same.
    assert {chip[pin] for pin in (1, 4, 5, 7, 9, 10, 12, 13)} == {GROUND}
    assert {chip[pin] for pin in (6, 8, 11)} == {""}
    two = {part: {connected[part, 1], connected[part, 2]} for part in ("10 kΩ", "390 Ω", "100 nF")}
    assert two == {
        "10 kΩ": {DATA_IN, GROUND},
        "390 Ω": {SHIFTED, DATA_OUT},
        "100 nF": {SUPPLY, GROUND},
    }


def test_the_current_of_all_branches_has_wide_copper() -> None:
    wide = union_all(
        [copper_of(trace) for trace in BOARD.traces if trace.net == SUPPLY and trace.width == POWER]
    )
    spots = [
        pad.at
        for pad in BOARD.pads
        if pad.part.startswith(("supply", "branch")) and pad.net == SUPPLY
    ]
    assert len(spots) == 4
    assert wide.geom_type == "Polygon"
    for spot in spots:
        assert wide.contains(Spot(spot))
    # The current comes back through the plane, which is nowhere narrower on its way.
    neck = plane(BOARD).buffer(-POWER / 2)
    pieces = list(neck.geoms) if hasattr(neck, "geoms") else [neck]
    returns = [pad for pad in BOARD.pads if pad.part.startswith(("supply", "branch"))]
    grounds = [copper_of(pad).buffer(POWER) for pad in returns if pad.net == GROUND]
    assert any(all(piece.intersects(spot) for spot in grounds) for piece in pieces)


def test_files_for_the_manufacturer_have_all_copper_and_holes() -> None:
    files = gerbers(BOARD)
    flashes = re.findall(r"X(-?\d+)Y(-?\d+)D03\*", files["carrier-top.gtl"])
    assert sorted((int(x) / 1e6, int(y) / 1e6) for x, y in flashes) == sorted(
        pad.at for pad in BOARD.pads
    )
    text = files["carrier-top.gtl"]
    moves = re.findall(r"X(-?\d+)Y(-?\d+)D0([12])\*", text)
    lines: list[list[tuple[float, float]]] = []
    for x, y, kind in moves:
        point = int(x) / 1e6, int(y) / 1e6
        lines.append([point]) if kind == "2" else lines[-1].append(point)
    drawn = union_all([LineString(points) for points in lines])
    traced = union_all([LineString(trace.points) for trace in BOARD.traces])
    assert drawn.hausdorff_distance(traced) < 1e-5
    drills = re.findall(r"^X\S+Y\S+$", files["carrier.drl"], re.MULTILINE)
    assert len(drills) == len(BOARD.pads) + len(BOARD.holes)
    for name, content in files.items():
        assert content.endswith("M30\n" if name.endswith("drl") else "M02*\n")


def test_kicads_rule_checks_pass_and_find_a_broken_trace_and_a_short(tmp_path: Path) -> None:
    (tmp_path / "carrier").mkdir()
    file = tmp_path / FILE
    file.write_text(kicad_board(BOARD), "utf-8")
    violations = check_board(tmp_path)
    if "not installed" in violations:
        return
    assert f"no violation among {len(BOARD.pads) + len(BOARD.holes)} pads" in violations
    first, *others = BOARD.traces
    away = msgspec.structs.replace(first, points=((-37.0, -22.86), (-37.0, -17.78)))
    broken = msgspec.structs.replace(BOARD, traces=(away, *others))
    file.write_text(kicad_board(broken), "utf-8")
    with pytest.raises(click.ClickException) as error:
        check_board(tmp_path)
    assert "[unconnected_items]" in error.value.message
    assert "[clearance]" in error.value.message
