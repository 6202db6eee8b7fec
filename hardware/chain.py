"""The lower half of the wiring: level shifter, supply, and the chain of pixels."""

from __future__ import annotations

from typing import Final

from hardware.pins import Variant
from hardware.sheet import GREEN, GREY, RED, WHITE, Anchor, Path, Text, box, lines_of_text
from hardware.size import Size
from hardware.wires import THICK, Wiring
from pochboard.rules.board import POOLS

WIDTH: Final = 297.0
MIDDLE: Final = WIDTH / 2
"""The middle of the sheet, on which the header stands."""
OUTER: Final = 126.0
"""How far from the middle the data wire runs down."""
JOIN: Final = 239.0
"""How far down the grounds of the buttons are joined."""
DATA: Final = 251.0
"""How far down the data wire runs to the level shifter."""
_RED_FEED: Final = 322.0
_BLACK_FEED: Final = 327.0

_CHIP: Final = (112.0, 257.0)
"""The upper left corner of the level shifter."""
_CHIP_WIDTH: Final = 26.0
_CHIP_PITCH: Final = 7.5
SHIFTER: Final = {
    1: "1OE", 2: "1A", 3: "1Y", 4: "2OE", 5: "2A", 6: "2Y", 7: "GND",
    14: "VCC", 13: "4OE", 12: "4A", 11: "4Y", 10: "3OE", 9: "3A", 8: "3Y",
}  # fmt: skip
"""The pins of a 74AHCT125 in its 14-pin case, down the left side and up the right one."""
_GROUNDED: Final = {1, 4, 5, 7, 9, 10, 12, 13}


def shifter(draw: Wiring, variant: Variant) -> None:
    """The level shifter pin by pin, and the data line through it to the chain."""
    left, top = _CHIP
    right = left + _CHIP_WIDTH
    draw.block((left, top, right, top + 7 * _CHIP_PITCH), "#f3f0e6")
    draw.put(
        Text(
            at=(left + 13, top + 38), text="74AHCT125", size=4, anchor="middle", bold=True, turn=-90
        ),
        Text(at=(left + 17, top + 38), text="notch up", size=2.6, anchor="middle", turn=-90),
    )
    ends: dict[int, tuple[float, float]] = {}
    for pin, word in SHIFTER.items():
        is_left = pin <= 7
        y = top + ((pin - 1 if is_left else 14 - pin) + 0.5) * _CHIP_PITCH
        side, edge = (-1, left) if is_left else (1, right)
        ends[pin] = (edge + side * 4, y)
        draw.put(
            Path(points=((edge, y), ends[pin]), width=0.6),
            Text(
                at=(edge - side * 1.2, y + 1),
                text=word,
                size=2.7,
                anchor="start" if is_left else "end",
            ),
            Text(
                at=(edge + side * 2, y - 0.8),
                text=str(pin),
                size=2.7,
                anchor="middle",
                bold=True,
                name=f"shifter {pin}",
            ),
        )
        if pin in _GROUNDED:
            x, y = ends[pin]
            end = (x + side * 4, y + 1.2)
            draw.wire((x, y), (end[0], y), end, name=f"0 V of shifter {pin}")
            draw.ground(end)
        elif word.endswith("Y") and pin != 3:
            x, y = ends[pin]
            draw.put(
                Text(
                    at=(x + side * 1.5, y + 1),
                    text="open",
                    size=2.6,
                    colour=GREY,
                    anchor="end" if is_left else "start",
                )
            )
    _data(draw, variant, ends)
    _bypass(draw, ends[14])


def _data(draw: Wiring, variant: Variant, ends: dict[int, tuple[float, float]]) -> None:
    """The data line: from the header to pin 2, from pin 3 through the resistor to the chain."""
    side = -1 if variant == "gpio" else 1
    x, y = ends[2]
    turn = x - 10
    start = (MIDDLE + side * OUTER, DATA)
    draw.wire(start, (turn, DATA), (turn, y), (x, y), colour=GREEN, width=0.7, name="data in")
    x, y = ends[3]
    draw.wire(
        (x, y), (_IN, y), (_IN, _ROW_1), (_BLOCKS, _ROW_1), colour=GREEN, width=0.7, name="data out"
    )
    draw.block((66, y - 2.5, 84, y + 2.5))
    draw.label((75, y - 4.2), "330–470 Ω", 3.4, bold=True)
    draw.label((75, y + 6.4), "close to ring ace", 2.8)
    draw.label((46, y - 1.5), "data, 5 V", 3.2, colour=GREEN, bold=True)


