"""Parts and power budget follow from the specification and agree with the lights' estimate."""

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

from hardware.bom import (
    SETS,
    Part,
    bill_of_materials,
    load_parts,
    power_wire_m,
    set_cost,
    signal_wire_m,
    step_cost,
)
from hardware.chain import links
from hardware.draw import COMPARED_SPECS, fill_tables, main, prices_table
from hardware.halves import (
    base_seam,
    base_sheet,
    bed_of,
    face_sheet,
    halves_of,
    seam,
    visible_seam,
)
from hardware.layout import layout
from hardware.pins import VARIANTS
from hardware.plates import drill_table, face_dxf
from hardware.printing import printed_parts
from hardware.spec import PI_MA, SUPPLY_RATINGS_A, BoardSpec, power_budget
from hardware.wiring import wiring_svg
from pochboard.config import Lights, PixelKind
from pochboard.config_file import load_config
from pochboard.geometry.dimensions import dimensions
from pochboard.lights.frame import estimate_ma, limit
from pochboard.lights.lights_config import LightsConfig
from tests.not_empty import not_empty

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "hardware"


def named(spec: BoardSpec, word: str) -> Part:
    (part,) = (part for part in bill_of_materials(spec) if word in part.name)
    return part


# Quantities


def test_quantities_in_the_file_are_those_of_the_standard_board() -> None:
    for entry in not_empty(load_parts().part):
        kind: PixelKind = "rgbw" if entry.kind == "rgbw" else "rgb"
        words = entry.name.split("{")[0]
        parts = [
            part
            for part in bill_of_materials(BoardSpec(pixel_kind=kind))
            if part.name.startswith(words)
        ]
        assert parts
        if kind == "rgb":
            assert entry.quantity in {part.quantity for part in parts}, entry.name
    (supply_ma,) = (entry.supply_ma for entry in load_parts().part if entry.supply_ma)
    assert supply_ma == 1000 * BoardSpec().supply_a


@pytest.mark.parametrize(
    ("places", "ring", "pixels", "buttons"),
    [(8, 12, 116, 19), (3, 12, 111, 14), (6, 16, 150, 17), (4, 20, 184, 15), (8, 64, 584, 19)],
)
def test_bill_has_the_boards_pixels_and_buttons(
    places: int, ring: int, pixels: int, buttons: int
) -> None:
    parts = bill_of_materials(BoardSpec(places=places, pixels_per_ring=ring))
    assert pixels <= sum(part.quantity * part.pixels for part in parts) < pixels + 50
    assert sum(part.quantity * part.buttons for part in parts) == buttons
    assert LightsConfig(places=places, pixels_per_ring=ring).pixels == pixels


def test_pixels_supply_fuses_and_wire_follow_the_spec() -> None:
    assert named(BoardSpec(), "String of 50 pixels WS2811").quantity == 3
    assert named(BoardSpec(pixel_kind="rgbw"), "SK6812 RGBW").quantity == 116
    large = BoardSpec(pixels_per_ring=64, limit_ma=9000, pixel_kind="rgbw")
    assert "RGBW" in named(large, "Single").name
    assert "5 V 15 A" in named(large, "Supply,").name
    assert "Fuse 10 A" in named(large, "Fuse").name
    assert "Fuse 2.5 A" in named(BoardSpec(), "Fuse").name
    assert "2.5 mm²" not in named(BoardSpec(), " mm², red").name
    # Bundled copper carries about 5 A per mm², and slightly more over so short a distance.
    for spec in (BoardSpec(), large, BoardSpec(limit_ma=7000)):
        assert spec.supply_a <= 5.5 * spec.lead_mm2


@pytest.mark.parametrize("spec", [*COMPARED_SPECS, BoardSpec(pixels_per_ring=64, limit_ma=9000)])
def test_each_fuse_carries_its_branch_and_protects_its_wire(spec: BoardSpec) -> None:
    assert sum(spec.branches) == spec.pixels
    for pixels in spec.branches:
        assert 1000 * spec.fuse_a >= min(estimate_ma(bytes([255]) * 3 * pixels), spec.limit_ma)
    # A quick fuse carries 1.5 times its rating for an hour; the wire must, too.
    assert 1.5 * spec.fuse_a <= 8 * spec.wire_mm2


