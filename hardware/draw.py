"""Generates the drawings and tables of the standard board, or of one with fewer places.

make drawings
make drawings ARGS="--places 6 --language de --out build/drawings"
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import click

from hardware.bom import (
    DISPLAY_CABLE_MM,
    STEPS,
    bill_of_materials,
    button_wire_mm,
    cost,
    load_parts,
)
from hardware.carrier_board import carrier_board
from hardware.chain import links
from hardware.face_picture import face_svg
from hardware.gerber import carrier_svg, gerbers
from hardware.halves import HALVES, base_half, face_half
from hardware.kicad import FILE as KICAD_FILE
from hardware.kicad import check_board, kicad_board
from hardware.layout import layout
from hardware.pins import VARIANTS
from hardware.plates import base_dxf, face_dxf, room_svg
from hardware.printing import DENSITY_G_PER_CM3, PARTS_TABLE, printed_parts
from hardware.printing import FOLDER as PARTS_FOLDER
from hardware.sheet_words import SHEETS, in_words
from hardware.spec import BoardSpec, power_budget
from hardware.template import template_pdf, template_svg
from hardware.underside import chain_svg
from hardware.visibility import sight
from hardware.wiring import wiring_svg
from pochboard.config import Design
from pochboard.geometry.art import Language
from pochboard.geometry.signs import DESIGNS
from pochboard.rules.accounts import MOST_PLACES

FOLDER: Final = Path(__file__).parent
PAGES: Final = ("BUILD.md", "README.md")
"""The pages that contain tables of the standard board."""

STEP_HOURS: Final = {
    "one ring that counts, on a breadboard": 3,
    "a bare board that can be played": 9,
    "the whole: display, sound, edge": 2,
}
"""The steps of the way to a board, with the hours of each: estimates."""

# Files


def drawings(
    spec: BoardSpec, language: Language = "en", design: Design = "modern"
) -> dict[str, bytes]:
    """The drawings of a board, by file name."""
    board = layout(spec, language, design)
    texts = {f"wiring-{variant}.svg": wiring_svg(variant, spec) for variant in VARIANTS}
    texts |= {
        "template.svg": template_svg(board),
        "base.dxf": base_dxf(board),
        "room.svg": room_svg(board),
        "chain.svg": chain_svg(board),
        **{f"base-half-{half}.dxf": base_half(board, half) for half in HALVES},
        "carrier.svg": carrier_svg(),
        **{f"carrier/{name}": text for name, text in gerbers(carrier_board()).items()},
        KICAD_FILE: kicad_board(carrier_board()),
    }
    # Where nobody has chosen a design, both are drawn.
    for name in ("modern", "1713") if design == "modern" else (design,):
        drawn = layout(spec, language, name)
        texts |= {f"face-{name}.svg": face_svg(drawn), f"face-{name}.dxf": face_dxf(drawn)}
        texts |= {f"face-{name}-half-{half}.dxf": face_half(drawn, half) for half in HALVES}
    sheets = {name: in_words(text, language) for name, text in texts.items() if name in SHEETS}
    files = {name: text.encode("utf-8") for name, text in (texts | sheets).items()}
    return {**files, "template-a4.pdf": template_pdf(board)}


def standard_files() -> dict[str, bytes]:
    """What this folder should contain: the standard board's drawings, and the pages with tables."""
    spec = BoardSpec()
    tables = {
        **{f"basket{step}": basket_table(spec, step) for step in STEPS},
        "printed": printed_table(),
        "power": power_table(spec),
        "wires": wires_table(spec),
        "links": links_table(spec),
        "steps": steps_table(spec),
        "sight": sight_table(spec),
    }
    pages = {name: fill_tables((FOLDER / name).read_text("utf-8"), tables) for name in PAGES}
    return {**drawings(spec), **{name: text.encode("utf-8") for name, text in pages.items()}}


def custom_files(spec: BoardSpec, language: Language, design: Design) -> dict[str, bytes]:
    """The drawings of another board, and a page with its parts and power budget."""
    page = (
        f"# A board of {spec.places} places\n"
        + "".join(f"\n## Basket {step}\n\n{basket_table(spec, step)}\n" for step in STEPS)
        + f"\n## Power\n\n{power_table(spec)}\n"
    )
    return {**drawings(spec, language, design), "parts.md": page.encode("utf-8")}


# Tables


def basket_table(spec: BoardSpec, step: int) -> str:
    """What to buy for a step, with the sum."""
    parts, file = bill_of_materials(spec), load_parts()
    rows: list[Sequence[str]] = [
        (
            f"{count} {part.unit}".strip(),
            part.name,
            part.search,
            f"{count * part.price:.2f}",
            part.note,
        )
        for part in parts
        if (count := part.count(step))
    ]
    rows.append(("", "**sum**", "", f"{cost(parts, (step,)):.0f}", ""))
    price = f"{file.currency}, estimate of {file.prices_as_of}"
    return _markdown_table(("quantity", "part", "search for", price, "notes"), rows)


