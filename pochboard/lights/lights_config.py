"""The configuration of the lights, and whether every count can be read with it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, product
from typing import Final

import msgspec
from msgspec.structs import replace

from pochboard import ssd1306
from pochboard.buttons.settings import BRIGHTNESS, BoardSettings, Brightness
from pochboard.lights.frame import (
    BREATH_FLOOR,
    DARK_MA,
    FULL,
    GAMMA,
    NORMAL,
    PALETTE,
    QUARTER,
    RINGS,
    WHITE,
    WHITE_MA,
    WHITE_SUM,
    Frame,
    Light,
    hue_vectors,
    light_to_bytes,
    limit,
    linear_light,
    nearest_hue,
)
from pochboard.rules.accounts import MOST_PLACES, POOLS

_MAX_COSINE: Final = 0.97
"""The cosine of the smallest angle between two hues: about 14 degrees, which no dimming that
passes the checks here can close."""

_LIMIT_STEPS: Final = 48
"""How many scales of the power limit are tried, from its strongest to none."""


class LightsConfig(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """The configuration of the lights. Raises ValueError with a sentence for what cannot work.

    With every valid configuration each count up to six laps of a ring is readable, at night too,
    however dim people choose the lights to be.
    """

    pixels_per_ring: int = 12
    places: int = MOST_PLACES
    limit_ma: int = 3000
    brightness: float = 1.0
    """Full brightness by day as a fraction of the pixels' light, above 0 and up to 1."""
    gamma: float = GAMMA
    """Converts the palette's screen colours to light; 1 if they are light already."""
    chosen: Brightness = "bright"
    """The step of the brightness that people have chosen."""
    night: bool = False
    """Halves the brightness."""
    palette: tuple[str, ...] = PALETTE
    """Six colours, `#rrggbb`, of 1 to 6 chips on a pixel; the last one is for more as well."""

    def __post_init__(self) -> None:
        # Every step is valid if the configuration is. Checking it takes too long for a press.
        problem = _first_problem(self.with_settings(BoardSettings()) if self.steps else self)
        if problem:
            raise ValueError(problem)

    def with_settings(self, settings: BoardSettings) -> LightsConfig:
        """The configuration with what people have chosen."""
        return replace(self, chosen=settings.brightness, night=settings.night)

    @property
    def pixels(self) -> int:
        """The pixels of the board."""
        return RINGS * self.pixels_per_ring + self.places

    @property
    def full_brightness(self) -> float:
        """Full brightness now, as a fraction (0 to 1) of the pixels' light.

        It follows from the choices at the table, but is never so dim that a count could be misread.
        """
        return _full_brightness(self)

    @property
    def contrast(self) -> int:
        """The contrast of the display, 0 to 255."""
        return int(ssd1306.CONTRAST * 0.5**self.steps)

    @property
    def steps(self) -> int:
        """How many times the brightness is halved in all."""
        return BRIGHTNESS.index(self.chosen) + self.night

    @property
    def max_chips(self) -> int:
        """The highest count that can be read from a ring; above it the ring breathes."""
        return self.pixels_per_ring * len(self.palette)


def part_pixels(lights: LightsConfig, part: str) -> range:
    """The pixels of a part in the chain: of a pool, of a place (`seat1`), or of all `places`."""
    size, rings = lights.pixels_per_ring, RINGS * lights.pixels_per_ring
    if part == "places":
        return range(rings, lights.pixels)
    if part in POOLS:
        return range(lights.pixels)[POOLS.index(part) * size :][:size]
    return range(lights.pixels)[rings + int(part.removeprefix("seat")) - 1 :][:1]


def lit(lights: LightsConfig, pixels: range, colour: str) -> Frame:
    """These pixels of the chain in a screen colour, all others dark.

    They are as bright as the settings and the power limit allow.
    """
    frame = bytearray(dark_frame(lights))
    frame[3 * pixels.start : 3 * pixels.stop] = pixel(lights, colour, FULL) * len(pixels)
    return limit(bytes(frame), lights.limit_ma)


