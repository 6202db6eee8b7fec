"""Checks of the board on the Pi's header: libraries, device files, pins."""

from __future__ import annotations

import errno
import getpass
import importlib.metadata
import importlib.util
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from pochboard.boards.gpio.piezo import PIN as PIEZO_PIN
from pochboard.buttons.press import CONTROLS, SEAT_BUTTONS
from pochboard.config import Gpio
from pochboard.doctor.check import Check, install_fix
from pochboard.lights.lights_config import LightsConfig
from pochboard.rules.accounts import POOLS
from pochboard.text.lazy import os_reason

BUTTON_PINS: Final = (*range(2, 7), 12, 13, *range(16, 28))
"""The GPIO numbers that buttons may use: SPI0 takes 7 to 11, the UART 14 and 15."""
_INSTALL: Final = install_fix("gpio")
_CONFIG_TXT: Final = "/boot/firmware/config.txt"
_RESET_BYTES: Final = 128
"""The pause between two frames, as bytes."""


def gpio_checks(gpio: Gpio, lights: LightsConfig, *, root: Path = Path("/")) -> Iterator[Check]:
    """Checks everything in turn. `root` is the folder of `dev`, `proc` and `sys`."""
    # These variables make the libraries simulate the hardware, which the tests rely on.
    mock_pins = os.environ.get("GPIOZERO_PIN_FACTORY", "gpiod") != "gpiod"
    mock_pixels = "BLINKA_OS_AGNOSTIC" in os.environ
    model = _model(root)
    pi5 = re.search(r"Raspberry Pi (5|Compute Module 5)", model) is not None
    yield pins_check(gpio, lights.places)
    yield _machine(model, mock=mock_pins and mock_pixels)
    yield _gpiozero()
    if gpio.display:
        yield _display_bus(gpio.display, root)
    yield _piezo(gpio)
    if not mock_pins:
        yield _library("buttons: driver", "gpiod", "gpiod")
        yield from _lines(gpio, lights.places, root)
    yield _library("pixels: Blinka", "adafruit_blinka", "Adafruit-Blinka")
    yield _library(
        "pixels: library", gpio.driver, f"adafruit-circuitpython-{gpio.driver}".replace("_", "-")
    )
    if not mock_pixels:
        yield from _pixel_driver(gpio, lights, root, pi5=pi5)


def _display_bus(device: str, root: Path) -> Check:
    """Whether the display's I²C bus can be used. A board can be played without a display."""
    fix = "Run sudo systemd/install.sh, which sets up the bus, and restart the Pi."
    check = _device("display: bus", root, device.lstrip("/"), fix)
    return msgspec.structs.replace(check, ok=True)


def _piezo(gpio: Gpio) -> Check:
    """Whether a piezo is configured. It is not possible to detect one."""
    if gpio.piezo:
        found = f"The piezo is on GPIO {PIEZO_PIN}; the page /build plays it."
    else:
        found = "No piezo is configured (piezo in [gpio])."
    return Check("sound: piezo", ok=True, found=found)


def _pixel_driver(gpio: Gpio, lights: LightsConfig, root: Path, *, pi5: bool) -> Iterator[Check]:
    if gpio.driver == "neopixel" and pi5:
        yield _library(
            "pixels: driver",
            "adafruit_raspberry_pi5_neopixel_write",
            "Adafruit-Blinka-Raspberry-Pi5-Neopixel",
        )
        fix = (
            "Upgrade the Pi's system and firmware: sudo apt full-upgrade, sudo"
            " rpi-eeprom-update -a, then restart it."
        )
        yield _device("pixels: PIO", root, "dev/pio0", fix)
        return
    if gpio.driver == "neopixel":
        yield _library("pixels: driver", "_rpi_ws281x", "rpi_ws281x")
        yield _device(
            "pixels: pin",
            root,
            "dev/gpiomem",
            "Upgrade the Pi's system, then restart it.",
        )
    fix = f"Add dtparam=spi=on to {_CONFIG_TXT} and restart the Pi."
    yield _device("pixels: SPI", root, "dev/spidev0.0", fix)
    if (root / "dev/spidev0.0").exists():
        yield _buffer(gpio, lights, root)


def _model(root: Path) -> str:
    try:
        text = (root / "proc/device-tree/model").read_text("utf-8", "replace")
    except OSError:
        return ""
    return text.strip("\0\n ")


def _machine(model: str, *, mock: bool) -> Check:
    if "Raspberry Pi" in model or mock:
        return Check(
            "machine",
            ok=True,
            found=f"This is a {model}." if model else "This is a simulated machine.",
        )
    if model:
        found = f'This is a "{model}", not a Raspberry Pi: it has no header for buttons and pixels.'
    else:
        found = "This is not a Raspberry Pi: it has no header for buttons and pixels."
    return Check(
        "machine",
        ok=False,
        found=found,
        fix='Choose board = "simulator" or "pico" in config.toml.',
    )


def pins_used(gpio: Gpio, places: int) -> dict[str, int]:
    """The GPIO number of each button of a board with this many places."""
    pins = msgspec.structs.asdict(gpio.pins)
    buttons = (*POOLS, *SEAT_BUTTONS[:places], *CONTROLS)
    return {button: pins[button] for button in buttons}