def test_sums_of_the_two_sets_add_up() -> None:
    parts = bill_of_materials(BoardSpec())
    cheap, comfortable = (set_cost(parts, which) for which in SETS)
    assert 150 < cheap < comfortable < 700
    assert cheap == pytest.approx(sum(part.quantity * part.offers["cheap"].price for part in parts))
    assert f"{cheap:.0f}" in prices_table(BoardSpec())
    for part in not_empty(parts):
        assert len(part.second) > 3
        for offer in not_empty(part.offers.values()):
            assert offer.price > 0
            assert offer.maker
            assert offer.order


def test_the_basket_has_what_a_first_night_needs() -> None:
    parts = bill_of_materials(BoardSpec())
    chips = named(BoardSpec(), "Chip")
    assert chips.quantity == 400
    assert f"{dimensions().chip.diameter:g} mm" in chips.name
    names = " ".join(part.name for part in parts)
    for what in ("Solder", "Varnish", "All-purpose glue", "Hot glue", "Micro SD", "felt", "nut"):
        assert what in names
    # The first step needs its power, and wires from a breadboard to pins.
    first = " ".join(part.name for part in parts if part.step == 1)
    needed = ("Barrel socket", "1000 µF", "Supply", "male and female", "74AHCT125", "Pin header")
    for what in needed:
        assert what in first, what


def test_a_price_is_an_estimate_unless_it_says_when_it_was_seen() -> None:
    table = prices_table(BoardSpec())
    assert "estimate of" in table.splitlines()[0]
    seen = [offer.seen for part in bill_of_materials(BoardSpec()) for offer in part.offers.values()]
    assert all(day == "" or re.fullmatch(r"20\d\d-\d\d-\d\d", day) for day in not_empty(seen))
    assert table.count("(seen ") == len([day for day in seen if day])


def test_steps_cost_more_and_more_and_the_last_one_is_the_whole() -> None:
    parts = bill_of_materials(BoardSpec())
    assert {part.step for part in parts} == {1, 2, 3}
    one, two, three = (step_cost(parts, "cheap", step) for step in (1, 2, 3))
    assert 40 < one < 100 < two < three
    assert three == pytest.approx(set_cost(parts, "cheap"))
    for part in not_empty([part for part in parts if part.step == 1]):
        assert 1 <= part.first <= max(part.quantity, 12), part.name
    # What may be left out first belongs to the last step.
    for word in ("OLED", "piezo", "Edge strip"):
        assert named(BoardSpec(), word).step == 3


def test_bill_is_complete_without_placeholders() -> None:
    parts = bill_of_materials(BoardSpec())
    assert all(part.quantity > 0 for part in parts)
    orders = (offer.order for part in parts for offer in part.offers.values())
    assert not [words for part in parts for words in (part.name, part.note) if "{" in words]
    assert not [words for words in orders if "{" in words]
    words = " ".join(part.name for part in parts)
    for what in (
        "Supply",
        "Fuse",
        "74AHCT125",
        "Resistor, 330 to 470",
        "Resistor, 10 kΩ",
        "1000 µF",
        "Raspberry Pi",
    ):
        assert what in words


@pytest.mark.parametrize("spec", [BoardSpec(), BoardSpec(places=3), BoardSpec(pixels_per_ring=24)])
def test_wire_is_enough_but_less_than_twice_the_need(spec: BoardSpec) -> None:
    board = layout(spec)
    # Along the circle of pools, in to the centre, out to the rim and around it.
    rim = math.hypot(*board.place_inlays[-1].centre)
    pools = math.hypot(*board.wells[0].centre)
    chain = 7 * 2 * pools * math.sin(math.pi / 8) + pools + rim
    chain += (spec.places - 1) * 2 * rim * math.sin(math.pi / spec.places)
    # Two from each button to the centre, plus 10 cm each to solder them.
    buttons = sum(2 * (math.hypot(*hole.centre) + 100) for hole in board.buttons)
    # Four to the display beside the board.
    display = 4 * 500
    signal = chain + buttons + display
    assert signal < 1000 * signal_wire_m(board) < 2 * signal
    power = chain + 3 * board.radius
    assert power < 1000 * power_wire_m(board) < 1.5 * power + 1400


# Power


