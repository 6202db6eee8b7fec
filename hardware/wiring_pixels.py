"""The lower half of the wiring diagrams: level shifter, supply, and the chain of pixels."""

from __future__ import annotations

from typing import Final

from hardware.drawing import GREEN, GREY, RED, Anchor, label, line, paragraph, polygon, text
from hardware.pins import Variant
from hardware.schematic import DATA_WIDTH, POWER_WIDTH, Schematic
from hardware.spec import BRANCH_MM2, FUSE_A, RINGS_PER_BRANCH, SUPPLY_A, BoardSpec
from pochboard.geometry.face import Point
from pochboard.rules.accounts import POOLS

SHEET_WIDTH: Final = 297.0
MIDDLE: Final = SHEET_WIDTH / 2
"""x of the sheet's middle, where the header is."""
OUTER: Final = 126.0
"""How far from the middle the data wire runs down."""
GROUND_Y: Final = 239.0
"""y of the wire that joins the ground rails of the buttons."""
DATA_Y: Final = 251.0
"""y of the data wire to the level shifter."""

_BEIGE: Final = "#f3f0e6"

# Level shifter

SHIFTER_PINS: Final = {
    1: "1OE", 2: "1A", 3: "1Y", 4: "2OE", 5: "2A", 6: "2Y", 7: "GND",
    14: "VCC", 13: "4OE", 12: "4A", 11: "4Y", 10: "3OE", 9: "3A", 8: "3Y",
}  # fmt: skip
"""The pins of a 74AHCT125 in a 14-pin DIP case: down the left side, up the right side."""
_GROUNDED_PINS: Final = {1, 4, 5, 7, 9, 10, 12, 13}
_DATA_IN: Final = 2
_DATA_OUT: Final = 3
_VCC: Final = 14

_SHIFTER_LEFT: Final = 112.0
_SHIFTER_TOP: Final = 257.0
_SHIFTER_WIDTH: Final = 26.0
_SHIFTER_PITCH: Final = 7.5

# Supply

_SUPPLY_LEFT: Final = 250.0
_SUPPLY_5V_Y: Final = 287.0
_SUPPLY_0V_Y: Final = 304.0
_JOINT_5V_X: Final = 205.0
"""x of the wire that leads 5 V from the switch down to the chain."""
_JOINT_0V_X: Final = 195.0
_FEED_5V_Y: Final = 317.0
"""y of the wire that leads 5 V to the fuses of the branches."""
_FEED_0V_Y: Final = 331.0

# Pixel chain

_FIRST_BLOCK: Final = 30.0
_BLOCK_STEP: Final = 28.0
_BLOCK_WIDTH: Final = 23.5
_BLOCK_HALF: Final = 8.0
_LAST_EDGE: Final = _FIRST_BLOCK + (len(POOLS) - 1) * _BLOCK_STEP + _BLOCK_WIDTH
_DATA_X: Final = 22.0
_RINGS_Y: Final = 349.0
_PLACES_Y: Final = 393.0
_RAIL_GAP: Final = 13.0


def level_shifter(schematic: Schematic, variant: Variant) -> None:
    """The level shifter pin by pin, and the data line through it to the chain."""
    left, top = _SHIFTER_LEFT, _SHIFTER_TOP
    right = left + _SHIFTER_WIDTH
    schematic.block((left, top, right, top + 7 * _SHIFTER_PITCH), _BEIGE)
    schematic.add(
        text((left + 13, top + 38), "74AHCT125", size=4, anchor="middle", bold=True, angle=-90),
        text((left + 17, top + 38), "notch up", size=2.6, anchor="middle", angle=-90),
    )
    ends = {pin: _shifter_pin(schematic, pin) for pin in SHIFTER_PINS}
    _data_line(schematic, variant, ends[_DATA_IN], ends[_DATA_OUT])
    _decoupling(schematic, ends[_VCC])


