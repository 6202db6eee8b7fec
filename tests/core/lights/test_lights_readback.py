"""From a settled frame every count up to six laps of a ring can be read again (BOARD.md 4)."""

from itertools import product

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pochboard.buttons.pending import Pending
from pochboard.lights.look import Frame, Look
from pochboard.lights.palette import WHITE
from pochboard.lights.power import estimate_ma
from pochboard.lights.readback import Reading, read_counts, read_rings
from pochboard.lights.render import render
from pochboard.lights.rings import chip_ring, tint
from pochboard.lights.scene import Scene
from pochboard.rules.board import POOLS
from pochboard.rules.ruleset import shipped_rulesets
from pochboard.rules.state import State

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


def shown(state: State, look: Look, **more: object) -> Frame:
    return render(replace(Scene(state=state), **more), look, 0)


@pytest.mark.parametrize("pixels", range(6, 25))
def test_every_count_is_read_on_a_ring_of_every_size(pixels: int) -> None:
    look = Look(pixels_per_ring=pixels)
    for count in range(6 * pixels + 1):
        # Each ring holds another count, so that none is read off its neighbour.
        pools = tuple((count + 5 * ring) % (6 * pixels + 1) for ring in range(len(POOLS)))
        assert read_counts(shown(night(pools), look), look) == pools


@pytest.mark.parametrize(
    ("limit_ma", "by_night", "phase"),
    list(product((3000, 1000, 500), (False, True), ("meld", "idle"))),
)
@pytest.mark.parametrize("brightness", [1.0, 0.5, 0.3])
def test_every_count_is_read_blocked_or_not_by_night_and_under_the_limit(
    limit_ma: int, by_night: bool, phase: str, brightness: float
) -> None:
    look = Look(limit_ma=limit_ma, night=by_night, brightness=brightness)
    for count in range(look.most_chips + 1):
        for others in (0, 48):
            # All other rings in the hungriest colour, so that the limit bites.
            for ring in (0, 6, 7):
                pools = tuple(count if at == ring else others for at in range(len(POOLS)))
                for blocked in ((), (POOLS[ring],), POOLS):
                    frame = shown(night(pools, phase, blocked=blocked), look)
                    assert estimate_ma(frame) <= limit_ma
                    assert read_counts(frame, look) == pools


def test_the_limit_bites_in_these_tests() -> None:
    state = night((48,) * len(POOLS))
    assert estimate_ma(shown(state, Look(limit_ma=9000))) > 2000
    assert estimate_ma(shown(replace(state, phase="idle"), Look(limit_ma=9000, night=True))) > 500


@st.composite
def looks(draw: st.DrawFn) -> Look:
    """Any Look that exists, dim and hungry ones too."""
    pixels = draw(st.integers(6, 24))
    try:
        return Look(
            pixels_per_ring=pixels,
            limit_ma=draw(st.integers(30 * pixels, 300 * pixels)),
            brightness=draw(st.floats(0.15, 1)),
            gamma=draw(st.sampled_from([1.8, 2.2, 2.6])),
            night=draw(st.booleans()),
        )
    except ValueError:
        reject()


@given(
    look=looks(),
    laps=st.lists(st.floats(0, 6), min_size=9, max_size=9),
    blocked=st.sets(st.sampled_from(POOLS)),
    place=st.none() | st.integers(1, 8),
    phase=st.sampled_from(["idle", "meld", "showdown", "closed"]),
)
@settings(max_examples=200, deadline=None)
def test_a_look_that_exists_is_readable(
    look: Look, laps: list[float], blocked: set[str], place: int | None, phase: str
) -> None:
    pools = tuple(int(lap * look.pixels_per_ring) for lap in laps)
    state = night(pools, phase, blocked=tuple(pool for pool in POOLS if pool in blocked))
    frame = shown(state, look, pending=Pending(place=place))
    assert read_counts(frame, look) == pools


@pytest.mark.parametrize("gamma", [1.0, 1.8, 2.2, 2.8])
def test_every_count_is_read_at_every_gamma(gamma: float) -> None:
    look = Look(gamma=gamma, limit_ma=1500, night=True)
    for count in range(look.most_chips + 1):
        pools = (count, *(48,) * 8)
        assert read_counts(shown(night(pools, blocked=("ace",)), look), look) == pools


@given(chips=st.integers(0, 71), hand=st.integers(1, 12))
def test_chips_in_the_hand_are_white_after_the_last_and_leave_the_count_readable(
    chips: int, hand: int
) -> None:
    look = Look()
    pools = (0,) * 7 + (chips, 0)
    state = night(pools, "pochen", to_act=2, committed=(0,) * 8)
    frame = shown(state, look, pending=Pending(chips=hand))
    white = min(hand, 12 - chips % 12)
    covered = white == 12
    assert read_rings(frame, look)[7] == Reading(chips=None if covered else chips, white=white)


@pytest.mark.parametrize("chips", [73, 80, 200])
def test_above_six_laps_a_ring_breathes_and_never_shows_another_count(chips: int) -> None:
    look = Look(limit_ma=1000, night=True)
    scene = Scene(state=night((chips,) * 9, blocked=("ace",)))
    frames = {render(scene, look, now_us) for now_us in range(0, 4_000_000, 40_000)}
    assert len(frames) > 10
    assert {read_counts(frame, look) for frame in frames} == {(72,) * 9}


def test_what_no_count_looks_like_is_refused() -> None:
    look = Look()
    ring = bytearray(chip_ring(look, 5, 1.0))
    ring[3:6] = bytes(3)
    broken = bytes(ring) + bytes(3 * look.pixels - len(ring))
    with pytest.raises(ValueError, match="No count looks like"):
        read_counts(broken, look)
    with pytest.raises(ValueError, match="bytes"):
        read_counts(broken[:-1], look)


def test_a_ring_all_in_white_tells_no_count() -> None:
    look = Look()
    frame = tint(look, WHITE, 1.0) * look.pixels
    assert set(read_rings(frame, look)) == {Reading(chips=None, white=12)}
