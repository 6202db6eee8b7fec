"""Letters as strokes of one line, so that drawings need no font and a router can follow them."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

from hardware.layout import Engraving
from pochboard.geometry.face import Point

Stroke = tuple[Point, ...]

STROKES_FILE: Final = Path(__file__).with_name("strokes.toml")

_CAPITAL: Final = 21
"""The height of capitals in strokes.toml."""
_SPACE: Final = 6
"""Between two letters, in the same units."""


@cache
def _letters() -> dict[str, list[list[list[int]]]]:
    return tomllib.loads(STROKES_FILE.read_text("utf-8"))


def _width(letter: str) -> int:
    return max(x for stroke in _letters()[letter] for x, _ in stroke)


def word_length(words: str, height: float) -> float:
    """The length of a word in mm. Raises KeyError for a letter that has no strokes."""
    units = sum(map(_width, words)) + _SPACE * (len(words) - 1)
    return units * height / _CAPITAL


def strokes(engraving: Engraving) -> list[Stroke]:
    """The lines of an engraved word, in mm on the board. Each letter is turned, none is bent."""
    unit = engraving.height / _CAPITAL
    # Letters' tops point to the centre, so words run against the sense of growing angles.
    around = word_length(engraving.words, engraving.height) / 2
    lines = []
    for letter in engraving.words:
        half = _width(letter) * unit / 2
        around -= half
        angle = 2 * math.pi * engraving.turn + around / engraving.radius
        lines += [
            tuple(_on_board(engraving, angle, x * unit - half, y * unit) for x, y in stroke)
            for stroke in _letters()[letter]
        ]
        around -= half + _SPACE * unit
    return lines


def _on_board(engraving: Engraving, angle: float, right: float, up: float) -> Point:
    """A point of a letter: `right` and `up` from the middle of its baseline."""
    x, y = engraving.centre
    inwards = engraving.radius - up
    return (
        x + inwards * math.sin(angle) - right * math.cos(angle),
        y - inwards * math.cos(angle) - right * math.sin(angle),
    )
