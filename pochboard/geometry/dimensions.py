"""The dimensions of the board in mm, from hardware/face.toml, and the strokes of letters."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from pochboard.text.encodings import written_text

Range = tuple[float, float]
"""Two numbers: least and most, or width and depth."""

_PACKAGE: Final = Path(__file__).parents[1]


def source_folder(name: str) -> Path:
    """A folder of sources: inside the installed package, or at the root of the repository."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


class Table:
    """A table of face.toml: a number for each name, but for those that a subclass declares."""

    def __init__(self, values: Mapping[str, object]) -> None:
        for name, value in values.items():
            setattr(self, name, tuple(value) if isinstance(value, list) else value)

    def __getattr__(self, name: str) -> float:
        raise AttributeError(f"face.toml has no {name}")


class Chip(Table):
    """The chips, and how they lie in a heap."""

    count: int


class CarrierSize(Table):
    """The plate that holds the pixels, and on which the dish stands."""

    screws: int


class ButtonSize(Table):
    """A push button."""

    panel: Range


class DisplaySize(Table):
    """The display and its stand; sizes are (width, height)."""

    name: str
    board: Range
    glass: Range
    active: Range
    frame: Range
    window: Range


class PixelSize(Table):
    """A pixel."""

    name: str


class EyeRange(Table):
    """Where the eyes of the players are."""

    height: Range
    distance: Range


class RoomSize(Table):
    """The room between face and base plate; sizes are (width, height)."""

    spacer: Range
    spacers: int
    carrier: Range
    carrier_holes: Range
    post: Range
    switch_hole: Range
    panel: Range


class Dimensions:
    """The content of face.toml."""

    def __init__(self, tables: Mapping[str, Mapping[str, object]]) -> None:
        self.tables = tables
        self.panel = Table(tables["panel"])
        self.chip = Chip(tables["chip"])
        self.bowl = Table(tables["bowl"])
        self.inlay = Table(tables["inlay"])
        self.mask = Table(tables["mask"])
        self.carrier = CarrierSize(tables["carrier"])
        self.place = Table(tables["place"])
        self.button = ButtonSize(tables["button"])
        self.display = DisplaySize(tables["display"])
        self.dealer_mark = Table(tables["dealer_mark"])
        self.pixel = PixelSize(tables["pixel"])
        self.light = Table(tables["light"])
        self.eye = EyeRange(tables["eye"])
        self.engraving = Table(tables["engraving"])
        self.room = RoomSize(tables["room"])
        self.sign = Table(tables["sign"])

    @property
    def ring_to_flange(self) -> float:
        """From the middle of a ring's inlays to the edge of its flange."""
        mask, inlay = self.mask, self.inlay
        chamber = inlay.width / 2 + inlay.clearance + inlay.lip
        return chamber + mask.wall + mask.clearance + mask.cover

    @property
    def bowl_to_ring(self) -> float:
        """From the inside of a bowl to the middle of the inlays around it."""
        mask, inlay = self.mask, self.inlay
        chamber = inlay.width / 2 + inlay.clearance + inlay.lip
        return self.bowl.wall + mask.clearance + mask.wall + chamber

    @property
    def bowl_depth(self) -> float:
        """From the top of the mask to the floor of a dish, which stands on the carrier."""
        return self.mask.plate + self.mask.height - self.bowl.floor

    def bowl_radius(self, top: float, depth: float) -> float:
        """The radius of a bowl inside, some way below the top of the mask."""
        return top - depth * math.tan(math.radians(self.bowl.draft_degrees))

    def bowl_level(self, chips: int, top: float) -> float:
        """How high chips lie over the floor of a bowl, levelled, for its radius at the top."""
        chip, fillet = self.chip, self.bowl.fillet
        heap = chips * math.pi * (chip.diameter / 2) ** 2 * chip.thickness / chip.packing
        floor = self.bowl_radius(top, self.bowl_depth)
        lost = (1 - math.pi / 4) * fillet**2 * 2 * math.pi * floor
        # The bowl is a part of a cone with its apex below the floor.
        slope = math.tan(math.radians(self.bowl.draft_degrees))
        return float(((3 * slope * (heap + lost) / math.pi + floor**3) ** (1 / 3) - floor) / slope)

    @property
    def top_above_table(self) -> float:
        """The height of the masks' upper side above the table."""
        panel = self.panel
        return panel.feet + panel.base + panel.room + panel.face + self.mask.plate


@cache
def dimensions() -> Dimensions:
    """The dimensions of face.toml."""
    file = source_folder("hardware") / "face.toml"
    return Dimensions(tomllib.loads(written_text(file.read_bytes())))


Stroke = tuple[tuple[float, float], ...]

CAPITAL: Final = 21
"""The height of capitals in strokes.toml."""
SPACE: Final = 6
"""Between two letters, in the same units."""


@cache
def letters() -> dict[str, list[list[list[int]]]]:
    """The strokes of each letter, y upwards from the baseline."""
    file = source_folder("hardware") / "strokes.toml"
    return tomllib.loads(written_text(file.read_bytes()))


def letter_width(letter: str) -> int:
    """The width of a letter in the units of strokes.toml. Raises KeyError if it has no strokes."""
    return 2 * SPACE if letter == " " else max(x for line in letters()[letter] for x, _ in line)


def word_length(words: str, height: float) -> float:
    """The length of a word whose capitals have that height."""
    units = sum(map(letter_width, words)) + SPACE * (len(words) - 1)
    return units * height / CAPITAL


def straight(words: str, height: float, x: float = 0.0, y: float = 0.0) -> list[Stroke]:
    """A word on a straight line, its middle at (x, y), as strokes with y pointing down."""
    unit = height / CAPITAL
    at, base = x - word_length(words, height) / 2, y + height / 2
    lines: list[Stroke] = []
    for letter in words:
        if letter != " ":
            lines += [
                tuple((at + u * unit, base - v * unit) for u, v in line)
                for line in letters()[letter]
            ]
        at += (letter_width(letter) + SPACE) * unit
    return lines