def dark_frame(lights: LightsConfig) -> Frame:
    """The frame with all pixels off, shown when the daemon stops."""
    return bytes(3 * lights.pixels)


@lru_cache(maxsize=1024)
def pixel(lights: LightsConfig, colour: str, level: float) -> bytes:
    """The bytes of one pixel in a screen colour, at a level (0 to 1) of full brightness."""
    return light_to_bytes(linear_light(colour, lights.gamma), lights.full_brightness * level)


# Validation


@lru_cache(maxsize=64)
def _first_problem(lights: LightsConfig) -> str | None:
    return next(_problems(lights), None)


def _problems(lights: LightsConfig) -> Iterator[str]:
    """Why a count could be misread, as sentences; none if every count is readable.

    Tries each colour at every dimming that a settled frame can have: at night, in a blocked pool,
    and under the power limit. For the limit, all other rings have the colour that draws most.
    """
    dark_ma = DARK_MA * lights.pixels
    if lights.limit_ma <= dark_ma:
        yield (
            f"A power limit of {lights.limit_ma} mA leaves nothing for light: the pixels draw"
            f" {dark_ma} mA even when all are dark."
        )
    hues = hue_vectors(lights.palette, lights.gamma)
    named = zip((WHITE, *lights.palette), hues, strict=True)
    for (one, first), (other, second) in combinations(named, 2):
        if sum(a * b for a, b in zip(first, second, strict=True)) > _MAX_COSINE:
            yield (
                f"{one} and {other} are too similar to count by; a difference in brightness"
                " alone is not enough."
            )
    # At night too, with every configuration: night mode can be switched on at any time.
    for share in (1.0, 0.5):
        for colour in _misread_colours(lights, share):
            yield (
                f"With a brightness of {lights.brightness:g} and {lights.limit_ma} mA for"
                f" {lights.pixels} pixels, chips in the colour {colour} could not always be read"
                " at night, in blocked pools or on a full board: raise the brightness or the"
                " power limit."
            )


@lru_cache(maxsize=256)
def _full_brightness(lights: LightsConfig) -> float:
    steps = lights.steps
    # Rounding may spoil a step between two that are readable.
    while any(_misread_colours(lights, 0.5**steps)):
        steps -= 1
    return float(lights.brightness * 0.5**steps)


def _misread_colours(lights: LightsConfig, share: float) -> Iterator[str]:
    """The colours in which a count could be misread at a share of the configured brightness."""
    hues = hue_vectors(lights.palette, lights.gamma)
    linear = [linear_light(colour, lights.gamma) for colour in lights.palette]
    budget = (lights.limit_ma - lights.pixels * DARK_MA) * WHITE_SUM / WHITE_MA
    # One ring may be all white instead: chips in the hand, or cards.
    whites = 3 * (lights.pixels_per_ring + lights.places)
    chips = max(map(sum, linear)) * (RINGS - 1) * lights.pixels_per_ring
    brightness = lights.brightness * share
    for level in (FULL, NORMAL):
        # The strongest scaling that the power limit applies.
        scale = min(1.0, budget / (255 * brightness * (level * chips + FULL * whites)))
        for dimmed, (number, light) in product((1.0, QUARTER), enumerate(linear, start=1)):
            floor = BREATH_FLOOR if number == len(linear) else 1.0
            if _misread(light, number, hues, brightness * level * dimmed * floor, scale):
                yield lights.palette[number - 1]


def _misread(
    light: Light, number: int, hues: tuple[Light, ...], brightness: float, strongest: float
) -> bool:
    shown = light_to_bytes(light, brightness)
    for step in range(_LIMIT_STEPS if strongest < 1 else 1):
        scale = strongest ** (step / (_LIMIT_STEPS - 1))
        seen = [int(value * scale + 0.5) for value in shown]
        if not any(seen) or nearest_hue(seen, hues) != number:
            return True
    return False
