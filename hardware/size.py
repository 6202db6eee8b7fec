"""How large a board is, and what it draws from its supply."""

from __future__ import annotations

import math
from typing import Final, Literal

import msgspec

from pochboard.lights.frame import DARK_MA, WHITE_MA, WHITE_SUM
from pochboard.rules.board import MOST_PLACES, POOLS

Pixel = Literal["rgb", "rgbw"]

CHIPS: Final[dict[Pixel, str]] = {"rgb": "WS2812B", "rgbw": "SK6812 RGBW"}
"""The chip that is usual for each kind of pixel."""

RESERVE: Final = 4 / 3
"""What the supply can give beyond the limit: a third more."""

SUPPLIES_A: Final = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30)
"""The 5 V supplies that are sold."""


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """The size of a board. Raises ValueError for what the daemon would not take either."""

    places: int = MOST_PLACES
    ring: int = 12
    """Pixels in each of the nine rings."""
    pixel: Pixel = "rgb"
    limit_ma: int = 3000

    def __post_init__(self) -> None:
        if not 3 <= self.places <= MOST_PLACES:
            raise ValueError(f"A board has 3 to {MOST_PLACES} places, not {self.places}.")
        if not 4 <= self.ring <= 64:
            raise ValueError(f"A ring has 4 to 64 pixels, not {self.ring}.")
        if self.pixel not in CHIPS:
            raise ValueError(f'Pixels are "rgb" or "rgbw", not {self.pixel!r}.')
        if not self.dark_ma < self.limit_ma <= 20_000:
            raise ValueError(
                f"The limit is above {self.dark_ma} mA, which {self.pixels} dark pixels draw, and"
                f" at most 20000 mA, not {self.limit_ma} mA."
            )

    @property
    def pixels(self) -> int:
        """All pixels: the rings, then one a place."""
        return len(POOLS) * self.ring + self.places

    @property
    def buttons(self) -> tuple[str, ...]:
        """The buttons in the order of the wire: pools, places, next, undo."""
        return (*POOLS, *(f"seat{place}" for place in range(1, self.places + 1)), "next", "undo")

    @property
    def dark_ma(self) -> int:
        """What the chain draws when all is dark."""
        return self.pixels * DARK_MA

    @property
    def white_ma(self) -> int:
        """What the chain would draw in full white without a limit.

        RGBW pixels draw no more, as their white stays dark (docs/PROTOCOL.md 5).
        """
        return round(self.pixels * (WHITE_SUM * WHITE_MA / WHITE_SUM + DARK_MA))

    @property
    def most_ma(self) -> int:
        """The most that is drawn: the limit, or full white where that is less."""
        return min(self.limit_ma, self.white_ma)

    @property
    def supply_a(self) -> int:
        """The smallest supply that gives the most and a third in reserve. The fuse is as large."""
        wanted = self.most_ma * RESERVE / 1000
        return next(amps for amps in SUPPLIES_A if amps >= wanted - 1e-9)

    @property
    def cross_mm2(self) -> float:
        """The cross-section of the wires for 5 V and ground: at most some 5 A a square mm."""
        return next((cross for cross in (0.75, 1.5, 2.5) if self.supply_a <= cross * 5.4), 6.0)

    @property
    def frame_ms(self) -> float:
        """How long a frame takes on the data line, at 800,000 bits a second."""
        return self.pixels * (32 if self.pixel == "rgbw" else 24) / 800


def power_rows(size: Size) -> list[tuple[str, str, str]]:
    """What the board draws, the arithmetic of it, and the result in mA."""
    reserve = math.ceil(size.most_ma * RESERVE)
    return [
        ("everything dark", f"{size.pixels} × {DARK_MA}", f"{size.dark_ma}"),
        (
            "one pixel, full white",
            f"{WHITE_SUM} × {WHITE_MA} / {WHITE_SUM} + {DARK_MA}",
            f"{WHITE_MA + DARK_MA}",
        ),
        (
            f"all {size.pixels}, full white",
            f"{size.pixels} × {WHITE_MA + DARK_MA}",
            f"{size.white_ma} (if nothing limited it)",
        ),
        ("the limit", "scaled down by whatever drives the pixels last", f"{size.limit_ma}"),
        (
            "limit and a third" if size.most_ma == size.limit_ma else "full white and a third",
            f"{size.most_ma} × 4 / 3",
            f"{reserve}",
        ),
        ("the supply, and the fuse", "the next size that is sold", f"{size.supply_a * 1000}"),
    ]
