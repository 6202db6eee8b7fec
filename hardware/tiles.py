"""The template on pages of A4, with marks to lay them together by."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from hardware.pdf import Page
from hardware.sheet import GREEN, GREY, Path, Shape, Sheet, Text, box
from hardware.template import cross, ruler

A4: Final = (210.0, 297.0)
MARGIN: Final = 12.0
"""What most printers leave white."""
OVERLAP: Final = 10.0
"""How much of the drawing two neighbours both show."""


def grid(sheet: Sheet) -> tuple[int, int]:
    """How many pages it takes: across and down."""
    steps = (
        (length - OVERLAP) / (paper - 2 * MARGIN - OVERLAP)
        for length, paper in zip((sheet.width, sheet.height), A4, strict=True)
    )
    across, down = (math.ceil(step - 1e-9) for step in steps)
    return across, down


def tiles(sheet: Sheet) -> list[Page]:
    """The pages, row by row. Each shows its part of the drawing at full size."""
    across, down = grid(sheet)
    return [_tile(sheet, column, row) for row in range(down) for column in range(across)]


def _tile(sheet: Sheet, column: int, row: int) -> Page:
    wide, high = (paper - 2 * MARGIN for paper in A4)
    window = (MARGIN, MARGIN, A4[0] - MARGIN, A4[1] - MARGIN)
    shift = MARGIN - column * (wide - OVERLAP), MARGIN - row * (high - OVERLAP)
    return Page(
        width=A4[0],
        height=A4[1],
        window=window,
        shift=shift,
        marks=tuple(_marks(sheet, column, row)),
    )


def _marks(sheet: Sheet, column: int, row: int) -> Iterator[Shape]:
    across, down = grid(sheet)
    left, top, right, bottom = MARGIN, MARGIN, A4[0] - MARGIN, A4[1] - MARGIN
    yield Path(points=box(left, top, right, bottom), closed=True, colour=GREY, width=0.15)
    half = OVERLAP / 2
    for is_there, x, name in (
        (column > 0, left + half, f"{row}{column - 1}"),
        (column + 1 < across, right - half, f"{row}{column}"),
    ):
        if is_there:
            yield Path(points=((x, top), (x, bottom)), colour=GREEN, width=0.15, dash=(2, 2))
            for part in (1, 2, 3):
                at = (x, top + (bottom - top) * part / 4)
                yield from _mark(at, f"{name}{'abc'[part - 1]}")
    for is_there, y, name in (
        (row > 0, top + half, f"{row - 1}{column}"),
        (row + 1 < down, bottom - half, f"{row}{column}"),
    ):
        if is_there:
            yield Path(points=((left, y), (right, y)), colour=GREEN, width=0.15, dash=(2, 2))
            for part in (1, 2, 3):
                at = (left + (right - left) * part / 4, y)
                yield from _mark(at, f"{name}{'def'[part - 1]}")
    place = f"row {row + 1} of {down}, column {column + 1} of {across}"
    words = f"{sheet.title}; {place}. Print at 100 %, cut one of two neighbours at the green line."
    yield Text(at=(left, top - 3), text=words, size=2.6)
    yield from ruler((left, A4[1] - 4.5))


def _mark(at: tuple[float, float], name: str) -> Iterator[Shape]:
    """A cross that two neighbours both show, with a name that tells which belong together."""
    yield from cross(at, 4, GREEN)
    yield Text(at=(at[0] + 1, at[1] - 1), text=name, size=2.6, colour=GREEN, name=f"mark {name}")
