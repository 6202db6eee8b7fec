"""The bill of materials of parts.toml, with the quantities for a given board."""

from __future__ import annotations

import math
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from hardware.layout import Layout, layout
from hardware.plates import room
from hardware.spec import BoardSpec
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Hole
from pochboard.rules.accounts import POOLS

PARTS_FILE: Final = Path(__file__).with_name("parts.toml")

_SLACK: Final = 1.25
"""Wires do not run straight, and their ends are trimmed."""
_BUTTON_TAIL_MM: Final = 200
"""What each button's pair of wires needs beyond the distance to the carrier board: the face lies
beside the base plate while they are connected."""
DISPLAY_CABLE_MM: Final = 700
"""Of the four wires to the stand of the display."""
_SUPPLY_LEAD_MM: Final = 300
"""From the carrier board to the first ring of a branch, and back."""

Set = Literal["cheap", "comfortable"]
SETS: Final[tuple[Set, ...]] = ("cheap", "comfortable")


class Offer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to buy."""

    maker: str
    order: str
    """The order number, or in quotation marks what to search for."""
    price: float
    """Of one piece or one unit, in euros."""
    seen: str = ""
    """The day on which somebody saw the price in a shop; empty if it is an estimate."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part in parts.toml, which explains the fields."""

    name: str
    quantity: int
    note: str
    cheap: Offer
    second: str
    comfortable: Offer | None = None
    sets: tuple[Set, ...] = SETS
    each: dict[str, int] = {}
    unit: str = ""
    wire: str = ""
    pixels: int = 0
    buttons: int = 0
    kind: str = ""
    supply_ma: int = 0
    step: int = 2
    first: int = 0


class PartsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of parts.toml."""

    prices_as_of: str
    currency: str
    part: list[Entry]


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the bill of materials."""

    name: str
    quantity: int
    unit: str = ""
    """The unit of the quantity; empty for pieces."""
    pixels: int = 0
    """Pixels on each piece."""
    buttons: int = 0
    note: str = ""
    offers: dict[Set, Offer]
    """By the sets that need the part."""
    second: str
    """Where else to get it, or what to take instead."""
    step: int = 2
    """The first step of the way to a board that needs it."""
    first: int = 0
    """How many the first step needs."""

    def cost(self, which: Set) -> float:
        """The price of the whole quantity; nothing in a set that does without."""
        return self.quantity * self.offers[which].price if which in self.offers else 0.0


def load_parts() -> PartsFile:
    """The content of parts.toml."""
    return msgspec.convert(tomllib.loads(PARTS_FILE.read_text("utf-8")), PartsFile)


def bill_of_materials(spec: BoardSpec) -> list[Part]:
    """The bill of materials for a board."""
    board = layout(spec)
    counts = {
        "ring": len(POOLS),
        "place": spec.places,
        "button": len(spec.buttons),
        "branch": len(spec.branches),
        "spacer": len(room(board).spacers),
        "board": 1,
        "display": int(spec.display),
    }
    metres = {"power": power_wire_m(board), "signal": signal_wire_m(board)}
    values = _values(spec, board)
    parts = []
    for entry in load_parts().part:
        if entry.kind not in {"", spec.pixel_kind}:
            continue
        quantity = entry.quantity
        if entry.each:
            quantity = sum(per_item * counts[item] for item, per_item in entry.each.items())
            if not quantity:
                continue
        elif entry.wire:
            quantity = metres[entry.wire]
        elif entry.pixels:
            quantity = math.ceil(spec.pixels / entry.pixels)
        chosen: dict[Set, Offer] = {
            "cheap": entry.cheap,
            "comfortable": entry.comfortable or entry.cheap,
        }
        parts.append(
            Part(
                name=entry.name.format(**values),
                quantity=quantity,
                unit=entry.unit,
                pixels=entry.pixels,
                buttons=entry.buttons,
                note=entry.note.format(**values),
                offers={
                    name: msgspec.structs.replace(offer, order=offer.order.format(**values))
                    for name, offer in chosen.items()
                    if name in entry.sets
                },
                second=entry.second.format(**values),
                step=entry.step,
                first=entry.first,
            )
        )
    return parts


def _values(spec: BoardSpec, board: Layout) -> dict[str, Any]:
    """The values for the placeholders in parts.toml."""
    size = dimensions()
    low, high = size.button.panel
    return {
        "ring": spec.pixels_per_ring,
        "rings": len(POOLS),
        "chip": spec.pixel_chip,
        "places": spec.places,
        "amps": spec.supply_a,
        "fuse": f"{spec.fuse_a:g}",
        "branches": " and ".join(f"{pixels}" for pixels in spec.branches) + " pixels",
        "cross": f"{spec.wire_mm2:g}",
        "across": math.ceil(2 * board.radius + 10),
        "display": size.display.name,
        "display_board": " × ".join(f"{side:g}" for side in size.display.board),
        "controller": " × ".join(f"{side:g}" for side in size.room.carrier),
        "lead": f"{spec.lead_mm2:g}",
        "head": f"{size.button.head:g}",
        "head_height": f"{size.button.head_height:g}",
        "panel": f"{low:g} to {high:g}",
        "depth": f"{size.button.depth:g}",
        "dc_hole": f"{size.room.dc_hole:g}",
        "face": f"{size.panel.face:g}",
        "base": f"{size.panel.base:g}",
        "room": f"{size.panel.room:g}",
        "feet": f"{size.panel.feet:g}",
        "height": f"{size.panel.face + size.panel.room + size.panel.base:g}",
        "edge": f"{math.ceil(2 * math.pi * board.radius / 100) / 10:g}",
        "spacers": len(room(board).spacers),
    }


def step_cost(parts: list[Part], which: Set, step: int) -> float:
    """What has been spent once a step is done. The first one needs only some pieces of a part."""
    return sum(
        part.offers[which].price * (part.first if step == 1 else part.quantity)
        for part in parts
        if part.step <= step and which in part.offers
    )


def set_cost(parts: list[Part], which: Set) -> float:
    """The price of a set."""
    return sum(part.cost(which) for part in parts)


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
    """Metres of thin wire: two from each button, four from a display, and data."""
    cut = sum(2 * button_wire_mm(hole) for hole in board.buttons)
    cut += 4 * DISPLAY_CABLE_MM * board.spec.display
    return math.ceil((cut + chain_mm(board) * _SLACK) / 1000)
