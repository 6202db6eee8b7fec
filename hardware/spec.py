"""The specification of a board: its places and pixels, and how much current it draws."""

from __future__ import annotations

import math
from typing import ClassVar, Final

import msgspec

from pochboard.config import Lights
from pochboard.lights.frame import DARK_MA, WHITE_MA, WHITE_SUM
from pochboard.rules.accounts import MOST_PLACES, POOLS

PIXEL_CHIP: Final = "WS2811"
HEADROOM: Final = 4 / 3
"""The supply is rated for a third more than the board may draw."""
PI_MA: Final = 1000
"""What the supply gives a Raspberry Pi Zero 2 W besides: an assumption, with room for peaks."""
RINGS_PER_BRANCH: Final = 3

SUPPLY_A: Final = 5
"""The smallest common rating for the Pi, and with headroom for the limit."""
FUSE_A: Final = 2.5
"""The smallest fuse of 5 × 20 mm (IEC 60127-2) that carries a branch at full white."""
BRANCH_MM2: Final = 0.75
"""The cross-section of the 5 V and 0 V wires of a branch, which its fuse protects."""
LEAD_MM2: Final = 1.5
"""The same for the two wires from the socket by the switch to the carrier board."""


class BoardSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The specification of a board."""

    places: int = MOST_PLACES
    pixels_per_ring: ClassVar[int] = Lights().pixels_per_ring
    limit_ma: ClassVar[int] = Lights().limit_ma

    @property
    def pixels(self) -> int:
        """The number of pixels: nine rings, then one pixel for each place."""
        return len(POOLS) * self.pixels_per_ring + self.places

    @property
    def buttons(self) -> tuple[str, ...]:
        """The buttons in the order of the protocol: pools, places, next, undo."""
        return (*POOLS, *(f"seat{place}" for place in range(1, self.places + 1)), "next", "undo")

    @property
    def branches(self) -> tuple[int, ...]:
        """The pixels of each fused branch: three rings each, the last one with the places."""
        rings = RINGS_PER_BRANCH * self.pixels_per_ring
        count = len(POOLS) // RINGS_PER_BRANCH
        return (*[rings] * (count - 1), rings + self.places)


def power_budget(spec: BoardSpec) -> list[tuple[str, str, str]]:
    """The power budget as rows: load, calculation, result in mA."""
    white, largest = WHITE_MA + DARK_MA, max(spec.branches)
    third = math.ceil(spec.limit_ma * HEADROOM)
    return [
        ("all pixels dark", f"{spec.pixels} × {DARK_MA}", f"{spec.pixels * DARK_MA}"),
        (
            "one pixel, full white",
            f"{WHITE_SUM} × {WHITE_MA} / {WHITE_SUM} + {DARK_MA}",
            f"{white}",
        ),
        (
            f"all {spec.pixels}, full white",
            f"{spec.pixels} × {white}",
            f"{spec.pixels * white} (without a limit)",
        ),
        ("the limit", "enforced by whatever drives the pixels", f"{spec.limit_ma}"),
        ("limit plus a third", f"{spec.limit_ma} × 4 / 3", f"{third}"),
        ("the Raspberry Pi", "from the same supply", f"{PI_MA}"),
        ("supply", "the next common rating for both", f"{SUPPLY_A * 1000}"),
        (
            f"the largest of {len(spec.branches)} branches, full white",
            f"{largest} × {white}",
            f"{largest * white}",
        ),
        ("fuse of each branch", "the next rating", f"{FUSE_A * 1000:g}"),
    ]
