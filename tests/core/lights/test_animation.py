"""Effects start and end in time, and a newer state cuts them short (BOARD.md 4)."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pochboard.buttons.press import Lobby, Pending
from pochboard.lights.animation import (
    Effect,
    PlaceGlow,
    dealer_draw,
    effects_of_entry,
    is_current,
    missing_count_flash,
    refusal_flash,
)
from pochboard.lights.frame import RED, WHITE, Frame
from pochboard.lights.lights_config import LightsConfig, pixel
from pochboard.lights.render import Scene, next_change_us, render
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import (
    Adjust,
    Claim,
    Deal,
    End,
    Out,
)
from pochboard.rules.ruleset_files import shipped_rulesets
from pochboard.rules.state import State
from pochboard.text.unicode_names import sight
from tests.count_reader import part_of, read_counts
from tests.not_empty import not_empty

LIGHTS = LightsConfig()
START_US = 7_000_003
FINE_US = 10_000
PHASES = ["idle", "meld", "pochen", "showdown", "shed", "closed"]


def night(phase: str, pools: tuple[int, ...], stacks: tuple[int, ...], **fields: object) -> State:
    """Seats at the places 1, 2, 3 …"""
    seats = tuple(range(1, len(stacks) + 1))
    state = State(
        ruleset=shipped_rulesets()["modern"],
        balances=(-sum(pools) - sum(stacks), *pools, *stacks),
        bought=(50,) * len(stacks),
        names=tuple("ABCDEFGH"[: len(stacks)]),
        places=seats,
        live=seats,
        order=seats,
        dealer=1,
        committed=(0,) * len(stacks),
        to_act=2,
        leader=2,
    )
    return replace(state, phase=phase, **fields)


def place(frame: Frame, number: int) -> bytes:
    return part_of(frame, LIGHTS, f"seat{number}")


def settled_at_us(scene: Scene) -> int:
    """When all effects of a scene that still lead to its state are over."""
    return max(
        (e.end_us for e in scene.effects if is_current(e, scene.state, scene.pending)), default=0
    )


def count(frame: Frame, ring: int) -> int:
    chips = read_counts(frame, LIGHTS)[ring]
    assert chips is not None
    return chips


def course(scene: Scene, from_us: int, to_us: int) -> list[Frame]:
    return [render(scene, LIGHTS, now_us) for now_us in range(from_us, to_us, FINE_US)]


chips = st.integers(0, 90)
pools = st.lists(chips, min_size=9, max_size=9).map(tuple)
stacks = st.lists(st.integers(0, 60), min_size=4, max_size=4).map(tuple)
states = st.builds(night, st.sampled_from(PHASES), pools, stacks)
lobbies = st.builds(Lobby, places=st.just((1, 2, 4)), chosen=st.none() | st.sampled_from([1, 2, 4]))
pendings = st.builds(
    Pending,
    place=st.none() | st.integers(1, 8),
    chips=st.integers(0, 30),
    hands=st.sampled_from([(), (2,), (2, 1)]),
    lobby=st.none() | lobbies,
)
buttons = st.sampled_from([*POOLS, *(f"seat{n}" for n in range(1, 9)), "next", "undo"])

RECOUNT = Adjust(from_="bank", to="pool:ace", chips=1, reason="recount")


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Any state with any effects, whether they match the state or not."""
    state = draw(states)
    starts = st.integers(START_US - 3_000_000, START_US + 500_000)
    entry = effects_of_entry(draw(states), state, RECOUNT, draw(starts))
    stale = effects_of_entry(state, draw(states), Claim(1, "ace"), draw(starts))
    others: tuple[Effect, ...] = (
        refusal_flash(tuple(draw(st.lists(buttons, min_size=1, max_size=2))), draw(starts)),
        missing_count_flash((1, 3), draw(starts)),
        dealer_draw((1, 2, 4), draw(st.sampled_from([1, 2, 4])), draw(starts)),
    )
    return Scene(
        state=state,
        pending=draw(pendings),
        link=draw(st.integers(0, 9)) > 0,
        effects=entry + stale + others,
        pairing_since_us=draw(st.none() | st.just(0)),
        cannot_ante=draw(st.frozensets(st.integers(1, 4))),
    )


