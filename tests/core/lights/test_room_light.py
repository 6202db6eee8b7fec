"""The light of the room dims the board slowly, and all counts stay readable (BOARD.md 4)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pochboard.buttons.settings import BoardSettings, Brightness
from pochboard.lights.lights_config import LightsConfig, pixel
from pochboard.lights.palette import BREATH_FLOOR, FULL, NORMAL, QUARTER, hue_vectors, nearest_hue
from pochboard.lights.room_light import MOST_STEPS, RoomLight, steps_at

TICK_US = 500_000
DARK, CANDLES, EVENING, DAY = 0.0, 8.0, 64.0, 400.0


def fed(room: RoomLight, measured: Iterable[float | None], *, start_s: float = 0.0) -> list[int]:
    """The steps after each measurement, one every half second."""
    start_us = round(start_s * 1_000_000)
    return [room.feed(lux, start_us + TICK_US * n) for n, lux in enumerate(measured)]


def seconds(lux: float | None, for_s: float) -> list[float | None]:
    return [lux] * round(for_s * 1_000_000 / TICK_US)


def test_the_brightness_follows_the_root_of_the_illuminance() -> None:
    assert [steps_at(lux) for lux in (1000, 64, 16, 4, 1, 0)] == [0, 0, 12, 24, 24, 24]
    assert steps_at(60) == 1


def test_a_start_in_the_dark_dazzles_nobody() -> None:
    assert RoomLight().feed(DARK, 0) == MOST_STEPS
    assert RoomLight().feed(None, 0) == 0


def test_a_hand_that_passes_over_changes_nothing() -> None:
    room = RoomLight()
    passing = [*seconds(DAY, 10), *seconds(DARK, 7.5), *seconds(DAY, 10), *seconds(DARK, 7.5)]
    assert set(fed(room, passing)) == {0}
    # Nor does a flash in the dark.
    room = RoomLight()
    flashes = [*seconds(DARK, 10), *seconds(DAY, 1.5), *seconds(DARK, 10), *seconds(DAY, 1.5)]
    assert set(fed(room, flashes)) == {MOST_STEPS}


def test_a_room_that_stays_darker_dims_the_board_step_by_step() -> None:
    room = RoomLight()
    evening = fed(room, [*seconds(DAY, 10), *seconds(CANDLES, 30), *seconds(DAY, 20)])
    turned = evening[20:80]
    assert turned[:16] == [0] * 16, "for 8 s nothing changes"
    assert turned[16:34] == [*range(1, 19)], "then one step at a time"
    assert set(turned[34:]) == {steps_at(CANDLES)}
    lighter = evening[80:]
    assert set(lighter[:4]) == {18}
    assert lighter[4:22] == [*range(17, -1, -1)]
    assert set(lighter[22:]) == {0}


def test_small_changes_are_ignored_but_full_brightness_is_reached() -> None:
    room = RoomLight()
    fed(room, seconds(16, 10))
    clouds = [lux for _ in range(20) for lux in (*seconds(12, 10), *seconds(20, 10))]
    assert set(fed(room, clouds, start_s=10)) == {12}
    room = RoomLight()
    assert fed(room, seconds(52, 5))[-1] == 2
    assert fed(room, seconds(64, 5), start_s=5)[-1] == 0


@pytest.mark.parametrize(("lux", "stays"), [(11.3, 12), (10.1, 16), (22.6, 12), (25.4, 8)])
def test_only_changes_by_four_steps_or_more_count(lux: float, stays: int) -> None:
    room = RoomLight()
    fed(room, seconds(16, 10))
    assert abs(steps_at(lux) - 12) in (3, 4)
    assert fed(room, seconds(lux, 30), start_s=10)[-1] == stays


def test_without_a_measurement_the_choice_returns_step_by_step() -> None:
    room = RoomLight()
    fed(room, seconds(DARK, 10))
    assert fed(room, seconds(None, 15), start_s=10)[:25] == [*range(23, -1, -1), 0]
    # A sensor that is plugged in again counts after 8 s, as always.
    again = fed(room, seconds(DARK, 10), start_s=25)
    assert again[:16] == [0] * 16
    assert again[16] == 1


@settings(max_examples=50)
@given(
    measured=st.lists(
        st.tuples(st.sampled_from((DARK, 3.0, CANDLES, 30.0, EVENING, DAY)), st.integers(1, 40)),
        max_size=8,
    )
)
def test_it_never_jumps_nor_turns_back_at_once(measured: list[tuple[float, int]]) -> None:
    room = RoomLight()
    fed(room, seconds(EVENING, 1))
    steps = [0, *fed(room, [lux for lux, ticks in measured for _ in range(ticks)], start_s=1)]
    moves = [after - before for before, after in pairwise(steps)]
    assert set(moves) <= {-1, 0, 1}
    assert all(0 <= step <= MOST_STEPS for step in steps)
    for before, after in pairwise(moves):
        assert before * after >= 0, "it does not flicker"


@settings(max_examples=25)
@given(
    room_steps=st.integers(0, MOST_STEPS),
    chosen=st.sampled_from(("bright", "medium", "dim")),
    night=st.booleans(),
    brightness=st.sampled_from((1.0, 0.4)),
)
def test_every_colour_can_be_told_in_every_room(
    room_steps: int, chosen: Brightness, night: bool, brightness: float
) -> None:
    configured = LightsConfig(brightness=brightness)
    lights = configured.with_settings(BoardSettings(chosen, night), room_steps)
    lighter = configured.with_settings(BoardSettings(chosen, night), max(0, room_steps - 1))
    assert lights.full_brightness <= lighter.full_brightness
    assert lights.contrast <= lighter.contrast
    hues = hue_vectors(lights.palette, lights.gamma)
    for number, colour in enumerate(lights.palette, start=1):
        floor = BREATH_FLOOR if number == len(lights.palette) else 1.0
        for level in (FULL, NORMAL, FULL * QUARTER, NORMAL * QUARTER):
            seen = list(pixel(lights, colour, level * floor))
            assert any(seen)
            assert nearest_hue(seen, hues) == number


def test_the_room_dims_what_was_chosen() -> None:
    day = LightsConfig()
    assert day.with_settings(BoardSettings(), 12).full_brightness == pytest.approx(0.5)
    assert day.with_settings(BoardSettings("medium"), 12).full_brightness == pytest.approx(0.25)
    assert day.with_settings(BoardSettings("medium"), 12).contrast == 31
