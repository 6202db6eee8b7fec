"""The printed parts: what there is to print, how often, of what, and where it goes on the board.

solids.py makes their shapes, which needs a CAD kernel. This module does without, so that the lists
and the checks of the finished files can be made anywhere. All parts are modelled as they are
installed: z is 0 at the upper side of the plywood and points up, the origin is in the middle of
the part's hole. The files are turned for printing where `is_flipped` says so.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final, Literal

import msgspec

from hardware.layout import Layout
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import Well
from pochboard.rules.accounts import POOLS

Material = Literal["black", "smoke"]

FOLDER: Final = Path(__file__).with_name("parts")
FINGERPRINT: Final = "made-from.sha256"
PARTS_TABLE: Final = "parts.csv"
PARTS_COLUMNS: Final = ("name", "count", "material", "x_mm", "y_mm", "z_mm", "volume_cm3")
DENSITY_G_PER_CM3: Final = 1.27
"""Of PETG."""


FLIPPED: Final = (180.0, 0.0, 0.0)
"""With its upper side down."""


class PrintedPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part to be printed."""

    name: str
    """Of its files, too."""
    count: int
    material: Material
    turned: tuple[float, float, float] = (0, 0, 0)
    """How it is turned for printing, in degrees around x, y and z."""
    note: str


def printed_parts(board: Layout) -> list[PrintedPart]:
    """What a board needs."""
    outer, places = len(POOLS) - 1, board.spec.places
    rings = len(POOLS) * board.spec.pixels_per_ring
    flat = "upper side down; no supports"
    return [
        PrintedPart(name="mask-outer", count=outer, material="black", turned=FLIPPED, note=flat),
        PrintedPart(name="mask-centre", count=1, material="black", turned=FLIPPED, note=flat),
        PrintedPart(name="mask-place", count=places, material="black", turned=FLIPPED, note=flat),
        PrintedPart(name="inlay-ring", count=rings, material="smoke", turned=FLIPPED, note=flat),
        PrintedPart(name="inlay-place", count=places, material="smoke", turned=FLIPPED, note=flat),
        PrintedPart(name="carrier-outer", count=outer, material="black", note="flat"),
        PrintedPart(name="carrier-centre", count=1, material="black", note="flat"),
        PrintedPart(name="carrier-place", count=places, material="black", note="flat"),
        PrintedPart(
            name="bowl-outer", count=outer, material="black", note="upright; three perimeters"
        ),
        PrintedPart(
            name="bowl-centre", count=1, material="black", note="upright; three perimeters"
        ),
        PrintedPart(
            name="dealer-mark",
            count=1,
            material="black",
            turned=FLIPPED,
            note="face down; rub brass paint into the D",
        ),
        PrintedPart(name="bezel", count=len(board.buttons), material="black", note="flat"),
        PrintedPart(
            name="spacer", count=dimensions().room.spacers, material="black", note="upright"
        ),
        PrintedPart(name="post", count=4, material="black", note="upright"),
        PrintedPart(
            name="panel",
            count=1,
            material="black",
            turned=(-90.0, 0.0, 0.0),
            note="outer side down",
        ),
        PrintedPart(name="display-stand", count=1, material="black", note="front down"),
    ]


def fingerprint(board: Layout) -> str:
    """Tells from which data and by which program the parts were made."""
    names = ("solids.py", "part_pictures.py", "printing.py")
    program = [Path(__file__).with_name(name) for name in names]
    # Nothing of them depends on what is engraved.
    plain = msgspec.structs.replace(board, engravings=(), design="plain")
    size = {**dimensions().tables, "engraving": None}
    parts = [msgspec.json.encode((size, plain)), *(path.read_bytes() for path in program)]
    return hashlib.sha256(b"".join(parts)).hexdigest()


# Positions that solids.py and the drawings share


def screw_turns(board: Layout) -> list[float]:
    """Where screws hold a carrier, in turns: between two pixels."""
    screws, ring = dimensions().carrier.screws, board.spec.pixels_per_ring
    steps = (ring * number // screws for number in range(screws))
    return [(step + 0.5) / ring for step in steps]


def carrier_radii(well: Well) -> tuple[float, float]:
    """Inner and outer radius of a carrier: it reaches below the dish, which stands on it."""
    size = dimensions()
    pixel = size.pixel
    half = pixel.hole / 2 + size.carrier.clearance + size.carrier.rim
    return well.bowl - size.carrier.seat, well.ring + half