def pins_check(gpio: Gpio, places: int) -> Check:
    """Whether each button has a pin of its own that it may have."""

    def wrong(found: str) -> Check:
        fix = (
            "Give each button its own pin in [gpio.pins]; choose from 2 to 6, 12, 13 and 16 to 27."
        )
        return Check("buttons: pins", ok=False, found=found, fix=fix)

    taken: dict[int, str] = {}
    for button, pin in pins_used(gpio, places).items():
        if pin not in BUTTON_PINS:
            if pin in {14, 15}:
                found = f"Button {button} cannot be on GPIO {pin}, which the UART uses."
            else:
                found = f"Button {button} cannot be on GPIO {pin}, which SPI0 uses for the pixels."
            return wrong(found)
        if pin in taken:
            return wrong(f"GPIO {pin} has two buttons, {taken[pin]} and {button}.")
        taken[pin] = button
    return Check("buttons: pins", ok=True, found="Every button has its own pin.")


def _library(name: str, module: str, package: str) -> Check:
    if _installed(module):
        return Check(
            name,
            ok=True,
            found=f"The Python package {package} is installed.",
        )
    return Check(
        name,
        ok=False,
        found=f"The Python package {package} is not installed.",
        fix=_INSTALL,
    )


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _gpiozero() -> Check:
    name = "buttons: library"
    library = _library(name, "gpiozero", "gpiozero")
    if not library.ok:
        return library
    try:
        version = importlib.metadata.version("gpiozero")
    except importlib.metadata.PackageNotFoundError:
        return library  # installed without metadata, so the version is unknown
    if int(re.match(r"\d*", version)[0] or 2) < 2:  # type: ignore[index]
        return Check(
            name,
            ok=False,
            found=f"gpiozero {version} is too old; it must be 2.0 or later.",
            fix=_INSTALL,
        )
    return Check(name, ok=True, found=f"gpiozero {version} is installed.")


def _lines(gpio: Gpio, places: int, root: Path) -> Iterator[Check]:
    """Whether the chip of the header can be used, and nothing else uses the pins of the board."""
    fix = "Upgrade the Pi's system, then restart it."
    chips = sorted((root / "dev").glob("gpiochip*"))
    paths = [path.relative_to(root) for path in chips] or [Path("dev/gpiochip0")]
    checks = [_device("buttons: chip", root, str(path), fix) for path in paths]
    yield next((check for check in checks if not check.ok), checks[0])
    if root != Path("/") or not all(check.ok for check in checks) or not _installed("gpiod"):
        return
    from pochboard.gpiod_pins import busy_lines

    pins = list(pins_used(gpio, places).values())
    for name, numbers in (("buttons: lines", pins), ("sound: line", [PIEZO_PIN] * gpio.piezo)):
        try:
            busy = busy_lines(numbers, but="pochboard")
        except (OSError, ImportError) as error:
            yield Check(name, ok=False, found=f"The pins cannot be looked at: {error}.", fix=fix)
            return
        # A board can be played without sound.
        sound = numbers == [PIEZO_PIN]
        if busy:
            fix = f"Take what uses it out of {_CONFIG_TXT}, or give the button another pin."
            if sound:
                fix = f"Replace dtparam=spi=on by dtoverlay=spi0-1cs in {_CONFIG_TXT}."
            yield Check(name, ok=sound, found=f"{'; '.join(busy)}.", fix=fix)
        elif numbers:
            yield Check(name, ok=True, found="Nothing else uses them.")


def _device(name: str, root: Path, path: str, fix: str) -> Check:
    """Whether a device file exists and this user may use it."""
    try:
        file = os.open(root / path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENODEV, errno.ENXIO}:
            if "spidev" in path:
                found = f"SPI is disabled: /{path} does not exist."
            else:
                found = f"/{path} does not exist."
            return Check(name, ok=False, found=found, fix=fix)
        return Check(
            name,
            ok=False,
            found=f"This user may not use /{path} ({os_reason(error)}).",
            fix=_permission(root, path, error),
        )
    os.close(file)
    return Check(name, ok=True, found=f"/{path} is accessible.")


def _permission(root: Path, path: str, error: OSError) -> str:
    if error.errno == errno.EPERM:
        return "The service forbids it. Install the service again with sudo systemd/install.sh."
    group = "spi" if "spidev" in path else "i2c" if "i2c" in path else "gpio"
    if path == "dev/pio0" and (root / path).stat().st_gid == 0:
        return (
            "Give it to the group gpio: sudo install -m 644 systemd/70-pochboard-pio.rules"
            " /etc/udev/rules.d/, and restart the Pi."
        )
    return f"Run sudo usermod -aG {group} {user_name()}, then log out and in again."


def user_name() -> str:
    """The name of this user, or the id if it has none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _buffer(gpio: Gpio, lights: LightsConfig, root: Path) -> Check:
    """Whether a frame fits into the SPI buffer, so that it is sent without a gap."""
    name = "pixels: length"
    try:
        room = int((root / "sys/module/spidev/parameters/bufsiz").read_text())
    except (OSError, ValueError):
        room = 4096
    # rpi_ws281x sends 3 bits per bit and always reserves a fourth colour; neopixel_spi sends 8.
    colours = 4 if gpio.driver == "neopixel" or gpio.kind == "rgbw" else 3
    needed = lights.pixels * colours * (3 if gpio.driver == "neopixel" else 8) + _RESET_BYTES
    if needed <= room:
        return Check(
            name,
            ok=True,
            found=f"A frame of {lights.pixels} pixels fits into the SPI buffer.",
        )
    return Check(
        name,
        ok=False,
        found=(
            f"A frame of {lights.pixels} pixels takes {needed} bytes, more than the SPI buffer"
            f" ({room})."
        ),
        fix="Add spidev.bufsiz=32768 to /boot/firmware/cmdline.txt and restart the Pi.",
    )
