"""The bill of materials of parts.toml, with the quantities for a given board."""

from __future__ import annotations

import math
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec

from hardware.layout import Layout, layout
from hardware.spec import BoardSpec
from pochboard.rules.accounts import POOLS

PARTS_FILE: Final = Path(__file__).with_name("parts.toml")

_SLACK: Final = 1.25
"""Wires do not run straight, and their ends are trimmed."""
_BUTTON_TAIL_MM: Final = 150
"""What each button's pair of wires needs beyond the distance to the centre."""
_SUPPLY_LEAD_MM: Final = 300
"""From the supply's socket to the fuse and on to the stripboard."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the bill of materials."""

    name: str
    quantity: int
    unit: str = ""
    """The unit of the quantity; empty for pieces."""
    pixels: int = 0
    """Pixels on each piece."""
    buttons: int = 0
    variant: str = ""
    """The variant that needs the part; empty for both."""
    note: str = ""


def load_parts() -> list[dict[str, Any]]:
    """The entries of parts.toml."""
    parts: list[dict[str, Any]] = tomllib.loads(PARTS_FILE.read_text("utf-8"))["part"]
    return parts


def bill_of_materials(spec: BoardSpec) -> list[Part]:
    """The bill of materials for a board."""
    board = layout(spec)
    counts = {"pool": len(POOLS), "place": spec.places, "button": len(spec.buttons)}
    metres = {"power": power_wire_m(board), "signal": signal_wire_m(board)}
    values = {
        "ring": spec.pixels_per_ring,
        "chip": spec.pixel_chip,
        "outer": f"{board.ring.outer_mm:g}",
        "inner": f"{board.ring.inner_mm:g}",
        "pools": len(POOLS),
        "places": spec.places,
        "amps": spec.supply_a,
        "cross": f"{spec.wire_mm2:g}",
        "across": math.ceil(2 * board.radius),
    }
    parts = []
    for entry in load_parts():
        quantity = entry["quantity"]
        for item, per_item in entry.get("each", {}).items():
            quantity = per_item * counts[item]
        if "wire" in entry:
            quantity = metres[entry["wire"]]
        is_ring = "pool" in entry.get("each", {})
        part = Part(
            name=entry["name"].format(**values),
            quantity=quantity,
            unit=entry.get("unit", ""),
            pixels=spec.pixels_per_ring if is_ring else entry.get("pixels", 0),
            buttons=entry.get("buttons", 0),
            variant=entry.get("for", ""),
            note=entry["note"].format(**values),
        )
        needs_single_pixels = is_ring and not board.ring.is_ready_made
        parts.append(_as_single_pixels(part, spec) if needs_single_pixels else part)
    return parts


def _as_single_pixels(rings: Part, spec: BoardSpec) -> Part:
    """The single pixels that replace rings of a number nobody sells."""
    return msgspec.structs.replace(
        rings,
        name=f"Single {spec.pixel_chip} pixel on a round board, 10 mm, for the rings",
        quantity=rings.quantity * spec.pixels_per_ring,
        pixels=1,
        note=f"{spec.pixels_per_ring} per ring, {len(POOLS)} rings; positions as on the template",
    )


def chain_mm(board: Layout) -> float:
    """The length of the data chain: from ring to ring in board order, then around the places."""
    stops = [*board.pools, *(hole.centre for hole in board.place_pixels)]
    return sum(math.dist(start, end) for start, end in pairwise(stops))


def power_wire_m(board: Layout) -> int:
    """Metres of wire of one colour: along the chain, and from the supply to both of its ends."""
    return math.ceil((chain_mm(board) + 2 * board.radius + _SUPPLY_LEAD_MM) * _SLACK / 1000)


def signal_wire_m(board: Layout) -> int:
    """Metres of thin wire: two from each button to the centre, and data along the chain."""
    buttons = sum(2 * (math.hypot(*hole.centre) + _BUTTON_TAIL_MM) for hole in board.buttons)
    return math.ceil((buttons + chain_mm(board)) * _SLACK / 1000)
