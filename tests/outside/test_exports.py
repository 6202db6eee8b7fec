"""Nights of people with difficult names, read by the programs that exports are for."""

from __future__ import annotations

import shutil
import string
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from pochboard.exports import (
    FORMATS,
    ExportedNight,
    csv_text,
)
from pochboard.ledger.replay import StoredNight
from pochboard.text.translator import ENGLISH
from tests.core.play import Night

PLACES: Final = "{}Anna", "An{}na", "Anna{}"
TRICKY: Final = (
    *(place.format(sign) for sign in string.punctuation for place in PLACES),
    "A;=1+1;B", "A,=1+1,B", 'A;"=1+1;B', 'A,"=1+1,B', 'A|" =1+1|B',
    "=1+1", "+1", "-1", "@SUM(1)", "\N{FULLWIDTH EQUALS SIGN}1",
    '"=1+1"', '";"',
    "(x", "(x) y", "x  y", "x ; y", "* x", "! x", "'",
    "مریم", "葛\U000e0100城", "\U0001f469\u200d\U0001f467", "Zoë", "y\u00a0\u00a0y",
    "z\u3000y", "मीरा", "𝔄",
)  # fmt: skip


def night() -> ExportedNight:
    """A night in which one seat has each name in turn, and each name gets a chip."""
    played = Night()
    for name in TRICKY:
        played.do("rename", seat=1, name=name)
        played.do("adjust", **{"from": "bank", "to": "seat:1"}, chips=1, reason=name)
    return exported(played)


def exported(played: Night) -> ExportedNight:
    stored = StoredNight(3, played.book.state.rules, {}, False, played.book.entries)
    return ExportedNight(
        stored, played.book.states, lambda ms: datetime.fromtimestamp(ms / 1000, UTC)
    )


def found(program: str) -> str:
    path = shutil.which(program, path=f"{Path(sys.executable).parent}:/usr/bin:/bin")
    assert path is not None, program
    return path


_OFFICE: Final = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


def opened(folder: Path, separator: str) -> dict[str, ET.Element]:
    """The sheets that LibreOffice makes of all CSV files in a folder, split at a separator."""
    target = folder / f"at-{ord(separator)}"
    subprocess.run(
        [
            found("soffice"),
            f"-env:UserInstallation={(folder / 'profile').as_uri()}",
            "--headless",
            "--convert-to",
            "fods",
            f"--infilter=CSV:{ord(separator)},34,76,1",
            "--outdir",
            target,
            *folder.glob("*.csv"),
        ],
        check=True,
        capture_output=True,
        timeout=300,
        env={"HOME": str(folder), "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )
    return {file.stem: ET.parse(file).getroot() for file in target.iterdir()}


def formulas(sheet: ET.Element) -> list[str]:
    return [
        formula
        for cell in sheet.iter(f"{_TABLE}table-cell")
        if (formula := cell.get(f"{_TABLE}formula")) is not None
    ]


def rows_of(sheet: ET.Element) -> list[list[tuple[str, str]]]:
    """The type and text of each cell; spaces and tabs are elements of their own."""
    rows = []
    for row in sheet.iter(f"{_TABLE}table-row"):
        cells = []
        for cell in row.iter(f"{_TABLE}table-cell"):
            shown = "\n".join(map(_plain, cell.iter(f"{_TEXT}p")))
            times = int(cell.get(f"{_TABLE}number-columns-repeated", "1"))
            cells += [(cell.get(f"{_OFFICE}value-type", ""), shown)] * times
        rows.append(cells)
    return rows


def _plain(paragraph: ET.Element) -> str:
    text = paragraph.text or ""
    for child in paragraph:
        if child.tag == f"{_TEXT}s":
            text += " " * int(child.get(f"{_TEXT}c", "1"))
        elif child.tag == f"{_TEXT}tab":
            text += "\t"
        else:
            text += _plain(child)
        text += child.tail or ""
    return text


def test_a_spreadsheet_shows_every_name_and_evaluates_none(tmp_path: Path) -> None:
    separators = {"csv": ",", "csv-semicolon": ";"}
    for name, separator in separators.items():
        text = "".join(FORMATS[name].write(night(), ENGLISH))
        assert text.startswith("\N{ZERO WIDTH NO-BREAK SPACE}")
        (tmp_path / f"{name}.csv").write_text(text, "utf-8", newline="")
        assert all(line.startswith('"') for line in text[1:].splitlines())
        assert f'"{separator}"' in text
    # What would be a formula if nothing were done about it.
    (tmp_path / "bare.csv").write_text("x;=1+1;y,=2+2\n", "utf-8")
    for name, separator in separators.items():
        sheets = opened(tmp_path, separator)
        assert len(formulas(sheets.pop("bare"))) == 1
        for sheet in sheets.values():
            assert formulas(sheet) == []
        heading, *rows = rows_of(sheets[name])
        assert ("string", "chips") in heading
        seat = [
            row for row in rows if (("string", "seat:1") in row and ("string", "adjust") in row)
        ]
        assert len(seat) == len(TRICKY)
        for wanted, row in zip(TRICKY, seat, strict=True):
            assert row[6:8] == [("string", csv_text(wanted, separator)), ("float", "1")]
