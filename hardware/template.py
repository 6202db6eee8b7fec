"""The board seen from above, to scale: to be printed, laid on the wood and drilled through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from hardware.geometry import RIM_INNER, Hole, Layout
from hardware.sheet import (
    AMBER,
    BLACK,
    BLUE,
    GREY,
    RED,
    Circle,
    Path,
    Shape,
    Sheet,
    Text,
    around,
    lines_of_text,
    number,
)
from pochboard.rules.board import POOLS

BORDER: Final = 8.0
RULER_MM: Final = 100


def template(board: Layout) -> Sheet:
    """The whole board on one sheet, its middle in the middle. 1 mm is 1 mm."""
    side = 2 * (board.radius + BORDER)
    middle = side / 2, side / 2
    shapes = (
        *_outlines(board),
        *(shape for index in range(len(POOLS)) for shape in _pool(board, index)),
        *_rim(board),
        *_legend(board),
    )
    return Sheet(
        width=side,
        height=side,
        title=f"pochboard: drilling template, {_size(board)}",
        shapes=tuple(moved(shape, middle) for shape in shapes),
    )


def moved(shape: Shape, by: tuple[float, float]) -> Shape:
    """The shape further right and down."""
    if isinstance(shape, Path):
        points = tuple((x + by[0], y + by[1]) for x, y in shape.points)
        return msgspec.structs.replace(shape, points=points)
    x, y = shape.at
    return msgspec.structs.replace(shape, at=(x + by[0], y + by[1]))


def ruler(at: tuple[float, float], *, upright: bool = False) -> Iterator[Shape]:
    """A ruler of 100 mm that begins at a point."""
    x, y = at

    def along(step: float, off: float) -> tuple[float, float]:
        return (x + off, y + step) if upright else (x + step, y + off)

    yield Path(points=(along(0, 0), along(RULER_MM, 0)), width=0.25, name=f"ruler {RULER_MM}")
    for step in range(0, RULER_MM + 1, 5):
        tick = 3.0 if step % 10 == 0 else 1.8
        yield Path(points=(along(step, 0), along(step, -tick)), width=0.2)
    for step in (0, 50, RULER_MM):
        unit = " mm" if step == RULER_MM else ""
        yield Text(
            at=along(step, -3.8),
            text=f"{step}{unit}",
            size=2.6,
            anchor="middle",
            turn=90.0 if upright else 0.0,
        )


def cross(at: tuple[float, float], arm: float, colour: str = BLACK) -> Iterator[Shape]:
    """A cross to put the drill's tip on."""
    x, y = at
    yield Path(points=((x - arm, y), (x + arm, y)), width=0.15, colour=colour)
    yield Path(points=((x, y - arm), (x, y + arm)), width=0.15, colour=colour)


def _hole(hole: Hole, colour: str) -> Iterator[Shape]:
    yield Circle(at=hole.at, radius=hole.across / 2, colour=colour, width=0.25, name=hole.name)
    yield from cross(hole.at, min(hole.across / 2 + 1, 4), colour)


def _size(board: Layout) -> str:
    return f"{board.size.places} places, rings of {board.size.ring} pixels"


def _outlines(board: Layout) -> Iterator[Shape]:
    yield Circle(at=(0, 0), radius=board.radius, width=0.5, name="edge")
    yield Circle(at=(0, 0), radius=RIM_INNER * board.unit, colour=GREY, dash=(4, 2), name="rim")
    top = -board.radius
    yield Path(points=((0, top - 3), (0, top + 6)), width=0.3)
    yield Text(at=(0, top + 10), text="top", size=3, anchor="middle", colour=GREY)


def _pool(board: Layout, index: int) -> Iterator[Shape]:
    middle, ring = board.pools[index], board.ring
    x, y = middle
    yield Circle(
        at=middle, radius=board.well(index), colour=GREY, dash=(1, 1.5), name=f"well {POOLS[index]}"
    )
    for across, word in ((ring.outer_mm, "outside"), (ring.inner_mm, "inside")):
        yield Circle(
            at=middle, radius=across / 2, colour=AMBER, width=0.2, name=f"{word} {POOLS[index]}"
        )
    first = index * ring.pixels
    for hole in board.pixels[first : first + ring.pixels]:
        yield from _hole(hole, BLUE)
    yield from _hole(board.buttons[index], RED)
    # The chain enters at the top and runs clockwise: an arrow just outside the ring.
    far = ring.outer_mm / 2 + 1.5
    arc = tuple(around(step / 100, far, middle) for step in range(2, 11))
    yield Path(points=arc, colour=BLUE, width=0.3)
    tail = 0.1 - 0.27 / far
    sides = (around(tail, far + side, middle) for side in (0.8, -0.8))
    yield Path(points=(arc[-1], *sides), closed=True, colour=BLUE, fill=BLUE, width=0.2)
    yield Text(
        at=(x + 0.5, y - far - 0.6), text=f"pixel {first}", size=2.6, anchor="end", colour=BLUE
    )
    yield Text(
        at=(x, y + far + 4),
        text=f"{index + 1} {POOLS[index]}",
        size=4.2,
        anchor="middle",
        bold=True,
    )


def _rim(board: Layout) -> Iterator[Shape]:
    places = board.size.places
    rim_pixels = board.pixels[len(POOLS) * board.ring.pixels :]
    for index, (button, pixel) in enumerate(
        zip(board.buttons[len(POOLS) :], rim_pixels, strict=False)
    ):
        yield from _hole(button, RED)
        yield from _hole(pixel, BLUE)
        x, y = button.at
        yield Text(
            at=(x, y + button.across / 2 + 5),
            text=f"place {index + 1}",
            size=3.6,
            anchor="middle",
            bold=True,
        )
        x, y = pixel.at
        number_of = len(POOLS) * board.ring.pixels + index
        yield Text(at=(x + 3.5, y + 3.4), text=str(number_of), size=2.6, colour=BLUE)
    for button in board.buttons[len(POOLS) + places :]:
        yield from _hole(button, RED)
        x, y = button.at
        yield Text(
            at=(x, y + button.across / 2 + 5),
            text=button.name,
            size=3.6,
            anchor="middle",
            bold=True,
        )


def _legend(board: Layout) -> Iterator[Shape]:
    """In the four corners, outside of the circle."""
    corner = board.radius + BORDER - 6
    across = f"{2 * board.radius:.0f} mm"
    ring = board.ring
    button, pixel = board.buttons[0].across, board.pixels[0].across
    yield from lines_of_text(
        (-corner, -corner + 4),
        ["pochboard", _size(board), f"board {across} across", "seen from above"],
        3.0,
    )
    made = "as sold" if ring.is_sold else "of single pixels"
    lines = [
        f"{len(board.buttons)} × {number(button)} mm: button",
        f"{len(board.pixels)} × {number(pixel)} mm: pixel",
        f"ring {made}:",
        f"{number(ring.outer_mm)} / {number(ring.inner_mm)} mm",
    ]
    colours = (RED, BLUE, AMBER, AMBER)
    for row, (line, colour) in enumerate(zip(lines, colours, strict=True)):
        yield Text(
            at=(corner, -corner + 4 + row * 4.35), text=line, size=3.0, anchor="end", colour=colour
        )
    yield from ruler((-corner, corner - 1))
    yield Text(at=(-corner, corner + 3), text="print at 100 %: this is 100 mm", size=2.6)
    yield from lines_of_text(
        (corner - 44, corner - 6),
        ["dashed: where the rim begins", "dotted: room for chips"],
        2.6,
        GREY,
    )
