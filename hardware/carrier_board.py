"""The carrier board: a printed circuit on which a Raspberry Pi Zero 2 W is plugged.

It carries the level shifter and screw terminals for everything: buttons, display, piezo, pixels,
and the one supply, which feeds the Pi through its header as well. So there is one computer, no
cable between two, and no joint on a wire.

Positions are in mm from its middle, seen from the side of the parts: x to the right, y upwards.
Traces run on the upper side; the lower side is one plane of ground. No trace crosses another, so
there are no vias. gerber.py writes it for a manufacturer, and a test checks clearances, widths and
connections.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec
from shapely import Polygon, box

from hardware.bodies import BodyKind, Direction, bodies, body_of, entry_of
from hardware.pins import PIN_COUNT, Pin, pinout
from hardware.plates import carrier_holes
from pochboard.geometry.dimensions import Range, dimensions
from pochboard.geometry.face import Point

GROUND: Final = "0 V"
SUPPLY: Final = "5 V"
DATA_IN: Final = "data in"
SHIFTED: Final = "shifted"
DATA_OUT: Final = "data out"

PITCH: Final = 2.54
HEADER_X: Final = -2.1
"""Of the middle of the header. The Pi lies to the right of it, over the board."""
HEADER_EDGE: Final = 3.5
"""From there to the edge of the Pi, whose outer row has the even pins."""
STRIPS_X: Final = (-9.2, 28.0)
"""Of the terminals: those of the even pins, and those of the odd ones beyond the Pi."""
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
"""Carries 5 A on copper of 35 µm with a rise of less than 20 °C (IPC-2221)."""
PI_WIDTH: Final = 1.5
"""Carries the current of the Pi."""
CLEARANCE: Final = 0.2
PLANE_CLEARANCE: Final = 0.25
SECOND_3V3: Final = 17
NAMES: Final = {"3.3 V": "3V3", "GPIO 14 (SDA)": "SDA", "GPIO 15 (SCL)": "SCL", "GPIO 7": "PIEZO"}
"""What terminals are called that are not those of buttons, beside 5 V and 0 V."""


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
    header, terminals = _header_and_terminals()
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
        size=dimensions().room.carrier,
        holes=carrier_holes(),
        hole=2.7,
        pads=(*header, *terminals, *chip, *power, *passives),
        traces=(*_breakout(header, terminals), *_supply(), *_data()),
    )


def _net(pin: Pin) -> str:
    if pin.number == SECOND_3V3:
        return ""  # it is one net only inside the Pi
    if pin.kind == "ground":
        return GROUND
    if pin.kind == "pixels":
        return DATA_IN
    return pin.button or (SUPPLY if pin.label == SUPPLY else NAMES.get(pin.label, ""))


def _header_and_terminals() -> tuple[list[Pad], list[Pad]]:
    """The socket of the header, pin 1 at the lower end, and a terminal beside each pin."""
    header, terminals = [], []
    for pin in pinout("gpio"):
        is_odd, row = pin.number % 2, (pin.number - 1) // 2
        y = round((row - (PIN_COUNT // 2 - 1) / 2) * PITCH, 3)
        net = _net(pin)
        x = HEADER_X + (PITCH / 2 if is_odd else -PITCH / 2)
        header.append(Pad(part="header", pin=pin.number, at=(round(x, 3), y), net=net))
        terminals.append(
            Pad(
                part="terminals",
                pin=pin.number,
                at=(STRIPS_X[is_odd], round(y + math.copysign(STRIPS_APART / 2, y), 3)),
                # The data line leaves by the level shifter only.
                net="" if net == DATA_IN else net,
                copper=1.8,
            )
        )
    return header, terminals


def _chip() -> list[Pad]:
    """The 74AHCT125, pin 1 at the lower right: 1 to 7 upwards, 8 to 14 downwards on the left.

    The first of its four gates is used; enables and inputs of the others are at 0 V.
    """
    nets = {2: DATA_IN, 3: SHIFTED, 14: SUPPLY}
    nets |= dict.fromkeys((1, 4, 5, 7, 9, 10, 12, 13), GROUND)
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


def _breakout(header: list[Pad], terminals: list[Pad]) -> list[Trace]:
    """From each pin straight to its terminal. The even pins' 5 V come by a trace of their own."""
    return [
        Trace(net=pad.net, points=(pad.at, terminal.at), width=SIGNAL)
        for pad, terminal in zip(header, terminals, strict=True)
        if terminal.net and terminal.net != GROUND
    ]


def _supply() -> list[Trace]:
    hot = [pad.at for pad in _power() if pad.net == SUPPLY]
    wide = (
        ((BUS_X, hot[0][1]), (BUS_X, hot[-1][1])),
        *(((x, y), (BUS_X, y)) for x, y in hot),
    )
    narrow = ((BUS_X, -5.08), (CHIP_LEFT, -5.08), (CHIP_LEFT, -9.5))
    # To the Pi: around the chip, to both 5 V terminals.
    low = hot[0][1] - 2.2
    poles = [pad.at for pad in _header_and_terminals()[1] if pad.net == SUPPLY]
    to_pi = ((BUS_X, hot[0][1]), (BUS_X, low), (poles[0][0] - 6.0, low), poles[0], poles[1])
    return [
        Trace(net=SUPPLY, points=to_pi, width=PI_WIDTH),
        *(Trace(net=SUPPLY, points=points, width=POWER) for points in wide),
        Trace(net=SUPPLY, points=narrow, width=0.5),
    ]


def _data() -> list[Trace]:
    (pin,) = (pad for pad in _header_and_terminals()[0] if pad.net == DATA_IN)
    x, y = pin.at
    right, beside = CHIP_RIGHT, -18.5
    # Down between the two rows of the header, out between two pins, and between two poles.
    strip, low = STRIPS_X[0], -2.54 - STRIPS_APART / 2
    between = (
        *((x, y), (HEADER_X, y), (HEADER_X, -2.54), (strip + 4, -2.54), (strip + 3, low)),
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
    """The bodies of all parts. The Pi is above its socket, and so are its plugs."""
    width, height = bodies().zero.size
    left = HEADER_X - HEADER_EDGE
    found = [PartBody(name="Pi", body=box(left, -height / 2, left + width, height / 2))]
    kinds: dict[str, BodyKind] = {
        "74AHCT125": "socket",
        "100 nF": "capacitor",
        "10 kΩ": "resistor",
        "390 Ω": "resistor",
    }
    found += [
        PartBody(name=name, body=body_of(kind, _poles(board, name), "up"))
        for name, kind in kinds.items()
    ]
    found += [_terminal(name, "terminal", _poles(board, name), "left") for name in POWER_NAMES]
    sides: tuple[Direction, Direction] = ("left", "right")
    for is_odd, direction in enumerate(sides):
        pins = [pad for pad in board.pads if pad.part == "terminals" and pad.pin % 2 == is_odd]
        for name, ten in (("lower", pins[:10]), ("upper", pins[10:])):
            poles = [pad.at for pad in ten]
            found.append(_terminal(f"strip {direction} {name}", "strip", poles, direction))
    return found


def _poles(board: CarrierBoard, name: str) -> list[Point]:
    return [pad.at for pad in board.pads if pad.part == name]


def _terminal(name: str, kind: BodyKind, poles: list[Point], entry: Direction) -> PartBody:
    return PartBody(name=name, body=body_of(kind, poles, entry), wires=entry_of(kind, poles, entry))
