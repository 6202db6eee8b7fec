"""What the board on the header needs of its machine: libraries, device files, pins."""

from __future__ import annotations

import errno
import getpass
import importlib.metadata
import importlib.util
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from pochboard.boards.checks import Check, install_mend
from pochboard.buttons.press import CONTROLS, SEAT_BUTTONS
from pochboard.config import Gpio
from pochboard.lights.display import DisplayConfig
from pochboard.rules.board import POOLS

BUTTON_PINS: Final = (*range(2, 7), 12, 13, *range(16, 28))
"""The GPIO numbers that are free for buttons: SPI0 takes 7 to 11, the UART 14 and 15."""
_INSTALL: Final = install_mend("gpio")
_CONFIG_TXT: Final = "/boot/firmware/config.txt"
_RESET_BYTES: Final = 128
"""Room for the silence between two frames."""


def gpio_checks(gpio: Gpio, look: DisplayConfig, *, root: Path = Path("/")) -> Iterator[Check]:
    """Looks at everything in turn; `root` is where `dev`, `proc` and `sys` are."""
    # With these two set the libraries play a machine of their own, as the tests have it.
    played_pins = os.environ.get("GPIOZERO_PIN_FACTORY", "lgpio") != "lgpio"
    played_pixels = "BLINKA_OS_AGNOSTIC" in os.environ
    model = _model(root)
    pi5 = re.search(r"Raspberry Pi (5|Compute Module 5)", model) is not None
    yield _pins(pins_used(gpio, look.places))
    yield _machine(model, played=played_pins and played_pixels)
    yield _gpiozero()
    if not played_pins:
        yield _library("buttons: driver", "lgpio", "lgpio")
        yield _gpiochip(root)
    yield _library("pixels: Blinka", "adafruit_blinka", "Adafruit-Blinka")
    yield _library(
        "pixels: library", gpio.driver, f"adafruit-circuitpython-{gpio.driver}".replace("_", "-")
    )
    if not played_pixels:
        yield from _pixel_driver(gpio, look, root, pi5=pi5)


def _pixel_driver(gpio: Gpio, look: DisplayConfig, root: Path, *, pi5: bool) -> Iterator[Check]:
    yield _library("pixels: pins", "gpiod", "gpiod")
    if gpio.driver == "neopixel" and pi5:
        yield _library(
            "pixels: driver",
            "adafruit_raspberry_pi5_neopixel_write",
            "Adafruit-Blinka-Raspberry-Pi5-Neopixel",
        )
        mend = (
            "Bring the Pi's system and firmware up to date: "
            "sudo apt full-upgrade, sudo rpi-eeprom-update -a, then restart it."
        )
        yield _device("pixels: PIO", root, "dev/pio0", mend)
        return
    if gpio.driver == "neopixel":
        yield _library("pixels: driver", "_rpi_ws281x", "rpi_ws281x")
        yield _device(
            "pixels: pin", root, "dev/gpiomem", "Bring the Pi's system up to date, and restart it."
        )
    mend = f"Write dtparam=spi=on into {_CONFIG_TXT} and restart the Pi."
    yield _device("pixels: SPI", root, "dev/spidev0.0", mend)
    yield _buffer(gpio, look, root)


def _model(root: Path) -> str:
    try:
        text = (root / "proc/device-tree/model").read_text("utf-8", "replace")
    except OSError:
        return ""
    return text.strip("\0\n ")


def _machine(model: str, *, played: bool) -> Check:
    if "Raspberry Pi" in model or played:
        return Check("machine", ok=True, found=f"This is a {model or 'machine that is played'}.")
    what = f'This machine is no Raspberry Pi but "{model}"' if model else "This is no Raspberry Pi"
    return Check(
        "machine",
        ok=False,
        found=f"{what}: it has no header for buttons and pixels.",
        mend='Choose board = "simulator" or "pico" in config.toml.',
    )


def pins_used(gpio: Gpio, places: int) -> dict[str, int]:
    """The GPIO number of each button of a board that has so many places."""
    pins = msgspec.structs.asdict(gpio.pins)
    buttons = (*POOLS, *SEAT_BUTTONS[:places], *CONTROLS)
    return {button: pins[button] for button in buttons}


