"""Letters as strokes of one line, so that drawings need no font and a router can follow them."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Final

from pochboard.geometry.dimensions import source_folder
from pochboard.text.encodings import written_text

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
