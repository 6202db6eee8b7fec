"""Bitmaps, and the words and numbers of a screen in the largest letters that fit."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from pochboard import ssd1306

_TITLE_HEIGHT: Final = 17
_TITLES: Final = ("B14", "B12", "R10", "R08")
_TEXTS: Final = ("B12", "R10", "R08")
_SMALL: Final = ("R10", "R08")
_NUMBERS: Final = ("B24", "B14", "R10")
_CODE_SIZE: Final = 64
_CODE_GAP: Final = 4
_COLUMNS: Final = 3
_SUIT_SIZE: Final = 11
# Rows of pixels, the highest bit at the left.
_SUITS: Final = {
    "C": (0x070, 0x0F8, 0x0F8, 0x070, 0x326, 0x7AF, 0x7FF, 0x7AF, 0x326, 0x020, 0x070),
    "S": (0x020, 0x070, 0x0F8, 0x1FC, 0x3FE, 0x7FF, 0x7FF, 0x7AF, 0x326, 0x020, 0x070),
    "H": (0x000, 0x18C, 0x3DE, 0x7FF, 0x7FF, 0x7FF, 0x3FE, 0x1FC, 0x0F8, 0x070, 0x020),
    "D": (0x020, 0x070, 0x0F8, 0x1FC, 0x3FE, 0x7FF, 0x3FE, 0x1FC, 0x0F8, 0x070, 0x020),
}
_ELLIPSIS: Final = "\N{HORIZONTAL ELLIPSIS}"


class Figure(msgspec.Struct, frozen=True):
    """A number and what it counts."""

    label: str
    value: str


class Screen(msgspec.Struct, frozen=True):
    """What the display says at one moment."""

    title: str
    figures: tuple[Figure, ...] = ()
    """Up to three numbers to be read from afar."""
    cells: tuple[Figure, ...] = ()
    """A table of up to nine numbers with short labels."""
    lines: tuple[str, ...] = ()
    """Sentences, or what stands beside the QR code."""
    qr: str = ""
    """The text of a QR code."""
    alarm: bool = False
    """Whether the title is dark on light, or all of it if the sentences need its place."""
    trump: Figure | None = None
    """The trump suit, whose sign stands beside the title: what it is called, and its letter."""

    @property
    def words(self) -> str:
        """The words of the screen, for those who cannot see it."""
        numbers = [f"{figure.label} {figure.value}" for figure in self.figures + self.cells]
        trump = [self.trump.label] if self.trump else []
        return "; ".join((self.title, *trump, *numbers, *self.lines))


@lru_cache(maxsize=16)
def draw(screen: Screen) -> Bitmap:
    """The bitmap of a screen."""
    canvas = Canvas()
    if screen.qr:
        _draw_code(canvas, screen.qr)
        _draw_beside(canvas, screen)
        return canvas.bitmap()
    numbers, text, top = screen.figures or screen.cells, " ".join(screen.lines), 0
    if screen.title and (numbers or _fitted(text, HEIGHT - _TITLE_HEIGHT)[2]):
        top, room = _TITLE_HEIGHT, WIDTH - 2
        if screen.trump:
            room -= _SUIT_SIZE + 3
            for y, row in enumerate(_SUITS[screen.trump.value], start=2):
                canvas.row(y, row, WIDTH - _SUIT_SIZE - 1, _SUIT_SIZE)
        canvas.write(screen.title, 1, 13, room, _TITLES)
    if screen.figures:
        _draw_figures(canvas, screen.figures)
    elif screen.cells:
        _draw_cells(canvas, screen.cells)
    else:
        chosen, lines, _ = _fitted(text, HEIGHT - top)
        for number, line in enumerate(lines):
            canvas.text(line, 1, top + chosen.ascent + (top > 0) + number * chosen.height, chosen)
    if screen.alarm:
        # A long sentence takes the place of the title. It must still look like an alarm.
        canvas.invert(0, 0, WIDTH, top or HEIGHT)
    return canvas.bitmap()


def _fitted(text: str, height: int, fonts: Sequence[str] = _TEXTS) -> tuple[Font, list[str], bool]:
    """The largest font in which a text fits, its lines, and whether it fits at all."""
    chosen = font(fonts[0])
    most = height // chosen.height
    # One line more shows that it does not fit. The others of a long text do not matter.
    lines = list(islice(_wrapped(text, WIDTH - 2, chosen), most + 1))
    if len(lines) <= most:
        return chosen, lines, True
    if len(fonts) > 1:
        return _fitted(text, height, fonts[1:])
    lines[most - 1] = _cut(f"{lines[most - 1]}{_ELLIPSIS}", WIDTH - 2, chosen)
    return chosen, lines[:most], False


def _wrapped(text: str, width: int, chosen: Font) -> Iterator[str]:
    """The lines of a text. A word that is wider than a line is broken."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if chosen.width(longer) <= width:
            line = longer
            continue
        if line:
            yield line
        line = word
        while (fitting := chosen.count_within(line, width)) < len(line):
            # An address or a password is easiest to read in parts.
            count = max(line.rfind(sign, 0, fitting) for sign in ".-_") + 1 or fitting
            yield line[:count]
            line = line[count:]
    if line:
        yield line


