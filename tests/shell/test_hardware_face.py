"""What is engraved keeps clear of what is built, is cut in halves, and is drawn by the page."""

from __future__ import annotations

import io
import math
import re
from statistics import mean
from typing import Final

import ezdxf
import pytest
import shapely
from shapely import LineString, MultiLineString
from shapely import Point as Spot

from hardware.chain import links
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
from hardware.plates import face_holes
from hardware.spec import BoardSpec
from hardware.visibility import eye_at, name_minutes
from pochboard.config import Design
from pochboard.geometry.art import Language, face_art
from pochboard.geometry.dimensions import dimensions
from pochboard.geometry.face import face
from pochboard.rules.accounts import POOLS
from pochboard.views.board import art_answer
from tests.not_empty import not_empty
from tests.shell.test_hardware_template import covered

SIZE: Final = dimensions()
DRAWN: Final[tuple[Design, ...]] = ("modern", "1713")


@pytest.mark.parametrize("design", DRAWN)
@pytest.mark.parametrize(
    "spec",
    [BoardSpec(places=places) for places in (3, 4, 5, 6, 7, 8)],
)
def test_lines_on_the_wood_keep_clear_of_parts_holes_and_words(
    spec: BoardSpec, design: Design
) -> None:
    for language in ("en", "de"):
        board = layout(spec, language, design)
        lines = MultiLineString(art_lines(board))
        assert Spot(0, 0).buffer(board.radius - 2, quad_segs=64).contains(lines)
        parts = shapely.union_all([shape for _, shape in covered(board)])
        assert lines.distance(parts) >= 0.5
        drilled = [Spot(hole.centre).buffer(hole.diameter / 2) for hole in face_holes(board)]
        assert min(lines.distance(hole) for hole in not_empty(drilled)) >= 0.3
        words = [MultiLineString(strokes(mark)) for mark in board.engravings]
        assert min(lines.distance(word) for word in not_empty(words)) >= 1.0


@pytest.mark.parametrize("design", DRAWN)
@pytest.mark.parametrize("ring", [12, 24])
def test_every_pool_has_a_sign_of_its_own_on_the_wood(ring: int, design: Design) -> None:
    board = face(8, ring)
    art = face_art(board, design, "en")
    shapes = set()
    for pool, field in zip(POOLS, art.fields, strict=True):
        own = [sign for sign in board.signs if sign.pool == pool]
        discs = shapely.union_all([Spot(sign.centre).buffer(sign.radius + 0.1) for sign in own])
        lines = MultiLineString(field)
        assert discs.contains(lines)
        # It fills its circle, and no two are alike.
        for sign in own:
            left, top, right, bottom = lines.intersection(
                Spot(sign.centre).buffer(sign.radius + 0.1)
            ).bounds
            assert max(right - left, bottom - top) >= sign.radius
        shapes.add((len(field), round(lines.length / own[0].radius, 3)))
    assert len(shapes) == len(POOLS)


@pytest.mark.parametrize("language", ["en", "de"])
def test_names_are_larger_than_5_mm_and_readable_from_every_chair(language: Language) -> None:
    """Somebody with 6/6 vision can just read letters of five minutes of arc."""
    board = layout(BoardSpec(), language)
    names = [mark for mark in board.engravings if not mark.words.isdigit()]
    assert len(names) == len(POOLS) + 2
    high, far = mean(SIZE.eye.height), mean(SIZE.eye.distance)
    for mark in names:
        assert mark.height > 5, mark.words
        seen = [
            name_minutes(mark, eye_at(board, (place - 0.5) / 8, high, far)) for place in range(1, 9)
        ]
        assert min(seen) >= 6, mark.words


@pytest.mark.parametrize("design", DRAWN)
def test_the_page_draws_what_is_engraved(design: Design) -> None:
    art = face_art(face(8, 12), design, "en")
    answer = art_answer(art)
    drawn = {**answer.fields, "wood": answer.wood}
    for name, lines in zip((*POOLS, "wood"), (*art.fields, art.wood), strict=True):
        at, found = (0.0, 0.0), []
        for part in drawn[name].split("m")[1:]:
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", part)]
            points = []
            for step in zip(numbers[::2], numbers[1::2], strict=True):
                at = (at[0] + step[0], at[1] + step[1])
                points.append(at)
            found.append(LineString(points))
        assert len(found) == len(lines)
        for one, line in zip(found, lines, strict=True):
            assert one.hausdorff_distance(LineString(line)) <= 0.08, name


def test_a_board_is_at_most_420_mm_wide_and_the_places_are_spots_of_one_drawing() -> None:
    full = face(8, 12)
    assert 2 * full.radius <= 420
    spots = {hole.centre for hole in full.places}
    for places in (3, 4, 5, 6, 7):
        board = face(places, 12)
        assert board.radius == full.radius
        assert len({hole.centre for hole in board.places}) == places
        assert {hole.centre for hole in board.places} <= spots
        assert board.wells == full.wells


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


def test_halves_keep_all_that_is_engraved_and_marked() -> None:
    lengths = {"ENGRAVE": 0.0, "MARK": 0.0}
    for half in HALVES:
        drawing = ezdxf.read(io.StringIO(face_half(BOARD, half)))
        for layer in lengths:
            for line in drawing.modelspace().query(f'LWPOLYLINE[layer=="{layer}"]'):
                points = [(x, y) for x, y, *_ in line.get_points()]
                lengths[layer] += LineString(points).length
    words = [stroke for mark in BOARD.engravings for stroke in strokes(mark)]
    whole = sum(LineString(stroke).length for stroke in (*words, *art_lines(BOARD)))
    assert lengths["ENGRAVE"] == pytest.approx(whole, rel=0.01)
    flanges = sum(2 * math.pi * well.flange for well in BOARD.wells)
    assert lengths["MARK"] == pytest.approx(flanges, rel=0.01)


@pytest.mark.parametrize("board", [BOARD, layout(BoardSpec(places=5))])
def test_links_lead_straight_and_are_long_enough(board: Layout) -> None:
    found = links(board)
    assert len(found) == 9 + board.spec.places - 1
    assert [link.end for link in found[:-1]] == [link.start for link in found[1:]]
    ends = {inlay.centre for inlay in board.inlays}
    for link in found:
        assert {*link.path} <= ends
        length = LineString(link.path).length
        assert length + 20 < link.length_mm < 1.2 * length + 60
