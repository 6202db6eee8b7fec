"""The sheets in halves, and the links of the chain: what leads round what."""

from __future__ import annotations

import io
import re
from itertools import pairwise
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import ezdxf
import pytest
from shapely import LineString, MultiLineString
from shapely import Point as Spot

from hardware.chain import links
from hardware.draw import drawings
from hardware.engraving import art_lines, strokes
from hardware.halves import (
    HALVES,
    base_seam,
    base_sheet,
    bed_of,
    face_half,
    face_sheet,
    halves_of,
    seam,
    visible_seam,
)
from hardware.layout import Layout, layout
from hardware.sheet_words import SHEETS
from hardware.spec import BoardSpec
from hardware.underside import chain_svg
from tests.not_empty import not_empty

FOLDER: Final = Path(__file__).resolve().parents[2] / "hardware"
WORD: Final = re.compile(r"\b(?![A-Z0-9_]+\b)[A-Za-z]\w{2,}")
"""But for pins and chips."""
BOARD: Final = layout(BoardSpec())


@pytest.mark.parametrize("places", [3, 4, 5, 6, 7, 8])
def test_two_halves_are_the_whole_sheet(places: int) -> None:
    board = layout(BoardSpec(places=places))
    for sheet, line in (
        (face_sheet(board), seam(board)),
        (base_sheet(board), base_seam(board)),
    ):
        one, other = halves_of(sheet, line)
        assert one.intersection(other).area < 0.01
        assert one.area + other.area == pytest.approx(sheet.area)
        assert one.area == pytest.approx(other.area, rel=0.1)
        for half in (one, other):
            wide, deep = bed_of(half)
            assert wide <= 2 * board.radius + 1
            assert deep <= 300, "a bed of 600 × 300 mm"


def test_the_seam_is_hidden_and_cuts_no_word_and_no_sign() -> None:
    line = seam(BOARD)
    assert visible_seam(BOARD).length < line.length / 3
    words = [MultiLineString(strokes(mark)) for mark in BOARD.engravings]
    assert min(line.distance(word) for word in not_empty(words)) > 1
    # Lines along edge and middle cross it; signs do not.
    crossed = [stroke for stroke in art_lines(BOARD) if LineString(stroke).crosses(line)]
    assert all(LineString(stroke).length > 100 for stroke in not_empty(crossed))
    # The seams of both sheets cross.
    middle = line.intersection(base_seam(BOARD))
    assert middle.distance(Spot(0, 0)) < 1


def test_halves_are_drawn_in_millimetres_with_all_that_is_engraved() -> None:
    engraved = 0.0
    for half, shape in zip(HALVES, halves_of(face_sheet(BOARD), seam(BOARD)), strict=True):
        drawing = ezdxf.read(io.StringIO(face_half(BOARD, half)))
        assert not drawing.audit().errors
        lines = {"CUT": 0.0, "ENGRAVE": 0.0}
        for line in drawing.modelspace().query("LWPOLYLINE"):
            points = [(x, y) for x, y, *_ in line.get_points()]
            lines[line.dxf.layer] += LineString(points).length
        assert lines["CUT"] == pytest.approx(shape.length, rel=1e-4)
        engraved += lines["ENGRAVE"]
    words = [stroke for mark in BOARD.engravings for stroke in strokes(mark)]
    whole = sum(LineString(stroke).length for stroke in (*words, *art_lines(BOARD)))
    assert engraved == pytest.approx(whole, rel=0.01)


@pytest.mark.parametrize(
    "board", [BOARD, layout(BoardSpec(places=5)), layout(BoardSpec(pixels_per_ring=24))]
)
def test_links_lead_straight_and_are_long_enough(board: Layout) -> None:
    found = links(board)
    assert len(found) == 9 + board.spec.places - 1
    assert [link.end for link in found[:-1]] == [link.start for link in found[1:]]
    ends = {inlay.centre for inlay in board.inlays}
    for link in found:
        assert {*link.path} <= ends
        length = LineString(link.path).length
        assert length + 20 < link.length_mm < 1.2 * length + 60


def test_the_chain_is_drawn_as_it_is_led_with_its_lengths() -> None:
    root = ET.fromstring(chain_svg(BOARD))
    names = {element.get("data-name") or "": element for element in root.iter()}
    for link in links(BOARD):
        points = [
            tuple(map(float, pair.split(",")))
            for pair in names[f"link {link.start}"].attrib["points"].split()
        ]
        assert points == [pytest.approx((-x, y), abs=0.01) for x, y in link.path]
        assert names[f"length {link.start}"].text == f"{link.length_mm}"
        assert all(one != other for one, other in pairwise(points))


def test_a_german_board_has_german_sheets() -> None:
    """Names that programs use and the names of things are the same in every language."""
    spec = BoardSpec()
    german = drawings(spec, "de")
    template = " ".join(ET.fromstring(german["template.svg"]).itertext())
    for english in ("inserts", "buttons", "dealer", "screws", "seen from", "print at", "dashed"):
        assert english not in template.lower(), english
    assert "Einsätze" in template
    page = german["template-a4.pdf"].decode("latin-1")
    assert "Seite 1 von 9" in page
    assert "Print at" not in page
    names = {*spec.buttons, "pin", "out", "mm²", "Pico", "Raspberry", "EEPROM"}
    for name in SHEETS:
        standard = (FOLDER / name).read_bytes()
        before, after = (ET.fromstring(sheet) for sheet in (standard, german[name]))
        words = list(zip(before.itertext(), after.itertext(), strict=True))
        assert any(one != other for one, other in words)
        same = {word for one, other in words if one == other for word in WORD.findall(one)}
        assert same <= names, name
