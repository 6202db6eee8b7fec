"""The pinouts of pins.toml as records: the Pi's 40-pin header, and the Pico."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from pochboard.text.encodings import written_text

Variant = Literal["gpio", "pico"]
PinKind = Literal["button", "pixels", "piezo", "ground", "supply", "reserved", "free"]

VARIANTS: Final[tuple[Variant, ...]] = ("gpio", "pico")
PINS_FILE: Final = Path(__file__).with_name("pins.toml")
PIN_COUNT: Final = 40

PICO_FREE_PINS: Final = {19: 25, 20: 26, 21: 27, 26: 31, 27: 32, 28: 34}
"""The pin of each GP number that pins.toml only lists as reserved."""
PI_RESERVED_PINS: Final = {7: 26, 8: 24, 9: 21, 11: 23, 14: 8, 15: 10}
"""The same for the GPIO numbers of the Pi's header."""


class Pin(msgspec.Struct, frozen=True):
    """One of the 40 pins of the Pi's header or of a Pico."""

    number: int
    """The position on the header, or around the Pico."""
    kind: PinKind
    label: str
    """The name that software uses, such as GPIO 4 or GP0, or the pin's function."""
    button: str = ""


@cache
def _pins_file() -> dict[str, Any]:
    """The content of pins.toml, cached because each drawn pin is looked up in it."""
    return tomllib.loads(written_text(PINS_FILE.read_bytes()))


def pinout(variant: Variant) -> tuple[Pin, ...]:
    """All 40 pins of a variant, by number."""
    data = _pins_file()
    pins = _pi_header(data) if variant == "gpio" else _pico(data["pico"])
    assert sorted(pin.number for pin in pins) == list(range(1, PIN_COUNT + 1))
    return tuple(sorted(pins, key=lambda pin: pin.number))


def display_pins(variant: Variant) -> dict[str, Pin]:
    """What each pin of a display is wired to: VCC, GND, SDA and SCL."""
    data = _pins_file()
    plan, key = (data, "header") if variant == "gpio" else (data["pico"], "pin")
    by_number = {pin.number: pin for pin in pinout(variant)}
    sda, scl = (plan["display"][line][key] for line in ("sda", "scl"))
    # In the same row of the header, or on the same side of the Pico.
    step = 2 if variant == "gpio" else 1
    grounds = [pin for pin in plan["header"]["ground"] if (pin - scl) % step == 0]
    supply = plan["header"]["supply_3v3"]
    return {
        "VCC": by_number[supply if isinstance(supply, int) else supply[0]],
        "GND": by_number[min(grounds, key=lambda pin: (abs(pin - scl), -pin))],
        "SDA": by_number[sda],
        "SCL": by_number[scl],
    }


def _pi_header(data: dict[str, Any]) -> list[Pin]:
    header, pixels, piezo = data["header"], data["pixels"]["data"], data["piezo"]["signal"]
    buses = dict.fromkeys(PI_RESERVED_PINS, "SPI0")
    buses |= {pin["gpio"]: name.upper() for name, pin in data["display"].items()}
    return [
        *(
            Pin(pin["header"], "button", f"GPIO {pin['gpio']}", name)
            for name, pin in data["buttons"].items()
        ),
        Pin(pixels["header"], "pixels", f"GPIO {pixels['gpio']} (MOSI)"),
        Pin(piezo["header"], "piezo", f"GPIO {piezo['gpio']}"),
        *(Pin(number, "ground", "ground") for number in header["ground"]),
        *(Pin(number, "supply", "5 V") for number in header["supply_5v"]),
        *(Pin(number, "supply", "3.3 V") for number in header["supply_3v3"]),
        *(Pin(number, "reserved", "ID EEPROM") for number in header["id_eeprom"]),
        *(
            Pin(PI_RESERVED_PINS[gpio], "reserved", f"GPIO {gpio} ({buses[gpio]})")
            for gpio in header["reserved_gpio"]
            if gpio not in (pixels["gpio"], piezo["gpio"])
        ),
    ]


def _pico(data: dict[str, Any]) -> list[Pin]:
    header, pixels, piezo = data["header"], data["pixels"]["data"], data["piezo"]["signal"]
    uses = {pin["gp"]: f" ({name.upper()})" for name, pin in data["display"].items()}
    return [
        *(
            Pin(pin["pin"], "button", f"GP{pin['gp']}", name)
            for name, pin in data["buttons"].items()
        ),
        Pin(pixels["pin"], "pixels", f"GP{pixels['gp']}"),
        Pin(piezo["pin"], "piezo", f"GP{piezo['gp']}"),
        *(Pin(number, "ground", "ground") for number in header["ground"]),
        *(Pin(number, "reserved", "AGND") for number in header["analog_ground"]),
        Pin(header["run"], "reserved", "RUN"),
        Pin(header["adc_vref"], "reserved", "ADC_VREF"),
        Pin(header["supply_3v3"], "supply", "3V3 out"),
        Pin(header["enable_3v3"], "reserved", "3V3_EN"),
        Pin(header["vsys"], "supply", "VSYS"),
        Pin(header["vbus"], "supply", "VBUS"),
        *(
            Pin(PICO_FREE_PINS[gp], "free", f"GP{gp}{uses.get(gp, '')}")
            for gp in header["reserved_gp"]
            if gp != piezo["gp"]
        ),
    ]
