"""The bill of materials of parts.toml, with the quantities for a given board."""

from __future__ import annotations

import math
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec

from hardware.chain import links
from hardware.layout import Layout, layout
from hardware.spec import BRANCH_MM2, FUSE_A, LEAD_MM2, PIXEL_CHIP, SUPPLY_A, BoardSpec
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Hole
from pochboard.rules.accounts import POOLS

PARTS_FILE: Final = Path(__file__).with_name("parts.toml")
STEPS: Final = (1, 2, 3)

_SLACK: Final = 1.25
"""Wires do not run straight, and their ends are trimmed."""
_BUTTON_TAIL_MM: Final = 200
"""What each button's pair of wires needs beyond the distance to the carrier board: the face lies
beside the base plate while they are connected."""
DISPLAY_CABLE_MM: Final = 700
"""Of the four wires to the stand of the display."""
_SUPPLY_LEAD_MM: Final = 300
"""From the carrier board to the first ring of a branch, and back."""


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part in parts.toml, which explains the fields; one line of the bill of materials."""

    name: str
    quantity: int
    note: str
    search: str
    price: float
    each: dict[str, int] = {}
    unit: str = ""
    wire: str = ""
    step: int = 2
    first: int = 0

    def count(self, step: int) -> int:
        """How many a step of the way to a board needs."""
        rest = self.quantity - self.first if step == self.step else 0
        return rest + (self.first if step == STEPS[0] else 0)


class PartsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of parts.toml."""

    prices_as_of: str
    currency: str
    part: list[Part]


def load_parts() -> PartsFile:
    """The content of parts.toml."""
    return msgspec.convert(tomllib.loads(PARTS_FILE.read_text("utf-8")), PartsFile)


def bill_of_materials(spec: BoardSpec) -> list[Part]:
    """The bill of materials for a board."""
    board, size = layout(spec), dimensions()
    counts = {
        "ring": len(POOLS),
        "button": len(spec.buttons),
        "branch": len(spec.branches),
        "spacer": size.room.spacers,
        "board": 1,
    }
    metres = {"power": power_wire_m(board), "signal": signal_wire_m(board)}
    values = _values(spec, board)
    parts = []
    for part in load_parts().part:
        quantity = metres.get(part.wire, part.quantity)
        if part.each:
            quantity = sum(per_item * counts[item] for item, per_item in part.each.items())
        texts = {key: getattr(part, key).format(**values) for key in ("name", "note", "search")}
        parts.append(msgspec.structs.replace(part, quantity=quantity, **texts))
    return parts


def _values(spec: BoardSpec, board: Layout) -> dict[str, Any]:
    """The values for the placeholders in parts.toml."""
    size = dimensions()
    low, high = size.button.panel
    return {
        "ring": spec.pixels_per_ring,
        "rings": len(POOLS),
        "chip": PIXEL_CHIP,
        "places": spec.places,
        "amps": SUPPLY_A,
        "fuse": f"{FUSE_A:g}",
        "branches": " and ".join(f"{pixels}" for pixels in spec.branches) + " pixels",
        "cross": f"{BRANCH_MM2:g}",
        "across": math.ceil(2 * board.radius + 10),
        "display": size.display.name,
        "display_board": " × ".join(f"{side:g}" for side in size.display.board),
        "controller": " × ".join(f"{side:g}" for side in size.room.carrier),
        "lead": f"{LEAD_MM2:g}",
        "head": f"{size.button.head:g}",
        "head_height": f"{size.button.head_height:g}",
        "panel": f"{low:g} to {high:g}",
        "depth": f"{size.button.depth:g}",
        "dc_hole": f"{size.room.dc_hole:g}",
        "face": f"{size.panel.face:g}",
        "base": f"{size.panel.base:g}",
        "feet": f"{size.panel.feet:g}",
        "height": f"{size.panel.face + size.panel.room + size.panel.base:g}",
        "edge": f"{math.ceil(2 * math.pi * board.radius / 100) / 10:g}",
    }


def cost(parts: list[Part], steps: tuple[int, ...] = STEPS) -> float:
    """The price of what some steps need."""
    return sum(part.count(step) * part.price for part in parts for step in steps)


def chain_mm(board: Layout) -> float:
    """The length of the data chain: from ring to ring in board order, then around the places."""
    wells = (well.centre for well in board.wells)
    stops = [*wells, *(inlay.centre for inlay in board.place_inlays)]
    return sum(math.dist(start, end) for start, end in pairwise(stops))


def power_wire_m(board: Layout) -> int:
    """Metres of wire of one colour: along the chain, and from the supply to each branch."""
    leads = len(board.spec.branches) * board.radius
    return math.ceil((chain_mm(board) + leads + _SUPPLY_LEAD_MM) * _SLACK / 1000)


def button_wire_mm(hole: Hole) -> int:
    """The length of a button's wire, to the carrier board in the middle."""
    straight = math.hypot(*hole.centre)
    return math.ceil((straight * _SLACK + _BUTTON_TAIL_MM) / 50) * 50


def signal_wire_m(board: Layout) -> int:
    """Metres of thin wire: of buttons, display, data, and three from place to place.

    The rings have plugs with leads.
    """
    cut = sum(2 * button_wire_mm(hole) for hole in board.buttons)
    cut += 4 * DISPLAY_CABLE_MM + 2 * _SUPPLY_LEAD_MM
    cut += 3 * sum(link.length_mm for link in links(board)[len(POOLS) :])
    return math.ceil(cut / 1000)
