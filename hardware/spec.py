"""The specification of a board: how many places and pixels it has, how much current it draws."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from pochboard.config import PixelKind
from pochboard.lights.frame import DARK_MA, WHITE_MA, WHITE_SUM
from pochboard.rules.accounts import MOST_PLACES, POOLS

PIXEL_CHIPS: Final[dict[PixelKind, str]] = {"rgb": "WS2811", "rgbw": "SK6812 RGBW"}
"""The usual LED chip of each kind of pixel."""

HEADROOM: Final = 4 / 3
"""The supply is rated for a third more than the board may draw."""

SUPPLY_RATINGS_A: Final = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30)
"""Common ratings of 5 V supplies."""

FUSE_RATINGS_A: Final = (1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8, 10, 12.5, 16, 20)
"""Ratings of 5 × 20 mm fuses (IEC 60127-2)."""

PI_MA: Final = 1000
"""What the supply gives a Raspberry Pi Zero 2 W besides: an assumption, with room for peaks."""

RINGS_PER_BRANCH: Final = 3

WIRE_SIZES_MM2: Final = (0.75, 1.5, 2.5, 6.0)
WIRE_A_PER_MM2: Final = 5.4
"""The current that copper wires in a bundle carry over so short a distance.

The largest size covers everything above.
"""


class BoardSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The specification of a board. Raises ValueError for what the daemon would refuse, too."""

    places: int = MOST_PLACES
    pixels_per_ring: int = 12
    """Pixels in each of the nine rings."""
    pixel_kind: PixelKind = "rgb"
    limit_ma: int = 3000
    display: bool = True
    """Whether there is a display, in a stand of its own."""

    def __post_init__(self) -> None:
        if not 3 <= self.places <= MOST_PLACES:
            raise ValueError(f"A board has 3 to {MOST_PLACES} places, not {self.places}.")
        if not 4 <= self.pixels_per_ring <= 64:
            raise ValueError(f"A ring has 4 to 64 pixels, not {self.pixels_per_ring}.")
        if self.pixel_kind not in PIXEL_CHIPS:
            raise ValueError(f'Pixels are "rgb" or "rgbw", not {self.pixel_kind!r}.')
        if not self.dark_ma < self.limit_ma <= 20_000:
            raise ValueError(
                f"The limit must be above {self.dark_ma} mA, which {self.pixels} dark pixels draw,"
                f" and at most 20000 mA, not {self.limit_ma} mA."
            )

    @property
    def pixels(self) -> int:
        """The number of pixels: nine rings, then one pixel for each place."""
        return len(POOLS) * self.pixels_per_ring + self.places

    @property
    def pixel_chip(self) -> str:
        """The LED chip, as it is sold."""
        return PIXEL_CHIPS[self.pixel_kind]

    @property
    def buttons(self) -> tuple[str, ...]:
        """The buttons in the order of the protocol: pools, places, next, undo."""
        return (*POOLS, *(f"seat{place}" for place in range(1, self.places + 1)), "next", "undo")

    @property
    def dark_ma(self) -> int:
        """What the pixels draw when all are dark."""
        return self.pixels * DARK_MA

    @property
    def white_ma(self) -> int:
        """What the pixels would draw in full white without a limit.

        RGBW pixels draw no more, because their white LED stays off (docs/PROTOCOL.md 5).
        """
        return self.pixels * (WHITE_MA + DARK_MA)

    @property
    def max_ma(self) -> int:
        """The highest current that can flow: the limit, or full white where that is less."""
        return min(self.limit_ma, self.white_ma)

    @property
    def supply_a(self) -> int:
        """The smallest supply for the Pi, and with headroom for `max_ma`."""
        needed = (self.max_ma * HEADROOM + PI_MA) / 1000
        return next(rating for rating in SUPPLY_RATINGS_A if rating >= needed - 1e-9)

    @property
    def branches(self) -> tuple[int, ...]:
        """The pixels of each fused branch: three rings each, the last one with the places."""
        rings = RINGS_PER_BRANCH * self.pixels_per_ring
        count = len(POOLS) // RINGS_PER_BRANCH
        return (*[rings] * (count - 1), rings + self.places)

    @property
    def branch_ma(self) -> int:
        """The highest current of a branch: full white, or the limit where that is less."""
        return min(max(self.branches) * (WHITE_MA + DARK_MA), self.max_ma)

    @property
    def fuse_a(self) -> float:
        """The smallest fuse that carries a branch."""
        return next(rating for rating in FUSE_RATINGS_A if rating * 1000 >= self.branch_ma)

    @property
    def wire_mm2(self) -> float:
        """The cross-section of the 5 V and 0 V wires of a branch, which its fuse protects."""
        return _wire_for(self.fuse_a)

    @property
    def lead_mm2(self) -> float:
        """The cross-section of the two wires from the socket by the switch to the carrier board."""
        return _wire_for(self.supply_a)

    @property
    def frame_ms(self) -> float:
        """How long a frame takes on the data line, at 800,000 bits a second."""
        return self.pixels * (32 if self.pixel_kind == "rgbw" else 24) / 800


def _wire_for(amperes: float) -> float:
    fitting = (size for size in WIRE_SIZES_MM2[:-1] if amperes <= size * WIRE_A_PER_MM2)
    return next(fitting, WIRE_SIZES_MM2[-1])


def power_budget(spec: BoardSpec) -> list[tuple[str, str, str]]:
    """The power budget as rows: load, calculation, result in mA."""
    return [
        ("all pixels dark", f"{spec.pixels} × {DARK_MA}", f"{spec.dark_ma}"),
        (
            "one pixel, full white",
            f"{WHITE_SUM} × {WHITE_MA} / {WHITE_SUM} + {DARK_MA}",
            f"{WHITE_MA + DARK_MA}",
        ),
        (
            f"all {spec.pixels}, full white",
            f"{spec.pixels} × {WHITE_MA + DARK_MA}",
            f"{spec.white_ma} (without a limit)",
        ),
        ("the limit", "enforced by whatever drives the pixels", f"{spec.limit_ma}"),
        (
            "limit plus a third" if spec.max_ma == spec.limit_ma else "full white plus a third",
            f"{spec.max_ma} × 4 / 3",
            f"{math.ceil(spec.max_ma * HEADROOM)}",
        ),
        ("the Raspberry Pi", "from the same supply", f"{PI_MA}"),
        ("supply", "the next common rating for both", f"{spec.supply_a * 1000}"),
        (
            f"the largest of {len(spec.branches)} branches, full white",
            f"{max(spec.branches)} × {WHITE_MA + DARK_MA}",
            f"{max(spec.branches) * (WHITE_MA + DARK_MA)}",
        ),
        ("fuse of each branch", "the next rating", f"{spec.fuse_a * 1000:g}"),
    ]
