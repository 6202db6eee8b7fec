"""The room that parts take on a board: their bodies, and where wires enter them.

bodies.toml has the dimensions. All lengths are in mm, on the side of the parts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec
from shapely import LineString, MultiPoint, Polygon, box

from pochboard.geometry.dimensions import Range
from pochboard.geometry.face import Point

BODIES_FILE: Final = Path(__file__).with_name("bodies.toml")

BodyKind = Literal["terminal", "strip", "resistor", "capacitor", "socket"]
Direction = Literal["left", "right", "up", "down"]
"""As the board is drawn: up is where y grows in a frame whose y points up."""

WAYS: Final[dict[Direction, Point]] = {
    "left": (-1, 0),
    "right": (1, 0),
    "up": (0, 1),
    "down": (0, -1),
}


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of bodies.toml, which explains the fields."""


class TerminalBody(_Table, frozen=True):
    """Screw terminals in a row."""

    pitch: float
    side: float
    front: float
    back: float
    reach: float


class LyingBody(_Table, frozen=True):
    """A body between two leads."""

    length: float
    diameter: float
    shortest: float


class SocketBody(_Table, frozen=True):
    """A socket around its poles."""

    margin: float


class ZeroBody(_Table, frozen=True):
    """The Pi on its socket, across by upwards, and how high it is above the board."""

    size: Range
    height: float
    parts: float


class Around(_Table, frozen=True):
    """What surrounds the parts."""

    head: float
    wire: float
    gap: float


class Bodies(_Table, frozen=True):
    """The content of bodies.toml."""

    terminal: TerminalBody
    strip: TerminalBody
    resistor: LyingBody
    capacitor: LyingBody
    socket: SocketBody
    zero: ZeroBody
    around: Around


@cache
def bodies() -> Bodies:
    """The dimensions of bodies.toml."""
    return msgspec.convert(tomllib.loads(BODIES_FILE.read_text("utf-8")), Bodies)


def body_of(kind: BodyKind, poles: Sequence[Point], entry: Direction | None = None) -> Polygon:
    """What a part covers. Terminals need the direction in which their wires leave."""
    if kind in {"terminal", "strip"}:
        assert entry is not None, kind
        return _terminal(kind, poles, entry)
    if kind == "socket":
        left, bottom, right, top = MultiPoint(poles).bounds
        margin = bodies().socket.margin
        return box(left - margin, bottom - margin, right + margin, top + margin)
    size = bodies().resistor if kind == "resistor" else bodies().capacitor
    leads = LineString(poles)
    middle = leads.length / 2
    ends = [leads.interpolate(middle + side * size.length / 2) for side in (-1, 1)]
    return _polygon(LineString(ends).buffer(size.diameter / 2, cap_style="flat"))


def entry_of(kind: BodyKind, poles: Sequence[Point], entry: Direction) -> Polygon:
    """What must stay free in front of a terminal for its wires."""
    (dx, dy), size = WAYS[entry], _size(kind)
    near, far = size.front, size.front + size.reach
    side = size.side - 0.01
    return _swept(poles, (dx * near, dy * near), (dx * far, dy * far), side)


def _terminal(kind: BodyKind, poles: Sequence[Point], entry: Direction) -> Polygon:
    (dx, dy), size = WAYS[entry], _size(kind)
    back, front = -size.back, size.front
    return _swept(poles, (dx * back, dy * back), (dx * front, dy * front), size.side)


def _size(kind: BodyKind) -> TerminalBody:
    return bodies().terminal if kind == "terminal" else bodies().strip


def _swept(poles: Sequence[Point], start: Point, end: Point, side: float) -> Polygon:
    """A rectangle from `start` to `end` beyond a row of poles, and `side` beyond its ends."""
    left, bottom, right, top = MultiPoint(poles).bounds
    xs, ys = sorted((start[0], end[0])), sorted((start[1], end[1]))
    if start[0] == end[0] == 0:
        xs = [-side, side]
    else:
        ys = [-side, side]
    return box(left + xs[0], bottom + ys[0], right + xs[1], top + ys[1])


def _polygon(shape: object) -> Polygon:
    assert isinstance(shape, Polygon)
    return shape
