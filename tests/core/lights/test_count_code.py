"""Every count up to six laps of a ring can be read from a frame without effects (BOARD.md 4)."""

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pochboard.buttons.press import Pending
from pochboard.buttons.settings import BRIGHTNESS
from pochboard.lights.frame import Frame
from pochboard.lights.lights_config import LightsConfig
from pochboard.lights.render import Scene, render
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.state import State
from tests.count_reader import RingReading, read_counts, read_rings

MODERN = shipped_rulesets()["modern"]


def night(pools: tuple[int, ...], phase: str = "meld", **fields: object) -> State:
    seats = 8
    state = State(
        ruleset=MODERN,
        balances=(-sum(pools) - 50 * seats, *pools, *(50,) * seats),
        bought=(50,) * seats,
        names=tuple("ABCDEFGH"),
        places=tuple(range(1, seats + 1)),
        live=tuple(range(1, seats + 1)),
        order=tuple(range(1, seats + 1)),
        dealer=1,
    )
    return replace(state, phase=phase, **fields)


def shown(state: State, lights: LightsConfig, **more: object) -> Frame:
    return render(replace(Scene(state=state), **more), lights, 0)


@pytest.mark.parametrize("pixels", range(6, 25))
def test_every_count_is_read_on_a_ring_of_every_size(pixels: int) -> None:
    lights = LightsConfig(pixels_per_ring=pixels)
    for count in range(6 * pixels + 1):
        # Each ring has a different count, so that reading a neighbouring ring would be noticed.
        pools = tuple((count + 5 * ring) % (6 * pixels + 1) for ring in range(len(POOLS)))
        assert read_counts(shown(night(pools), lights), lights) == pools


@st.composite
def all_lights(draw: st.DrawFn) -> LightsConfig:
    """Any valid configuration, dim ones and ones near the power limit too."""
    pixels = draw(st.integers(6, 24))
    try:
        return LightsConfig(
            pixels_per_ring=pixels,
            limit_ma=draw(st.integers(30 * pixels, 300 * pixels)),
            brightness=draw(st.floats(0.15, 1)),
            gamma=draw(st.sampled_from([1.8, 2.2, 2.6])),
            night=draw(st.booleans()),
            chosen=draw(st.sampled_from(BRIGHTNESS)),
        )
    except ValueError:
        reject()


@given(
    lights=all_lights(),
    laps=st.lists(st.floats(0, 6), min_size=9, max_size=9),
    blocked=st.sets(st.sampled_from(POOLS)),
    place=st.none() | st.integers(1, 8),
    phase=st.sampled_from(["idle", "meld", "showdown", "closed"]),
)
@settings(max_examples=200)
def test_every_count_is_readable_with_every_valid_configuration(
    lights: LightsConfig, laps: list[float], blocked: set[str], place: int | None, phase: str
) -> None:
    pools = tuple(int(lap * lights.pixels_per_ring) for lap in laps)
    state = night(pools, phase, blocked=tuple(pool for pool in POOLS if pool in blocked))
    frame = shown(state, lights, pending=Pending(place=place))
    assert read_counts(frame, lights) == pools


@given(chips=st.integers(0, 71), hand=st.integers(1, 12))
def test_chips_in_the_hand_are_white_after_the_last_and_leave_the_count_readable(
    chips: int, hand: int
) -> None:
    lights = LightsConfig()
    pools = (0,) * 7 + (chips, 0)
    state = night(pools, "pochen", to_act=2, committed=(0,) * 8)
    frame = shown(state, lights, pending=Pending(chips=hand))
    white = min(hand, 12 - chips % 12)
    covered = white == 12
    assert read_rings(frame, lights)[7] == RingReading(
        chips=None if covered else chips, white=white
    )


@pytest.mark.parametrize("chips", [73, 80, 200])
def test_above_six_laps_a_ring_breathes_and_never_shows_another_count(chips: int) -> None:
    lights = LightsConfig(limit_ma=1000, night=True)
    scene = Scene(state=night((chips,) * 9, blocked=("ace",)))
    frames = {render(scene, lights, now_us) for now_us in range(0, 4_000_000, 40_000)}
    assert len(frames) > 10
    assert {read_counts(frame, lights) for frame in frames} == {(72,) * 9}
