"""The order of the pixels' colours, found out by what people see."""

from __future__ import annotations

import itertools
from typing import get_args

import pytest

from pochboard.config import ColourOrder
from pochboard.lights.first_light import order_seen
from pochboard.lights.frame import reordered

ORDERS: tuple[ColourOrder, ...] = get_args(ColourOrder)
NAMES: dict[str, str] = {"R": "red", "G": "green", "B": "blue"}


def on_pixels(frame: bytes, sent: ColourOrder, expected: ColourOrder) -> bytes:
    """What pixels of one order show of a frame that a board sends in another."""
    shown = b""
    for at in range(0, len(frame), 3):
        wire = [frame[at + "RGB".index(letter)] for letter in sent]
        shown += bytes(wire[expected.index(letter)] for letter in "RGB")
    return shown


@pytest.mark.parametrize(("sent", "expected"), [*itertools.product(ORDERS, ORDERS)])
def test_every_order_is_found_out_and_shown_right(sent: ColourOrder, expected: ColourOrder) -> None:
    seen: dict[str, str] = {}
    for at, name in enumerate(NAMES.values()):
        lit = on_pixels(bytes(255 * (place == at) for place in range(3)), sent, expected)
        seen[name] = NAMES["RGB"[lit.index(255)]]
    assert order_seen(sent, seen) == expected
    frame = bytes(range(12))
    assert on_pixels(reordered(frame, sent, expected), sent, expected) == frame


def test_two_colours_that_look_the_same_give_no_order() -> None:
    assert order_seen("GRB", {"red": "red", "green": "red", "blue": "blue"}) is None