def _shifter_pin(schematic: Schematic, pin: int) -> Point:
    """A pin of the level shifter, grounded or left open. Returns the end of its lead."""
    name = SHIFTER_PINS[pin]
    is_left = pin <= 7
    row = pin - 1 if is_left else 14 - pin
    y = _SHIFTER_TOP + (row + 0.5) * _SHIFTER_PITCH
    side, edge = (-1, _SHIFTER_LEFT) if is_left else (1, _SHIFTER_LEFT + _SHIFTER_WIDTH)
    inwards: Anchor = "start" if is_left else "end"
    outwards: Anchor = "end" if is_left else "start"
    end = (edge + side * 4, y)
    schematic.add(
        line((edge, y), end, width=0.6),
        text((edge - side * 1.2, y + 1), name, size=2.7, anchor=inwards),
        text(
            (edge + side * 2, y - 0.8),
            str(pin),
            size=2.7,
            anchor="middle",
            bold=True,
            name=f"shifter {pin}",
        ),
    )
    if pin in _GROUNDED_PINS:
        ground = (end[0] + side * 4, y + 1.2)
        schematic.wire(end, (ground[0], y), ground, name=f"0 V of shifter {pin}")
        schematic.ground(ground)
    elif name.endswith("Y") and pin != _DATA_OUT:
        at = (end[0] + side * 1.5, y + 1)
        schematic.add(text(at, "open", size=2.6, colour=GREY, anchor=outwards))
    return end


def _data_line(schematic: Schematic, variant: Variant, entry: Point, exit_: Point) -> None:
    """The data line: from the header through level shifter and resistor to the chain."""
    side = -1 if variant == "gpio" else 1
    x, y = entry
    points = (MIDDLE + side * OUTER, DATA_Y), (x - 10, DATA_Y), (x - 10, y), entry
    schematic.wire(*points, colour=GREEN, width=DATA_WIDTH, name="data in")
    # Holds the input low while nothing drives it.
    y_pull = (DATA_Y + y) / 2
    schematic.wire((x - 10, y_pull), (x - 15, y_pull), name="pull-down")
    schematic.wire(
        (x - 24, y_pull), (x - 28, y_pull), (x - 28, y_pull + 2), name="0 V of pull-down"
    )
    schematic.resistor((x - 24, y_pull - 1.8, x - 15, y_pull + 1.8))
    schematic.ground((x - 28, y_pull + 2))
    schematic.add(label((x - 19.5, y_pull - 2.8), "10 kΩ", size=3.2, bold=True))
    x, y = exit_
    points = exit_, (_DATA_X, y), (_DATA_X, _RINGS_Y), (_FIRST_BLOCK, _RINGS_Y)
    schematic.wire(*points, colour=GREEN, width=DATA_WIDTH, name="data out")
    schematic.resistor((66, y - 2.5, 84, y + 2.5))
    schematic.add(
        label((75, y - 4.2), "330–470 Ω", size=3.4, bold=True),
        label((75, y + 6.4), "close to ring ace", size=2.8),
        label((46, y - 1.5), "data, 5 V", size=3.2, colour=GREEN, bold=True),
    )


def _decoupling(schematic: Schematic, vcc: Point) -> None:
    """5 V for the level shifter, with its decoupling capacitor."""
    x, y = vcc
    points = vcc, (_JOINT_5V_X, y)
    schematic.wire(*points, colour=RED, width=DATA_WIDTH, name="5 V of the shifter")
    at = x + 14
    schematic.wire((at, y), (at, y + 8), name="decoupling")
    schematic.wire((at, y + 10), (at, y + 13))
    schematic.capacitor((at, y + 8))
    schematic.ground((at, y + 13))
    schematic.add(*paragraph((at + 4.5, y + 8.5), ["100 nF,", "close to the chip"], size=2.8))


