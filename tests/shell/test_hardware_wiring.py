"""The drawings of the wiring: up to date, and electrically what the board needs."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from hardware.draw import everything
from hardware.pins import VARIANTS, Variant
from hardware.sheet import svg
from hardware.size import Pixel, Size
from hardware.wiring import wiring
from pochboard.rules.board import POOLS

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "hardware"
SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]

SIZES = [
    Size(),
    Size(places=3, ring=4),
    Size(places=6, ring=16, pixel="rgbw"),
    Size(places=7, ring=64, limit_ma=8000),
]


# Up to date


def test_the_files_are_those_that_the_data_give() -> None:
    for name, content in everything().items():
        assert (FOLDER / name).read_bytes() == content, f"{name} is stale: make drawings"


def test_another_process_elsewhere_writes_the_same_bytes(tmp_path: Path) -> None:
    env = os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    command = (sys.executable, "-m", "hardware.draw", "--out", str(tmp_path))
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in tmp_path.iterdir())
    drawn = ["holes.csv", "template-a4.pdf", "template.svg", "wiring-gpio.svg", "wiring-pico.svg"]
    assert names == sorted([*drawn, "parts.md"])
    for name in drawn:
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name


def test_no_drawing_says_when_or_where_it_was_made() -> None:
    for name in ("template-a4.pdf", "template.svg", "wiring-gpio.svg", "wiring-pico.svg"):
        text = (FOLDER / name).read_bytes().decode("cp1252")
        text = text.replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"://|\b20\d\d\b|CreationDate|/(home|root|tmp|usr)/", text), name


# Pins


def pins_of_the_data(variant: Variant) -> tuple[dict[str, int], int, list[int]]:
    """The pin of each button, that of the pixels, and the grounds, straight from pins.toml."""
    plan: dict[str, Any] = tomllib.loads((FOLDER / "pins.toml").read_text())
    key = "header"
    if variant == "pico":
        plan, key = plan["pico"], "pin"
    buttons = {name: pin[key] for name, pin in plan["buttons"].items()}
    return buttons, plan["pixels"]["data"][key], plan["header"]["ground"]


class Drawing:
    """An SVG read again: texts with their places, and conductors with their names."""

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
        (points,) = (points for found, points in self.wires if found == name)
        return points

    def pin_at(self, end: Point) -> int:
        """The pin whose number stands nearest to the end of a wire."""
        return min(self.pins, key=lambda pin: math.dist(self.pins[pin], end))

    def from_pin(self, end: Point) -> float:
        return math.dist(self.pins[self.pin_at(end)], end)

    def nets(self) -> list[set[str]]:
        """Which conductors are joined: where one ends on another. Signs of 0 V are one."""
        groups: list[list[tuple[str, list[Point]]]] = []
        for conductor in self.wires:
            joined = [group for group in groups if any(touch(conductor, one) for one in group)]
            groups = [group for group in groups if not any(group is one for one in joined)]
            groups.append([conductor, *(one for group in joined for one in group)])
        return [{name for name, _ in group} for group in groups]

    def net(self, name: str) -> set[str]:
        (found,) = (net for net in self.nets() if name in net)
        return found


def corners(element: ET.Element) -> list[Point]:
    pairs = (pair.split(",") for pair in element.attrib["points"].split())
    return [(float(x), float(y)) for x, y in pairs]


def touch(one: tuple[str, list[Point]], other: tuple[str, list[Point]]) -> bool:
    """Whether two conductors are joined: one ends on the other. Crossing joins nothing."""
    if one[0] == other[0] == "earth":
        return True
    return any(
        on(end, line)
        for (name, points), (_, line) in ((one, other), (other, one))
        if name != "earth"
        for end in (points[0], points[-1])
    )


def on(at: Point, line: list[Point]) -> bool:
    """Whether a point lies on a line of points, to a fiftieth of a millimetre."""
    return any(away(at, start, end) < 0.02 for start, end in pairwise(line))


def away(at: Point, start: Point, end: Point) -> float:
    """How far a point is from a stretch."""
    along = (end[0] - start[0], end[1] - start[1])
    length = math.dist(start, end)
    part = (at[0] - start[0]) * along[0] + (at[1] - start[1]) * along[1]
    part = min(max(part / (length * length), 0.0), 1.0)
    return math.dist(at, (start[0] + part * along[0], start[1] + part * along[1]))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("size", SIZES)
def test_every_wire_of_the_drawing_ends_at_its_pin(variant: Variant, size: Size) -> None:
    drawing = Drawing(svg(wiring(variant, size)))
    buttons, data, grounds = pins_of_the_data(variant)
    used = [name for name in buttons if not name.startswith("seat") or int(name[4:]) <= size.places]
    assert sorted(drawing.pins) == list(range(1, 41))
    for name in used:
        wire = drawing.wire(f"wire {name}")
        start, switch = sorted((wire[0], wire[-1]), key=drawing.from_pin)
        assert drawing.pin_at(start) == buttons[name], name
        # The name stands above the same line, and the button is between it and the pin.
        (label,) = (at for text, at in drawing.texts if text == name)
        assert abs(label[1] - start[1]) < 2, name
        assert min(label[0], start[0]) < switch[0] < max(label[0], start[0])
    wires = {name for name, _ in drawing.wires if name.startswith("wire ")}
    assert wires == {f"wire {name}" for name in used}
    assert drawing.pin_at(drawing.wire("data")[0]) == data
    for pin in grounds:
        assert pin in {drawing.pin_at(end) for end in drawing.wire(f"ground {pin}")}


def test_the_pins_stand_as_they_are_seen_from_above() -> None:
    pi = Drawing(svg(wiring("gpio", Size()))).pins
    for odd in range(1, 40, 2):
        assert pi[odd][1] == pi[odd + 1][1]
        assert pi[odd][0] < pi[odd + 1][0]
    assert all(pi[pin][1] < pi[pin + 2][1] for pin in range(1, 39))
    pico = Drawing(svg(wiring("pico", Size()))).pins
    for left in range(1, 21):
        assert pico[left][1] == pico[41 - left][1]
        assert pico[left][0] < pico[41 - left][0]
    assert all(pico[pin][1] < pico[pin + 1][1] for pin in range(1, 20))


def test_the_level_shifter_has_the_pins_of_its_data_sheet() -> None:
    root = ET.fromstring(svg(wiring("gpio", Size())))
    at = {
        int(element.text or ""): (float(element.attrib["x"]), float(element.attrib["y"]))
        for element in root.iter(f"{SVG}text")
        if element.get("data-name", "").startswith("shifter ")
    }
    assert sorted(at) == list(range(1, 15))
    # Down the left side and up the right one; a gate is enable, input, output.
    assert all(
        at[pin][1] == at[15 - pin][1] and at[pin][0] < at[15 - pin][0] for pin in range(1, 8)
    )
    sheet = words_of("1OE 1A 1Y 2OE 2A 2Y GND 3Y 3A 3OE 4Y 4A 4OE VCC")
    texts = Drawing(svg(wiring("gpio", Size()))).texts
    for pin, word in enumerate(sheet, start=1):
        close = [text for text, found in texts if math.dist(found, at[pin]) < 6 and text in sheet]
        assert close == [word], pin
    drawing = Drawing(svg(wiring("pico", Size())))
    for wire, pin in {"data in": 2, "data out": 3, "5 V of the shifter": 14}.items():
        ends = drawing.wire(wire)
        assert min(math.dist(at[pin], end) for end in (ends[0], ends[-1])) < 3, wire


def words_of(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_committed_drawings_show_every_pin_of_the_data(variant: Variant) -> None:
    drawing = Drawing((FOLDER / f"wiring-{variant}.svg").read_text("utf-8"))
    buttons, _, _ = pins_of_the_data(variant)
    for name, pin in buttons.items():
        wire = drawing.wire(f"wire {name}")
        assert pin in {drawing.pin_at(wire[0]), drawing.pin_at(wire[-1])}, name


# Nets


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("size", SIZES)
def test_what_has_to_be_joined_is_joined_and_nothing_else(variant: Variant, size: Size) -> None:
    drawing = Drawing(svg(wiring(variant, size)))
    chain = [
        *(f"ring {pool}" for pool in POOLS),
        *(f"place {n}" for n in range(1, size.places + 1)),
    ]
    zero, plus = drawing.net("0 V"), drawing.net("5 V")
    _, _, grounds = pins_of_the_data(variant)
    assert {f"0 V of {one}" for one in chain} <= zero
    assert {f"ground of {button}" for button in size.buttons} <= zero
    assert {f"ground {pin}" for pin in grounds} <= zero
    # Enable and inputs of the level shifter, all but the one that is used, and its own ground.
    assert {f"0 V of shifter {pin}" for pin in (1, 4, 5, 7, 9, 10, 12, 13)} <= zero
    assert {f"5 V of {one}" for one in chain} | {"5 V of the shifter"} <= plus
    assert drawing.net("data") == {"data", "data in"}
    assert drawing.net("data out") == {"data out"}
    for button in size.buttons:
        assert drawing.net(f"wire {button}") == {f"wire {button}"}
    # Stretches without a name of their own are all called "wire".
    assert zero & plus <= {"wire"}
    links = [points for name, points in drawing.wires if name == "data link"]
    assert len(links) == len(chain) - 1


@pytest.mark.parametrize(("places", "pixels", "pixel"), [(6, 16, "rgbw"), (8, 12, "rgb")])
def test_the_words_say_the_size(places: int, pixels: int, pixel: Pixel) -> None:
    drawing = Drawing(svg(wiring("gpio", Size(places=places, ring=pixels, pixel=pixel))))
    words = " ".join(text for text, _ in drawing.texts)
    assert f"{places} places, 9 rings of {pixels} " in words
    assert f"{9 * pixels + places} pixels, {9 + places + 2} buttons" in words
    assert ("RGBW" in words) == (pixel == "rgbw")
    assert words.count(f"{pixels} pixels ") == 9
    for part in ("74AHCT125", "330–470 Ω", "1000 µF", "100 nF", "fuse 4 A", "5 V, 4 A"):
        assert part in words, part
