"""Sheets as PDF: one drawing, shown on as many pages as wanted, in parts and with marks of its own.

Nothing is compressed and nothing says when or where it was made, so that the same drawing gives the
same bytes, and a change can be read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec

from hardware.sheet import Circle, Path, Shape, Sheet, Text, number

_POINTS: Final = 72 / 25.4
"""Points of a PDF in a millimetre."""
_BEND: Final = 4 / 3 * (math.sqrt(2) - 1)
"""Where a curve's handles stand for a quarter of a circle."""

# How wide the characters from space to ~ are in Helvetica, in thousandths of its size.
_WIDTHS: Final = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A page in millimetres: a part of the drawing in a window, and marks over it."""

    width: float
    height: float
    window: tuple[float, float, float, float]
    """Left, top, right, bottom of what of the page the drawing may cover."""
    shift: tuple[float, float]
    """Where on the page the drawing's upper left corner comes to lie; it may be outside."""
    marks: tuple[Shape, ...] = ()


def pdf(sheet: Sheet, pages: Sequence[Page]) -> bytes:
    """The pages as a PDF file, with the drawing in it once."""
    fonts = "<< /F 3 0 R /B 4 0 R >>"
    body = "\n".join(_operators(shape) for shape in sheet.shapes)
    size = f"{number(sheet.width)} {number(sheet.height)}"
    kids = " ".join(f"{6 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>",
        _font("Helvetica"),
        _font("Helvetica-Bold"),
        _stream(
            f"/Type /XObject /Subtype /Form /BBox [0 0 {size}] /Resources << /Font {fonts} >>", body
        ),
    ]
    for page in pages:
        corner = f"{_points(page.width)} {_points(page.height)}"
        entry = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {corner}]"
            f" /Resources << /Font {fonts} /XObject << /D 5 0 R >> >>"
            f" /Contents {len(objects) + 2} 0 R >>"
        )
        objects += [entry, _stream("", _content(page))]
    return _file(objects)


def _content(page: Page) -> str:
    left, top, right, bottom = page.window
    window = " ".join(map(number, (left, top, right - left, bottom - top)))
    x, y = map(number, page.shift)
    return "\n".join(
        [
            # Millimetres from the upper left corner, downwards, as the sheets have them.
            f"{_points(1)} 0 0 -{_points(1)} 0 {_points(page.height)} cm",
            f"q {window} re W n 1 0 0 1 {x} {y} cm /D Do Q",
            *(_operators(shape) for shape in page.marks),
        ]
    )


def _points(length: float) -> str:
    return f"{length * _POINTS:.4f}"


def _font(name: str) -> str:
    return f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"


def _stream(entries: str, content: str) -> str:
    length = len(content.encode("cp1252"))
    return f"<< {entries} /Length {length} >>\nstream\n{content}\nendstream"


def _file(objects: Sequence[str]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    starts = []
    for index, text in enumerate(objects, start=1):
        starts.append(len(out))
        out += f"{index} 0 obj\n{text}\nendobj\n".encode("cp1252")
    table = len(out)
    entries = "".join(f"{start:010} 00000 n \n" for start in starts)
    out += (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{entries}"
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    ).encode("ascii")
    return bytes(out)


def _operators(shape: Shape) -> str:
    """What draws a shape, as an undisturbed group of operators."""
    match shape:
        case Path():
            start, *rest = (f"{number(x)} {number(y)}" for x, y in shape.points)
            way = (
                f"{start} m " + "".join(f"{at} l " for at in rest) + ("h " if shape.closed else "")
            )
            return f"q {_pen(shape)}{way}{_paint(shape)} Q"
        case Circle():
            return f"q {_pen(shape)}{_round(shape)}{_paint(shape)} Q"
        case Text():
            return f"q {_colour(shape.colour)} rg {_words(shape)} Q"


def _pen(shape: Path | Circle) -> str:
    dash = f"[{' '.join(map(number, shape.dash))}] 0 d " if shape.dash else ""
    fill = f"{_colour(shape.fill)} rg " if shape.fill else ""
    return f"{number(shape.width)} w {_colour(shape.colour)} RG {fill}{dash}"


def _paint(shape: Path | Circle) -> str:
    return "B" if shape.fill else "S"


def _round(shape: Circle) -> str:
    x, y = shape.at
    r = shape.radius
    bend = r * _BEND

    def curve(*values: float) -> str:
        return " ".join(map(number, values)) + " c "

    return (
        f"{number(x + r)} {number(y)} m "
        + curve(x + r, y + bend, x + bend, y + r, x, y + r)
        + curve(x - bend, y + r, x - r, y + bend, x - r, y)
        + curve(x - r, y - bend, x - bend, y - r, x, y - r)
        + curve(x + bend, y - r, x + r, y - bend, x + r, y)
    )


def _words(shape: Text) -> str:
    """Text, turned over again, as the page's upright axis points down."""
    angle = math.radians(shape.turn)
    cos, sin = f"{math.cos(angle):.4f}", f"{math.sin(angle):.4f}"
    back = {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor] * width_of(shape)
    x = shape.at[0] - back * math.cos(angle)
    y = shape.at[1] - back * math.sin(angle)
    text = shape.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    turn = f"{cos} {sin} {sin} {_minus(cos)} {number(x)} {number(y)} Tm"
    font = "B" if shape.bold else "F"
    return f"BT /{font} {number(shape.size)} Tf {turn} ({text}) Tj ET"


def _minus(value: str) -> str:
    return value[1:] if value.startswith("-") else f"-{value}"


def width_of(text: Text) -> float:
    """About how wide a text is in Helvetica; bold is a little wider."""
    total = sum(
        _WIDTHS[ord(character) - 32] if " " <= character <= "~" else 556 for character in text.text
    )
    return total / 1000 * text.size * (1.06 if text.bold else 1)


def _colour(code: str) -> str:
    return " ".join(f"{int(code[at : at + 2], 16) / 255:.3g}" for at in (1, 3, 5))
