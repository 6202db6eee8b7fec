"""Pin assignments: each pin is used once, and is where the Pi's header and the Pico have it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from hardware.pins import VARIANTS, Variant, pinout

ROOT = Path(__file__).resolve().parents[2]
POOLS = ["ace", "king", "queen", "jack", "ten", "marriage", "sequence", "poch", "pinke"]
BUTTONS = [*POOLS, *(f"seat{place}" for place in range(1, 9)), "next", "undo"]


def words(text: str) -> list[str]:
    return text.split()


# The pinouts of the data sheets: the Pi's header in rows of two, starting with pins 1 and 2; the
# Pico down its left side and up its right side.
PI = words("""
    3V3 5V  2 5V  3 GND  4 14  GND 15  17 18  27 GND  22 23  3V3 24  10 GND  9 25  11 8  GND 7
    ID ID  5 GND  6 12  13 GND  19 16  26 20  GND 21
""")
PICO = words("""
    0 1 GND 2 3 4 5 GND 6 7 8 9 GND 10 11 12 13 GND 14 15
    16 17 GND 18 19 20 21 GND 22 RUN 26 27 AGND 28 ADC_VREF 3V3 3V3_EN GND VSYS VBUS
""")
PINOUTS: dict[Variant, list[str]] = {"gpio": PI, "pico": PICO}


def pin_data() -> dict[str, Any]:
    return tomllib.loads((ROOT / "hardware/pins.toml").read_text())


def assignments(variant: Variant) -> dict[str, tuple[int, int]]:
    """The GPIO number and the pin of each button and of the pixels."""
    if variant == "gpio":
        contacts = {**pin_data()["buttons"], "pixels": pin_data()["pixels"]["data"]}
        return {name: (pin["gpio"], pin["header"]) for name, pin in contacts.items()}
    pico = pin_data()["pico"]
    contacts = {**pico["buttons"], "pixels": pico["pixels"]["data"]}
    return {name: (pin["gp"], pin["pin"]) for name, pin in contacts.items()}


def at(variant: Variant, *words: str) -> list[int]:
    return [pin for pin, what in enumerate(PINOUTS[variant], start=1) if what in words]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_button_and_the_pixels_have_their_own_pin(variant: Variant) -> None:
    pins = assignments(variant)
    assert list(pins) == [*BUTTONS, "pixels"]
    assert len({number for number, _ in pins.values()}) == 20
    assert len({pin for _, pin in pins.values()}) == 20
    for name, (number, pin) in pins.items():
        assert PINOUTS[variant][pin - 1] == str(number), name


def test_pico_pins_follow_the_protocols_order_of_buttons() -> None:
    pins = assignments("pico")
    assert [pins[name][0] for name in BUTTONS] == list(range(19))
    assert pins["pixels"] == (22, 29)


def test_grounds_and_supplies_are_where_the_data_sheets_have_them() -> None:
    pi, pico = pin_data()["header"], pin_data()["pico"]["header"]
    assert pi["ground"] == at("gpio", "GND")
    assert pi["supply_5v"] == at("gpio", "5V")
    assert pi["supply_3v3"] == at("gpio", "3V3")
    assert pi["id_eeprom"] == at("gpio", "ID")
    assert pico["ground"] == at("pico", "GND")
    assert pico["analog_ground"] == at("pico", "AGND")
    named = {"run": "RUN", "adc_vref": "ADC_VREF", "supply_3v3": "3V3", "enable_3v3": "3V3_EN"}
    for key, word in {**named, "vsys": "VSYS", "vbus": "VBUS"}.items():
        assert [pico[key]] == at("pico", word), key


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_gpio_is_either_used_or_reserved(variant: Variant) -> None:
    header, pico = pin_data()["header"], pin_data()["pico"]["header"]
    reserved = header["reserved_gpio"] if variant == "gpio" else pico["reserved_gp"]
    used = {number for number, _ in assignments(variant).values()}
    numbers = {int(what) for what in PINOUTS[variant] if what.isdigit()}
    # The pixels use one of the reserved SPI0 pins.
    assert used & set(reserved) == ({10} if variant == "gpio" else set())
    assert used | set(reserved) == numbers


@pytest.mark.parametrize("variant", VARIANTS)
def test_pinouts_match_the_data_sheets(variant: Variant) -> None:
    pins = pinout(variant)
    assert [pin.number for pin in pins] == list(range(1, 41))
    by_number = {pin: name for name, (_, pin) in assignments(variant).items()}
    for pin, what in zip(pins, PINOUTS[variant], strict=True):
        assert (pin.kind == "ground") == (what == "GND"), pin
        assert pin.button == by_number.get(pin.number, "").replace("pixels", ""), pin
        if what.isdigit():
            prefix = "GPIO " if variant == "gpio" else "GP"
            assert pin.label.split(" (")[0] == f"{prefix}{what}"
