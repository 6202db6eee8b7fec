"""The layout of a board: the position of every hole and inlay, in mm from its centre, from above.

x points right and y points down, as in SVG. Angles and proportions are those of the board on the
page (web/static/board.js). The scale follows from the bowls, which must hold the chips, and from
the rings of inlays around them.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final, Literal

import msgspec

from hardware.spec import BoardSpec, PixelKind
from pochboard.rules.accounts import POOLS

Point = tuple[float, float]
Range = tuple[float, float]
"""Two numbers: least and most, or width and depth."""
Language = Literal["en", "de"]

FACE_FILE: Final = Path(__file__).with_name("face.toml")

# The page's own dimensions: its board is 1000 units wide.
POOL_CIRCLE: Final = 252
"""Distance of the eight outer pools from the centre."""
POOL_RADIUS: Final = 94
CENTRE_POOL_RADIUS: Final = 132
RIM_RADIUS: Final = 356
"""Where the rim begins."""
RIM_PIXEL_RADIUS: Final = 374
EDGE_RADIUS: Final = 494
NEXT_TURN: Final = Fraction(3, 8)
"""Where the page shows `next`, in turns clockwise from the top; `undo` is its mirror image."""
WIDEST_PLACE: Final = 52 / 360
PLACE_GAP: Final = 0.006
"""The widest a place gets on the rim, and what is left between two places, in turns."""
NUMBER_TURN: Final = 0.013
DEALER_TURN: Final = 0.015
"""How far a place's number and its dealer's mark are from the place's ends, in turns."""
NUMBER_RADIUS: Final = 376

# Between the pools there is room for their buttons, which the page does not show.
POOL_BUTTON_RADIUS: Final = 320
CENTRE_BUTTON_RADIUS: Final = 165
ENGRAVING_GAP: Final = 2.0
"""From a word to the flange or the button beside it, in mm."""

ENGRAVED: Final[dict[Language, dict[str, str]]] = {
    "en": {name: name.upper() for name in (*POOLS, "next", "undo")},
    "de": {
        "ace": "ASS",
        "king": "KÖNIG",
        "queen": "DAME",
        "jack": "BUBE",
        "ten": "ZEHN",
        "marriage": "MARIAGE",
        "sequence": "SEQUENZ",
        "poch": "POCH",
        "pinke": "PINKE",
        "next": "WEITER",
        "undo": "ZURÜCK",
    },
}
"""What is engraved beside the buttons."""


# face.toml


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Panel(_Table, frozen=True):
    """The plywood, and the room between its two sheets."""

    face: float
    room: float
    base: float
    feet: float


class Chip(_Table, frozen=True):
    """The chips, and how they lie in a heap."""

    diameter: float
    thickness: float
    count: int
    packing: float
    repose_degrees: float


class BowlSize(_Table, frozen=True):
    """A bowl; `radius` is the smallest one inside."""

    radius: float
    wall: float
    floor: float
    draft_degrees: float
    fillet: float
    gap: float


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
    """The plate that holds the pixels."""

    thickness: float
    rim: float
    clearance: float
    screws: int
    screw: float
    screw_land: float
    screw_depth: float


class PlaceSize(_Table, frozen=True):
    """The insert of a place."""

    hole: float
    flange: float
    inlay: float
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


class DealerMark(_Table, frozen=True):
    """The mark that is plugged in beside the dealer's place."""

    hole: float
    peg: float
    peg_length: float
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
    """What is between face and base plate; pairs are tangential by radial."""

    spacer: Range
    controller: Range
    controller_holes: Range
    stripboard: Range
    stripboard_holes: Range
    inner: float
    socket_panel: Range
    dc_hole: float
    switch_hole: Range
    cable_hole: float
    nut: float
    screw: float
    pilot: float


class EngravingSize(_Table, frozen=True):
    """Heights of capitals."""

    name: float
    number: float


class Dimensions(_Table, frozen=True):
    """The content of face.toml."""

    panel: Panel
    chip: Chip
    bowl: BowlSize
    inlay: InlaySize
    mask: MaskSize
    carrier: CarrierSize
    place: PlaceSize
    button: ButtonSize
    dealer_mark: DealerMark
    pixel: dict[PixelKind, PixelSize]
    light: LightAssumptions
    eye: EyeRange
    engraving: EngravingSize
    room: RoomSize

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
        """From the top of the mask to the floor of a bowl, which stands on the base plate."""
        return self.mask.plate + self.panel.face + self.panel.room - self.bowl.floor

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
    return msgspec.convert(tomllib.loads(FACE_FILE.read_text("utf-8")), Dimensions)


# The layout


