"""Parts and power budget follow from the specification and agree with the lights' estimate."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from hardware.bom import (
    Part,
    bill_of_materials,
    load_parts,
    power_wire_m,
    signal_wire_m,
)
from hardware.draw import COMPARED_SPECS, main
from hardware.layout import layout
from hardware.pins import VARIANTS
from hardware.printing import printed_parts
from hardware.spec import PI_MA, SUPPLY_RATINGS_A, BoardSpec
from hardware.wiring import wiring_svg
from pochboard.config import Lights, PixelKind
from pochboard.lights.frame import estimate_ma, limit
from pochboard.lights.lights_config import LightsConfig
from tests.not_empty import not_empty


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


def test_standard_board_draws_what_the_contract_says() -> None:
    spec = BoardSpec()
    assert (spec.pixels, spec.dark_ma, spec.white_ma) == (116, 116, 6496)
    assert (spec.limit_ma, spec.supply_a) == (3000, 5)
    assert spec.frame_ms == pytest.approx(3.5, abs=0.05)
    assert spec.limit_ma == Lights().limit_ma


# The command and the pages


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
