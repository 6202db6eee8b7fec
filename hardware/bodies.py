"""The room that bought parts take: on the carrier board, where wires enter them, and in the case.

bodies.toml has the dimensions. All lengths are in mm.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec
from shapely import MultiPoint, Polygon, box

from pochboard.geometry.dimensions import Range
from pochboard.geometry.face import Point

BODIES_FILE: Final = Path(__file__).with_name("bodies.toml")

BodyKind = Literal["terminal", "strip", "resistor", "capacitor", "socket"]
Direction = Literal["left", "right", "up"]
"""As the board is drawn: up is where y grows in a frame whose y points up."""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of bodies.toml, which explains the fields."""


class Body(_Table, frozen=True):
    """A part around a row of poles."""

    side: float
    front: float
    back: float
    reach: float = 0.0


class Zero(_Table, frozen=True):
    """The Pi on its socket."""

    size: Range
    height: float
    parts: float
    card: float
    plug: float


class Around(_Table, frozen=True):
    """What surrounds the parts."""

    head: float
    gap: float


class Bodies(_Table, frozen=True):
    """The content of bodies.toml."""

    on_carrier: dict[BodyKind, Body]
    zero: Zero
    around: Around
    bought: dict[str, tuple[float, float, float]]


@cache
def bodies() -> Bodies:
    """The dimensions of bodies.toml."""
    return msgspec.convert(tomllib.loads(BODIES_FILE.read_text("utf-8")), Bodies)


def body_of(kind: BodyKind, poles: Sequence[Point], entry: Direction) -> Polygon:
    """What a part covers, seen from the side of the parts; its front points to `entry`."""
    size = bodies().on_carrier[kind]
    return _swept(poles, entry, -size.back, size.front, size.side)


def entry_of(kind: BodyKind, poles: Sequence[Point], entry: Direction) -> Polygon:
    """What must stay free in front of a terminal for its wires."""
    size = bodies().on_carrier[kind]
    return _swept(poles, entry, size.front, size.front + size.reach, size.side - 0.01)


def _swept(
    poles: Sequence[Point], entry: Direction, near: float, far: float, side: float
) -> Polygon:
    """A rectangle from `near` to `far` in front of a row of poles, and `side` beyond its ends."""
    left, bottom, right, top = MultiPoint(poles).bounds
    if entry == "up":
        return box(left - side, bottom + near, right + side, top + far)
    if entry == "left":
        near, far = -far, -near
    return box(left + near, bottom - side, right + far, top + side)