def _pins(pins: Mapping[str, int]) -> Check:
    def wrong(found: str) -> Check:
        free = "2 to 6, 12, 13 and 16 to 27"
        mend = f"Give each button a pin of its own in [gpio.pins], of {free}."
        return Check("buttons: pins", ok=False, found=found, mend=mend)

    taken: dict[int, str] = {}
    for button, pin in pins.items():
        if pin not in BUTTON_PINS:
            whose = "the UART's" if pin in {14, 15} else "SPI0's, which the pixels hang on"
            return wrong(f"Button {button} cannot be on GPIO {pin}, which is {whose}.")
        if pin in taken:
            return wrong(f"GPIO {pin} is given to two buttons, {taken[pin]} and {button}.")
        taken[pin] = button
    return Check("buttons: pins", ok=True, found="Every button has a pin of its own.")


def _library(name: str, module: str, package: str) -> Check:
    if _there(module):
        return Check(name, ok=True, found=f"The Python package {package} is there.")
    return Check(
        name, ok=False, found=f"The Python package {package} is not installed.", mend=_INSTALL
    )


def _there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _gpiozero() -> Check:
    name = "buttons: library"
    there = _library(name, "gpiozero", "gpiozero")
    if not there.ok:
        return there
    try:
        version = importlib.metadata.version("gpiozero")
    except importlib.metadata.PackageNotFoundError:
        return there  # from somewhere without a note of its version
    if int(re.match(r"\d*", version)[0] or 2) < 2:  # type: ignore[index]
        return Check(
            name,
            ok=False,
            found=f"gpiozero {version} is too old; 2.0 or later is needed.",
            mend=_INSTALL,
        )
    return Check(name, ok=True, found=f"gpiozero {version} is there.")


def _gpiochip(root: Path) -> Check:
    # As gpiozero chooses: on a Pi 5 the header may be the fifth chip.
    chip = "dev/gpiochip4" if (root / "dev/gpiochip4").exists() else "dev/gpiochip0"
    mend = "Bring the Pi's system up to date, and restart it."
    return _device("buttons: chip", root, chip, mend)


def _device(name: str, root: Path, path: str, mend: str) -> Check:
    """Whether a device file is there and this user may use it."""
    try:
        file = os.open(root / path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENODEV, errno.ENXIO}:
            what = "SPI is not enabled: " if "spidev" in path else ""
            return Check(name, ok=False, found=f"{what}/{path} is not there.", mend=mend)
        return Check(
            name,
            ok=False,
            found=f"This user may not use /{path} ({error.strerror}).",
            mend=_permission(root, path, error),
        )
    os.close(file)
    return Check(name, ok=True, found=f"/{path} can be used.")


def _permission(root: Path, path: str, error: OSError) -> str:
    if error.errno == errno.EPERM:
        return "The service does not allow it: install it anew with sudo systemd/install.sh."
    group = "spi" if "spidev" in path else "gpio"
    if path == "dev/pio0" and (root / path).stat().st_gid == 0:
        return (
            "Give it to the group gpio: write "
            'SUBSYSTEM=="*-pio", GROUP="gpio", MODE="0660" '
            "into /etc/udev/rules.d/99-pio.rules and restart the Pi."
        )
    return (
        f"Add the user to the group {group}: sudo usermod -aG {group} {_user()}, and log in anew."
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this number
        return str(os.getuid())


def _buffer(gpio: Gpio, look: DisplayConfig, root: Path) -> Check:
    """Whether a frame goes over SPI in one piece."""
    name = "pixels: length"
    try:
        room = int((root / "sys/module/spidev/parameters/bufsiz").read_text())
    except (OSError, ValueError):
        room = 4096
    # rpi_ws281x sends three bits for one and keeps room for a fourth colour, neopixel_spi eight.
    colours = 4 if gpio.driver == "neopixel" or gpio.kind == "rgbw" else 3
    needed = look.pixels * colours * (3 if gpio.driver == "neopixel" else 8) + _RESET_BYTES
    if needed <= room:
        return Check(
            name, ok=True, found=f"A frame of {look.pixels} pixels fits into SPI's buffer."
        )
    return Check(
        name,
        ok=False,
        found=f"A frame of {look.pixels} pixels needs {needed} bytes, SPI's buffer has {room}.",
        mend="Add spidev.bufsiz=32768 to /boot/firmware/cmdline.txt and restart the Pi.",
    )
