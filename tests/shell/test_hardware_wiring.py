"""The wiring diagrams: up to date, and electrically correct."""

from __future__ import annotations

import math
import tomllib
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from hardware.draw import standard_files
from hardware.pins import VARIANTS, Variant
from hardware.spec import BoardSpec
from hardware.wiring import wiring_svg
from pochboard.rules.accounts import POOLS
from tests.not_empty import not_empty

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "hardware"
SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]

SPECS = [
    BoardSpec(),
    BoardSpec(places=3),
    BoardSpec(places=6),
]


# Up to date


@pytest.fixture(scope="module")
def standard() -> dict[str, bytes]:
    return standard_files()


def test_files_are_up_to_date_with_the_data(standard: dict[str, bytes]) -> None:
    for name, content in not_empty(standard.items()):
        assert (FOLDER / name).read_bytes() == content, f"{name} is stale: make drawings"


# Pins


def assigned_pins(variant: Variant) -> tuple[dict[str, int], int, list[int]]:
    """The pins of the buttons, of the pixels and of ground, read directly from pins.toml."""
    plan: dict[str, Any] = tomllib.loads((FOLDER / "pins.toml").read_text())
    key = "header"
    if variant == "pico":
        plan, key = plan["pico"], "pin"
    buttons = {name: pin[key] for name, pin in plan["buttons"].items()}
    return buttons, plan["pixels"]["data"][key], plan["header"]["ground"]


class Drawing:
    """A parsed SVG: texts with their positions, and conductors with their names."""

    def __init__(self, text: str) -> None:
        root = ET.fromstring(text)
        self.texts = [
            (element.text or "", (float(element.attrib["x"]), float(element.attrib["y"])))
            for element in root.iter(f"{SVG}text")
        ]
        self.pins = {
            int(element.text or ""): (float(element.attrib["x"]), float(element.attrib["y"]))
            for element in root.iter(f"{SVG}text")
            if element.get("data-name", "").startswith("pin ")
        }
        self.wires = [
            (element.attrib["data-name"], corners(element))
            for element in root.iter(f"{SVG}polyline")
            if "data-name" in element.attrib
        ]

    def wire(self, name: str) -> list[Point]:
        (points,) = (points for wire, points in self.wires if wire == name)
        return points

    def pin_at(self, end: Point) -> int:
        """The pin whose number is nearest to the end of a wire."""
        return min(self.pins, key=lambda pin: math.dist(self.pins[pin], end))

    def from_pin(self, end: Point) -> float:
        return math.dist(self.pins[self.pin_at(end)], end)

    @cached_property
    def nets(self) -> list[set[str]]:
        """Groups of connected conductors. Two are connected where one ends on the other."""
        groups: list[list[tuple[str, list[Point]]]] = []
        for conductor in self.wires:
            joined = [
                group for group in groups if any(touch(conductor, member) for member in group)
            ]
            groups = [group for group in groups if not any(group is other for other in joined)]
            groups.append([conductor, *(member for group in joined for member in group)])
        return [{name for name, _ in group} for group in groups]

    def net(self, name: str) -> set[str]:
        (found,) = (net for net in self.nets if name in net)
        return found


def corners(element: ET.Element) -> list[Point]:
    pairs = (pair.split(",") for pair in element.attrib["points"].split())
    return [(float(x), float(y)) for x, y in pairs]


def touch(one: tuple[str, list[Point]], other: tuple[str, list[Point]]) -> bool:
    """Whether two conductors are connected: one ends on the other, or both are ground symbols."""
    if one[0] == other[0] and one[0].endswith(" symbol"):
        return True
    return any(
        on(end, line)
        for (name, points), (_, line) in ((one, other), (other, one))
        if not name.endswith(" symbol")
        for end in (points[0], points[-1])
    )


def on(at: Point, line: list[Point]) -> bool:
    """Whether a point lies on a polyline, to within 0.02 mm."""
    return any(distance(at, start, end) < 0.02 for start, end in pairwise(line))


def distance(at: Point, start: Point, end: Point) -> float:
    """The distance of a point from a segment."""
    along = (end[0] - start[0], end[1] - start[1])
    length = math.dist(start, end)
    part = (at[0] - start[0]) * along[0] + (at[1] - start[1]) * along[1]
    part = min(max(part / (length * length), 0.0), 1.0)
    return math.dist(at, (start[0] + part * along[0], start[1] + part * along[1]))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("spec", SPECS)
def test_every_wire_ends_at_its_pin(variant: Variant, spec: BoardSpec) -> None:
    drawing = Drawing(wiring_svg(variant, spec))
    buttons, data, grounds = assigned_pins(variant)
    used = [name for name in buttons if not name.startswith("seat") or int(name[4:]) <= spec.places]
    assert sorted(drawing.pins) == list(range(1, 41))
    for name in used:
        wire = drawing.wire(f"wire {name}")
        start, switch = sorted((wire[0], wire[-1]), key=drawing.from_pin)
        assert drawing.pin_at(start) == buttons[name], name
        # The name is above the same line, and the button is between it and the pin.
        (label,) = (at for text, at in drawing.texts if text == name)
        assert abs(label[1] - start[1]) < 2, name
        assert min(label[0], start[0]) < switch[0] < max(label[0], start[0])
    wires = {name for name, _ in drawing.wires if name.startswith("wire ")}
    assert wires == {"wire piezo", *(f"wire {name}" for name in used)}
    piezo = min(drawing.wire("wire piezo"), key=drawing.from_pin)
    assert drawing.pin_at(piezo) == {"gpio": 26, "pico": 25}[variant]
    assert drawing.pin_at(drawing.wire("data")[0]) == data
    for pin in grounds:
        assert pin in {drawing.pin_at(end) for end in drawing.wire(f"ground {pin}")}


# Nets


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("spec", SPECS)
def test_nets_connect_what_they_should_and_nothing_else(variant: Variant, spec: BoardSpec) -> None:
    drawing = Drawing(wiring_svg(variant, spec))
    chain = [
        *(f"ring {pool}" for pool in POOLS),
        *(f"place {n}" for n in range(1, spec.places + 1)),
    ]
    zero, plus = drawing.net("0 V"), drawing.net("5 V joint")
    # The switch separates the supply and its capacitor from everything else.
    assert drawing.net("5 V") == {"5 V", "wire"}
    assert "switched 5 V" in plus
    _, _, grounds = assigned_pins(variant)
    assert {f"0 V of {part}" for part in chain} <= zero
    assert {f"ground of {button}" for button in spec.buttons} <= zero
    assert {f"ground {pin}" for pin in grounds} <= zero
    assert "ground of piezo" in zero
    # All enables, the unused inputs and the ground of the level shifter.
    assert {f"0 V of shifter {pin}" for pin in (1, 4, 5, 7, 9, 10, 12, 13)} <= zero
    assert {f"5 V of {part}" for part in chain} | {"5 V of the shifter"} <= plus
    assert drawing.net("data") == {"data", "data in", "pull-down"}
    assert "0 V of pull-down" in zero
    assert drawing.net("data out") == {"data out"}
    for button in (*spec.buttons, "piezo"):
        assert drawing.net(f"wire {button}") == {f"wire {button}"}
    # Unnamed wires are all called "wire".
    assert zero & plus <= {"wire"}
    links = [points for name, points in drawing.wires if name == "data link"]
    assert len(links) == len(chain) - 1
