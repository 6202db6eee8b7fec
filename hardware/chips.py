"""Where chips lie on a board and beside it: heaps in the bowls, stacks before the places."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from hardware.layout import Layout
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Point, Well

SIZE: Final = dimensions()
CHIP_COLOURS: Final = ("#a4302c", "#2d4f8e", "#d9a32c", "#e4dccb")
FLOOR: Final = -SIZE.mask.height + SIZE.bowl.floor + SIZE.bowl.felt
"""z of the felt; 0 is the upper side of the plywood."""
GROUND: Final = -SIZE.panel.face - SIZE.panel.room - SIZE.panel.base - SIZE.panel.feet
"""z of the table."""
_GAP: Final = 0.05
"""Between two chips that lie on each other, so that none is inside another."""
_SLACK: Final = 0.55
"""Between neighbours in a layer, at least."""
_STACK: Final = 12


class Chip(msgspec.Struct, frozen=True):
    """A chip that lies flat."""

    colour: str
    at: Point
    """The middle, in mm on the face."""
    z: float
    """Of its lower side."""


def heaps(wells: Sequence[Well], counts: Sequence[int]) -> Iterator[Chip]:
    """The chips in the bowls, in layers, each turned against the one below; always the same."""
    chance = random.Random(1441)  # noqa: S311 - a picture, and to be repeated
    for well, count in zip(wells, counts, strict=True):
        around = 3 if well.bowl < 45 else 6
        # So that neighbours do not touch; a seventh has room between six.
        away = (SIZE.chip.diameter + _SLACK) / 2 / math.sin(math.pi / around)
        layer_size = around + (around == 6)
        turn = chance.random()
        for index in range(count):
            layer, seat = divmod(index, layer_size)
            angle = 2 * math.pi * (turn + (seat + layer / 2) / around)
            out = 0.0 if seat == around else away + chance.uniform(0, _SLACK)
            at = (well.centre[0] + out * math.sin(angle), well.centre[1] - out * math.cos(angle))
            z = FLOOR + layer * (SIZE.chip.thickness + _GAP)
            yield Chip(chance.choice(CHIP_COLOURS), at, z)


def stacks(board: Layout, counts: Sequence[int]) -> Iterator[Chip]:
    """The chips on the table before the places, in stacks of twelve; always the same."""
    chance = random.Random(1713)  # noqa: S311
    for hole, count in zip(board.places, counts, strict=False):
        x, y = hole.centre
        out = (board.radius + 1.6 * SIZE.chip.diameter) / math.hypot(x, y)
        angle = math.atan2(y, x)
        for index in range(count):
            stack, level = divmod(index, _STACK)
            across = (stack - 1.5) * (SIZE.chip.diameter + 3)
            at = (
                x * out - across * math.sin(angle) + chance.uniform(-0.7, 0.7),
                y * out + across * math.cos(angle) + chance.uniform(-0.7, 0.7),
            )
            z = GROUND + level * (SIZE.chip.thickness + _GAP)
            yield Chip(CHIP_COLOURS[stack % len(CHIP_COLOURS)], at, z)
