"""Parts and power: quantities follow from the size, and the arithmetic is that of the lights."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from hardware.draw import main
from hardware.geometry import layout
from hardware.parts import Part, load, parts_of, power_wire_m, signal_wire_m
from hardware.size import SUPPLIES_A, Pixel, Size, power_rows
from hardware.tables import SIZES, filled
from pochboard.config import Lights, load_config
from pochboard.lights.display import DisplayConfig
from pochboard.lights.frame import estimate_ma, limit

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "hardware"


def named(size: Size, word: str) -> Part:
    (part,) = (part for part in parts_of(size) if word in part.name)
    return part


# Quantities


def test_the_file_says_the_quantities_of_the_usual_board() -> None:
    worked_out = [part.quantity for part in parts_of(Size())]
    assert [entry["quantity"] for entry in load()] == worked_out
    (supply_ma,) = (entry["supply_ma"] for entry in load() if "supply_ma" in entry)
    assert supply_ma == 1000 * Size().supply_a


@pytest.mark.parametrize(
    ("places", "ring", "pixels", "buttons"),
    [(8, 12, 116, 19), (3, 12, 111, 14), (6, 16, 150, 17), (4, 20, 184, 15), (8, 64, 584, 19)],
)
def test_pixels_and_buttons_are_those_of_the_board(
    places: int, ring: int, pixels: int, buttons: int
) -> None:
    parts = parts_of(Size(places=places, ring=ring))
    assert sum(part.quantity * part.pixels for part in parts) == pixels
    assert sum(part.quantity * part.buttons for part in parts) == buttons
    assert DisplayConfig(places=places, pixels_per_ring=ring).pixels == pixels


def test_rings_that_nobody_sells_are_bought_as_single_pixels() -> None:
    assert named(Size(), "NeoPixel ring").quantity == 9
    assert named(Size(ring=20), "for the rings").quantity == 180
    assert "36.8 mm" in named(Size(), "NeoPixel ring").name


def test_kind_of_pixels_supply_and_wire_follow_the_size() -> None:
    large = Size(ring=64, limit_ma=9000, pixel="rgbw")
    assert "RGBW" in named(large, "for the rings").name
    assert "RGBW" not in named(Size(), "NeoPixel ring").name
    assert "5 V 15 A" in named(large, "Supply").name
    assert "15 A" in named(large, "Fuse").name
    assert "2.5 mm²" not in named(Size(), "red").name
    # Copper in a bundle carries some 5 A a square millimetre; a little more for so short a way.
    for size in (Size(), large, Size(limit_ma=7000)):
        assert size.supply_a <= 5.5 * size.cross_mm2


def test_both_variants_have_what_they_need_and_no_placeholder_is_left() -> None:
    parts = parts_of(Size())
    assert {part.only for part in parts} == {"", "gpio", "pico"}
    assert all(part.quantity > 0 for part in parts)
    assert not [part for part in parts if "{" in part.name + part.note]
    words = " ".join(part.name for part in parts)
    for what in ("Supply", "Fuse", "74AHCT125", "Resistor, 330 to 470", "1000 µF", "Raspberry Pi"):
        assert what in words


@pytest.mark.parametrize("size", [Size(), Size(places=3), Size(ring=24)])
def test_there_is_wire_for_every_way_and_not_twice_as_much(size: Size) -> None:
    board = layout(size)
    # Along the outer ring of pools, in to the middle, out to the rim and round it.
    rim, pools = math.hypot(*board.pixels[-1].at), math.hypot(*board.pools[0])
    chain = 7 * 2 * pools * math.sin(math.pi / 8) + pools + rim
    chain += (size.places - 1) * 2 * rim * math.sin(math.pi / size.places)
    # Two from each button to the middle, where they need a hand's breadth to be soldered.
    buttons = sum(2 * (math.hypot(*hole.at) + 100) for hole in board.buttons)
    assert chain + buttons < 1000 * signal_wire_m(board) < 2 * (chain + buttons)
    power = chain + 2 * board.radius
    assert power < 1000 * power_wire_m(board) < 2 * power + 1000


# Power


@given(
    places=st.integers(3, 8),
    ring=st.integers(4, 64),
    limit_ma=st.integers(600, 20_000),
    pixel=st.sampled_from(["rgb", "rgbw"]),
)
def test_the_budget_is_what_the_lights_reckon(
    places: int, ring: int, limit_ma: int, pixel: Pixel
) -> None:
    size = Size(places=places, ring=ring, limit_ma=limit_ma, pixel=pixel)
    white = bytes([255]) * (3 * size.pixels)
    assert size.dark_ma == estimate_ma(bytes(3 * size.pixels))
    assert size.white_ma == round(estimate_ma(white))
    shown = estimate_ma(limit(white, limit_ma))
    assert shown <= size.most_ma <= limit_ma
    # A third in reserve, and no smaller supply has it.
    assert size.supply_a * 1000 * 3 >= size.most_ma * 4
    smaller = [amps for amps in SUPPLIES_A if amps < size.supply_a]
    assert all(amps * 1000 * 3 < size.most_ma * 4 for amps in smaller)


def test_the_arithmetic_of_the_table_comes_out() -> None:
    for size in SIZES:
        for what, arithmetic, result in power_rows(size):
            if re.fullmatch(r"[\d ×/+]+", arithmetic):
                tokens = arithmetic.split()
                value = float(tokens[0])
                for sign, number in zip(tokens[1::2], tokens[2::2], strict=True):
                    operand = float(number)
                    value = {"×": value * operand, "/": value / operand, "+": value + operand}[sign]
                assert math.ceil(value) == int(result.split()[0]), what


def test_the_usual_board_draws_what_the_contract_says() -> None:
    size = Size()
    assert (size.pixels, size.dark_ma, size.white_ma) == (116, 116, 6496)
    assert (size.limit_ma, size.supply_a) == (3000, 4)
    assert size.frame_ms == pytest.approx(3.5, abs=0.05)
    assert size.limit_ma == Lights().limit_ma


@pytest.mark.parametrize("size", SIZES)
def test_the_daemon_takes_every_size_of_the_table(size: Size) -> None:
    look = DisplayConfig(pixels_per_ring=size.ring, places=size.places, limit_ma=size.limit_ma)
    assert look.pixels == size.pixels


@pytest.mark.parametrize(
    "wrong",
    [
        {"places": 2},
        {"places": 9},
        {"ring": 3},
        {"ring": 65},
        {"limit_ma": 116},
        {"limit_ma": 20001},
    ],
)
def test_a_size_that_the_daemon_refuses_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        Size(**wrong)


# The command and the pages


def test_a_board_of_another_size_is_drawn_into_a_folder_of_its_own(tmp_path: Path) -> None:
    options = ["--places", "6", "--pixels", "16", "--pixel", "rgbw", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 0, done.output
    assert "RGBW pixels: 150 pixels, 17 buttons" in (tmp_path / "wiring-pico.svg").read_text(
        "utf-8"
    )
    assert "| 9 | Ring of 16 SK6812 RGBW" in (tmp_path / "parts.md").read_text("utf-8")
    assert len((tmp_path / "holes.csv").read_text().splitlines()) == 1 + 150 + 17


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--places", "6"], "--out"),
        (["--places", "9", "--out", "x"], "3 to 8"),
        (["--pixels", "3", "--out", "x"], "4 to 64"),
        (["--pixels", "64", "--limit-ma", "500", "--out", "x"], "584"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_nothing_written(
    options: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 2
    assert why in done.output
    assert not list(tmp_path.iterdir())


def test_tables_are_put_between_their_marks_alone() -> None:
    text = "a\n<!-- one: begin (x) -->\nold\n<!-- one: end -->\nb\n"
    put = filled(text, {"one": "new"})
    assert put == "a\n<!-- one: begin (x) -->\n\nnew\n\n<!-- one: end -->\nb\n"
    assert filled(put, {"one": "new"}) == put
    with pytest.raises(KeyError):
        filled(text, {})


def test_the_building_page_holds_its_tables_and_links_to_files_that_are_there() -> None:
    text = (FOLDER / "BUILD.md").read_text("utf-8")
    for name in ("parts", "power", "sizes"):
        assert re.search(
            rf"<!-- {name}: begin[^>]*-->\n\n\| .*?<!-- {name}: end -->", text, re.DOTALL
        )
    for page in ("BUILD.md", "README.md"):
        links = re.findall(r"\]\(([^)#]+)\)", (FOLDER / page).read_text("utf-8"))
        assert links
        assert not [link for link in links if not (FOLDER / link).exists()]


def test_the_configuration_of_the_building_page_is_taken(tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", (FOLDER / "BUILD.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "config.toml").write_text(block, "utf-8")
    config = load_config(tmp_path, tmp_path)
    values = tomllib.loads(block)
    assert config.board == values["board"] == "gpio"
    assert (config.places, config.lights.pixels_per_ring) == (Size().places, Size().ring)
    assert config.lights.limit_ma == Size().limit_ma
