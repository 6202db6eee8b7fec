"""The wiring diagrams: one sheet of A3 for each variant, detailed enough to solder from."""

from __future__ import annotations

from typing import Final

from hardware.drawing import (
    AMBER,
    BLACK,
    BLUE,
    GREEN,
    GREY,
    RED,
    WHITE,
    label,
    paragraph,
    rectangle,
    sheet,
    text,
)
from hardware.pins import Pin, Variant, display_pins, pinout
from hardware.schematic import DATA_WIDTH, POWER_WIDTH, Schematic
from hardware.spec import PIXEL_CHIP, SUPPLY_A, BoardSpec
from hardware.wiring_pixels import (
    DATA_Y,
    GROUND_Y,
    MIDDLE,
    OUTER,
    SHEET_WIDTH,
    level_shifter,
    pixel_chain,
    supply,
)
from pochboard.geometry.face import Point
from pochboard.rules.accounts import POOLS

SHEET_HEIGHT: Final = 420.0

_FIRST_ROW: Final = 54.0
_PITCH: Final = 9.0
_PIN: Final = 7.0
_RAIL: Final = 112.0
"""How far from the middle the ground rails of the buttons are."""

_FILL: Final = {
    "ground": "#cfcfcf",
    "pixels": "#bfe6cd",
    "piezo": "#f7e3c4",
    "button": "#cfe0f7",
}
_DISPLAY_FILL: Final = "#f3dfae"

TITLES: Final[dict[Variant, str]] = {
    "gpio": "pochboard: wiring on the Raspberry Pi's header",
    "pico": "pochboard: wiring on a Raspberry Pi Pico",
}
_VIEW: Final[dict[Variant, str]] = {
    "gpio": (
        "The header from above, its pins pointing at you: pin 1 is at the end away from the USB"
        " sockets, even pins are along the edge of the Pi."
    ),
    "pico": (
        "The Pico from above, USB socket at the top. It is powered over USB: leave VBUS and VSYS"
        " unconnected."
    ),
}


def wiring_svg(variant: Variant, spec: BoardSpec) -> str:
    """The wiring of a variant: header and buttons at the top, supply and pixels below."""
    schematic = Schematic()
    _header(schematic, variant, spec)
    _display(schematic, variant)
    level_shifter(schematic, variant)
    supply(schematic)
    pixel_chain(schematic, spec)
    _heading(schematic, variant, spec)
    box = (0.0, 0.0, SHEET_WIDTH, SHEET_HEIGHT)
    return sheet(box, schematic.elements, title=TITLES[variant])


def _heading(schematic: Schematic, variant: Variant, spec: BoardSpec) -> None:
    summary = (
        f"{spec.places} places, {len(POOLS)} rings of {spec.pixels_per_ring} {PIXEL_CHIP}"
        f" pixels: {spec.pixels} pixels, {len(spec.buttons)} buttons. Supply {SUPPLY_A} A,"
        f" limit {spec.limit_ma} mA."
    )
    legend = (
        "A button connects its pin to ground and needs no resistor. Leave grey pins unconnected.",
        "A dot connects wires; a bow crosses without connecting. Three bars are ground (0 V).",
    )
    schematic.add(
        text((14, 15), TITLES[variant], size=6.5, bold=True),
        *paragraph((14, 21.5), [summary, _VIEW[variant], *legend], size=3.3, colour="#333333"),
    )


def pin_position(variant: Variant, pin: int) -> tuple[float, int]:
    """Where a pin is on the sheet: y of its middle, and its side (-1 left, 1 right)."""
    if variant == "gpio":
        return _FIRST_ROW + (pin - 1) // 2 * _PITCH, -1 if pin % 2 else 1
    row = pin - 1 if pin <= 20 else 40 - pin
    return _FIRST_ROW + row * _PITCH, -1 if pin <= 20 else 1


def _header(schematic: Schematic, variant: Variant, spec: BoardSpec) -> None:
    pins = pinout(variant)
    inner = 5.5 if variant == "gpio" else 18.0
    bottom = _FIRST_ROW + 19 * _PITCH
    edge = inner + 6
    schematic.block((MIDDLE - edge, _FIRST_ROW - 8, MIDDLE + edge, bottom + 8), "#eef3ee")
    for side in (-1, 1):
        rail = MIDDLE + side * _RAIL
        rows = [
            y
            for pin in pins
            for y, pin_side in [pin_position(variant, pin.number)]
            if pin_side == side and (pin.kind in {"ground", "piezo"} or pin.button in spec.buttons)
        ]
        schematic.wire((rail, min(rows)), (rail, GROUND_Y), width=POWER_WIDTH)
        at = (rail + (side * 4 if side > 0 else -2.2), _FIRST_ROW + 14.5 * _PITCH)
        schematic.add(text(at, "button ground, 0 V", anchor="middle", angle=-90))
    schematic.wire((MIDDLE - _RAIL, GROUND_Y), (MIDDLE + _RAIL, GROUND_Y), width=POWER_WIDTH)
    for pin in pins:
        _pin(schematic, variant, pin, inner, spec)
    if variant == "gpio":
        schematic.add(
            label((MIDDLE, _FIRST_ROW - 10), "Raspberry Pi", size=4, bold=True),
            label((MIDDLE, bottom + 12), "5 V to pins 2 and 4, from the supply"),
        )
    else:
        schematic.block((MIDDLE - 6, _FIRST_ROW - 12, MIDDLE + 6, _FIRST_ROW - 3), "#d5d5d5")
        schematic.add(
            label((MIDDLE, _FIRST_ROW - 6.5), "USB"),
            label((MIDDLE + 47, _FIRST_ROW - 7.5), "cable to the Raspberry Pi", size=3.2),
            label((MIDDLE, _FIRST_ROW + 50), "Pico", size=5, bold=True),
        )