@given(
    places=st.integers(3, 8),
    ring=st.integers(4, 64),
    limit_ma=st.integers(600, 20_000),
    pixel_kind=st.sampled_from(["rgb", "rgbw"]),
)
def test_power_budget_agrees_with_the_lights_estimate(
    places: int, ring: int, limit_ma: int, pixel_kind: PixelKind
) -> None:
    spec = BoardSpec(places=places, pixels_per_ring=ring, limit_ma=limit_ma, pixel_kind=pixel_kind)
    white = bytes([255]) * (3 * spec.pixels)
    assert spec.dark_ma == estimate_ma(bytes(3 * spec.pixels))
    assert spec.white_ma == round(estimate_ma(white))
    shown = estimate_ma(limit(white, limit_ma))
    assert shown <= spec.max_ma <= limit_ma
    # The supply has a third in reserve, and feeds the Pi; no smaller one would.
    assert (spec.supply_a * 1000 - PI_MA) * 3 >= spec.max_ma * 4
    smaller = [amps for amps in SUPPLY_RATINGS_A if amps < spec.supply_a]
    assert all((amps * 1000 - PI_MA) * 3 < spec.max_ma * 4 for amps in smaller)


def test_calculations_in_the_power_table_are_correct() -> None:
    for spec in COMPARED_SPECS:
        for what, arithmetic, result in not_empty(power_budget(spec)):
            if re.fullmatch(r"[\d ×/+]+", arithmetic):
                tokens = arithmetic.split()
                value = float(tokens[0])
                for sign, number in zip(tokens[1::2], tokens[2::2], strict=True):
                    operand = float(number)
                    value = {"×": value * operand, "/": value / operand, "+": value + operand}[sign]
                assert math.ceil(value) == int(result.split()[0]), what


def test_standard_board_draws_what_the_contract_says() -> None:
    spec = BoardSpec()
    assert (spec.pixels, spec.dark_ma, spec.white_ma) == (116, 116, 6496)
    assert (spec.limit_ma, spec.supply_a) == (3000, 5)
    assert spec.frame_ms == pytest.approx(3.5, abs=0.05)
    assert spec.limit_ma == Lights().limit_ma


@pytest.mark.parametrize("spec", COMPARED_SPECS)
def test_daemon_accepts_every_compared_board(spec: BoardSpec) -> None:
    display = LightsConfig(
        pixels_per_ring=spec.pixels_per_ring, places=spec.places, limit_ma=spec.limit_ma
    )
    assert display.pixels == spec.pixels


@pytest.mark.parametrize(
    "wrong",
    [
        {"places": 2},
        {"places": 9},
        {"pixels_per_ring": 3},
        {"pixels_per_ring": 65},
        {"limit_ma": 116},
        {"limit_ma": 20001},
    ],
)
def test_spec_that_the_daemon_refuses_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        BoardSpec(**wrong)


# The command and the pages


