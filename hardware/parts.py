"""The bill of materials of parts.toml for a board of any size."""

from __future__ import annotations

import math
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec

from hardware.geometry import Layout, layout
from hardware.size import CHIPS, Size
from pochboard.rules.board import POOLS

FILE: Final = Path(__file__).with_name("parts.toml")

_SLACK: Final = 1.25
"""Wires do not run straight, and their ends are cut off."""
_TAIL_MM: Final = 150
"""What each button's pair of wires has beyond the way to the middle."""
_LEAD_MM: Final = 300
"""From the supply's socket to the fuse and on to the stripboard."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the bill."""

    name: str
    quantity: int
    unit: str = ""
    """What is counted, where it is not pieces."""
    pixels: int = 0
    """Pixels on each piece."""
    buttons: int = 0
    only: str = ""
    """The back end it is needed for, or nothing for both."""
    note: str = ""


def load() -> list[dict[str, Any]]:
    """parts.toml as it stands."""
    parts: list[dict[str, Any]] = tomllib.loads(FILE.read_text("utf-8"))["part"]
    return parts


def parts_of(size: Size) -> list[Part]:
    """The bill for a board of a size."""
    board = layout(size)
    counts = {"pool": len(POOLS), "place": size.places, "button": len(size.buttons)}
    words = {
        "ring": size.ring,
        "chip": CHIPS[size.pixel],
        "outer": f"{board.ring.outer_mm:g}",
        "inner": f"{board.ring.inner_mm:g}",
        "pools": len(POOLS),
        "places": size.places,
        "amps": size.supply_a,
        "cross": f"{size.cross_mm2:g}",
        "across": math.ceil(2 * board.radius),
    }
    metres = {"power": power_wire_m(board), "signal": signal_wire_m(board)}
    bill = []
    for entry in load():
        quantity = entry["quantity"]
        for what, number in entry.get("each", {}).items():
            quantity = number * counts[what]
        if "wire" in entry:
            quantity = metres[entry["wire"]]
        is_ring = "pool" in entry.get("each", {})
        part = Part(
            name=entry["name"].format(**words),
            quantity=quantity,
            unit=entry.get("unit", ""),
            pixels=size.ring if is_ring else entry.get("pixels", 0),
            buttons=entry.get("buttons", 0),
            only=entry.get("for", ""),
            note=entry["note"].format(**words),
        )
        bill.append(_of_single_pixels(part, size) if is_ring and not board.ring.is_sold else part)
    return bill


def _of_single_pixels(rings: Part, size: Size) -> Part:
    """Rings that nobody sells, as the pixels they are made of."""
    return msgspec.structs.replace(
        rings,
        name=f"Single {CHIPS[size.pixel]} pixel on a round board, 10 mm, for the rings",
        quantity=rings.quantity * size.ring,
        pixels=1,
        note=f"{size.ring} a ring, {len(POOLS)} rings; the template shows where",
    )


def chain_mm(board: Layout) -> float:
    """How far it is along the chain: from ring to ring in board order, then round the places."""
    stops = [*board.pools, *(hole.at for hole in board.pixels[len(POOLS) * board.ring.pixels :])]
    return sum(math.dist(one, other) for one, other in pairwise(stops))


def power_wire_m(board: Layout) -> int:
    """Metres of wire of one colour: along the chain, and from the supply to both of its ends."""
    return math.ceil((chain_mm(board) + 2 * board.radius + _LEAD_MM) * _SLACK / 1000)


def signal_wire_m(board: Layout) -> int:
    """Metres of thin wire: two from each button to the middle, and data along the chain."""
    buttons = sum(2 * (math.hypot(*hole.at) + _TAIL_MM) for hole in board.buttons)
    return math.ceil((buttons + chain_mm(board)) * _SLACK / 1000)