def _bypass(draw: Wiring, vcc: tuple[float, float]) -> None:
    """5 V of the level shifter, with its small capacitor."""
    x, y = vcc
    draw.wire((x, y), (_SUPPLY_X, y), colour=RED, width=0.7, name="5 V of the shifter")
    at = x + 14
    draw.wire((at, y), (at, y + 8), name="bypass")
    draw.wire((at, y + 10), (at, y + 13))
    for down in (8.0, 10.0):
        draw.put(Path(points=((at - 3, y + down), (at + 3, y + down)), width=0.7))
    draw.ground((at, y + 13))
    draw.put(*lines_of_text((at + 4.5, y + 8.5), ["100 nF,", "close to the chip"], 2.8))


_SUPPLY_X: Final = 205.0
"""Where the supply's 5 V, behind the fuse, turns down to the chain."""
_ZERO_X: Final = 195.0


def supply(draw: Wiring, size: Size) -> None:
    """The supply with fuse and capacitor, and where all grounds meet."""
    box_left, top, bottom = 250.0, 278.0, 312.0
    plus, minus = 287.0, 304.0
    draw.block((box_left, top, 284, bottom), "#f3f0e6")
    draw.label((267, 285), "Supply", 3.8, bold=True)
    draw.label((267, 297), f"5 V, {size.supply_a} A", 3.8, bold=True)
    draw.put(
        Text(at=(box_left + 1.5, plus + 1.4), text="+", size=4.5, bold=True, colour=RED),
        Text(at=(box_left + 1.5, minus + 1.4), text="–", size=4.5, bold=True),
    )
    shifter_y = _CHIP[1] + 0.5 * _CHIP_PITCH
    # The 5 V wire: fuse, then the joint of chip, capacitor and chain.
    draw.wire(
        (_SUPPLY_X, shifter_y), (_SUPPLY_X, _RED_FEED), colour=RED, width=THICK, name="5 V joint"
    )
    draw.wire((box_left, plus), (_SUPPLY_X, plus), colour=RED, width=THICK, name="5 V")
    draw.block((232, plus - 2.5, 246, plus + 2.5))
    draw.put(Path(points=((232, plus), (246, plus)), colour=RED, width=0.5))
    draw.label((239, plus - 4.2), f"fuse {size.supply_a} A", 3.4, bold=True)
    draw.wire((box_left, minus), (_ZERO_X, minus), width=THICK, name="0 V")
    draw.wire((_ZERO_X, JOIN), (_ZERO_X, _BLACK_FEED), width=THICK, name="0 V joint")
    at = 221.0
    draw.wire((at, plus), (at, plus + 7), width=0.7)
    draw.wire((at, minus), (at, plus + 9.5), width=0.7)
    draw.put(
        Path(points=box(at - 4, plus + 6.4, at + 4, plus + 7.6), closed=True, fill=WHITE),
        Path(points=box(at - 4, plus + 8.9, at + 4, plus + 10.1), closed=True, fill="#111111"),
        Text(at=(at + 2, plus + 5), text="+", size=3.4, bold=True),
        Text(at=(at + 5.5, plus + 8.2), text="1000 µF", size=3.4, bold=True),
        Text(at=(at + 5.5, plus + 12), text="6.3 V or more", size=2.6),
    )
    draw.put(
        Text(
            at=(_ZERO_X - 2.2, 250 + 30),
            text="all grounds joined",
            size=3,
            anchor="middle",
            turn=-90,
        )
    )
    draw.ground((_ZERO_X + 3.5, minus + 4))
    draw.wire((_ZERO_X, minus + 2.5), (_ZERO_X + 3.5, minus + 2.5), (_ZERO_X + 3.5, minus + 4))


_BLOCKS: Final = 30.0
_STEP: Final = 28.0
_BLOCK: Final = 23.5
_IN: Final = 22.0
_ROW_1: Final = 349.0
_ROW_2: Final = 393.0
_HALF: Final = 8.0
_RAIL_GAP: Final = 13.0


