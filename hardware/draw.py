"""Writes drawings, template and tables: `make drawings`, or for a board of another size as below.

.venv/bin/python -m hardware.draw --places 6 --pixels 16 --pixel rgbw --out build/drawings
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hardware.geometry import holes_csv, layout
from hardware.pdf import pdf
from hardware.pins import VARIANTS
from hardware.sheet import svg
from hardware.size import Pixel, Size
from hardware.tables import filled, parts_table, pico_table, power_table, sizes_table
from hardware.template import template
from hardware.tiles import tiles
from hardware.wiring import wiring

HERE = Path(__file__).parent
PAGES = ("BUILD.md", "README.md")
"""What tables of the usual board are put into."""


def drawings(size: Size) -> dict[str, bytes]:
    """All files that follow from a size, by name."""
    board = layout(size)
    sheet = template(board)
    files = {f"wiring-{variant}.svg": svg(wiring(variant, size)) for variant in VARIANTS}
    files["template.svg"] = svg(sheet)
    files["holes.csv"] = holes_csv(board)
    written = {name: text.encode("utf-8") for name, text in files.items()}
    return {**written, "template-a4.pdf": pdf(sheet, tiles(sheet))}


def tables(size: Size) -> dict[str, str]:
    """All tables that follow from a size, by name."""
    return {
        "parts": parts_table(size),
        "power": power_table(size),
        "sizes": sizes_table(),
        "pico": pico_table(),
    }


def everything() -> dict[str, bytes]:
    """What is to stand in this folder: the usual board's drawings, and the pages' tables."""
    size = Size()
    pages = {name: filled((HERE / name).read_text("utf-8"), tables(size)) for name in PAGES}
    return {**drawings(size), **{name: text.encode("utf-8") for name, text in pages.items()}}


def another(size: Size) -> dict[str, bytes]:
    """The drawings of a board of another size, and its bill and power budget as a page."""
    made = tables(size)
    text = (
        f"# A board of {size.places} places and rings of {size.ring} {size.pixel.upper()} pixels\n"
        f"\n## Parts\n\n{made['parts']}\n\n## Power\n\n{made['power']}\n"
    )
    return {**drawings(size), "parts.md": text.encode("utf-8")}


@click.command(help="Draw the wiring, the template and the tables of a board.")
@click.option("--places", default=8, show_default=True, help="Places round the rim, 3 to 8.")
@click.option("--pixels", default=12, show_default=True, help="Pixels in each ring, 4 to 64.")
@click.option(
    "--pixel",
    type=click.Choice(["rgb", "rgbw"]),
    default="rgb",
    show_default=True,
    help="The kind of pixels.",
)
@click.option("--limit-ma", default=3000, show_default=True, help="The power limit in mA.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder for the files. Without it the usual board's, in hardware/, are written anew.",
)
def main(places: int, pixels: int, pixel: Pixel, limit_ma: int, out: Path | None) -> None:
    """Write the files and name them."""
    try:
        size = Size(places=places, ring=pixels, pixel=pixel, limit_ma=limit_ma)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if out is None and size != Size():
        raise click.UsageError("A board of another size needs a folder of its own: --out FOLDER.")
    files = everything() if out is None else another(size)
    folder = out or HERE
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
        click.echo(f"{folder / name}")


if __name__ == "__main__":
    sys.exit(main())
