"""What the players see of each pixel and chip: the required figures, and cases solved by hand."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
import shapely
from shapely import Point as Spot

from hardware import visibility
from hardware.chips import FLOOR, GROUND, SIZE, Chip, heaps, stacks
from hardware.layout import Engraving, layout
from hardware.spec import BoardSpec
from hardware.visibility import (
    LEAST_OF_CHIPS,
    LEAST_OF_SIGNS,
    LEAST_VISIBLE,
    MOST_STRAY,
    Barrier,
    Obstacle,
    chairs,
    chip_parts,
    heap_height,
    least_visible,
    name_minutes,
    seen_through_opening,
    shadow,
    sign_parts,
    stray_share,
    stray_shares,
)
from pochboard.geometry.dimensions import Dimensions, dimensions

DIMENSIONS = dimensions()


# The requirement


@pytest.mark.parametrize("place", range(1, 9))
def test_nine_tenths_of_every_pixel_are_visible_from_everywhere_at_a_place(place: int) -> None:
    board = layout(BoardSpec())
    parts: list[float] = least_visible(board, place).tolist()
    assert len(parts) == 116
    assert min(parts) >= LEAST_VISIBLE, board.inlays[parts.index(min(parts))]


@pytest.mark.parametrize("places", [3, 4, 6, 8])
def test_signs_and_chips_are_seen_from_every_chair(places: int) -> None:
    board = layout(BoardSpec(places=places))
    seated = list(chairs(board))
    assert len(seated) == 2 * places
    for eye in seated:
        assert min(sign_parts(board, eye)) >= LEAST_OF_SIGNS
        for chips in (1, 3, 8, DIMENSIONS.chip.count):
            assert min(chip_parts(board, eye, chips)) >= LEAST_OF_CHIPS


def test_a_dish_is_10_to_15_mm_deep() -> None:
    assert DIMENSIONS.bowl_depth - DIMENSIONS.bowl.felt >= 10
    assert DIMENSIONS.bowl_depth <= 15


def test_no_pixel_gets_more_than_a_twentieth_of_its_light_from_others() -> None:
    shares = stray_shares(layout(BoardSpec()))
    assert 0 <= max(shares) <= MOST_STRAY


@pytest.mark.parametrize(("density", "gap"), [(0.5, 0.2), (1.0, 0.5)])
def test_requirement_holds_for_a_mask_half_as_dense_or_half_a_millimetre_too_low(
    density: float, gap: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = DIMENSIONS.tables
    light = {**tables["light"], "density_per_mm": density}
    worse = Dimensions({**tables, "light": light, "mask": {**tables["mask"], "gap": gap}})
    monkeypatch.setattr(visibility, "dimensions", lambda: worse)
    assert 0.02 < max(stray_shares(layout(BoardSpec()))) <= MOST_STRAY


# Cases solved by hand


def test_a_flat_letter_looks_as_small_as_its_slant_says() -> None:
    word = Engraving(words="X", centre=(0.0, 0.0), radius=100.0, turn=0.25, height=7.0)
    # From straight above at 1 m: 7 mm.
    above = name_minutes(word, (96.5, 0.0, 1000 - DIMENSIONS.mask.plate))
    assert above == pytest.approx(math.degrees(7 / 1000) * 60, rel=0.001)
    # From 1 m away at 30°: half of it.
    away = 96.5 + 1000 * math.cos(math.radians(30))
    slanted = name_minutes(word, (away, 0.0, 500 - DIMENSIONS.mask.plate))
    assert slanted == pytest.approx(above / 2, rel=0.01)


def test_chips_behind_the_edge_are_those_that_two_circles_do_not_share() -> None:
    board = layout(BoardSpec())
    well, depth = (
        board.wells[0],
        DIMENSIONS.bowl_depth - DIMENSIONS.bowl.felt - DIMENSIONS.chip.thickness,
    )
    floor = DIMENSIONS.bowl_radius(well.bowl, DIMENSIONS.bowl_depth) - DIMENSIONS.bowl.fillet / 2
    straight = (*well.centre, 500.0)
    assert chip_parts(board, straight, 1)[0] == pytest.approx(1)
    # At 45° the edge is seen as far away as it is above the chips.
    slanted = (well.centre[0], well.centre[1] - 500.0, 500.0)
    edge = Spot(0, -0.0).buffer(well.bowl * (500 + depth) / 500, quad_segs=128)
    tops = Spot(0, -depth).buffer(floor, quad_segs=128)
    expected = edge.intersection(tops).area / tops.area
    assert 0.7 < expected < 0.99
    assert chip_parts(board, slanted, 1)[0] == pytest.approx(expected, abs=0.005)


def test_what_stands_before_a_sign_hides_it() -> None:
    board = layout(BoardSpec())
    sign = board.signs[0]
    x, y = sign.centre
    # From across the board, a button's edge of 2.4 mm hides 2.4 mm × distance / height behind it.
    low = sign_parts(board, (x, y + 2000.0, 60.0))[0]
    assert low < sign_parts(board, (x, y + 600.0, 500.0))[0] <= 1
    assert sign_parts(board, (x, y, 600.0))[0] == pytest.approx(1)


def test_film_under_a_5_mm_hole_in_4_mm_plywood_is_hidden_from_a_chair() -> None:
    """Light that leaves the film towards the eye is shifted by depth × distance / height."""
    round_film = np.array([Spot(0, 0).buffer(2.5, quad_segs=128)])
    square_film = np.array([shapely.box(-2.5, -2.5, 2.5, 2.5)])
    # 60 cm away and 45 cm above: shifted by 5.33 mm, more than the hole is wide.
    assert seen_through_opening(round_film, 4, (600, 0, 450)) == pytest.approx([0])
    # 45 cm away: shifted by 4 mm, so a fifth of the width is left, and of the disc a tenth:
    # two circles of radius r at a distance d share 2 r² acos(d / 2r) - d / 2 × √(4 r² - d²).
    assert seen_through_opening(square_film, 4, (450, 0, 450)) == pytest.approx([0.2], abs=0.01)
    lens = (2 * 2.5**2 * math.acos(0.8) - 2 * 3) / (math.pi * 2.5**2)
    assert lens == pytest.approx(0.104, abs=0.001)
    assert seen_through_opening(round_film, 4, (450, 0, 450)) == pytest.approx([lens], abs=0.01)
    # From straight above all of it is visible.
    assert seen_through_opening(round_film, 4, (0, 0, 450)) == pytest.approx([1])


def test_shadow_of_a_post_is_as_long_as_the_rule_of_similar_triangles_says() -> None:
    post = Obstacle(centre=(0, 0), radius=5, top_radius=5, height=10)
    left, _, right, _ = shadow(post, (400, 0, 210)).bounds
    # The far edge of the top, 405 mm away from the eye, is seen 405 × 210 / 200 away.
    assert left == pytest.approx(400 - 405 * 1.05)
    assert right == pytest.approx(5)


def test_heap_is_a_cone_on_a_level_layer() -> None:
    radius, chip = 27.0, DIMENSIONS.chip
    level = DIMENSIONS.bowl_level(12, radius)
    cone = radius * math.tan(math.radians(chip.repose_degrees))
    assert heap_height(12, radius, DIMENSIONS) + DIMENSIONS.bowl_depth == pytest.approx(
        level + cone * 2 / 3
    )
    # The volume under the level, in slices of a tenth of a millimetre.
    depths = np.arange(DIMENSIONS.bowl_depth - level, DIMENSIONS.bowl_depth, 0.1)
    volume = sum(math.pi * DIMENSIONS.bowl_radius(radius, depth) ** 2 * 0.1 for depth in depths)
    chips = volume * chip.packing / (math.pi * 11**2 * chip.thickness)
    assert chips == pytest.approx(12, rel=0.1)
    assert chips > 12  # the fillet takes some room


def test_stray_light_of_a_wall_and_a_slit() -> None:
    # Through 3 mm of density 1 per mm passes a thousandth; the slit is 0.2 mm high and 3 mm long.
    wall = 10 * DIMENSIONS.mask.height * 1e-3
    slit = 10 * 0.2 * (math.sqrt(1 + 15**2) - 15)
    share = stray_share(Barrier(wall=3, facing=10), 100, DIMENSIONS)
    assert share == pytest.approx((wall + slit) / (100 * 0.3))


BOARD = layout(BoardSpec())


def assert_apart(chips: list[Chip]) -> None:
    """No chip is inside another one."""
    for one, other in combinations(chips, 2):
        near = math.dist(one.at, other.at) < SIZE.chip.diameter
        assert not near or abs(one.z - other.z) >= SIZE.chip.thickness


@pytest.mark.parametrize("count", [1, 3, 9, 14])
def test_a_heap_lies_in_its_bowl(count: int) -> None:
    for well in BOARD.wells:
        chips = list(heaps([well], [count]))
        assert len(chips) == count
        assert_apart(chips)
        for chip in chips:
            reach = math.dist(chip.at, well.centre) + SIZE.chip.diameter / 2
            assert chip.z >= FLOOR
            assert reach <= SIZE.bowl_radius(well.bowl, SIZE.mask.plate - chip.z)


def test_stacks_stand_on_the_table_beside_the_board() -> None:
    chips = list(stacks(BOARD, [50] * 8))
    assert len(chips) == 400
    assert_apart(chips)
    assert min(chip.z for chip in chips) == GROUND
    assert min(math.hypot(*chip.at) for chip in chips) > BOARD.radius + SIZE.chip.diameter / 2
