"""How the board is to look: the configuration of the lights, and what a frame is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pochboard.lights.legible import misread
from pochboard.lights.palette import GAMMA, PALETTE, is_colour
from pochboard.lights.power import DARK_MA
from pochboard.rules.board import MOST_PLACES, POOLS

Frame = bytes
"""Red, green, blue of each pixel: the rings in board order, each clockwise from its top, then the
places in their order. 116 pixels, 348 bytes by default."""

RINGS: Final = len(POOLS)


class Look(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """The configuration of the lights. Raises ValueError with a sentence for what cannot work.

    Every Look that exists shows every count up to six laps of a ring readably, by night too.
    """

    pixels_per_ring: Annotated[int, Meta(ge=4, le=64)] = 12
    places: Annotated[int, Meta(ge=3, le=8)] = MOST_PLACES
    limit_ma: Annotated[int, Meta(ge=1)] = 3000
    brightness: float = 1.0
    """The part of the pixels' light that full brightness is, above 0 and up to 1."""
    gamma: float = GAMMA
    """Turns the palette's screen colours into light; 1 takes them as light."""
    night: bool = False
    """Halves the brightness."""
    palette: tuple[str, ...] = PALETTE
    """Six colours, `#rrggbb`, of 1 to 6 chips on a pixel; the last is for more as well."""

    def __post_init__(self) -> None:
        fault = _first_fault(self)
        if fault:
            raise ValueError(fault)

    @property
    def pixels(self) -> int:
        """The pixels of the board."""
        return RINGS * self.pixels_per_ring + self.places

    @property
    def part(self) -> float:
        """The part (0 to 1) of the pixels' light that full brightness is now, by night or day."""
        return self.brightness / 2 if self.night else self.brightness

    @property
    def most_chips(self) -> int:
        """The most chips that can be read off a ring; above them it breathes."""
        return self.pixels_per_ring * len(self.palette)

    def ring(self, number: int) -> slice:
        """Where the bytes of a ring (0 to 8, in board order) stand in a frame."""
        size = 3 * self.pixels_per_ring
        return slice(number * size, (number + 1) * size)

    def place(self, number: int) -> slice:
        """Where the bytes of a place (1, 2, …) stand in a frame."""
        start = 3 * (RINGS * self.pixels_per_ring + number - 1)
        return slice(start, start + 3)


@lru_cache(maxsize=64)
def _first_fault(look: Look) -> str | None:
    """What is wrong with a Look, as a sentence."""
    return next(_faults(look), None)


def _faults(look: Look) -> Iterator[str]:
    # msgspec keeps to the ranges where a file comes in, but not where code builds a Look.
    if not 4 <= look.pixels_per_ring <= 64:
        yield f"A ring has 4 to 64 pixels, not {look.pixels_per_ring}."
    if not 3 <= look.places <= MOST_PLACES:
        yield f"The board has 3 to {MOST_PLACES} places, not {look.places}."
    if not 0 < look.brightness <= 1:
        yield f"The brightness is above 0 and at most 1, not {look.brightness:g}."
    if not 1 <= look.gamma <= 4:
        yield f"The gamma is between 1 and 4, not {look.gamma:g}."
    if len(look.palette) != len(PALETTE):
        yield f"The palette has {len(PALETTE)} colours, not {len(look.palette)}."
    for colour in look.palette:
        if not is_colour(colour):
            yield f'{colour!r} is no colour; one is written like "{PALETTE[0]}".'
    dark_ma = DARK_MA * look.pixels
    if look.limit_ma <= dark_ma:
        yield (
            f"A power limit of {look.limit_ma} mA leaves nothing for light: {dark_ma} mA are drawn"
            " when all pixels are dark."
        )
    yield from misread(look)


def dark(look: Look) -> Frame:
    """The board with all pixels off: goodbye."""
    return bytes(3 * look.pixels)


def hex_colours(frame: Frame) -> list[str]:
    """The pixels of a frame as `#rrggbb`, in the order of the frame."""
    text = frame.hex()
    return [f"#{text[at : at + 6]}" for at in range(0, len(text), 6)]
