"""Where the pictures of the whole board put chips, real ones could lie."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

from hardware.chips import FLOOR, GROUND, SIZE, Chip, heaps, stacks
from hardware.layout import layout
from hardware.spec import BoardSpec

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
