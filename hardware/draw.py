"""Generates the drawings and tables of the standard board, or of a board of another size.

make drawings
make drawings ARGS="--places 6 --pixels 16 --pixel rgbw --out build/drawings"
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
    SETS,
    Part,
    Set,
    bill_of_materials,
    button_wire_mm,
    load_parts,
    set_cost,
    step_cost,
)
from hardware.carrier_board import carrier_board
from hardware.chain import links
from hardware.face_picture import face_svg
from hardware.gerber import carrier_svg, gerbers
from hardware.halves import HALVES, base_half, face_half
from hardware.kicad import FILE as KICAD_FILE
from hardware.kicad import check_board, kicad_board
from hardware.layout import layout
from hardware.pins import VARIANTS, Pin, display_pins, pinout
from hardware.plates import base_dxf, drill_table, face_dxf, room_svg
from hardware.printing import DENSITY_G_PER_CM3, PARTS_TABLE, printed_parts
from hardware.printing import FOLDER as PARTS_FOLDER
from hardware.sheet_words import SHEETS, in_words
from hardware.spec import BoardSpec, power_budget
from hardware.template import template_pages, template_pdf, template_svg
from hardware.underside import chain_svg
from hardware.visibility import chairs, chip_parts, sign_parts, visibility_svg, visible_parts
from hardware.wiring import wiring_svg
from pochboard.config import Design, PixelKind
from pochboard.geometry.art import Language
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.signs import DESIGNS

FOLDER: Final = Path(__file__).parent
PAGES: Final = ("BUILD.md", "README.md")
"""The pages that contain tables of the standard board."""

OTHER_DESIGN: Final = (
    ("face", "svg", face_svg),
    ("face", "dxf", face_dxf),
)
"""What is drawn in the other design, too, where nobody has chosen one."""

STEP_HOURS: Final = {
    "one ring that counts, on a breadboard": 3,
    "a bare board that can be played": 8,
    "the whole: display, sound, edge": 2,
}
"""The steps of the way to a board, with the hours of each: estimates."""

COMPARED_SPECS: Final = (
    BoardSpec(),
    BoardSpec(places=6),
    BoardSpec(places=4, pixels_per_ring=16),
    BoardSpec(pixels_per_ring=16, pixel_kind="rgbw"),
    BoardSpec(pixels_per_ring=24),
    BoardSpec(pixels_per_ring=32, limit_ma=6000),
)
"""The boards in the table of sizes."""


# Files


def drawings(
    spec: BoardSpec, language: Language = "en", design: Design = "modern"
) -> dict[str, bytes]:
    """The drawings of a board, by file name."""
    board = layout(spec, language, design)
    texts = {f"wiring-{variant}.svg": wiring_svg(variant, spec) for variant in VARIANTS}
    texts |= {
        "template.svg": template_svg(board),
        "holes.csv": drill_table(board),
        "visibility.svg": visibility_svg(board),
        "face.dxf": face_dxf(board),
        f"face-{design}.svg": face_svg(board),
        "base.dxf": base_dxf(board),
        "room.svg": room_svg(board),
        "chain.svg": chain_svg(board),
        **{f"face-half-{half}.dxf": face_half(board, half) for half in HALVES},
        **{f"base-half-{half}.dxf": base_half(board, half) for half in HALVES},
        "carrier.svg": carrier_svg(),
        **{f"carrier/{name}": text for name, text in gerbers(carrier_board()).items()},
        KICAD_FILE: kicad_board(carrier_board()),
    }
    if design == "modern":
        other = layout(spec, language, "1713")
        texts |= {f"{kind}-1713.{ending}": draw(other) for kind, ending, draw in OTHER_DESIGN}
    sheets = {name: in_words(text, language) for name, text in texts.items() if name in SHEETS}
    files = {name: text.encode("utf-8") for name, text in (texts | sheets).items()}
    return {**files, "template-a4.pdf": template_pdf(board)}


def standard_files() -> dict[str, bytes]:
    """What this folder should contain: the standard board's drawings, and the pages with tables."""
    spec = BoardSpec()
    tables = {
        "parts": parts_table(spec),
        "prices": prices_table(spec),
        "printed": printed_table(),
        "power": power_table(spec),
        "sizes": sizes_table(),
        "pico": pico_table(),
        "wires": wires_table(spec),
        "links": links_table(spec),
        "steps": steps_table(spec),
        "display": display_table(),
        "sight": sight_table(spec),
    }
    pages = {name: fill_tables((FOLDER / name).read_text("utf-8"), tables) for name in PAGES}
    return {**drawings(spec), **{name: text.encode("utf-8") for name, text in pages.items()}}


def custom_files(spec: BoardSpec, language: Language, design: Design) -> dict[str, bytes]:
    """The drawings of another board, and a page with its parts and power budget."""
    page = (
        f"# A board of {spec.places} places and rings of {spec.pixels_per_ring}"
        f" {spec.pixel_kind.upper()} pixels\n"
        f"\n## Parts\n\n{parts_table(spec)}\n"
        f"\n## Prices\n\n{prices_table(spec)}\n"
        f"\n## Power\n\n{power_table(spec)}\n"
    )
    return {**drawings(spec, language, design), "parts.md": page.encode("utf-8")}


# Tables


