"""The self-test: each pixel in each colour, each button with its pixels, and the end."""

from __future__ import annotations

import pytest

from firmware.link import UNDO, Layout
from firmware.selftest import SelfTest
from pochboard import wire
from tests.firmware.board_process import BUTTONS

LAYOUT = Layout(12, 8, 65535, 3)
PIXELS = LAYOUT.pixels
WALK_MS = 3 * PIXELS * 20
STARTS = [1000, wire.TICKS - 500]


def pixels_of(colours: bytes) -> list[tuple[int, int, int]]:
    assert len(colours) == 3 * PIXELS
    return [(colours[at], colours[at + 1], colours[at + 2]) for at in range(0, len(colours), 3)]


def lit(colours: bytes) -> dict[int, tuple[int, int, int]]:
    return {number: colour for number, colour in enumerate(pixels_of(colours)) if any(colour)}


@pytest.mark.parametrize("start", STARTS)
def test_light_walks_over_each_pixel_in_red_green_and_blue(start: int) -> None:
    test = SelfTest(LAYOUT, start)
    walked: list[tuple[int, int]] = []
    for passed in range(0, WALK_MS, 10):
        ((pixel, colour),) = lit(test.frame((start + passed) % wire.TICKS)).items()
        (channel,) = [index for index, level in enumerate(colour) if level]
        if (channel, pixel) not in walked:
            walked.append((channel, pixel))
    assert walked == [(channel, pixel) for channel in range(3) for pixel in range(PIXELS)]
    assert lit(test.frame((start + WALK_MS) % wire.TICKS)) == {}
    # The walk does not restart when the clock wraps around.
    assert lit(test.frame((start + 10) % wire.TICKS)) == {}


def where(button: str) -> set[int]:
    """The pixels that belong to a button."""
    number = BUTTONS.index(button)
    if button == "next":
        return set(range(108, 112))
    if button == "undo":
        return set(range(112, 116))
    if button.startswith("seat"):
        return {108 + number - 9}
    return set(range(12 * number, 12 * number + 12))


@pytest.mark.parametrize("button", BUTTONS)
def test_each_button_lights_its_pixels_white_then_green(button: str) -> None:
    test = SelfTest(LAYOUT, 0)
    test.frame(WALK_MS)
    number = BUTTONS.index(button)
    test.edge(number, True, WALK_MS)
    held = lit(test.frame(WALK_MS))
    assert held.keys() == where(button)
    assert all(red == green == blue for red, green, blue in held.values())
    test.edge(number, False, WALK_MS + 100)
    tested = lit(test.frame(WALK_MS + 100))
    assert tested.keys() == where(button)
    assert all(red == blue == 0 for red, _, blue in tested.values())
    assert not test.over


def test_whole_board_is_green_when_all_buttons_work() -> None:
    test = SelfTest(LAYOUT, 0)
    for number in range(19):
        test.edge(number, True, 10)
        test.edge(number, False, 20)
    assert len(lit(test.frame(WALK_MS))) == PIXELS


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("scanner_reports_held", [True, False])
def test_holding_undo_again_ends_the_test(start: int, scanner_reports_held: bool) -> None:
    def at(passed: int) -> int:
        return (start + passed) % wire.TICKS

    test = SelfTest(LAYOUT, start)
    if scanner_reports_held:
        test.edge(UNDO, True, at(10))
    test.frame(at(5000))
    assert not test.over, "undo is still held from the start"
    test.edge(UNDO, False, at(5000))
    test.edge(UNDO, True, at(6000))
    test.edge(UNDO, False, at(7900))
    test.frame(at(9000))
    assert not test.over
    test.edge(UNDO, True, at(10_000))
    test.frame(at(11_999))
    assert not test.over
    test.frame(at(12_000))
    assert test.over


@pytest.mark.parametrize(("ring", "places"), [(0, 0), (1, 1), (4, 3), (64, 8), (12, 0)])
def test_self_test_runs_with_any_settings(ring: int, places: int) -> None:
    layout = Layout(ring, places, 65535, 3)
    test = SelfTest(layout, 0)
    for number in range(19):
        test.edge(number, True, 0)
    for now in range(0, 3 * 20 * layout.pixels + 100, 500):
        assert len(test.frame(now)) == 3 * layout.pixels