def chain(draw: Wiring, size: Size) -> None:
    """The rings in board order, then the places, fed from both ends."""
    red_x, black_x = 9.0, 15.0
    first, last = _BLOCKS, _BLOCKS + 8 * _STEP + _BLOCK
    # 5 V and 0 V come in twice: at the ring of aces and at the last place.
    draw.wire(
        (_SUPPLY_X, _RED_FEED),
        (red_x, _RED_FEED),
        (red_x, _ROW_2 - _RAIL_GAP),
        colour=RED,
        width=THICK,
    )
    draw.wire(
        (_ZERO_X, _BLACK_FEED), (black_x, _BLACK_FEED), (black_x, _ROW_2 + _RAIL_GAP), width=THICK
    )
    for row in (_ROW_1, _ROW_2):
        draw.wire((red_x, row - _RAIL_GAP), (last + 5, row - _RAIL_GAP), colour=RED, width=THICK)
        draw.wire((black_x, row + _RAIL_GAP), (last + 8, row + _RAIL_GAP), width=THICK)
    draw.wire(
        (last + 5, _ROW_1 - _RAIL_GAP), (last + 5, _ROW_2 - _RAIL_GAP), colour=RED, width=THICK
    )
    draw.wire((last + 8, _ROW_1 + _RAIL_GAP), (last + 8, _ROW_2 + _RAIL_GAP), width=THICK)
    for index, pool in enumerate(POOLS):
        left = first + index * _STEP
        _element(draw, left, _ROW_1, (f"ring {pool}", f"{size.ring} pixels"), leftward=False)
        if index:
            _link(draw, left - _STEP + _BLOCK, left, _ROW_1)
    draw.wire(
        (last, _ROW_1),
        (last + 2.5, _ROW_1),
        (last + 2.5, _ROW_2),
        (last, _ROW_2),
        colour=GREEN,
        width=0.7,
        name="data link",
    )
    for index in range(size.places):
        right = last - index * _STEP
        words = (f"place {index + 1}", "1 pixel")
        _element(draw, right - _BLOCK, _ROW_2, words, leftward=True)
        if index:
            _link(draw, right + _STEP - _BLOCK, right, _ROW_2)
    end = last - (size.places - 1) * _STEP - _BLOCK
    draw.put(Text(at=(end - 1.5, _ROW_2 + 1), text="end", size=2.8, anchor="end", colour=GREY))
    draw.put(
        Text(
            at=(100, _RED_FEED - 1.6),
            text=f"5 V to both ends of the chain, {size.cross_mm2:g} mm²",
            size=3.2,
            colour=RED,
            bold=True,
            anchor="middle",
        ),
        Text(
            at=(100, _BLACK_FEED + 4.2),
            text=f"0 V to both ends of the chain, {size.cross_mm2:g} mm²",
            size=3.2,
            bold=True,
            anchor="middle",
        ),
    )


def _element(
    draw: Wiring, left: float, middle: float, words: tuple[str, str], *, leftward: bool
) -> None:
    """A ring or a place's pixel, with its four connections."""
    right = left + _BLOCK
    x = left + _BLOCK / 2
    plus, minus = (x, middle - _RAIL_GAP), (x, middle + _RAIL_GAP)
    draw.wire(plus, (x, middle - _HALF), colour=RED, width=0.7, name=f"5 V of {words[0]}")
    draw.wire(minus, (x, middle + _HALF), width=0.7, name=f"0 V of {words[0]}")
    draw.block((left, middle - _HALF, right, middle + _HALF))
    draw.put(Text(at=(x, middle - 4.4), text="5V", size=2.5, anchor="middle", colour=RED))
    draw.put(Text(at=(x, middle + 7.2), text="GND", size=2.5, anchor="middle"))
    size = 3.3 if len(words[0]) < 12 else 2.8
    draw.label((x, middle - 0.6), words[0], size, bold=True)
    draw.label((x, middle + 2.8), words[1], 2.7)
    near, far = (right - 0.8, left + 0.8) if leftward else (left + 0.8, right - 0.8)
    anchors: tuple[Anchor, Anchor] = ("end", "start") if leftward else ("start", "end")
    for at, word, anchor in zip((near, far), ("DIN", "DOUT"), anchors, strict=True):
        draw.put(Text(at=(at, middle + 5.2), text=word, size=2.3, anchor=anchor, colour=GREEN))


def _link(draw: Wiring, start: float, end: float, y: float) -> None:
    """The data wire from one element to the next, with an arrow."""
    draw.wire((start, y), (end, y), colour=GREEN, width=0.7, name="data link")
    tip = 1.0 if end > start else -1.0
    points = ((end, y), (end - 2.2 * tip, y - 1.2), (end - 2.2 * tip, y + 1.2))
    draw.put(Path(points=points, closed=True, colour=GREEN, fill=GREEN))