def prices_table(spec: BoardSpec) -> str:
    """What to buy in each of the two sets, with sums."""
    parts, file = bill_of_materials(spec), load_parts()
    rows: list[Sequence[str]] = []
    for part in parts:
        cells = [part.name.split(",")[0]]
        for which in SETS:
            offer = part.offers.get(which)
            cells += [f"{offer.maker}: {offer.order}", _price(part, which)] if offer else ["–", "–"]
        rows.append([*cells, part.second])
    sums = [f"{set_cost(parts, which):.0f}" for which in SETS]
    rows.append(("**sum**", "", sums[0], "", sums[1], ""))
    unit = f"{file.currency}, estimate of {file.prices_as_of}"
    return _markdown_table(("part", "cheap", unit, "comfortable", unit, "second source"), rows)


def _price(part: Part, which: Set) -> str:
    """The price of the whole quantity, with the day on which somebody saw it."""
    seen = part.offers[which].seen
    return f"{part.cost(which):.2f}" + (f" (seen {seen})" if seen else "")


def parts_table(spec: BoardSpec) -> str:
    """The bill of materials."""
    rows = (
        (f"{part.first or '–'}", f"{part.quantity} {part.unit}".strip(), part.name, part.note)
        for part in sorted(bill_of_materials(spec), key=lambda part: part.step)
    )
    return _markdown_table(("of them in step 1", "quantity", "part", "notes"), rows)


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
    rows = []
    for number, (name, hours) in enumerate(STEP_HOURS.items(), start=1):
        spent = [f"{step_cost(parts, which, number):.0f}" for which in SETS]
        rows.append((f"{number}", name, f"{hours}", *spent))
    header = ("step", "ends in", "hours", f"{unit} so far, cheap", f"{unit} so far, comfortable")
    return _markdown_table(header, rows)


def display_table() -> str:
    """What the pins of a display are wired to."""
    rows = []
    for name in ("VCC", "GND", "SDA", "SCL"):
        cells = []
        for variant in VARIANTS:
            pin = display_pins(variant)[name]
            label = re.sub(r" \(.*\)", "", pin.label)
            cells.append(f"pin {pin.number} ({label})")
        rows.append((name, *cells))
    return _markdown_table(("display", "Pi's header", "Pico"), rows)


def sight_table(spec: BoardSpec) -> str:
    """What people see of signs, chips and lights from their chairs."""
    board, chips = layout(spec), dimensions().chip.count
    seated = list(chairs(board))
    least = {"signs of the pools": min(min(sign_parts(board, eye)) for eye in seated)}
    for count in (3, 8, chips):
        parts = (min(chip_parts(board, eye, count)) for eye in seated)
        least[f"tops of {count} chips in each dish"] = min(parts)
    least["lights, with full dishes"] = min(float(min(visible_parts(board, eye))) for eye in seated)
    rows = [(what, f"{part:.0%}") for what, part in least.items()]
    return _markdown_table(("from every chair at least", "visible"), rows)


def power_table(spec: BoardSpec) -> str:
    """The power budget."""
    return _markdown_table(("load", "calculation", "mA"), power_budget(spec))


def sizes_table() -> str:
    """Boards of several sizes side by side."""
    header = (
        "places", "ring", "pixels", "dark, mA", "white, mA", "limit, mA", "supply, A",
        "fuses, A", "frame, ms", "diameter, mm", "template",
    )  # fmt: skip
    rows = []
    for spec in COMPARED_SPECS:
        board = layout(spec)
        paper, pages = template_pages(board)
        row = (
            f"{spec.places}",
            f"{spec.pixels_per_ring} × {spec.pixel_chip}",
            f"{spec.pixels}",
            f"{spec.dark_ma}",
            f"{spec.white_ma}",
            f"{spec.limit_ma}",
            f"{spec.supply_a}",
            f"{len(spec.branches)} × {spec.fuse_a:g}",
            f"{spec.frame_ms:.1f}",
            f"{board.radius * 2:.0f}",
            f"{len(pages)} × {paper}",
        )
        rows.append(row)
    return _markdown_table(header, rows)


def pico_table() -> str:
    """The Pico's pinout, USB socket at the top."""
    pins = {pin.number: pin for pin in pinout("pico")}
    rows = (
        (*_pin_cells(pins[left]), *reversed(_pin_cells(pins[41 - left]))) for left in range(1, 21)
    )
    return _markdown_table(("use", "name", "left pin", "right pin", "name", "use"), rows)


def _pin_cells(pin: Pin) -> tuple[str, str, str]:
    use = f"`{pin.button}`" if pin.button else "*pixel data*" if pin.kind == "pixels" else ""
    return use, pin.label, str(pin.number)


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
@click.option("--places", default=8, show_default=True, help="Places around the rim, 3 to 8.")
@click.option("--pixels", default=12, show_default=True, help="Pixels in each ring, 4 to 64.")
@click.option(
    "--pixel",
    "pixel_kind",
    type=click.Choice(["rgb", "rgbw"]),
    default="rgb",
    show_default=True,
    help="The kind of pixels.",
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
@click.option("--limit-ma", default=3000, show_default=True, help="The power limit in mA.")
@click.option("--display/--no-display", default=True, help="With or without a display.")
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
    pixels: int,
    pixel_kind: PixelKind,
    language: Language,
    limit_ma: int,
    out: Path | None,
    *,
    design: Design,
    display: bool,
    parts: bool,
) -> None:
    """Writes the files and prints their paths."""
    try:
        spec = BoardSpec(
            places=places,
            pixels_per_ring=pixels,
            pixel_kind=pixel_kind,
            limit_ma=limit_ma,
            display=display,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
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
