"""The carrier board: a printed circuit that replaces the stripboard and the carrier of the Pico.

Positions are in mm from its middle, seen from the side of the parts: x to the right, y upwards,
where the edge of the table's board is. It has the outline and the holes of a Raspberry Pi, so it
fits the case of the Pi. Traces run on the upper side; the lower side is one plane of ground. No
trace crosses another, so there are no vias.

gerber.py writes it for a manufacturer, and a test checks clearances, widths and connections.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
from shapely import Polygon, box

from hardware.bodies import BodyKind, Direction, bodies, body_of, entry_of
from hardware.cases import case
from hardware.pins import PIN_COUNT, pinout
from pochboard.geometry.dimensions import Range
from pochboard.geometry.face import Point

GROUND: Final = "0 V"
SUPPLY: Final = "5 V"
DATA_IN: Final = "data in"
SHIFTED: Final = "shifted"
DATA_OUT: Final = "data out"

PITCH: Final = 2.54
PICO_X: Final = 10.0
PICO_ROWS: Final = 17.78 / 2
TERMINALS: Final = 18.0
"""From the middle of the Pico to the terminals on both sides."""
STRIPS_APART: Final = 0.8
"""Two strips of 10 poles in a row are longer than their 20 poles: each is moved by half of this."""
CHIP_LEFT: Final = -28.31
CHIP_RIGHT: Final = -20.69
POWER_X: Final = -37.0
POWER_PITCH: Final = 10.16
"""Of the terminals for supply, branches and data, side by side along the left edge."""
POWER_NAMES: Final = ("supply", "branch 1", "branch 2", "branch 3", "data out")
BUS_X: Final = -33.4
SIGNAL: Final = 0.4
THIN: Final = 0.25
"""The data line passes between two pins."""
POWER: Final = 2.5
"""Carries 4 A on copper of 35 µm with a rise of some 20 °C (IPC-2221)."""
CLEARANCE: Final = 0.2
PLANE_CLEARANCE: Final = 0.25
LEFT_ALONE: Final = frozenset({"VBUS", "VSYS", "3V3_EN"})
"""The pins of the Pico that its terminals do not lead out."""


class Pad(msgspec.Struct, frozen=True, kw_only=True):
    """A plated hole for a pin of a part."""

    part: str
    pin: int
    at: Point
    net: str
    """Empty if nothing is connected."""
    drill: float = 1.0
    copper: float = 1.7


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """A trace on the upper side."""

    net: str
    points: tuple[Point, ...]
    width: float


class CarrierBoard(msgspec.Struct, frozen=True, kw_only=True):
    """The whole board: its outline, holes, pads and traces."""

    size: Range
    holes: tuple[Point, ...]
    hole: float
    pads: tuple[Pad, ...]
    traces: tuple[Trace, ...]


def carrier_board() -> CarrierBoard:
    """The carrier board."""
    pi = case("controller")
    pico, terminals = _pico_and_terminals()
    chip, power = _chip(), _power()
    passives = [
        Pad(part="10 kΩ", pin=1, at=(-20.0, -13.0), net=DATA_IN, drill=0.8),
        Pad(part="10 kΩ", pin=2, at=(-27.62, -13.0), net=GROUND, drill=0.8),
        Pad(part="390 Ω", pin=1, at=(-20.0, 15.0), net=SHIFTED, drill=0.8),
        Pad(part="390 Ω", pin=2, at=(-27.62, 15.0), net=DATA_OUT, drill=0.8),
        Pad(part="100 nF", pin=1, at=(CHIP_LEFT, -9.5), net=SUPPLY, drill=0.8),
        Pad(part="100 nF", pin=2, at=(-23.23, -9.5), net=GROUND, drill=0.8),
    ]
    return CarrierBoard(
        size=pi.board,
        holes=pi.board_holes,
        hole=2.7,
        pads=(*pico, *terminals, *chip, *power, *passives),
        traces=(*_breakout(pico, terminals), *_supply(), *_data()),
    )


def _net(label: str, button: str, kind: str) -> str:
    if kind == "ground" or label == "AGND":
        return GROUND
    if kind == "pixels":
        return DATA_IN
    return button or ("" if label in LEFT_ALONE else label)


def _pico_and_terminals() -> tuple[list[Pad], list[Pad]]:
    """The sockets of the Pico, its USB socket at the top, and a terminal beside each pin."""
    half = PIN_COUNT // 2
    pico, terminals = [], []
    for pin in pinout("pico"):
        is_left = pin.number <= half
        row = pin.number - 1 if is_left else PIN_COUNT - pin.number
        y = round((half - 1) / 2 * PITCH - row * PITCH, 3)
        side = -1 if is_left else 1
        net = _net(pin.label, pin.button, pin.kind)
        pico.append(
            Pad(part="Pico", pin=pin.number, at=(round(PICO_X + side * PICO_ROWS, 3), y), net=net)
        )
        terminals.append(
            Pad(
                part="terminals",
                pin=pin.number,
                at=(PICO_X + side * TERMINALS, round(y + math.copysign(STRIPS_APART / 2, y), 3)),
                # The data line leaves by the level shifter only.
                net="" if net == DATA_IN else net,
                copper=1.8,
            )
        )
    return pico, terminals


def _chip() -> list[Pad]:
    """The 74AHCT125, pin 1 at the lower right: 1 to 7 upwards, 8 to 14 downwards on the left.

    The first of its four gates is used: the outputs of the others are off, their inputs at 0 V.
    """
    nets = {1: GROUND, 2: DATA_IN, 3: SHIFTED, 7: GROUND, 14: SUPPLY}
    nets |= dict.fromkeys((4, 10, 13), SUPPLY)
    nets |= dict.fromkeys((5, 9, 12), GROUND)
    low = -5.08
    return [
        Pad(
            part="74AHCT125",
            pin=pin,
            at=(CHIP_RIGHT, round(low + (pin - 1) * PITCH, 3))
            if pin <= 7
            else (CHIP_LEFT, round(low + (14 - pin) * PITCH, 3)),
            net=nets.get(pin, ""),
            drill=0.8,
            copper=1.6,
        )
        for pin in range(1, 15)
    ]


def _power() -> list[Pad]:
    """Terminals of 5.08 mm along the left edge, where their wires leave: 0 V is the lower pole."""
    return [
        Pad(
            part=name,
            pin=number,
            at=(POWER_X, round((row - 2) * POWER_PITCH + side * PITCH, 3)),
            net=net,
            drill=1.3,
            copper=2.6,
        )
        for row, name in enumerate(POWER_NAMES)
        for number, side, net in (
            (1, 1, DATA_OUT if name == "data out" else SUPPLY),
            (2, -1, GROUND),
        )
    ]


def _breakout(pico: list[Pad], terminals: list[Pad]) -> list[Trace]:
    return [
        Trace(net=pad.net, points=(pad.at, terminal.at), width=SIGNAL)
        for pad, terminal in zip(pico, terminals, strict=True)
        if terminal.net and terminal.net != GROUND
    ]


def _supply() -> list[Trace]:
    hot = [pad.at for pad in _power() if pad.net == SUPPLY]
    left, right, between = CHIP_LEFT, CHIP_RIGHT, -26.5
    wide = (
        ((BUS_X, hot[0][1]), (BUS_X, hot[-1][1])),
        *(((x, y), (BUS_X, y)) for x, y in hot),
    )
    narrow = (
        ((BUS_X, -5.08), (left, -5.08), (left, -2.54)),
        ((left, -5.08), (left, -9.5)),
        ((left, -2.54), (between, -2.54), (between, 5.08), (left, 5.08)),
        ((between, 2.54), (right, 2.54)),
    )
    return [
        *(Trace(net=SUPPLY, points=points, width=POWER) for points in wide),
        *(Trace(net=SUPPLY, points=points, width=0.5) for points in narrow),
    ]


def _data() -> list[Trace]:
    (pin,) = (pad for pad in _pico_and_terminals()[0] if pad.net == DATA_IN)
    x, y = pin.at
    right, beside = CHIP_RIGHT, -18.5
    # Midway between two poles of the left strip.
    strip, low = PICO_X - TERMINALS, -2.54 - STRIPS_APART / 2
    between = (
        *((x, y), (x - 1.8, y), (x - 1.8, -2.54), (strip + 4, -2.54), (strip + 3, low)),
        *((strip - 3, low), (strip - 4, -2.54), (right, -2.54)),
    )
    pulled_down = ((beside, -2.54), (beside, -13.0), (-20.0, -13.0))
    over_the_chip = ((right, 0.0), (beside, 0.0), (beside, 15.0), (-20.0, 15.0))
    (out,) = (pad.at for pad in _power() if pad.net == DATA_OUT)
    return [
        Trace(net=DATA_IN, points=between, width=THIN),
        Trace(net=DATA_IN, points=pulled_down, width=THIN),
        Trace(net=SHIFTED, points=over_the_chip, width=SIGNAL),
        Trace(net=DATA_OUT, points=((-27.62, 15.0), (-27.62, out[1]), out), width=SIGNAL),
    ]


# Bodies


class PartBody(msgspec.Struct, frozen=True, kw_only=True):
    """What a part covers, and what must stay free for its wires."""

    name: str
    body: Polygon
    wires: Polygon | None = None


def part_bodies(board: CarrierBoard) -> list[PartBody]:
    """The bodies of all parts."""
    width, height = bodies().pico.size
    found = [
        PartBody(
            name="Pico",
            body=box(PICO_X - width / 2, -height / 2, PICO_X + width / 2, height / 2),
        )
    ]
    kinds: dict[str, BodyKind] = {
        "74AHCT125": "socket",
        "100 nF": "capacitor",
        "10 kΩ": "resistor",
        "390 Ω": "resistor",
    }
    found += [
        PartBody(name=name, body=body_of(kind, _poles(board, name))) for name, kind in kinds.items()
    ]
    found += [_terminal(name, "terminal", _poles(board, name), "left") for name in POWER_NAMES]
    sides: tuple[tuple[Direction, int, int], ...] = (("left", 1, 20), ("right", 21, 40))
    for direction, first, last in sides:
        for start in (first, last - 9):
            poles = [
                pad.at
                for pad in board.pads
                if pad.part == "terminals" and start <= pad.pin < start + 10
            ]
            found.append(_terminal(f"strip {start}", "strip", poles, direction))
    return found


def _poles(board: CarrierBoard, name: str) -> list[Point]:
    return [pad.at for pad in board.pads if pad.part == name]


def _terminal(name: str, kind: BodyKind, poles: list[Point], entry: Direction) -> PartBody:
    return PartBody(name=name, body=body_of(kind, poles, entry), wires=entry_of(kind, poles, entry))
