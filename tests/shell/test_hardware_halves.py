"""The sheets in halves, and the links of the chain: what leads round what."""

from __future__ import annotations

from typing import Final

import pytest
from shapely import LineString, MultiLineString
from shapely import Point as Spot

from hardware.chain import links
from hardware.engraving import art_lines, strokes
from hardware.halves import (
    base_seam,
    base_sheet,
    bed_of,
    face_sheet,
    halves_of,
    seam,
    visible_seam,
)
from hardware.layout import Layout, layout
from hardware.spec import BoardSpec
from tests.not_empty import not_empty

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