def _pin(schematic: Schematic, variant: Variant, pin: Pin, inner: float, spec: BoardSpec) -> None:
    """One pin with its number and label, and what is wired to it."""
    y, side = pin_position(variant, pin.number)
    x = MIDDLE + side * inner
    edge = x + side * _PIN / 2
    rail = MIDDLE + side * _RAIL
    display = display_pins(variant)
    is_display = pin in (display["VCC"], display["SDA"], display["SCL"])
    is_used = pin.kind in {"ground", "pixels", "piezo"} or pin.button in spec.buttons or is_display
    colour = BLACK if is_used else GREY
    fill = _DISPLAY_FILL if is_display else _FILL[pin.kind] if is_used else WHITE
    box = (x - _PIN / 2, y - _PIN / 2, x + _PIN / 2, y + _PIN / 2)
    schematic.add(
        rectangle(box, fill=fill, colour=colour),
        text(
            (x, y + 1.2),
            str(pin.number),
            size=3.4,
            anchor="middle",
            colour=colour,
            bold=is_used,
            name=f"pin {pin.number}",
        ),
        text(
            (MIDDLE + side * (inner + 7.5), y - 1.1),
            f"{pin.label} (free)" if pin.button and not is_used else pin.label,
            size=2.9,
            colour=colour,
            anchor="end" if side < 0 else "start",
        ),
    )
    if pin.kind == "ground":
        schematic.wire((rail, y), (edge, y), width=DATA_WIDTH, name=f"ground {pin.number}")
    elif pin.kind == "pixels":
        outer = MIDDLE + side * OUTER
        points = (edge, y), (outer, y), (outer, DATA_Y)
        schematic.wire(*points, colour=GREEN, width=DATA_WIDTH, name="data")
        at = (MIDDLE + side * 68, y - 1.3)
        schematic.add(label(at, "pixel data, 3.3 V", size=3.2, colour=GREEN, bold=True))
    elif pin.kind == "piezo":
        _piezo(schematic, (edge, y), rail, side)
    elif pin.button and is_used:
        near, far = rail - side * 34, rail - side * 43
        schematic.wire((rail, y), (near, y), name=f"ground of {pin.button}")
        schematic.wire((far, y), (edge, y), colour=BLUE, name=f"wire {pin.button}")
        schematic.push_button((min(near, far), y), 9)
        schematic.add(
            text(
                (rail - side * 17, y - 1.1),
                pin.button,
                size=3.8,
                anchor="middle",
                bold=True,
                name=f"button {pin.button}",
            )
        )


def _display(schematic: Schematic, variant: Variant) -> None:
    """The display beside the header, and its four wires."""
    pins = display_pins(variant)
    edge = MIDDLE + (5.5 if variant == "gpio" else 18.0) + _PIN / 2
    rail, left, right = MIDDLE + _RAIL, 206.0, 238.0
    at = {name: pin_position(variant, pin.number)[0] for name, pin in pins.items()}
    if variant == "gpio":
        top, ground = 46.0, 57.0
        rows = {"VCC": 52.0, "SDA": 57.0, "SCL": 62.0}
        turns = {"SDA": 190.0, "SCL": 195.0}
        # 3.3 V is on the other side of the header.
        words = f"3.3 V, pin {pins['VCC'].number}"
        far = MIDDLE - (edge - MIDDLE)
        schematic.wire((far, at["VCC"]), (far - 20, at["VCC"]), colour=RED, name="3.3 V")
        schematic.supply_symbol((far - 20, at["VCC"]), words)
        schematic.wire(
            (left, rows["VCC"]), (left - 18, rows["VCC"]), colour=RED, name="display VCC"
        )
        schematic.supply_symbol((left - 18, rows["VCC"]), words)
        schematic.wire((right, ground), (rail, ground), (rail, at["GND"] - 36), name="display GND")
    else:
        top, ground = 84.0, 95.0
        rows = {"VCC": at["VCC"], "SCL": 100.0, "SDA": 105.0}
        turns = {"SCL": 192.0, "SDA": 196.5}
        schematic.wire((edge, at["VCC"]), (left, at["VCC"]), colour=RED, name="display VCC")
        schematic.wire((right, ground), (rail, ground), name="display GND")
    for name, x in turns.items():
        points = (edge, at[name]), (x, at[name]), (x, rows[name]), (left, rows[name])
        schematic.wire(*points, colour=AMBER, name=f"display {name}")
    schematic.block((left, top, right, max(rows.values()) + 5), "#f3f0e6")
    for name, y in rows.items():
        schematic.add(text((left + 1, y + 1), name, size=2.7, name=f"display {name}"))
    schematic.add(
        text((right - 1, ground + 1), "GND", size=2.7, anchor="end"),
        label(((left + right) / 2 + 2, rows["VCC"] + 1), "display", size=3.8, bold=True),
    )


def _piezo(schematic: Schematic, pin: Point, rail: float, side: int) -> None:
    """The optional piezo with its resistor, between its pin and the ground rail."""
    y = pin[1]
    near, far = rail - side * 37, rail - side * 40
    schematic.wire((rail, y), (near, y), name="ground of piezo")
    schematic.wire((far, y), pin, colour=BLUE, name="wire piezo")
    schematic.piezo((min(near, far), y))
    left = min(far - side * 18, far - side * 27)
    schematic.resistor((left, y - 1.5, left + 9, y + 1.5))
    schematic.add(
        label((left + 4.5, y - 2.1), "330–470 Ω", size=2.8, bold=True),
        text((rail - side * 17, y - 1.1), "piezo (optional)", size=3.2, anchor="middle"),
    )
