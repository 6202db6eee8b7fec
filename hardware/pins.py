"""The pins of pins.toml as records, by variant: the Pi's header and the Pico."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

Variant = Literal["gpio", "pico"]
Kind = Literal["button", "pixels", "ground", "supply", "taken", "free"]

VARIANTS: Final[tuple[Variant, ...]] = ("gpio", "pico")
FILE: Final = Path(__file__).with_name("pins.toml")
PINS: Final = 40

PICO_GP: Final = {19: 25, 20: 26, 21: 27, 26: 31, 27: 32, 28: 34}
"""Where the numbers that pins.toml names only as reserved stand on the Pico."""
PI_GPIO: Final = {7: 26, 8: 24, 9: 21, 11: 23, 14: 8, 15: 10}
"""The same for the Pi's header."""


class Pin(msgspec.Struct, frozen=True):
    """One of the 40 pins of a header or a Pico."""

    number: int
    """Counted on the header or round the Pico."""
    kind: Kind
    label: str
    """What stands beside it: the number that software uses, or what it is."""
    button: str = ""


def load() -> dict[str, Any]:
    """pins.toml as it stands."""
    return tomllib.loads(FILE.read_text("utf-8"))


def pins_of(variant: Variant) -> tuple[Pin, ...]:
    """All 40 pins of a variant, by number."""
    plan = load()
    found = _pi(plan) if variant == "gpio" else _pico(plan["pico"])
    assert sorted(pin.number for pin in found) == list(range(1, PINS + 1))
    return tuple(sorted(found, key=lambda pin: pin.number))


def _pi(plan: dict[str, Any]) -> list[Pin]:
    header, data = plan["header"], plan["pixels"]["data"]
    spare = {gpio: "UART" if gpio in {14, 15} else "SPI0" for gpio in PI_GPIO}
    return [
        *(
            Pin(pin["header"], "button", f"GPIO {pin['gpio']}", name)
            for name, pin in plan["buttons"].items()
        ),
        Pin(data["header"], "pixels", f"GPIO {data['gpio']} (MOSI)"),
        *(Pin(number, "ground", "ground") for number in header["ground"]),
        *(Pin(number, "supply", "5 V") for number in header["supply_5v"]),
        *(Pin(number, "supply", "3.3 V") for number in header["supply_3v3"]),
        *(Pin(number, "taken", "ID EEPROM") for number in header["id_eeprom"]),
        *(
            Pin(PI_GPIO[gpio], "taken", f"GPIO {gpio} ({spare[gpio]})")
            for gpio in header["reserved_gpio"]
            if gpio != data["gpio"]
        ),
    ]


def _pico(plan: dict[str, Any]) -> list[Pin]:
    header, data = plan["header"], plan["pixels"]["data"]
    return [
        *(
            Pin(pin["pin"], "button", f"GP{pin['gp']}", name)
            for name, pin in plan["buttons"].items()
        ),
        Pin(data["pin"], "pixels", f"GP{data['gp']}"),
        *(Pin(number, "ground", "ground") for number in header["ground"]),
        *(Pin(number, "taken", "AGND") for number in header["analog_ground"]),
        Pin(header["run"], "taken", "RUN"),
        Pin(header["adc_vref"], "taken", "ADC_VREF"),
        Pin(header["supply_3v3"], "supply", "3V3 out"),
        Pin(header["enable_3v3"], "taken", "3V3_EN"),
        Pin(header["vsys"], "supply", "VSYS"),
        Pin(header["vbus"], "supply", "VBUS"),
        *(Pin(PICO_GP[gp], "free", f"GP{gp}") for gp in header["reserved_gp"]),
    ]