def printed_table() -> str:
    """The printed parts of the standard board, from the list that solids.py leaves."""
    notes = {part.name: part.note for part in printed_parts(layout(BoardSpec()))}
    with (PARTS_FOLDER / PARTS_TABLE).open(encoding="ascii") as file:
        parts = list(csv.DictReader(file))
    rows: list[Sequence[str]] = []
    total = dict.fromkeys(("black", "smoke"), 0.0)
    for part in parts:
        count, volume = int(part["count"]), float(part["volume_cm3"])
        total[part["material"]] += count * volume * DENSITY_G_PER_CM3
        size = " × ".join(f"{float(part[side]):.0f}" for side in ("x_mm", "y_mm", "z_mm"))
        name = part["name"]
        link = f"[{name}](parts/{name}.stl)"
        rows.append((link, f"{count}", part["material"], size, f"{volume:.2f}", notes[name]))
    sums = ", ".join(f"{material} {grams:.0f} g" for material, grams in total.items())
    rows.append(("**sum if printed solid**", "", "", "", "", sums))
    header = ("file", "count", "colour", "size, mm", "volume, cm³", "how")
    return _markdown_table(header, rows)


def wires_table(spec: BoardSpec) -> str:
    """The length of the two wires of each button."""
    board = layout(spec)
    lengths: dict[int, list[str]] = {}
    for hole in board.buttons:
        lengths.setdefault(button_wire_mm(hole), []).append(f"`{hole.name}`")
    rows = [(f"{length}", ", ".join(names)) for length, names in sorted(lengths.items())]
    rows.append((f"{DISPLAY_CABLE_MM}", "the display (four wires)"))
    return _markdown_table(("two wires of, mm", "for the buttons"), rows)


def links_table(spec: BoardSpec) -> str:
    """The length of each link of the data chain."""
    lengths: dict[int, list[str]] = {}
    for link in links(layout(spec)):
        lengths.setdefault(link.length_mm, []).append(f"{link.start} to {link.end}")
    rows = [(f"{length}", ", ".join(names)) for length, names in sorted(lengths.items())]
    return _markdown_table(("data wire of, mm", "from"), rows)


def steps_table(spec: BoardSpec) -> str:
    """The steps of the way to a board: hours of each, and what has been spent after it."""
    parts, unit = bill_of_materials(spec), load_parts().currency
    rows = [
        (f"{number}", name, f"{hours}", f"{cost(parts, STEPS[:number]):.0f}")
        for number, (name, hours) in enumerate(STEP_HOURS.items(), start=1)
    ]
    return _markdown_table(("step", "ends in", "hours", f"{unit} so far"), rows)


def sight_table(spec: BoardSpec) -> str:
    """What people see of signs, chips and lights from their chairs."""
    rows = [(what, f"{part:.0%}") for what, part in sight(layout(spec)).items()]
    return _markdown_table(("from every chair at least", "visible"), rows)


def power_table(spec: BoardSpec) -> str:
    """The power budget."""
    return _markdown_table(("load", "calculation", "mA"), power_budget(spec))


def _markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def fill_tables(text: str, tables: dict[str, str]) -> str:
    """The text with each table inserted between the markers that have its name.

    Raises KeyError for a marker without a table.
    """
    pattern = re.compile(r"(<!-- (\w+): begin[^>]*-->\n).*?(<!-- \2: end -->)", re.DOTALL)
    return pattern.sub(lambda m: f"{m[1]}\n{tables[m[2]]}\n\n{m[3]}", text)


# The command


@click.command(
    help="Generate the wiring diagrams, the drilling template and the tables of a board."
)
@click.option(
    "--places",
    type=click.IntRange(3, MOST_PLACES),
    default=MOST_PLACES,
    show_default=True,
    help="Places around the rim.",
)
@click.option(
    "--language",
    type=click.Choice(["en", "de"]),
    default="en",
    show_default=True,
    help="The language of the engraved names.",
)
@click.option(
    "--design",
    type=click.Choice(DESIGNS),
    default="modern",
    show_default=True,
    help="What is engraved besides the names.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write to. Without it, the standard board's files in hardware/ are updated.",
)
@click.option(
    "--parts", is_flag=True, help="Make the printed parts, too, with models for CAD in build/parts."
)
def main(
    places: int,
    language: Language,
    out: Path | None,
    *,
    design: Design,
    parts: bool,
) -> None:
    """Writes the files and prints their paths."""
    spec = BoardSpec(places=places)
    if out is None and (spec, language, design) != (BoardSpec(), "en", "modern"):
        raise click.UsageError(
            "Another board than the standard one needs its own folder: --out FOLDER."
        )
    folder = out or FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    if parts:
        from hardware.solids import write_parts

        # First, because the pages list them.
        models = (out or FOLDER.parent / "build") / "parts"
        for path in write_parts(layout(spec), folder / "parts", models):
            click.echo(f"{path}")
    files = standard_files() if out is None else custom_files(spec, language, design)
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
        click.echo(f"{folder / name}")
    click.echo(check_board(folder))


if __name__ == "__main__":
    sys.exit(main())