@given(scene=scenes(), now_us=st.integers(START_US - 3_000_000, START_US + 4_000_000))
@settings(max_examples=200)
def test_the_frame_stays_as_it_is_until_the_next_change_is_due(scene: Scene, now_us: int) -> None:
    due_us = next_change_us(scene, LIGHTS, now_us)
    frame = render(scene, LIGHTS, now_us)
    assert due_us is None or due_us > now_us
    until_us = now_us + 5_000_000 if due_us is None else due_us
    moments = {*range(now_us, until_us, 7_919), until_us - 1}
    assert {render(scene, LIGHTS, moment) for moment in moments} == {frame}


@given(scene=scenes(), now_us=st.integers(START_US - 3_000_000, START_US + 4_000_000))
def test_frames_come_no_faster_than_thirty_a_second_from_one_effect(
    scene: Scene, now_us: int
) -> None:
    for effect in scene.effects:
        alone = replace(scene, state=State(), pending=Pending(), pairing_since_us=None)
        alone = replace(alone, effects=(effect,), link=True)
        first = next_change_us(alone, LIGHTS, now_us)
        second = None if first is None else next_change_us(alone, LIGHTS, first)
        assert first is None or second is None or second - first > 33_000 or second == effect.end_us


# Antes, claims, payouts


@pytest.mark.parametrize("seats", range(2, 9))
def test_an_ante_fills_the_rings_chip_by_chip_in_time(seats: int) -> None:
    before = night("idle", (0,) * 9, (50,) * seats)
    after = night("meld", (seats,) * 9, (41,) * seats)
    scene = Scene(state=after, effects=effects_of_entry(before, after, Deal(), START_US))
    assert settled_at_us(scene) - START_US <= 1_200_000
    frames = course(scene, START_US, START_US + 1_200_000)
    for ring in range(9):
        counts = [count(frame, ring) for frame in frames]
        assert counts[0] == 0
        assert counts[-1] == seats
        assert sorted(set(counts)) == list(range(seats + 1))
        assert counts == sorted(counts)


@pytest.mark.parametrize("held", [1, 5, 12, 18])
def test_a_claim_drains_the_ring_while_the_place_that_gets_it_brightens(held: int) -> None:
    before = night("meld", (held, *(4,) * 8), (41,) * 4)
    after = night("meld", (0, *(4,) * 8), (41, 41, 41 + held, 41), claims=(("ace", 3),))
    command = Claim(3, "ace")
    scene = Scene(
        state=after,
        pending=Pending(place=3, kept=True),
        effects=effects_of_entry(before, after, command, START_US),
    )
    assert 0 < settled_at_us(scene) - START_US <= 800_000
    frames = course(scene, START_US, settled_at_us(scene))
    counts = [count(frame, 0) for frame in frames]
    assert counts[0] == held
    assert sorted(set(counts), reverse=True) == list(range(held, 0, -1))
    brightness = [sum(place(frame, 3)) for frame in frames]
    assert brightness == sorted(brightness)
    assert brightness[-1] > 2 * brightness[0] or held == 1
    assert all(read_counts(frame, LIGHTS)[1:] == (4,) * 8 for frame in frames)


# Refusals, missing counts, drawing the dealer


@pytest.mark.parametrize(
    ("button", "pixels"),
    [
        ("ace", range(12)),
        ("pinke", range(96, 108)),
        ("seat1", [108]),
        ("seat8", [115]),
        ("next", range(108, 116)),
        ("undo", range(108, 116)),
    ],
)
@pytest.mark.parametrize("phase", PHASES)
def test_a_refusal_is_two_red_flashes_within_0_4_s(
    button: str, pixels: list[int], phase: str
) -> None:
    state = night(phase, (70,) * 9, (30,) * 8)
    scene = Scene(state=state, effects=(refusal_flash((button,), START_US),))
    red = pixel(LIGHTS, RED, 1.0)
    flashes = 0
    for earlier, later in pairwise(course(scene, START_US - FINE_US, START_US + 1_000_000)):
        was, now = ([f[3 * p : 3 * p + 3] == red for p in pixels] for f in (earlier, later))
        assert len(set(now)) == 1
        flashes += now[0] and not was[0]
    assert flashes == 2
    assert settled_at_us(scene) - START_US <= 400_000


