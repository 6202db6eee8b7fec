"""The pixels of the display, and text on them, in the proportional letters of BDF fonts."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from pochboard import ssd1306

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


_MODIFIERS: Final = ("Mn", "Me", "Cf", "Sk")
"""Categories of the Unicode Standard (UAX 44): marks, joiners, skin tones."""
_NOTHING: Final = Glyph(0, 0, 0, 0, ())


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
        """A letter, without its accent if the font lacks that; a question mark if it lacks all.

        What only changes the letter before it, such as the colour of an emoji, has no width.
        """
        if glyph := self._glyphs.get(ord(letter)):
            return glyph
        if unicodedata.category(letter) in _MODIFIERS:
            return _NOTHING
        base = unicodedata.normalize("NFKD", letter)[0]
        return self._glyphs.get(ord(base)) or self._glyphs[ord(_UNKNOWN)]

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


WIDTH: Final = ssd1306.WIDTH
HEIGHT: Final = 8 * ssd1306.BANDS
SIZE: Final = WIDTH * HEIGHT // 8
"""Bytes of a bitmap."""
_ROWS_OF_BYTES: Final = 8

Bitmap = bytes
"""A picture as the display's controller keeps it: eight bands from the top, each of 128 bytes from
the left. A byte is a column of eight pixels, the lowest bit at the top."""

BLANK: Final[Bitmap] = bytes(SIZE)


class Canvas:
    """Draws a bitmap. The origin is at the top left; whatever lies outside is cut off."""

    def __init__(self) -> None:
        # One number per row of pixels; its highest bit is the leftmost pixel.
        self._rows = [0] * HEIGHT

    def row(self, y: int, bits: int, x: int, width: int) -> None:
        """Turns on the pixels of a row, from the column `x` on, for which `width` bits are set."""
        if not 0 <= y < HEIGHT:
            return
        shift = WIDTH - x - width
        shifted = bits << shift if shift >= 0 else bits >> -shift
        self._rows[y] |= shifted & ((1 << WIDTH) - 1)

    def fill(self, x: int, y: int, width: int, height: int) -> None:
        """Turns on a rectangle."""
        for line in range(y, y + height):
            self.row(line, (1 << width) - 1, x, width)

    def invert(self, x: int, y: int, width: int, height: int) -> None:
        """Turns each pixel of a rectangle on or off."""
        mask = ((1 << width) - 1) << (WIDTH - x - width)
        for line in range(y, y + height):
            self._rows[line] ^= mask

    def text(self, text: str, x: int, baseline: int, font: Font) -> int:
        """Writes on a baseline; returns the column after the text."""
        for letter in text:
            glyph = font.glyph(letter)
            top = baseline - glyph.bottom - len(glyph.rows)
            for number, bits in enumerate(glyph.rows):
                self.row(top + number, bits, x + glyph.left, glyph.width)
            x += glyph.advance
        return x

    def bitmap(self) -> Bitmap:
        """The picture."""
        out = bytearray()
        for top in range(0, HEIGHT, _ROWS_OF_BYTES):
            band = self._rows[top : top + _ROWS_OF_BYTES]
            lines = [format(row, f"0{WIDTH}b") for row in reversed(band)]
            out += bytes([int("".join(column), 2) for column in zip(*lines, strict=True)])
        return bytes(out)


def is_lit(bitmap: Bitmap, x: int, y: int) -> bool:
    """Whether a pixel is on."""
    return bool(bitmap[y // 8 * WIDTH + x] >> y % 8 & 1)
