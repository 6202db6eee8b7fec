"""The carrier board: a printed circuit that replaces the stripboard and the carrier of the Pico.

Positions are in mm from its middle, seen from the side of the parts: x to the right, y upwards,
where the edge of the table's board is. It has the outline and the holes of a Raspberry Pi, so it
fits the case of the Pi. Traces run on the upper side; the lower side is one plane of ground. No
trace crosses another, so there are no vias.

gerber.py writes it for a manufacturer, and a test checks clearances, widths and connections.
"""

from __future__ import annotations

from typing import Final

import msgspec

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
        Pad(part="10 kΩ", pin=1, at=(-16.0, -2.54), net=DATA_IN, drill=0.8),
        Pad(part="10 kΩ", pin=2, at=(-16.0, -10.16), net=GROUND, drill=0.8),
        Pad(part="390 Ω", pin=1, at=(-25.0, 14.5), net=SHIFTED, drill=0.8),
        Pad(part="390 Ω", pin=2, at=(-32.62, 14.5), net=DATA_OUT, drill=0.8),
        Pad(part="100 nF", pin=1, at=(-29.81, -9.5), net=SUPPLY, drill=0.8),
        Pad(part="100 nF", pin=2, at=(-24.73, -9.5), net=GROUND, drill=0.8),
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
                at=(PICO_X + side * TERMINALS, y),
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
            at=(-22.19, round(low + (pin - 1) * PITCH, 3))
            if pin <= 7
            else (-29.81, round(low + (14 - pin) * PITCH, 3)),
            net=nets.get(pin, ""),
            drill=0.8,
            copper=1.6,
        )
        for pin in range(1, 15)
    ]


def _power() -> list[Pad]:
    """Terminals of 5.08 mm: the supply, two branches on the left, one below, and data out."""
    spots = {
        "supply": ((-38.5, -23.0), (-33.42, -23.0), SUPPLY),
        "branch 1": ((-28.34, -23.0), (-23.26, -23.0), SUPPLY),
        "branch 2": ((-38.5, -15.0), (-38.5, -9.92), SUPPLY),
        "branch 3": ((-38.5, -4.84), (-38.5, 0.24), SUPPLY),
        "data out": ((-38.5, 14.5), (-38.5, 19.58), DATA_OUT),
    }
    return [
        Pad(part=name, pin=number, at=at, net=net, drill=1.3, copper=2.6)
        for name, (first, second, hot) in spots.items()
        for number, at, net in ((1, first, hot), (2, second, GROUND))
    ]


def _breakout(pico: list[Pad], terminals: list[Pad]) -> list[Trace]:
    return [
        Trace(net=pad.net, points=(pad.at, terminal.at), width=SIGNAL)
        for pad, terminal in zip(pico, terminals, strict=True)
        if terminal.net and terminal.net != GROUND
    ]


def _supply() -> list[Trace]:
    bus = -35.0, -19.2
    wide = (
        ((-38.5, bus[1]), (-28.34, bus[1])),
        ((-38.5, -23.0), (-38.5, bus[1])),
        ((-28.34, -23.0), (-28.34, bus[1])),
        ((bus[0], bus[1]), (bus[0], -4.84)),
        ((-38.5, -15.0), (bus[0], -15.0)),
        ((-38.5, -4.84), (bus[0], -4.84)),
    )
    narrow = (
        ((bus[0], -5.08), (-29.81, -5.08), (-29.81, -2.54)),
        ((-29.81, -5.08), (-29.81, -9.5)),
        ((-29.81, -2.54), (-28.0, -2.54), (-28.0, 5.08), (-29.81, 5.08)),
        ((-28.0, 2.54), (-22.19, 2.54)),
    )
    return [
        *(Trace(net=SUPPLY, points=points, width=POWER) for points in wide),
        *(Trace(net=SUPPLY, points=points, width=0.5) for points in narrow),
    ]


def _data() -> list[Trace]:
    (pin,) = (pad for pad in _pico_and_terminals()[0] if pad.net == DATA_IN)
    x, y = pin.at
    between = ((x, y), (x - 1.8, y), (x - 1.8, -2.54), (-22.19, -2.54))
    over_the_chip = ((-22.19, 0.0), (-19.5, 0.0), (-19.5, 14.5), (-25.0, 14.5))
    return [
        Trace(net=DATA_IN, points=between, width=THIN),
        Trace(net=SHIFTED, points=over_the_chip, width=SIGNAL),
        Trace(net=DATA_OUT, points=((-32.62, 14.5), (-38.5, 14.5)), width=SIGNAL),
    ]
