"""What is lit in each phase: the counts, and the prompts for the players (BOARD.md 4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pochboard.buttons.panel import OffSign
from pochboard.buttons.press import Lobby, Pending
from pochboard.buttons.settings import SettingName, SettingSign
from pochboard.lights.animation import refusal_flash
from pochboard.lights.frame import AMBER, PALETTE, RED, WHITE, Frame
from pochboard.lights.lights_config import LightsConfig, pixel
from pochboard.lights.render import (
    Scene,
    chip_ring,
    code_format,
    next_change_us,
    render,
)
from pochboard.rules.accounts import POOLS
from pochboard.rules.ruleset_files import override, shipped_rulesets
from pochboard.rules.state import State
from tests.count_reader import part_of, read_counts

LIGHTS = LightsConfig()
MODERN = shipped_rulesets()["modern"]
A_WHILE_US = range(0, 4_000_000, 40_000)
SEAT_PLACES = (1, 3, 4, 6)


def night(phase: str, pools: tuple[int, ...] = (4,) * 9, **fields: object) -> State:
    """Four seats at the places 1, 3, 4 and 6."""
    stacks = (30,) * len(SEAT_PLACES)
    state = State(
        ruleset=MODERN,
        balances=(-sum(pools) - sum(stacks), *pools, *stacks),
        bought=(50,) * 4,
        names=("Anna", "Ben", "Cleo", "Dora"),
        places=SEAT_PLACES,
        live=(1, 2, 3, 4),
        order=(1, 2, 3, 4),
        dealer=1,
    )
    return replace(state, phase=phase, **fields)


def place(frame: Frame, number: int) -> bytes:
    return part_of(frame, LIGHTS, f"seat{number}")


def ring(frame: Frame, pool: str) -> bytes:
    return part_of(frame, LIGHTS, pool)


def over_time(scene: Scene, number: int) -> set[bytes]:
    """Everything a place shows within four seconds."""
    return {place(render(scene, LIGHTS, now_us), number) for now_us in A_WHILE_US}


def is_white(pixel: bytes) -> bool:
    return len(set(pixel)) == 1 and any(pixel)


def is_red(pixel: bytes) -> bool:
    return pixel[0] > 100 and not any(pixel[1:])


def pulsing(scene: Scene) -> set[int]:
    return {number for number in range(1, 9) if len(over_time(scene, number)) > 4}


def lit(scene: Scene) -> set[int]:
    frame = render(scene, LIGHTS, 0)
    return {number for number in range(1, 9) if any(place(frame, number))}


def steady_white(scene: Scene) -> set[int]:
    shown = {number: over_time(scene, number) for number in range(1, 9)}
    return {n for n, seen in shown.items() if len(seen) == 1 and is_white(next(iter(seen)))}


# The count code


@given(chips=st.integers(0, 200), pixels=st.integers(6, 24))
def test_a_ring_shows_the_kth_colour_for_k_chips(chips: int, pixels: int) -> None:
    lights = LightsConfig(pixels_per_ring=pixels)
    shown = chip_ring(lights, chips, 1.0)
    for at in range(pixels):
        k = (chips - at + pixels - 1) // pixels
        colour = pixel(lights, PALETTE[min(k, 6) - 1], 1.0) if k > 0 else bytes(3)
        assert shown[3 * at : 3 * at + 3] == colour


def test_a_blocked_pool_is_dimmed_to_a_quarter_in_every_phase() -> None:
    for phase in ("meld", "pochen", "showdown", "shed"):
        state = night(phase, (24,) * 9, committed=(0,) * 4, to_act=2, leader=2)
        blocked = replace(state, blocked=("jack", "marriage"))
        before, after = (render(Scene(state=each), LIGHTS, 0) for each in (state, blocked))
        for pool in POOLS:
            was, now = sum(ring(before, pool)), sum(ring(after, pool))
            assert (
                now == pytest.approx(was / 4, rel=0.03) if pool in blocked.blocked else now == was
            )


# The lobby


def test_before_the_first_night_the_board_is_dark() -> None:
    assert not any(render(Scene(), LIGHTS, 0))
    assert not any(render(Scene(pending=Pending(lobby=Lobby())), LIGHTS, 0))
    assert next_change_us(Scene(), LIGHTS, 0) is None


@pytest.mark.parametrize("phase", ["none", "closed"])
def test_lobby_places_that_joined_are_lit_and_the_first_dealer_is_white(phase: str) -> None:
    state = State() if phase == "none" else night("closed", (0,) * 9, dealer=None)
    scene = Scene(state=state, pending=Pending(lobby=Lobby(places=(2, 5, 8), chosen=5)))
    assert lit(scene) == {2, 5, 8}
    assert steady_white(scene) == {5}
    assert pulsing(scene) == set()


# Idle and the meld


def test_idle_seats_that_could_not_ante_flash_slowly_red_until_they_can() -> None:
    poor = night("idle", (0,) * 9)
    poor = replace(poor, balances=(-64, *(0,) * 9, 30, 3, 30, 1))
    scene = Scene(state=poor, cannot_ante=frozenset({2, 4}))
    for number in (3, 6):
        seen = over_time(scene, number)
        assert len(seen) == 2
        assert any(map(is_red, seen))
    assert not any(is_red(pixel) for pixel in over_time(scene, 4))
    # It flashes slowly: at most two changes in a second.
    first = next_change_us(scene, LIGHTS, 0)
    assert first is not None
    second = next_change_us(scene, LIGHTS, first)
    assert second is not None
    assert second - first >= 500_000
    bought = replace(scene, state=replace(poor, balances=(-164, *(0,) * 9, 30, 53, 30, 51)))
    assert not any(is_red(pixel) for pixel in over_time(bought, 3))


def test_meld_only_pools_that_a_selected_seat_can_claim_are_bright() -> None:
    state = night("meld", (4, 0, 4, 4, 4, 4, 4, 4, 4), claims=(("king", 2),))
    full = chip_ring(LIGHTS, 4, 1.0)

    def bright(chosen: int | None) -> set[str]:
        frame = render(Scene(state=state, pending=Pending(place=chosen)), LIGHTS, 0)
        return {pool for pool in POOLS if ring(frame, pool) == full}

    assert bright(None) == bright(3) == {"ace", "queen", "jack", "ten", "marriage", "sequence"}
    assert bright(4) == {"ace", "queen", "jack", "ten", "sequence"}


# Pochen and the showdown


def betting(poch: int, hand: int, **rules: object) -> Scene:
    state = night(
        "pochen",
        (4,) * 7 + (poch, 4),
        to_act=3,
        committed=(2, 0, 0, 0),
        passed=frozenset({2}),
        ruleset=override(MODERN, rules),
    )
    return Scene(state=state, pending=Pending(chips=hand))


def test_pochen_chips_in_the_hand_are_white_after_the_last_chip() -> None:
    for pool in ("poch", "pinke"):
        scene = betting(4, 5, bet_pool=pool)
        pixels = ring(render(scene, LIGHTS, 0), pool)
        white = [at for at in range(12) if is_white(pixels[3 * at : 3 * at + 3])]
        assert white == [4, 5, 6, 7, 8]
        assert {ring(render(scene, LIGHTS, now_us), pool) for now_us in A_WHILE_US} == {pixels}


def test_pochen_past_the_rings_end_all_white_pixels_blink() -> None:
    scene = betting(16, 9)
    seen = {ring(render(scene, LIGHTS, now_us), "poch") for now_us in A_WHILE_US}
    white = {
        tuple(at for at in range(12) if is_white(shown[3 * at : 3 * at + 3])) for shown in seen
    }
    assert white == {tuple(range(4, 12)), ()}
    assert {read_counts(render(scene, LIGHTS, now), LIGHTS)[7] for now in A_WHILE_US} == {16}
    just_fits = betting(16, 8)
    assert len({ring(render(just_fits, LIGHTS, now_us), "poch") for now_us in A_WHILE_US}) == 1


def test_showdown_seats_in_pulse_until_they_are_pressed() -> None:
    state = night("showdown", committed=(2, 2, 2, 0), passed=frozenset({4}))
    assert pulsing(Scene(state=state)) == {1, 3, 4}
    pressed = Scene(state=state, pending=Pending(hands=(2,)))
    assert pulsing(pressed) == {1, 4}
    assert steady_white(pressed) == {3}


# The shedding


def test_shed_the_leader_pulses_until_somebody_is_out() -> None:
    state = night("shed", leader=4)
    assert pulsing(Scene(state=state)) == {6}
    assert pulsing(Scene(state=replace(state, winner=2))) == {1, 4, 6}


@given(cards=st.integers(0, 26))
def test_shed_every_number_of_cards_looks_different(cards: int) -> None:
    def centre(count: int) -> frozenset[bytes]:
        pending = Pending(counts=(((1, count),),), last=1)
        scene = Scene(state=night("shed", winner=2), pending=pending)
        return frozenset(ring(render(scene, LIGHTS, now_us), "pinke") for now_us in A_WHILE_US)

    assert centre(cards) != centre(cards + 1)
    assert all(is_white(shown[:3]) for shown in centre(cards)) == (cards > 0)


# Pairing, and no link


def test_pairing_shows_each_digit_of_the_code_as_white_pixels_from_the_top() -> None:
    code = (1, 9, 4, 2, 7)
    scene = Scene(state=night("idle"), pairing_since_us=0, pairing_code=code)
    white = pixel(LIGHTS, WHITE, 1.0)
    for now_us in A_WHILE_US:
        frame = render(scene, LIGHTS, now_us)
        for pool, digit in zip(POOLS, code, strict=False):
            assert ring(frame, pool) == white * digit + bytes(3 * (12 - digit))
        for pool in POOLS[5:]:
            assert ring(frame, pool) == ring(
                render(replace(scene, pairing_code=()), LIGHTS, 0), pool
            )
    flashing = replace(scene, effects=(refusal_flash(POOLS[:5], 0),))
    assert ring(render(flashing, LIGHTS, 0), "ace") == pixel(LIGHTS, RED, 1.0) * 12


@pytest.mark.parametrize("pixels", range(4, 65))
def test_there_are_always_enough_codes_and_every_digit_fits_its_ring(pixels: int) -> None:
    lights = replace(LIGHTS, pixels_per_ring=pixels)
    digits, highest = code_format(lights)
    assert highest <= min(pixels, 9)
    assert digits <= len(POOLS)
    assert highest**digits >= 50_000


def test_without_a_link_the_places_pulse_blue_and_nothing_is_counted() -> None:
    scene = Scene(state=night("pochen", to_act=2, committed=(0,) * 4), link=False)
    frames = [render(scene, LIGHTS, now_us) for now_us in A_WHILE_US]
    assert len(set(frames)) > 10
    for frame in frames:
        assert not any(frame[: -3 * LIGHTS.places])
        assert all(place(frame, n)[2] and not any(place(frame, n)[:2]) for n in range(1, 9))


# Replayed states


def test_the_question_whether_to_switch_off_runs_down_on_the_centre_ring() -> None:
    sign = OffSign(0, 12_000_000)
    scene = Scene(state=night("meld"), off=sign)
    lit = pixel(LIGHTS, RED, 1.0)
    for second in range(12):
        now_us = second * 1_000_000
        frame = render(scene, LIGHTS, now_us)
        shown = ring(frame, "pinke")
        assert shown == lit * (12 - second) + bytes(3 * second)
        assert not any(frame.replace(shown, b"")), "nothing else is lit"
        assert next_change_us(scene, LIGHTS, now_us) == now_us + 1_000_000
        assert frame == render(scene, LIGHTS, now_us + 999_999)
    assert not any(render(scene, LIGHTS, 12_000_000))
    assert next_change_us(scene, LIGHTS, 12_000_000) is None


@pytest.mark.parametrize(
    ("setting", "step", "steps", "lit", "colour"),
    [
        *(("brightness", step, 4, 3 * step, WHITE) for step in (4, 3, 2, 1)),
        *(("volume", step, 3, 4 * step, AMBER) for step in (3, 2, 1)),
        ("volume", 0, 3, 1, RED),
    ],
)
def test_a_step_that_was_chosen_is_a_gauge_on_the_centre_ring(
    setting: SettingName, step: int, steps: int, lit: int, colour: str
) -> None:
    state = night("pochen", to_act=3)
    sign = SettingSign(setting, step, steps, until_us=2_000_000)
    # It is seen above everything else, and nothing else changes.
    for scene in (
        Scene(state=state),
        Scene(state=state, pairing_since_us=0, pairing_code=(1, 2, 3, 4, 5)),
        Scene(state=state, effects=(refusal_flash(("pinke",), 0),)),
    ):
        plain = render(scene, LIGHTS, 0)
        frame = render(replace(scene, setting=sign), LIGHTS, 0)
        shown = ring(frame, "pinke")
        assert shown == pixel(LIGHTS, colour, 1.0) * lit + bytes(3 * (12 - lit))
        assert (frame[:-60], frame[-24:]) == (plain[:-60], plain[-24:])
