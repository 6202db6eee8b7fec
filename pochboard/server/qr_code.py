"""QR codes: the address of the page, and how phones join the machine's own Wi-Fi."""

from __future__ import annotations

import io
from typing import Final

BORDER: Final = 4
"""How many light modules have to surround a code."""


def terminal_code(text: str) -> str:
    """A QR code, as block characters for a terminal."""
    import segno  # noqa: PLC0415 - few processes and requests need it

    code = io.StringIO()
    segno.make(text, micro=False).terminal(code, border=BORDER, compact=True)
    return code.getvalue().rstrip("\n")


def svg_code(text: str) -> tuple[int, str]:
    """A QR code as the path of an SVG, and the sides of its square in modules."""
    import segno  # noqa: PLC0415 - few processes and requests need it

    code = segno.make(text, micro=False)
    rows = list(code.matrix_iter(border=BORDER))
    runs = (f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark)
    return len(rows), "".join(runs)
