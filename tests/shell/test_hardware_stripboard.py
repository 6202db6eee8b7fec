"""The stripboard connects what the wiring diagram connects, and nothing else."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from shapely import LineString, Point, box

from hardware.bodies import bodies
from hardware.cases import case
from hardware.spec import BoardSpec
from hardware.stripboard import body_on, nets, place_of, screws_of, stripboard, wires_of
from pochboard.geometry.dimensions import dimensions
from tests.some import some

FOLDER = Path(__file__).resolve().parents[2] / "hardware"
SHIFTER = "74AHCT125"


def test_stripboard_connects_what_it_should_and_nothing_else() -> None:
    branches = [f"branch {number}" for number in range(1, len(BoardSpec().branches) + 1)]
    five = {"supply 5 V", *(f"{branch} 5 V" for branch in branches), f"{SHIFTER} 14", "100 nF a"}
    zero = {"supply 0 V", *(f"{branch} 0 V" for branch in branches), "100 nF b", "10 kΩ b"}
    zero |= {"ring ace 0 V", "Pi or Pico 0 V"}
    zero |= {f"{SHIFTER} {pin}" for pin in (1, 4, 5, 7, 9, 10, 12, 13)}
    wanted = [
        five,
        zero,
        {"Pi or Pico data", f"{SHIFTER} 2", "10 kΩ a"},
        {f"{SHIFTER} 3", "390 Ω a"},
        {"390 Ω b", "ring ace data"},
        *({f"{SHIFTER} {pin}"} for pin in (6, 8, 11)),
    ]
    assert sorted(map(sorted, nets(stripboard()))) == sorted(map(sorted, wanted))


def test_every_hole_is_used_once_and_is_on_the_board() -> None:
    board = stripboard()
    used = Counter(hole for part in board.part for hole in part.pins.values())
    used.update(hole for link in board.links for hole in link)
    used.update(board.cuts)
    assert max(used.values()) == 1, used.most_common(3)
    assert all(1 <= column <= board.columns and 1 <= row <= board.rows for column, row in used)


def test_leads_and_links_have_the_length_that_their_parts_need() -> None:
    board = stripboard()
    parts = {part.name: part for part in board.part}
    # A 14-pin DIP case: pins 1 to 7 down one side, 14 to 8 down the other, three holes apart.
    chip = parts[SHIFTER].pins
    column, row = chip["1"]
    for step in range(7):
        assert chip[f"{1 + step}"] == (column, row + step)
        assert chip[f"{14 - step}"] == (column + 3, row + step)
    for part in some([part for part in board.part if part.name != SHIFTER]):
        one, two = (place_of(board, hole) for hole in part.pins.values())
        apart = math.dist(one, two)
        if part.body == "terminal":
            assert apart == pytest.approx(bodies().terminal.pitch)
        else:
            size = bodies().resistor if part.body == "resistor" else bodies().capacitor
            assert size.shortest - 1e-6 <= apart <= size.length + 5.1, part.name
    for start, end in some(board.links):
        assert start[0] == end[0], "links run across the strips"


def test_bodies_do_not_overlap_each_other_a_screw_or_a_wire() -> None:
    board, around = stripboard(), bodies().around
    covered = {part.name: body_on(board, part) for part in board.part}
    room = dimensions().room
    width, height = room.stripboard
    outside = box(-width / 2, -height / 2, width / 2, height / 2)
    terminals = {part.name for part in board.part if part.body == "terminal"}
    for (one, first), (other, second) in some(combinations(covered.items(), 2)):
        if {one, other} <= terminals:
            # They stand side by side and may touch, but not face each other.
            assert first.intersection(second).area < 1e-6, (one, other)
        else:
            assert first.distance(second) >= around.gap, (one, other)
    heads = [Point(hole).buffer(around.head / 2) for hole in screws_of()]
    links = [
        LineString([place_of(board, hole) for hole in link]).buffer(around.wire / 2)
        for link in board.links
    ]
    # Somebody solders both: no hole with a lead or a link is below another part.
    leads = [
        (part.name, Point(place_of(board, hole)))
        for part in board.part
        for hole in part.pins.values()
    ]
    for name, body in some(covered.items()):
        assert outside.contains(body), name
        assert min(body.distance(head) for head in heads) >= around.gap, name
        assert min(body.distance(link) for link in links) >= around.gap, name
        assert not [of for of, lead in leads if of != name and body.intersects(lead)], name
    for link, another in some(combinations(links, 2)):
        assert link.distance(another) >= around.gap


def test_wires_reach_every_terminal_inside_the_case() -> None:
    board, shape = stripboard(), case("supply")
    covered = {part.name: body_on(board, part) for part in board.part}
    (x, y), (width, depth) = shape.board_centre, shape.inside
    walls = box(-width / 2 - x, -depth / 2 - y, width / 2 - x, depth / 2 - y)
    fronts = {part.name: wires_of(board, part) for part in board.part if part.entry}
    assert len(fronts) == 6
    for name, free in fronts.items():
        assert free is not None
        assert walls.contains(free), name
        others = [body for other, body in covered.items() if other != name]
        assert not [body for body in others if free.intersection(body).area > 1e-6], name


def test_socket_and_switch_are_not_above_the_terminals() -> None:
    board, shape, room = stripboard(), case("supply"), dimensions().room
    y = shape.board_centre[1]
    highest = max(body_on(board, part).bounds[3] for part in board.part if part.entry)
    assert y + highest <= shape.inside[1] / 2 - bodies().panel.depth
    # The holes for the posts of its case are beyond the outer strips.
    assert board.columns * board.pitch_mm <= room.stripboard[0]
    assert board.rows * board.pitch_mm <= room.stripboard[1]
    outermost = (board.rows - 1) / 2 * board.pitch_mm
    assert room.stripboard_holes[1] / 2 - 2.7 / 2 >= outermost + 0.5
    assert all(
        side / 2 - hole / 2 >= 2.7
        for side, hole in zip(room.stripboard, room.stripboard_holes, strict=True)
    )


def test_picture_shows_all_pins_links_and_cuts() -> None:
    root = ET.fromstring((FOLDER / "stripboard.svg").read_text("utf-8"))
    names = Counter(element.get("data-name") for element in root.iter())
    board = stripboard()
    assert names["link"] == len(board.links)
    assert names["cut"] == len(board.cuts)
    for part in board.part:
        assert names[f"body {part.name}"] == 1
        assert all(names[f"{part.name} {pin}"] == 1 for pin in part.pins)
