"""The pixels of the display, and text on them."""

from __future__ import annotations

from typing import Final

from pochboard import ssd1306
from pochboard.screen.font import Font

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