def supply(schematic: Schematic) -> None:
    """The supply with fuse and capacitor, and the point where all grounds meet."""
    left, plus, minus = _SUPPLY_LEFT, _SUPPLY_5V_Y, _SUPPLY_0V_Y
    schematic.block((left, 278, 284, 312), _BEIGE)
    schematic.add(
        label((267, 285), "Supply", size=3.8, bold=True),
        label((267, 297), f"5 V, {SUPPLY_A} A", size=3.8, bold=True),
        text((left + 1.5, plus + 1.4), "+", size=4.5, bold=True, colour=RED),
        text((left + 1.5, minus + 1.4), "–", size=4.5, bold=True),
    )
    # 5 V: through the switch to the joint of level shifter and branches.
    shifter_y = _SHIFTER_TOP + 0.5 * _SHIFTER_PITCH
    joint = (_JOINT_5V_X, shifter_y), (_JOINT_5V_X, _FEED_5V_Y)
    schematic.wire(*joint, colour=RED, width=POWER_WIDTH, name="5 V joint")
    near, far = _JOINT_5V_X + 6, _JOINT_5V_X + 15
    schematic.wire((left, plus), (far, plus), colour=RED, width=POWER_WIDTH, name="5 V")
    switched = (near, plus), (_JOINT_5V_X, plus)
    schematic.wire(*switched, colour=RED, width=POWER_WIDTH, name="switched 5 V")
    schematic.switch((near, plus), far - near)
    schematic.add(label(((near + far) / 2, plus - 4.8), "switch", size=3.2, bold=True))
    # 0 V: to the joint of all grounds.
    schematic.wire((left, minus), (_JOINT_0V_X, minus), width=POWER_WIDTH, name="0 V")
    joint = (_JOINT_0V_X, GROUND_Y), (_JOINT_0V_X, _FEED_0V_Y)
    schematic.wire(*joint, width=POWER_WIDTH, name="0 V joint")
    at = (_JOINT_0V_X - 2.2, 280)
    schematic.add(text(at, "all grounds joined", anchor="middle", angle=-90))
    branch = (_JOINT_0V_X + 3.5, minus + 2.5)
    end = (branch[0], minus + 4)
    schematic.ground(end)
    schematic.wire((_JOINT_0V_X, branch[1]), branch, end)
    # Before the switch: the capacitor, which the supply charges, and what discharges it.
    x = 242.0
    schematic.wire((x, plus), (x, plus + 7), width=DATA_WIDTH)
    schematic.wire((x, minus), (x, plus + 9.5), width=DATA_WIDTH)
    schematic.electrolytic_capacitor((x, plus + 7))
    schematic.add(label((x, minus + 4.6), "1000 µF", size=3, bold=True))
    x = 229.0
    schematic.wire((x, plus), (x, plus + 5), width=DATA_WIDTH)
    schematic.wire((x, minus), (x, plus + 12), width=DATA_WIDTH)
    schematic.resistor((x - 1.8, plus + 5, x + 1.8, plus + 12))
    schematic.add(label((x, minus + 4.6), "1 kΩ", size=3, bold=True))


def pixel_chain(schematic: Schematic, spec: BoardSpec) -> None:
    """The rings in board order, then the places, with power at both ends."""
    _power_rails(schematic, spec)
    for index, pool in enumerate(POOLS):
        left = _FIRST_BLOCK + index * _BLOCK_STEP
        words = (f"ring {pool}", f"{spec.pixels_per_ring} pixels")
        _pixel_block(schematic, left, _RINGS_Y, words, is_leftward=False)
        if index:
            _data_link(schematic, left - _BLOCK_STEP + _BLOCK_WIDTH, left, _RINGS_Y)
    x = _LAST_EDGE + 3.5
    points = (_LAST_EDGE, _RINGS_Y), (x, _RINGS_Y), (x, _PLACES_Y), (_LAST_EDGE, _PLACES_Y)
    schematic.wire(*points, colour=GREEN, width=DATA_WIDTH, name="data link")
    for index in range(spec.places):
        right = _LAST_EDGE - index * _BLOCK_STEP
        words = (f"place {index + 1}", "1 pixel")
        _pixel_block(schematic, right - _BLOCK_WIDTH, _PLACES_Y, words, is_leftward=True)
        if index:
            _data_link(schematic, right + _BLOCK_STEP - _BLOCK_WIDTH, right, _PLACES_Y)
    end = _LAST_EDGE - (spec.places - 1) * _BLOCK_STEP - _BLOCK_WIDTH
    schematic.add(text((end - 1.5, _PLACES_Y + 1), "end", size=2.8, anchor="end", colour=GREY))


