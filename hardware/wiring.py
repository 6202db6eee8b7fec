"""The wiring of a board, drawn to be soldered from: one sheet for each variant."""

from __future__ import annotations

from typing import Final

from hardware.chain import DATA, JOIN, MIDDLE, OUTER, WIDTH, chain, shifter, supply
from hardware.pins import Pin, Variant, pins_of
from hardware.sheet import (
    BLUE,
    GREEN,
    GREY,
    PALE,
    WHITE,
    Path,
    Sheet,
    Text,
    box,
    lines_of_text,
)
from hardware.size import CHIPS, Size
from hardware.wires import THICK, Wiring
from pochboard.rules.board import POOLS

HEIGHT: Final = 420.0

_FIRST_ROW: Final = 54.0
_PITCH: Final = 9.0
_PIN: Final = 7.0
_RAIL: Final = 112.0
"""How far from the middle the two ground wires of the buttons stand."""

TITLES: Final[dict[Variant, str]] = {
    "gpio": "pochboard: wiring on the Raspberry Pi's header",
    "pico": "pochboard: wiring on a Raspberry Pi Pico",
}


def wiring(variant: Variant, size: Size) -> Sheet:
    """The wiring of a variant: the header with its buttons above, supply and pixels below."""
    draw = Wiring()
    _header(draw, variant, size)
    shifter(draw, variant)
    supply(draw, size)
    chain(draw, size)
    _words(draw, variant, size)
    return Sheet(width=WIDTH, height=HEIGHT, title=TITLES[variant], shapes=draw.shapes)


def _words(draw: Wiring, variant: Variant, size: Size) -> None:
    draw.put(Text(at=(14, 16), text=TITLES[variant], size=6.5, bold=True))
    where = {
        "gpio": (
            "The header is seen from above with the pins towards you, pin 1 at the end away from"
            " the USB sockets, even pins along the edge of the Pi."
        ),
        "pico": (
            "The Pico is seen from above, the USB socket at the top. It gets its own 5 V over USB;"
            " leave VBUS and VSYS alone."
        ),
    }
    made_of = (
        f"{size.places} places, {len(POOLS)} rings of {size.ring} {CHIPS[size.pixel]} pixels:"
        f" {size.pixels} pixels, {len(size.buttons)} buttons. Supply and fuse {size.supply_a} A"
        f" for a limit of {size.limit_ma} mA."
    )
    signs = (
        "A button joins its pin to ground; it needs no resistor. A dot joins wires, a bow crosses"
        " without joining, three bars below each other are 0 V. Pins with a grey number stay free."
    )
    draw.put(*lines_of_text((14, 23.5), [made_of, where[variant], signs], 3.3, "#333333"))


def place_of(variant: Variant, pin: int) -> tuple[float, int]:
    """The middle of a pin on the sheet: how far down, and its side (-1 left, 1 right)."""
    if variant == "gpio":
        return _FIRST_ROW + (pin - 1) // 2 * _PITCH, -1 if pin % 2 else 1
    row = pin - 1 if pin <= 20 else 40 - pin
    return _FIRST_ROW + row * _PITCH, -1 if pin <= 20 else 1


def _header(draw: Wiring, variant: Variant, size: Size) -> None:
    pins = pins_of(variant)
    inner = 5.5 if variant == "gpio" else 18.0
    bottom = _FIRST_ROW + 19 * _PITCH
    edge = inner + 6
    draw.block((MIDDLE - edge, _FIRST_ROW - 8, MIDDLE + edge, bottom + 8), "#eef3ee")
    for side in (-1, 1):
        rail = MIDDLE + side * _RAIL
        rows = [
            place_of(variant, pin.number)[0]
            for pin in pins
            if place_of(variant, pin.number)[1] == side
            and (pin.kind == "ground" or pin.button in size.buttons)
        ]
        draw.wire((rail, min(rows)), (rail, JOIN), width=THICK)
        draw.put(
            Text(
                at=(rail + (side * 4 if side > 0 else -2.2), _FIRST_ROW + 14.5 * _PITCH),
                text="0 V, the ground of the buttons",
                size=3,
                anchor="middle",
                turn=-90,
            )
        )
    draw.wire((MIDDLE - _RAIL, JOIN), (MIDDLE + _RAIL, JOIN), width=THICK)
    for pin in pins:
        _pin(draw, variant, pin, inner, size)
    if variant == "gpio":
        draw.label((MIDDLE, _FIRST_ROW - 10), "Raspberry Pi", 4, bold=True)
        draw.label((MIDDLE, bottom + 12), "its own supply", 3)
    else:
        draw.block((MIDDLE - 6, _FIRST_ROW - 12, MIDDLE + 6, _FIRST_ROW - 3), PALE)
        draw.label((MIDDLE, _FIRST_ROW - 6.5), "USB", 3)
        draw.label((MIDDLE + 47, _FIRST_ROW - 7.5), "cable to the Raspberry Pi", 3.2)
        draw.label((MIDDLE, _FIRST_ROW + 50), "Pico", 5, bold=True)


def _pin(draw: Wiring, variant: Variant, pin: Pin, inner: float, size: Size) -> None:
    y, side = place_of(variant, pin.number)
    x = MIDDLE + side * inner
    edge = x + side * _PIN / 2
    rail = MIDDLE + side * _RAIL
    used = pin.kind in {"ground", "pixels"} or pin.button in size.buttons
    fills = {"ground": "#cfcfcf", "pixels": "#bfe6cd", "button": "#cfe0f7"}
    fill = fills[pin.kind] if used else WHITE
    corners = box(x - _PIN / 2, y - _PIN / 2, x + _PIN / 2, y + _PIN / 2)
    ink = "#111111" if used else GREY
    draw.put(
        Path(points=corners, closed=True, fill=fill, colour=ink),
        Text(
            at=(x, y + 1.2),
            text=str(pin.number),
            size=3.4,
            anchor="middle",
            colour=ink,
            bold=used,
            name=f"pin {pin.number}",
        ),
    )
    label = pin.label
    if pin.button and not used:
        label += " (free)"
    draw.put(
        Text(
            at=(MIDDLE + side * (inner + 7.5), y - 1.1),
            text=label,
            size=2.9,
            colour=ink,
            anchor="end" if side < 0 else "start",
        )
    )
    if pin.kind == "ground":
        draw.wire((rail, y), (edge, y), width=0.7, name=f"ground {pin.number}")
    elif pin.kind == "pixels":
        outer = MIDDLE + side * OUTER
        draw.wire((edge, y), (outer, y), (outer, DATA), colour=GREEN, width=0.7, name="data")
        draw.put(
            Text(
                at=(MIDDLE + side * 60, y - 1.3),
                text="pixel data, 3.3 V",
                size=3.2,
                anchor="middle",
                colour=GREEN,
                bold=True,
            )
        )
    elif used:
        at = rail - side * 34
        draw.wire((rail, y), (at, y), name=f"ground of {pin.button}")
        draw.wire((at - side * 9, y), (edge, y), colour=BLUE, name=f"wire {pin.button}")
        draw.button((min(at, at - side * 9), y), 9)
        draw.put(
            Text(
                at=(rail - side * 17, y - 1.1),
                text=pin.button,
                size=3.8,
                anchor="middle",
                bold=True,
                name=f"button {pin.button}",
            )
        )
