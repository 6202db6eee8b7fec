"""Bitmap fonts of the display: proportional letters in the format BDF of X11."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

FOLDER: Final = Path(__file__).resolve().parent / "fonts"
_UNKNOWN: Final = "?"


class Glyph(msgspec.Struct, frozen=True):
    """A letter: its rows of pixels from the top, as bits, and where it stands on the line."""

    advance: int
    """How far the next letter is to the right, in pixels."""
    width: int
    left: int
    bottom: int
    """The lowest row, counted upwards from the baseline."""
    rows: tuple[int, ...]
    """The leftmost pixel is the highest of `width` bits."""


class Font:
    """A font of one size."""

    def __init__(self, text: str) -> None:
        """`text` is a BDF file."""
        self.ascent = self.descent = 0
        self._glyphs: dict[int, Glyph] = {}
        lines = iter(text.splitlines())
        fields: dict[str, list[int]] = {}
        for line in lines:
            key, _, rest = line.partition(" ")
            match key:
                case "FONT_ASCENT":
                    self.ascent = int(rest)
                case "FONT_DESCENT":
                    self.descent = int(rest)
                case "ENCODING" | "DWIDTH" | "BBX":
                    fields[key] = [int(value) for value in rest.split()]
                case "BITMAP":
                    width, height, left, bottom = fields["BBX"]
                    padding = -width % 8
                    rows = tuple(int(next(lines), 16) >> padding for _ in range(height))
                    self._glyphs[fields["ENCODING"][0]] = Glyph(
                        fields["DWIDTH"][0], width, left, bottom, rows
                    )
                case _:
                    pass

    @property
    def height(self) -> int:
        """From the top of the highest letter to the bottom of the lowest."""
        return self.ascent + self.descent

    def glyph(self, letter: str) -> Glyph:
        """A letter, without its accent if the font lacks that; a question mark if it lacks all."""
        base = unicodedata.normalize("NFKD", letter)[:1]
        for candidate in (letter, base, _UNKNOWN):
            if candidate and ord(candidate) in self._glyphs:
                return self._glyphs[ord(candidate)]
        raise ValueError("the font has no question mark")

    def width(self, text: str) -> int:
        """How wide a text is, in pixels."""
        return sum(self.glyph(letter).advance for letter in text)

    def depth(self, text: str) -> int:
        """How far a text reaches below its baseline, in pixels."""
        return max((-self.glyph(letter).bottom for letter in text), default=0)

    def count_within(self, text: str, width: int) -> int:
        """How many letters at the start of a text are together at most this wide; at least one."""
        right = 0
        for count, letter in enumerate(text):
            right += self.glyph(letter).advance
            if right > width:
                return max(count, 1)
        return len(text)


@cache
def font(name: str) -> Font:
    """One of the fonts of the folder, such as `B14`: bold or regular, and its size in pixels."""
    return Font((FOLDER / f"helv{name}.bdf").read_text("utf-8"))
