"""Engraved words on arcs, as strokes of one line."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import msgspec
from shapely import LineString, unary_union
from shapely.geometry.base import BaseGeometry

from hardware.layout import Engraving, Layout
from pochboard.geometry.art import CLEAR, SHORTEST, Art, face_art
from pochboard.geometry.dimensions import CAPITAL, SPACE, Stroke, letter_width, letters, word_length
from pochboard.geometry.face import Point


@cache
def art_of(board: Layout) -> Art:
    """What is engraved besides names and numbers, and keeps clear of them."""
    art = face_art(board, board.design, board.language)
    words = unary_union(
        [LineString(stroke) for engraving in board.engravings for stroke in strokes(engraving)]
    ).buffer(CLEAR, quad_segs=4)
    wood = (part for line in art.wood for part in _apart(LineString(line), words))
    return msgspec.structs.replace(art, wood=tuple(wood))


def art_lines(board: Layout) -> list[Stroke]:
    """All that is engraved besides names and numbers: the signs, and the lines on the wood."""
    art = art_of(board)
    return [*(line for field in art.fields for line in field), *art.wood]


def _apart(line: LineString, words: BaseGeometry) -> Iterator[Stroke]:
    """The parts of a line that are not under words, unless they are too short to look intended."""
    if not line.intersects(words):
        yield tuple((x, y) for x, y in line.coords)
        return
    rest = line.difference(words)
    for part in getattr(rest, "geoms", [rest]):
        if part.length > SHORTEST:
            yield tuple((round(x, 4), round(y, 4)) for x, y in part.coords)


def strokes(engraving: Engraving) -> list[Stroke]:
    """The lines of an engraved word, in mm on the board. Each letter is turned, none is bent."""
    unit = engraving.height / CAPITAL
    # Letters' tops point to the centre, so words run against the sense of growing angles.
    around = word_length(engraving.words, engraving.height) / 2
    lines = []
    for letter in engraving.words:
        half = letter_width(letter) * unit / 2
        around -= half
        angle = 2 * math.pi * engraving.turn + around / engraving.radius
        lines += [
            tuple(_on_board(engraving, angle, x * unit - half, y * unit) for x, y in stroke)
            for stroke in letters()[letter]
        ]
        around -= half + SPACE * unit
    return lines


def _on_board(engraving: Engraving, angle: float, right: float, up: float) -> Point:
    """A point of a letter: `right` and `up` from the middle of its baseline."""
    x, y = engraving.centre
    inwards = engraving.radius - up
    return (
        x + inwards * math.sin(angle) - right * math.cos(angle),
        y - inwards * math.cos(angle) - right * math.sin(angle),
    )
