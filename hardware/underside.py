"""The face from below, as it lies on the bench: the chain of pixels and its branches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import svg

from hardware.chain import links
from hardware.drawing import (
    BLACK,
    GREEN,
    GREY,
    RED,
    circle,
    label,
    line,
    polygon,
    sheet,
    text,
)
from hardware.layout import Layout
from hardware.spec import RINGS_PER_BRANCH
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Point
from pochboard.rules.accounts import POOLS

PAPER: Final = "#f7f2e6"
BRANCH_COLOURS: Final = ("#c8102e", "#1f5fbf", "#b36b00")
"""One for each branch: the pixels that one fuse protects."""


def chain_svg(board: Layout) -> str:
    """The underside, mirrored: each pixel with its number, and where the data goes."""
    half = board.radius + 8
    size = dimensions()
    elements: list[svg.Element] = [
        circle((0, 0), board.radius, width=0.6, fill=PAPER, name="edge"),
        *(circle(_below(hole.centre), size.button.hole / 2, colour=GREY) for hole in board.buttons),
        *(circle(_below(well.centre), well.bowl, fill="#dddddd") for well in board.wells),
        *_hops(board),
        *_pixels(board),
        *_names(board),
    ]
    colours = ", ".join(f"{first} to {last}" for first, last in _branches(board))
    words = (
        f"from below; one colour for each fuse: pixels {colours}",
        "green: data from ring to ring",
    )
    for row, sentence in enumerate(words):
        elements.append(label((0, half + 5 + 9 * row), sentence, size=7))
    title = "pochboard: the chain of pixels, from below"
    return sheet((-half, -half, half, half + 18), elements, title=title)


def _below(at: Point) -> Point:
    return -at[0], at[1]


def _branches(board: Layout) -> list[tuple[int, int]]:
    """First and last pixel of each branch."""
    ends = [0]
    for pixels in board.spec.branches:
        ends.append(ends[-1] + pixels)
    return [(start, end - 1) for start, end in pairwise(ends)]


def _branch_of(board: Layout, pixel: int) -> int:
    ring = pixel // board.spec.pixels_per_ring
    return min(ring // RINGS_PER_BRANCH, len(board.spec.branches) - 1)


def _pixels(board: Layout) -> Iterator[svg.Element]:
    radius = dimensions().pixel.hole / 2
    for number, inlay in enumerate(board.inlays):
        at = _below(inlay.centre)
        colour = BRANCH_COLOURS[_branch_of(board, number) % len(BRANCH_COLOURS)]
        yield circle(at, radius, colour=colour, width=0.6, fill="#ffffff", name=inlay.name)
        yield text((at[0], at[1] + 1.6), f"{number}", size=4.6, anchor="middle", colour=colour)


def _hops(board: Layout) -> Iterator[svg.Element]:
    """Data from pixel to pixel; a longer wire from each ring to the next, and to the places."""
    ring = board.spec.pixels_per_ring
    rings = len(POOLS) * ring
    for number, (one, two) in enumerate(pairwise(board.inlays[:rings])):
        if (number + 1) % ring:
            yield line(_below(one.centre), _below(two.centre), colour=GREY, width=0.5)
    for link in links(board):
        path = [_below(at) for at in link.path]
        yield line(*path, colour=GREEN, width=1.1, name=f"link {link.start}")
        start, end = max(pairwise(path), key=lambda part: math.dist(*part))
        yield _arrow(start, end)


def _arrow(start: Point, end: Point) -> svg.Element:
    """An arrowhead in the middle of a line."""
    length = math.dist(start, end)
    x, y = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    tip = ((start[0] + end[0]) / 2 + 3 * x, (start[1] + end[1]) / 2 + 3 * y)
    back = (tip[0] - 5 * x, tip[1] - 5 * y)
    sides = ((back[0] - 2.2 * y, back[1] + 2.2 * x), (back[0] + 2.2 * y, back[1] - 2.2 * x))
    return polygon(tip, *sides, colour=GREEN, fill=GREEN)


def _names(board: Layout) -> Iterator[svg.Element]:
    for pool, well in zip(POOLS, board.wells, strict=True):
        x, y = _below(well.centre)
        yield label((x, y + 1), pool, size=7, bold=True)
        yield label((x, y + 9), "tap 5 V, 0 V", size=4.5, colour=RED)
    for hole in board.places:
        x, y = _below(hole.centre)
        outwards = 17 / math.hypot(x, y)
        at = (x * (1 + outwards), y * (1 + outwards) + 2)
        yield label(at, hole.name, size=6, colour=BLACK, bold=True)
