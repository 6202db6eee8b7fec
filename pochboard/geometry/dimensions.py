"""The dimensions of the board in mm, from hardware/face.toml, and the strokes of letters."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from pochboard.text.encodings import written_text

Range = tuple[float, float]
"""Two numbers: least and most, or width and depth."""

_PACKAGE: Final = Path(__file__).parents[1]


def source_folder(name: str) -> Path:
    """A folder of sources: inside the installed package, or at the root of the repository."""
    installed = _PACKAGE / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Plywood(_Table, frozen=True):
    """The plywood, and the room between its two sheets."""

    face: float
    room: float
    base: float
    feet: float
    edge: float


class Chip(_Table, frozen=True):
    """The chips, and how they lie in a heap."""

    diameter: float
    thickness: float
    count: int
    packing: float
    repose_degrees: float


class BowlSize(_Table, frozen=True):
    """A dish; `radius` is that of the outer pools inside."""

    radius: float
    wall: float
    floor: float
    draft_degrees: float
    fillet: float
    gap: float
    soft: float
    felt: float


class InlaySize(_Table, frozen=True):
    """An inlay of a ring."""

    length: float
    width: float
    lip: float
    lip_height: float
    clearance: float
    proud: float
    recess: float


class MaskSize(_Table, frozen=True):
    """The black part around the inlays."""

    plate: float
    height: float
    wall: float
    land: float
    clearance: float
    cover: float
    gap: float


class CarrierSize(_Table, frozen=True):
    """The plate that holds the pixels, and on which the dish stands."""

    thickness: float
    seat: float
    rim: float
    clearance: float
    screws: int
    screw: float
    screw_depth: float


class PlaceSize(_Table, frozen=True):
    """The insert of a place."""

    hole: float
    flange: float
    length: float
    width: float
    carrier_height: float
    carrier_wall: float
    fit: float


class ButtonSize(_Table, frozen=True):
    """A push button."""

    hole: float
    head: float
    head_height: float
    panel: Range
    depth: float
    bezel: float
    bezel_gap: float
    bezel_height: float


class DisplaySize(_Table, frozen=True):
    """The display and its stand; pairs are across by upwards, as one reads it."""

    name: str
    board: Range
    glass: Range
    glass_up: float
    active: Range
    active_up: float
    glass_height: float
    frame: Range
    lip: float
    wall: float
    window: Range
    lean_degrees: float


class DealerMark(_Table, frozen=True):
    """The mark that lies beside the dealer's place."""

    diameter: float
    height: float


class PixelSize(_Table, frozen=True):
    """A pixel."""

    hole: float
    pitch: float
    depth: float
    dome: float
    name: str


class LightAssumptions(_Table, frozen=True):
    """What visibility.py assumes about the materials."""

    transmission: float
    density_per_mm: float


class EyeRange(_Table, frozen=True):
    """Where the eyes of the players are."""

    height: Range
    distance: Range


class RoomSize(_Table, frozen=True):
    """What is between face and base plate; pairs are across by upwards."""

    spacer: Range
    spacers: int
    carrier: Range
    carrier_holes: Range
    carrier_shift: float
    post: Range
    dc_hole: float
    switch_hole: Range
    panel: Range
    nut: float
    screw: float
    pilot: float


class SignSize(_Table, frozen=True):
    """The signs of the pools on the wood: the radius of a circle around them."""

    outer: float
    gap: float


class EngravingSize(_Table, frozen=True):
    """Heights of capitals."""

    name: float
    number: float


class Dimensions(_Table, frozen=True):
    """The content of face.toml."""

    panel: Plywood
    chip: Chip
    bowl: BowlSize
    inlay: InlaySize
    mask: MaskSize
    carrier: CarrierSize
    place: PlaceSize
    button: ButtonSize
    display: DisplaySize
    dealer_mark: DealerMark
    pixel: PixelSize
    light: LightAssumptions
    eye: EyeRange
    engraving: EngravingSize
    room: RoomSize
    sign: SignSize

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
    return msgspec.convert(tomllib.loads(written_text(file.read_bytes())), Dimensions)


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