class Well(msgspec.Struct, frozen=True, kw_only=True):
    """A pool: radii of its insert, all around one centre."""

    centre: Point
    bowl: float
    """Of the bowl, inside."""
    ring: float
    """Of the circle on which the inlays are."""
    hole: float
    """Of the hole in the plywood."""
    flange: float


class Hole(msgspec.Struct, frozen=True, kw_only=True):
    """A round hole through the plywood on top."""

    name: str
    """A button's name, or what the hole is for: `ring ace`, `place 1`, `dealer 1`."""
    centre: Point
    diameter: float


class Inlay(msgspec.Struct, frozen=True, kw_only=True):
    """The lit area of a pixel: a bar with round ends; a disc where length and width are equal."""

    name: str
    """The pixel's number in the data chain, such as `pixel 0`."""
    centre: Point
    turn: float
    """The direction from the ring's centre, in turns. The bar is at right angles to it."""
    length: float
    width: float

    @property
    def ends(self) -> tuple[Point, Point]:
        """The centres of its two round ends."""
        half = (self.length - self.width) / 2
        return polar(self.turn - 0.25, half, self.centre), polar(
            self.turn + 0.25, half, self.centre
        )


class Engraving(msgspec.Struct, frozen=True, kw_only=True):
    """A word on an arc. The tops of its letters point to the centre of the arc's circle."""

    words: str
    centre: Point
    """Of the circle whose arc is the baseline."""
    radius: float
    """Of that circle."""
    turn: float
    """The direction of the word's middle, in turns."""
    height: float
    """Of capitals."""


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """The layout of one board."""

    spec: BoardSpec
    language: Language
    scale: float
    """Millimetres for one unit of the page."""
    wells: tuple[Well, ...]
    """The nine pools in board order."""
    buttons: tuple[Hole, ...]
    """In the order of the protocol."""
    inlays: tuple[Inlay, ...]
    """In the order of the data chain."""
    places: tuple[Hole, ...]
    """The holes of the places' inserts, clockwise."""
    dealer_holes: tuple[Hole, ...]
    """One for each place."""
    engravings: tuple[Engraving, ...]

    @property
    def radius(self) -> float:
        """From the board's centre to its edge."""
        return self.scale * EDGE_RADIUS

    @property
    def ring_holes(self) -> tuple[Hole, ...]:
        """The holes of the pools' inserts."""
        return tuple(
            Hole(name=f"ring {pool}", centre=well.centre, diameter=2 * well.hole)
            for pool, well in zip(POOLS, self.wells, strict=True)
        )

    @property
    def holes(self) -> tuple[Hole, ...]:
        """All holes in the plywood on top."""
        return (*self.ring_holes, *self.buttons, *self.places, *self.dealer_holes)

    @property
    def place_inlays(self) -> tuple[Inlay, ...]:
        """The inlays of the places, at the end of the data chain."""
        return self.inlays[-self.spec.places :]


def polar(turn: float, radius: float, centre: Point = (0.0, 0.0)) -> Point:
    """The point at an angle (in turns, clockwise from the top) and a distance from a centre."""
    angle = turn * 2 * math.pi
    return centre[0] + radius * math.sin(angle), centre[1] - radius * math.cos(angle)


def layout(spec: BoardSpec, language: Language = "en") -> Layout:
    """The layout for a specification."""
    size = dimensions()
    scale = _scale(spec)
    wells = _wells(scale)
    outer = len(POOLS) - 1
    turns = [(place + 0.5) / spec.places for place in range(spec.places)]
    next_ = float(next_turn(spec.places))
    rim_buttons = (RIM_RADIUS + EDGE_RADIUS) / 2 * scale
    button_centres = [
        *(polar((pool + 0.5) / outer, POOL_BUTTON_RADIUS * scale) for pool in range(outer)),
        polar(0.5 + 0.5 / outer, CENTRE_BUTTON_RADIUS * scale),
        *(polar(turn, rim_buttons) for turn in (*turns, next_, 1 - next_)),
    ]
    half = min(1 / spec.places, WIDEST_PLACE) / 2 - PLACE_GAP / 2
    rim = RIM_PIXEL_RADIUS * scale
    return Layout(
        spec=spec,
        language=language,
        scale=scale,
        wells=wells,
        buttons=tuple(
            Hole(name=name, centre=centre, diameter=size.button.hole)
            for name, centre in zip(spec.buttons, button_centres, strict=True)
        ),
        inlays=(*_ring_inlays(spec, wells), *_place_inlays(spec, turns, rim)),
        places=tuple(
            Hole(name=f"place {place}", centre=polar(turn, rim), diameter=size.place.hole)
            for place, turn in enumerate(turns, start=1)
        ),
        dealer_holes=tuple(
            Hole(
                name=f"dealer {place}",
                centre=polar(turn + half - DEALER_TURN, NUMBER_RADIUS * scale),
                diameter=size.dealer_mark.hole,
            )
            for place, turn in enumerate(turns, start=1)
        ),
        engravings=tuple(_engravings(wells, button_centres, turns, half, scale, language)),
    )