def _largest(names: Sequence[str], text: str, width: int) -> Font:
    """The first of these fonts in which a text fits, else the last."""
    fonts = [font(name) for name in names]
    return next((candidate for candidate in fonts if candidate.width(text) <= width), fonts[-1])


def _cut(text: str, width: int, chosen: Font) -> str:
    """A text that fits, if necessary with an ellipsis at its end."""
    if chosen.width(text) <= width:
        return text
    kept = text.rstrip(_ELLIPSIS)
    while kept and chosen.width(kept + _ELLIPSIS) > width:
        kept = kept[:-1]
    return kept.rstrip() + _ELLIPSIS


def _draw_figures(canvas: Canvas, figures: Sequence[Figure]) -> None:
    """Numbers side by side in the largest letters, each under its label."""
    width = WIDTH // len(figures)
    for column, figure in enumerate(figures):
        x, room = column * width + 1, width - 3
        canvas.write(figure.label, x, 29, room, _SMALL)
        number = _largest(_NUMBERS, figure.value, room)
        # Digits have a margin below them; a word may need it for its letters.
        canvas.write(figure.value, x, min(60, HEIGHT - number.depth(figure.value)), room, _NUMBERS)


def _draw_cells(canvas: Canvas, cells: Sequence[Figure]) -> None:
    """Short labels with their numbers, in three columns."""
    width = WIDTH // _COLUMNS
    label, number = font("R10"), font("B14")
    for at, cell in enumerate(cells):
        x = at % _COLUMNS * width + 1
        baseline = _TITLE_HEIGHT + 13 + at // _COLUMNS * 16
        canvas.text(cell.label, x, baseline, label)
        room = width - 18
        chosen = number if number.width(cell.value) <= room else label
        canvas.text(cell.value, x + 17, baseline, chosen)


def _draw_code(canvas: Canvas, text: str) -> None:
    """A QR code on a lit square at the left, as large as whole pixels allow."""
    import segno  # noqa: PLC0415 - late, so that boards without a display do not load it

    # The lowest level of correction: nothing covers a display, and larger modules help more.
    rows = segno.make(text, micro=False, error="l", boost_error=False).matrix
    scale = max(1, _CODE_SIZE // (len(rows) + 2))
    start = (_CODE_SIZE - scale * len(rows)) // 2
    canvas.invert(0, 0, _CODE_SIZE, _CODE_SIZE)
    for y, row in enumerate(rows):
        for x, dark in enumerate(row):
            if dark:
                canvas.invert(start + x * scale, start + y * scale, scale, scale)


def _draw_beside(canvas: Canvas, screen: Screen) -> None:
    """The words of a QR code, at its right."""
    left = _CODE_SIZE + _CODE_GAP
    room = WIDTH - left
    canvas.write(screen.title, left, 12, room, ("B12", *_SMALL))
    baseline = 25
    for line in screen.lines:
        chosen = _largest(_SMALL, line, room)
        for part in _wrapped(line, room, chosen):
            if baseline < HEIGHT:
                canvas.text(part, left, baseline, chosen)
            baseline += chosen.height
        baseline += 1


FOLDER: Final = Path(__file__).resolve().parent / "fonts"


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
        return self._glyphs.get(ord(base)) or self._glyphs[ord("?")]

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

    def invert(self, x: int, y: int, width: int, height: int) -> None:
        """Turns each pixel of a rectangle on or off."""
        mask = ((1 << width) - 1) << (WIDTH - x - width)
        for line in range(y, y + height):
            self._rows[line] ^= mask

    def text(self, text: str, x: int, baseline: int, font: Font) -> None:
        """Writes on a baseline."""
        for letter in text:
            glyph = font.glyph(letter)
            top = baseline - glyph.bottom - len(glyph.rows)
            for number, bits in enumerate(glyph.rows):
                self.row(top + number, bits, x + glyph.left, glyph.width)
            x += glyph.advance

    def write(self, text: str, x: int, baseline: int, room: int, fonts: Sequence[str]) -> None:
        """Writes in the first of these fonts in which a text fits, or cuts it off in the last."""
        chosen = _largest(fonts, text, room)
        self.text(_cut(text, room, chosen), x, baseline, chosen)

    def bitmap(self) -> Bitmap:
        """The picture."""
        out = bytearray()
        for top in range(0, HEIGHT, 8):
            band = self._rows[top : top + 8]
            lines = [format(row, f"0{WIDTH}b") for row in reversed(band)]
            out += bytes([int("".join(column), 2) for column in zip(*lines, strict=True)])
        return bytes(out)