def test_places_that_lack_a_count_flash_after_the_refusal() -> None:
    state = night("shed", (4,) * 9, (30,) * 4, winner=2)
    effects = (refusal_flash(("next",), START_US), missing_count_flash((1, 4), START_US))
    scene = Scene(state=state, pending=Pending(counts=(((3, 2),),), last=3), effects=effects)
    white, red = pixel(LIGHTS, WHITE, 1.0), pixel(LIGHTS, RED, 1.0)
    flashes = dict.fromkeys(range(1, 9), 0)
    for earlier, later in pairwise(course(scene, START_US + 450_000, settled_at_us(scene))):
        for number in not_empty(flashes):
            assert place(later, number) != red
            flashes[number] += place(later, number) == white != place(earlier, number)
    assert {number for number, count in flashes.items() if count >= 2} == {1, 4}


@pytest.mark.parametrize("winner", [2, 3, 5, 8])
def test_drawing_the_dealer_slows_down_and_stops_at_the_winner(winner: int) -> None:
    places = (2, 3, 5, 8)
    pending = Pending(lobby=Lobby(places=places, chosen=winner))
    scene = Scene(pending=pending, effects=(dealer_draw(places, winner, START_US),))
    white = pixel(LIGHTS, WHITE, 1.0)
    stops: list[tuple[int, int]] = []
    for now_us in range(START_US, settled_at_us(scene), FINE_US):
        frame = render(scene, LIGHTS, now_us)
        [reached] = [number for number in range(1, 9) if place(frame, number) == white]
        if not stops or stops[-1][1] != reached:
            stops.append((now_us, reached))
    way = [reached for _, reached in stops]
    assert len(way) > 2 * len(places)
    for here, there in pairwise(way):
        assert there == places[(places.index(here) + 1) % len(places)]
    assert way[-1] == winner
    rests = [later - earlier for (earlier, _), (later, _) in pairwise(stops)]
    assert rests[-1] > rests[0]
    assert place(render(scene, LIGHTS, settled_at_us(scene)), winner) == white


@pytest.mark.parametrize(
    ("aliases", "ranks"),
    [
        ({}, [{1, 4}, {3}, {2}]),
        ({sight("B"): "A"}, [{4}, {1, 2, 3}]),  # what B has won, the same person has lost as A
    ],
    ids=["four people", "B is A"],
)
def test_a_night_that_ends_lights_up_its_places_from_the_last_to_the_first(
    aliases: dict[str, str], ranks: list[set[int]]
) -> None:
    before = night("idle", (0,) * 9, (40, 70, 60, 40))
    after = replace(before, phase="closed")
    effects = effects_of_entry(before, after, End(), START_US, aliases)
    scene = Scene(state=after, effects=effects, aliases=aliases)

    def lit(seconds: float) -> set[int]:
        frame = render(scene, LIGHTS, START_US + int(seconds * 1_000_000))
        return {number for number in range(1, 9) if any(place(frame, number))}

    assert not lit(0.5)
    for rank in range(len(ranks)):
        assert lit(rank + 1.5) == set().union(*ranks[: rank + 1])
    frame, white = render(scene, LIGHTS, START_US + 9_000_000), pixel(LIGHTS, WHITE, 1.0)
    assert {number for number in range(1, 9) if place(frame, number) == white} == ranks[-1]
    # Whoever opens the board later sees the result at once, and nothing moves.
    assert render(scene, LIGHTS, START_US + 3_000_000) == render(
        replace(scene, effects=()), LIGHTS, 0
    )
    assert next_change_us(Scene(state=after), LIGHTS, 0) is None
    # A press in the lobby ends it.
    pressed = replace(scene, pending=Pending(lobby=Lobby(places=(1, 2))))
    assert course(pressed, START_US + 1_000_000, START_US + 1_500_000)[0] == render(
        replace(pressed, effects=()), LIGHTS, 0
    )


def test_the_place_of_whoever_has_played_the_last_card_brightens() -> None:
    before = night("shed", (1,) * 9, (40, 40, 40, 40))
    after = replace(before, winner=3)
    (glow,) = effects_of_entry(before, after, Out(3), START_US)
    assert isinstance(glow, PlaceGlow)
    assert glow.place == 3
