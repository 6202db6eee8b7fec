"""Parts and power budget follow from the specification and agree with the lights' estimate."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from hardware.bom import (
    STEPS,
    bill_of_materials,
    cost,
    load_parts,
    power_wire_m,
    signal_wire_m,
)
from hardware.draw import basket_table, main
from hardware.layout import layout
from hardware.spec import (
    BRANCH_MM2,
    FUSE_A,
    HEADROOM,
    LEAD_MM2,
    PI_MA,
    SUPPLY_A,
    BoardSpec,
    power_budget,
)
from pochboard.lights.frame import estimate_ma, limit
from pochboard.lights.lights_config import LightsConfig
from tests.not_empty import not_empty

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "hardware"


# Quantities


def test_quantities_in_the_file_are_those_of_the_standard_board() -> None:
    for entry, part in zip(load_parts().part, bill_of_materials(BoardSpec()), strict=True):
        assert entry.quantity == part.quantity, entry.name


@pytest.mark.parametrize("places", [3, 4, 6, 8])
def test_bill_has_the_boards_pixels_and_buttons(places: int) -> None:
    spec = BoardSpec(places=places)
    counts = {part.name.split(",")[0]: part.quantity for part in bill_of_materials(spec)}
    assert spec.pixels <= 50 * counts["String of 50 pixels WS2811"] < spec.pixels + 50
    assert counts["Push button"] == len(spec.buttons) == places + 11
    assert LightsConfig(places=places).pixels == spec.pixels


def test_baskets_are_complete_and_end_in_the_sum() -> None:
    parts = bill_of_materials(BoardSpec())
    assert cost(parts) == pytest.approx(sum(part.quantity * part.price for part in parts))
    assert 150 < cost(parts) < 400
    for part in not_empty(parts):
        assert sum(part.count(step) for step in STEPS) == part.quantity
        assert 0 <= part.first <= part.quantity
        assert part.price > 0
        assert part.search
    for step in STEPS:
        table = basket_table(BoardSpec(), step)
        assert "estimate of" in table.splitlines()[0]
        assert f"| **sum** |  | {cost(parts, (step,)):.0f} |" in table


@pytest.mark.parametrize(
    ("step", "needed"),
    [
        (1, "Raspberry SD header Supply socket 1000 100 AHCT125 10 330 male Solder shrink String"),
        (2, "Carrier strip switch Fuse Push JST clamp felt glue screw Cable plywood Varnish Chip"),
        (3, "OLED piezo strip foot M2.5 330"),
    ],
)
def test_each_basket_has_what_its_step_needs(step: int, needed: str) -> None:
    names = " ".join(part.name for part in bill_of_materials(BoardSpec()) if part.count(step))
    for word in needed.split():
        assert word in names, word


@pytest.mark.parametrize("spec", [BoardSpec(), BoardSpec(places=3)])
def test_wire_is_enough_but_less_than_twice_the_need(spec: BoardSpec) -> None:
    board = layout(spec)
    # Along the circle of pools, in to the centre, out to the rim and around it.
    rim = math.hypot(*board.place_inlays[-1].centre)
    pools = math.hypot(*board.wells[0].centre)
    around = (spec.places - 1) * 2 * rim * math.sin(math.pi / spec.places)
    chain = 7 * 2 * pools * math.sin(math.pi / 8) + pools + rim + around
    # Two from each button to the centre, plus 10 cm each to solder them.
    buttons = sum(2 * (math.hypot(*hole.centre) + 100) for hole in board.buttons)
    # Four to the display beside the board, three from place to place, two to the first ring.
    signal = buttons + 4 * 500 + 3 * around + 2 * pools
    assert signal < 1000 * signal_wire_m(board) < 2 * signal
    power = chain + 3 * board.radius
    assert power < 1000 * power_wire_m(board) < 1.5 * power + 1400


# Power


@pytest.mark.parametrize("places", range(3, 9))
def test_power_budget_agrees_with_the_lights_estimate(places: int) -> None:
    spec = BoardSpec(places=places)
    white = bytes([255]) * (3 * spec.pixels)
    rows = {what: result for what, _, result in power_budget(spec)}
    assert rows["all pixels dark"] == f"{estimate_ma(bytes(3 * spec.pixels)):.0f}"
    assert rows[f"all {spec.pixels}, full white"].startswith(f"{estimate_ma(white):.0f} ")
    assert estimate_ma(limit(white, spec.limit_ma)) <= spec.limit_ma
    # The supply has a third in reserve, and feeds the Pi; no smaller one would.
    assert 4000 < spec.limit_ma * HEADROOM + PI_MA <= SUPPLY_A * 1000
    assert sum(spec.branches) == spec.pixels
    largest = estimate_ma(bytes([255]) * 3 * max(spec.branches))
    assert 2000 < largest <= FUSE_A * 1000, "a fuse of 2 A would blow"
    # A quick fuse carries 1.5 times its rating for an hour; the wire must, too.
    assert 1.5 * FUSE_A <= 8 * BRANCH_MM2
    assert SUPPLY_A <= 5.5 * LEAD_MM2


# The command and the pages


@pytest.mark.parametrize(
    ("options", "why"),
    [(["--places", "6"], "--out"), (["--places", "9", "--out", "x"], "3<=x<=8")],
)
def test_invalid_options_are_refused_and_nothing_is_written(
    options: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 2
    assert why in done.output
    assert not list(tmp_path.iterdir())
