"""The layout of a board to be built: its face, its specification, and the words engraved on it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import msgspec

from hardware.spec import BoardSpec
from pochboard.config import Design
from pochboard.geometry.art import NAME_GAPS, Language
from pochboard.geometry.dimensions import CAPITAL, dimensions, word_length
from pochboard.geometry.face import Face, Hole, Inlay, Point, face, turn_of
from pochboard.rules.accounts import POOLS

ENGRAVING_GAP: Final = 0.8
"""From a word to the flange or the button beside it, in mm."""
WIDEST: Final = 37.2
"""Of a word beside a pool, whose ends would be under the next one."""
DOTS: Final = 25
"""The height of a letter with two dots, where a capital is 21 high."""

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


class Layout(Face, frozen=True, kw_only=True):
    """The layout of one board."""

    spec: BoardSpec
    language: Language
    design: Design
    engravings: tuple[Engraving, ...]

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
        return (*self.ring_holes, *self.buttons, *self.places)

    @property
    def place_inlays(self) -> tuple[Inlay, ...]:
        """The inlays of the places, at the end of the data chain."""
        return self.inlays[-self.spec.places :]


def layout(spec: BoardSpec, language: Language = "en", design: Design = "modern") -> Layout:
    """The layout for a specification."""
    found = face(spec.places, spec.pixels_per_ring)
    assert tuple(hole.name for hole in found.buttons) == spec.buttons
    fields = {name: getattr(found, name) for name in Face.__struct_fields__}
    return Layout(
        **fields,
        spec=spec,
        language=language,
        design=design,
        engravings=tuple(_engravings(found, language)),
    )


def _engravings(board: Face, language: Language) -> Iterator[Engraving]:
    """The names of pools, places, `next` and `undo`."""
    size, words = dimensions(), ENGRAVED[language]
    number = size.engraving.number
    buttons = [hole.centre for hole in board.buttons]
    for pool, well, button in zip(POOLS[:-1], board.wells, buttons, strict=False):
        # Between the pool's flange and its button.
        yield _name(words[pool], well.centre, well.flange, turn_of(button, well.centre))
    # Beside the button of the pool in the middle, where the gap has no room for both.
    yield _name(words[POOLS[-1]], (0.0, 0.0), board.wells[-1].flange + 1.6, NAME_GAPS[0])
    for place, middle in enumerate(board.numbers, start=1):
        yield Engraving(
            words=str(place),
            centre=(0.0, 0.0),
            radius=math.hypot(*middle) + number / 2,
            turn=turn_of(middle),
            height=number,
        )
    for action, button in zip(("next", "undo"), buttons[-2:], strict=True):
        # Beside the button: the sign is inside of it.
        far, word = math.hypot(*button), words[action]
        away = (
            size.button.bezel / 2 + 2 * ENGRAVING_GAP + word_length(word, size.engraving.name) / 2
        )
        side = away / far / (2 * math.pi) * (-1 if action == "next" else 1)
        inner = far - size.engraving.name / 2 - ENGRAVING_GAP
        yield _name(word, (0.0, 0.0), inner, turn_of(button) + side)


def _name(words: str, centre: Point, inner: float, turn: float) -> Engraving:
    """A name outside of a circle. The dots on its letters take no more room than capitals do."""
    room = dimensions().engraving.name
    height = room * (CAPITAL / DOTS if set(words) & set("ÄÖÜ") else 1)
    height = min(height, room * WIDEST / word_length(words, room))
    return Engraving(
        words=words,
        centre=centre,
        radius=inner + ENGRAVING_GAP + room,
        turn=turn,
        height=height,
    )