def test_board_of_another_size_is_drawn_into_its_own_folder(tmp_path: Path) -> None:
    options = ["--places", "6", "--pixels", "16", "--pixel", "rgbw", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 0, done.output
    assert "RGBW pixels: 150 pixels, 17 buttons" in (tmp_path / "wiring-pico.svg").read_text(
        "utf-8"
    )
    assert "| 12 | 150 | Single SK6812 RGBW" in (tmp_path / "parts.md").read_text("utf-8")
    # Nine inserts, 17 buttons, six places, and one for each spacer.
    assert len((tmp_path / "holes.csv").read_text().splitlines()) == 1 + 9 + 17 + 6 + 8


def test_a_board_without_a_display_has_no_stand_and_no_wires_for_it() -> None:
    spec = BoardSpec(display=False)
    board = layout(spec)
    assert not [part for part in printed_parts(board) if "display" in part.name]
    names = [part.name for part in bill_of_materials(spec)]
    assert not [name for name in names if "isplay" in name]
    for variant in VARIANTS:
        assert "SDA" not in re.sub(r"GP20 .SDA.|GPIO 14 .SDA.", "", wiring_svg(variant, spec))


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--places", "6"], "--out"),
        (["--places", "9", "--out", "x"], "3 to 8"),
        (["--pixels", "3", "--out", "x"], "4 to 64"),
        (["--pixels", "64", "--limit-ma", "500", "--out", "x"], "584"),
    ],
)
def test_invalid_options_are_refused_and_nothing_is_written(
    options: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 2
    assert why in done.output
    assert not list(tmp_path.iterdir())


def test_tables_are_inserted_only_between_their_markers() -> None:
    text = "a\n<!-- one: begin (x) -->\nold\n<!-- one: end -->\nb\n"
    put = fill_tables(text, {"one": "new"})
    assert put == "a\n<!-- one: begin (x) -->\n\nnew\n\n<!-- one: end -->\nb\n"
    assert fill_tables(put, {"one": "new"}) == put
    with pytest.raises(KeyError):
        fill_tables(text, {})


def test_pages_contain_their_tables_and_link_to_existing_files() -> None:
    text = (FOLDER / "BUILD.md").read_text("utf-8")
    names = ("parts", "prices", "power", "sizes", "printed", "wires", "display", "sight")
    for name in (*names, "links", "steps"):
        assert re.search(
            rf"<!-- {name}: begin[^>]*-->\n\n\| .*?<!-- {name}: end -->", text, re.DOTALL
        )
    for page in ("BUILD.md", "README.md"):
        links = re.findall(r"\]\(([^)#]+)\)", (FOLDER / page).read_text("utf-8"))
        assert links
        assert not [link for link in links if not (FOLDER / link).exists()]


def test_engraved_names_can_be_german() -> None:
    english, german = (layout(BoardSpec(), language) for language in ("en", "de"))
    assert drill_table(german) == drill_table(english)
    assert face_dxf(german) != face_dxf(english)
    refused = CliRunner().invoke(main, ["--language", "de"])
    assert refused.exit_code == 2
    assert "--out" in refused.output


def test_figures_in_the_building_guide_are_those_of_the_data() -> None:
    text = " ".join((FOLDER / "BUILD.md").read_text("utf-8").split())
    size, spec = dimensions(), BoardSpec()
    pixel = size.pixel["rgb"]
    room, chip, holes, display = size.room, size.chip, size.place.hole, size.display
    for figure in (
        f"through a hole of {pixel.hole:g} mm, and be no longer than {pixel.depth:g} mm",
        f"stands {size.inlay.proud:g} mm above the mask",
        f"deeper than {size.inlay.recess:g} mm",
        f"Drill {holes:g} mm for the places, {size.button.hole:g} mm for the buttons",
        f"Drill {room.screw:g} mm for the spacers, countersunk",
        f"nothing below it is higher than {size.panel.room:g} mm",
        f"A dish is {size.bowl_depth:g} mm deep and holds {chip.count} chips of",
        f"{chip.diameter:g} mm, {chip.thickness:g} mm thick",
        f"pieces of {spec.pixels_per_ring}",
        f"{spec.places} single pixels",
        f"its glass must be {display.glass[0]:g} × {display.glass[1]:g} mm, and its",
        f"circuit board at most {display.board[0]:g} × {display.board[1]:g} mm",
        f"Names are {size.engraving.name:g} mm high",
        f"{room.carrier[0]:g} × {room.carrier[1]:g} mm",
        f"Two wires of {spec.lead_mm2:g} mm²",
        f"little more than its {spec.supply_a} A",
        f"The disc is {2 * layout(spec).radius:.0f} mm wide",
    ):
        assert figure in text, figure
    assert f"lengthening to {links(layout(spec))[-1].length_mm} mm" in text
    board = layout(spec)
    for what, sheet, line in (
        ("face", face_sheet(board), seam(board)),
        ("base", base_sheet(board), base_seam(board)),
    ):
        wide, deep = map(max, zip(*map(bed_of, halves_of(sheet, line)), strict=True))
        assert f"{wide:.0f} × {math.ceil(deep)} mm" in text, what
    assert f"{visible_seam(board).length:.0f} mm stay visible" in text


def test_configuration_shown_in_the_building_guide_is_valid(tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", (FOLDER / "BUILD.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "config.toml").write_text(block, "utf-8")
    config = load_config(tmp_path, tmp_path)
    values = tomllib.loads(block)
    assert config.board == values["board"] == "gpio"
    assert (config.places, config.lights.pixels_per_ring) == (
        BoardSpec().places,
        BoardSpec().pixels_per_ring,
    )
    assert config.lights.limit_ma == BoardSpec().limit_ma