def _scale(spec: BoardSpec) -> float:
    """The smallest scale at which the bowls and the pixels fit; the diameter is whole mm."""
    size = dimensions()
    # Neighbours are one chord apart, which is slightly less than the arc.
    fitting = size.pixel[spec.pixel_kind].pitch / 2 / math.sin(math.pi / spec.pixels_per_ring)
    ring = max(size.bowl.radius + size.bowl_to_ring, fitting)
    diameter = (ring + size.ring_to_flange) / POOL_RADIUS * 2 * EDGE_RADIUS
    return math.ceil(diameter) / 2 / EDGE_RADIUS


def _wells(scale: float) -> tuple[Well, ...]:
    size = dimensions()
    outer = len(POOLS) - 1
    pools = [(polar(n / outer, POOL_CIRCLE * scale), POOL_RADIUS) for n in range(outer)]
    return tuple(
        Well(
            centre=centre,
            bowl=radius * scale - size.ring_to_flange - size.bowl_to_ring,
            ring=radius * scale - size.ring_to_flange,
            hole=radius * scale - size.mask.cover,
            flange=radius * scale,
        )
        for centre, radius in [*pools, ((0.0, 0.0), CENTRE_POOL_RADIUS)]
    )


def inlay_length(spec: BoardSpec, well: Well) -> float:
    """The length of a ring's inlays: the bars between them must stay opaque and strong."""
    inlay, mask = dimensions().inlay, dimensions().mask
    chamber = inlay.clearance + inlay.lip
    inner = well.ring - inlay.width / 2 - chamber
    room = 2 * inner * math.sin(math.pi / spec.pixels_per_ring) - mask.land - 2 * chamber
    return max(inlay.width, min(inlay.length, room))


def _ring_inlays(spec: BoardSpec, wells: tuple[Well, ...]) -> list[Inlay]:
    count = spec.pixels_per_ring
    return [
        Inlay(
            name=f"pixel {pool * count + index}",
            centre=polar(index / count, well.ring, well.centre),
            turn=index / count,
            length=inlay_length(spec, well),
            width=dimensions().inlay.width,
        )
        for pool, well in enumerate(wells)
        for index in range(count)
    ]


def _place_inlays(spec: BoardSpec, turns: list[float], radius: float) -> list[Inlay]:
    first, diameter = len(POOLS) * spec.pixels_per_ring, dimensions().place.inlay
    return [
        Inlay(
            name=f"pixel {number}",
            centre=polar(turn, radius),
            turn=turn,
            length=diameter,
            width=diameter,
        )
        for number, turn in enumerate(turns, start=first)
    ]


def _engravings(
    wells: tuple[Well, ...],
    buttons: list[Point],
    turns: list[float],
    half: float,
    scale: float,
    language: Language,
) -> Iterator[Engraving]:
    """The names of pools, places, `next` and `undo`."""
    size, words = dimensions(), ENGRAVED[language]
    name, number = size.engraving.name, size.engraving.number
    for pool, well, button in zip(POOLS, wells, buttons[: len(POOLS)], strict=True):
        # Between the pool's flange and its button.
        yield Engraving(
            words=words[pool],
            centre=well.centre,
            radius=well.flange + ENGRAVING_GAP + name,
            turn=_turn_of(button, well.centre),
            height=name,
        )
    for place, turn in enumerate(turns, start=1):
        yield Engraving(
            words=str(place),
            centre=(0.0, 0.0),
            radius=NUMBER_RADIUS * scale + number / 2,
            turn=turn - half + NUMBER_TURN,
            height=number,
        )
    for action, button in zip(("next", "undo"), buttons[-2:], strict=True):
        yield Engraving(
            words=words[action],
            centre=(0.0, 0.0),
            radius=math.hypot(*button) + size.button.head / 2 + ENGRAVING_GAP + name,
            turn=_turn_of(button),
            height=name,
        )


def _turn_of(at: Point, centre: Point = (0.0, 0.0)) -> float:
    """The direction of a point from a centre, in turns."""
    return math.atan2(at[0] - centre[0], centre[1] - at[1]) / (2 * math.pi) % 1


def next_turn(places: int) -> Fraction:
    """The angle of `next`, in turns: midway between two places, as near as possible to the page's.

    If two angles are equally near, the upper one, which keeps `next` and `undo` apart.
    """
    candidates = [Fraction(step, places) for step in range(1, (places + 1) // 2)]
    return min(candidates, key=lambda turn: (abs(turn - NEXT_TURN), turn))