def _power_rails(schematic: Schematic, spec: BoardSpec) -> None:
    """5 V through a fuse to each branch of three rings, and 0 V to both ends of the chain."""
    plus, places_plus = _RINGS_Y - _RAIL_GAP, _PLACES_Y - _RAIL_GAP
    drops = []
    for branch in range(len(spec.branches)):
        first = _FIRST_BLOCK + RINGS_PER_BRANCH * branch * _BLOCK_STEP
        last = first + (RINGS_PER_BRANCH - 1) * _BLOCK_STEP + _BLOCK_WIDTH
        # Between the first two rings of the branch.
        drop = first + _BLOCK_STEP - (_BLOCK_STEP - _BLOCK_WIDTH) / 2
        drops.append(drop)
        schematic.wire((first, plus), (last, plus), colour=RED, width=POWER_WIDTH)
        schematic.wire((drop, _FEED_5V_Y), (drop, plus), colour=RED, width=POWER_WIDTH)
        schematic.fuse((drop, _FEED_5V_Y + 3))
        words = f"fuse {FUSE_A:g} A"
        schematic.add(text((drop + 3, _FEED_5V_Y + 7.8), words, size=3.2, bold=True))
    feed = (drops[0], _FEED_5V_Y), (max(drops[-1], _JOINT_5V_X), _FEED_5V_Y)
    schematic.wire(*feed, colour=RED, width=POWER_WIDTH)
    end = _LAST_EDGE + 8.5
    # The last branch also feeds the places.
    leftmost = _LAST_EDGE - (spec.places - 1) * _BLOCK_STEP - _BLOCK_WIDTH
    to_places = (_LAST_EDGE, plus), (end, plus), (end, places_plus), (leftmost, places_plus)
    schematic.wire(*to_places, colour=RED, width=POWER_WIDTH)
    x, end = 15.0, _LAST_EDGE + 13.5
    feed_0v = (_JOINT_0V_X, _FEED_0V_Y), (x, _FEED_0V_Y), (x, _PLACES_Y + _RAIL_GAP)
    schematic.wire(*feed_0v, width=POWER_WIDTH)
    for row in (_RINGS_Y, _PLACES_Y):
        schematic.wire((x, row + _RAIL_GAP), (end, row + _RAIL_GAP), width=POWER_WIDTH)
    schematic.wire((end, _RINGS_Y + _RAIL_GAP), (end, _PLACES_Y + _RAIL_GAP), width=POWER_WIDTH)
    size = f"{BRANCH_MM2:g} mm²"
    schematic.add(
        label((110, _FEED_5V_Y - 1.6), f"5 V, {size}", size=3.2, colour=RED, bold=True),
        label((110, _FEED_0V_Y - 1.6), f"0 V to both ends, {size}", size=3.2, bold=True),
    )


def _pixel_block(
    schematic: Schematic, left: float, y: float, words: tuple[str, str], *, is_leftward: bool
) -> None:
    """A ring or the pixel of a place, with its four connections."""
    name, count = words
    right = left + _BLOCK_WIDTH
    x = left + _BLOCK_WIDTH / 2
    plus, minus = (x, y - _RAIL_GAP), (x, y + _RAIL_GAP)
    schematic.wire(plus, (x, y - _BLOCK_HALF), colour=RED, width=DATA_WIDTH, name=f"5 V of {name}")
    schematic.wire(minus, (x, y + _BLOCK_HALF), width=DATA_WIDTH, name=f"0 V of {name}")
    schematic.block((left, y - _BLOCK_HALF, right, y + _BLOCK_HALF))
    schematic.add(
        label((x, y - 4.4), "5V", size=2.5, colour=RED),
        label((x, y + 7.2), "GND", size=2.5),
        label((x, y - 0.6), name, size=3.3 if len(name) < 12 else 2.7, bold=True),
        label((x, y + 2.8), count, size=2.7),
    )
    pads: tuple[tuple[float, Anchor], ...] = ((left + 0.8, "start"), (right - 0.8, "end"))
    for (at, anchor), pad in zip(
        reversed(pads) if is_leftward else pads, ("DIN", "DOUT"), strict=True
    ):
        schematic.add(text((at, y + 5.2), pad, size=2.3, anchor=anchor, colour=GREEN))


def _data_link(schematic: Schematic, start: float, end: float, y: float) -> None:
    """The data wire from one block to the next, with an arrowhead."""
    schematic.wire((start, y), (end, y), colour=GREEN, width=DATA_WIDTH, name="data link")
    back = end - 2.2 if end > start else end + 2.2
    schematic.add(polygon((end, y), (back, y - 1.2), (back, y + 1.2), colour=GREEN, fill=GREEN))
