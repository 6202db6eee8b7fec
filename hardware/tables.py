"""The tables that stand in BUILD.md and README.md, worked out from the data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hardware.geometry import layout
from hardware.parts import parts_of
from hardware.pins import Pin, pins_of
from hardware.size import CHIPS, Size, power_rows
from hardware.template import template
from hardware.tiles import grid

VARIANT_WORDS = {"": "", "gpio": "Pi's header", "pico": "Pico"}

SIZES = (
    Size(),
    Size(places=6),
    Size(places=4, ring=16),
    Size(ring=16, pixel="rgbw"),
    Size(ring=24),
    Size(ring=60),
    Size(ring=64, limit_ma=6000),
)
"""The boards that the table of sizes compares."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def parts_table(size: Size) -> str:
    """The bill of materials."""
    rows = []
    for part in parts_of(size):
        amount = f"{part.quantity} {part.unit}".strip()
        rows.append((amount, part.name, VARIANT_WORDS[part.only], part.note))
    return table(("how many", "part", "only for", "what for"), rows)


def power_table(size: Size) -> str:
    """What a board draws, with the arithmetic."""
    return table(("what", "arithmetic", "mA"), power_rows(size))


def sizes_table() -> str:
    """Boards of several sizes beside each other."""
    rows = []
    for size in SIZES:
        board = layout(size)
        across, down = grid(template(board))
        rings = f"{size.ring} × {CHIPS[size.pixel]}"
        rows.append(
            (
                f"{size.places}",
                rings,
                f"{size.pixels}",
                f"{size.dark_ma}",
                f"{size.white_ma}",
                f"{size.limit_ma}",
                f"{size.supply_a}",
                f"{size.frame_ms:.1f}",
                f"{board.radius * 2:.0f}",
                f"{across * down}",
            )
        )
    head = (
        "places", "ring", "pixels", "dark, mA", "white, mA", "limit, mA", "supply and fuse, A",
        "frame, ms", "board, mm", "pages of A4",
    )  # fmt: skip
    return table(head, rows)


def pico_table() -> str:
    """The Pico's pins as they stand round it, the USB socket up."""
    pins = {pin.number: pin for pin in pins_of("pico")}
    rows = []
    for left in range(1, 21):
        right = 41 - left
        rows.append((*_cells(pins[left]), *reversed(_cells(pins[right]))))
    return table(("what", "name", "left pin", "right pin", "name", "what"), rows)


def _cells(pin: Pin) -> tuple[str, str, str]:
    what = f"`{pin.button}`" if pin.button else "*pixel data*" if pin.kind == "pixels" else ""
    return what, pin.label, str(pin.number)


def filled(text: str, tables: dict[str, str]) -> str:
    """The text with each table put between the two marks that bear its name.

    Raises KeyError for a mark whose table is not known.
    """
    pattern = re.compile(r"(<!-- (\w+): begin[^>]*-->\n).*?(<!-- \2: end -->)", re.DOTALL)
    return pattern.sub(lambda m: f"{m[1]}\n{tables[m[2]]}\n\n{m[3]}", text)
