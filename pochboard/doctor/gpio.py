"""Checks of the board on the Pi's header: libraries, device files, pins."""

from __future__ import annotations

import errno
import getpass
import importlib.metadata
import importlib.util
import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from pochboard.boards.gpio import PIEZO_PIN
from pochboard.buttons.press import CONTROLS, SEAT_BUTTONS
from pochboard.config import Gpio
from pochboard.doctor.check import Check, Note, ProbeError, Row, install_fix, run
from pochboard.lights.lights_config import LightsConfig
from pochboard.rules.accounts import POOLS
from pochboard.text.lazy import os_reason

BUTTON_PINS: Final = (*range(2, 7), 12, 13, *range(16, 28))
"""The GPIO numbers that buttons may use: SPI0 takes 7 to 11, the UART 14 and 15."""
_INSTALL: Final = install_fix("gpio")
_CONFIG_TXT: Final = "/boot/firmware/config.txt"
_OWN_PINS: Final = (
    "Give each button its own pin in [gpio.pins]; choose from 2 to 6, 12, 13 and 16 to 27."
)
_OTHER_BOARD: Final = 'Choose board = "simulator" or "pico" in config.toml.'
_UPGRADE: Final = "Upgrade the Pi's system, then restart it."
_UPGRADE_FIRMWARE: Final = (
    "Upgrade the Pi's system and firmware: sudo apt full-upgrade, sudo rpi-eeprom-update -a, then"
    " restart it."
)
_LARGER_BUFFER: Final = "Add spidev.bufsiz=32768 to /boot/firmware/cmdline.txt and restart the Pi."
_RESET_BYTES: Final = 128
"""The pause between two frames, as bytes."""


def gpio_checks(gpio: Gpio, lights: LightsConfig, *, root: Path = Path("/")) -> Iterator[Check]:
    """Checks everything in turn. `root` is the folder of `dev`, `proc` and `sys`."""
    # This variable makes Blinka simulate the hardware, which the tests rely on.
    mock = "BLINKA_OS_AGNOSTIC" in os.environ
    model = _model(root)
    pixels = f"adafruit-circuitpython-{gpio.driver}".replace("_", "-")
    rows = [
        Row("buttons: pins", partial(_pins, gpio, lights.places), _OWN_PINS),
        Row("machine", partial(_machine, model, mock=mock), _OTHER_BOARD),
        _library_row("buttons: library", "gpiozero", "gpiozero"),
        _library_row("buttons: driver", "gpiod", "gpiod"),
        Row("display: bus", lambda: _display_bus(gpio.display, root) if gpio.display else None),
        Row("sound: piezo", partial(_piezo, gpio)),
    ]
    if not mock:
        rows += _line_rows(gpio, lights.places, root)
    rows += [
        _library_row("pixels: Blinka", "adafruit_blinka", "Adafruit-Blinka"),
        _library_row("pixels: library", gpio.driver, pixels),
    ]
    if not mock:
        pi5 = re.search(r"Raspberry Pi (5|Compute Module 5)", model) is not None
        rows += _pixel_rows(gpio, lights, root, pi5=pi5)
    yield from run(rows)


def _display_bus(device: str, root: Path) -> str | Note:
    """Whether the display's I²C bus can be used. A board can be played without a display."""
    try:
        return _device(root, device.lstrip("/"))
    except ProbeError as error:
        fix = "Run sudo systemd/install.sh, which sets up the bus, and restart the Pi."
        return Note(error.problem.found, error.problem.fix or fix)


def _piezo(gpio: Gpio) -> str:
    """Whether a piezo is configured. It is not possible to detect one."""
    if gpio.piezo:
        return f"The piezo is on GPIO {PIEZO_PIN}; the page /build plays it."
    return "No piezo is configured (piezo in [gpio])."


def _pixel_rows(gpio: Gpio, lights: LightsConfig, root: Path, *, pi5: bool) -> list[Row]:
    def device(name: str, path: str, fix: str) -> Row:
        return Row(name, partial(_device, root, path), fix)

    if gpio.driver == "neopixel" and pi5:
        module = "adafruit_raspberry_pi5_neopixel_write"
        package = "Adafruit-Blinka-Raspberry-Pi5-Neopixel"
        return [
            _library_row("pixels: driver", module, package),
            device("pixels: PIO", "dev/pio0", _UPGRADE_FIRMWARE),
        ]
    rows = []
    if gpio.driver == "neopixel":
        rows = [
            _library_row("pixels: driver", "_rpi_ws281x", "rpi_ws281x"),
            device("pixels: pin", "dev/gpiomem", _UPGRADE),
        ]
    fix = f"Add dtparam=spi=on to {_CONFIG_TXT} and restart the Pi."
    return [
        *rows,
        device("pixels: SPI", "dev/spidev0.0", fix),
        Row("pixels: length", partial(_buffer, gpio, lights, root), _LARGER_BUFFER),
    ]


def _model(root: Path) -> str:
    try:
        text = (root / "proc/device-tree/model").read_text("utf-8", "replace")
    except OSError:
        return ""
    return text.strip("\0\n ")


def _machine(model: str, *, mock: bool) -> str:
    if "Raspberry Pi" in model or mock:
        return f"This is a {model}." if model else "This is a simulated machine."
    what = f'This is a "{model}", not a Raspberry Pi' if model else "This is not a Raspberry Pi"
    raise ProbeError(f"{what}: it has no header for buttons and pixels.")


def pins_used(gpio: Gpio, places: int) -> dict[str, int]:
    """The GPIO number of each button of a board with this many places."""
    pins = msgspec.structs.asdict(gpio.pins)
    buttons = (*POOLS, *SEAT_BUTTONS[:places], *CONTROLS)
    return {button: pins[button] for button in buttons}


def pins_check(gpio: Gpio, places: int) -> Check:
    """Whether each button has a pin of its own that it may have."""
    (check,) = run([Row("buttons: pins", partial(_pins, gpio, places), _OWN_PINS)])
    return check


def _pins(gpio: Gpio, places: int) -> str:
    taken: dict[int, str] = {}
    for button, pin in pins_used(gpio, places).items():
        if pin not in BUTTON_PINS:
            user = "which the UART uses" if pin in {14, 15} else "which SPI0 uses for the pixels"
            raise ProbeError(f"Button {button} cannot be on GPIO {pin}, {user}.")
        if pin in taken:
            raise ProbeError(f"GPIO {pin} has two buttons, {taken[pin]} and {button}.")
        taken[pin] = button
    return "Every button has its own pin."


def _library_row(name: str, module: str, package: str) -> Row:
    return Row(name, partial(_library, module, package), _INSTALL)


def _library(module: str, package: str) -> str:
    if _installed(module):
        return f"The Python package {package} is installed."
    raise ProbeError(f"The Python package {package} is not installed.")


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _line_rows(gpio: Gpio, places: int, root: Path) -> list[Row]:
    """Whether the chip of the header can be used, and nothing else uses the pins of the board."""
    pins = list(pins_used(gpio, places).values())
    paths = sorted(str(path.relative_to(root)) for path in (root / "dev").glob("gpiochip*"))

    def chip() -> str:
        every = [_device(root, path) for path in paths or ["dev/gpiochip0"]]
        return every[0]

    def free(numbers: list[int]) -> str | None:
        if not numbers or root != Path("/") or not _installed("gpiod") or not _works(chip):
            return None
        from pochboard.boards.gpio.lines import busy_lines

        try:
            busy = busy_lines(numbers, but="pochboard")
        except (OSError, ImportError) as error:
            raise ProbeError(f"The pins cannot be looked at: {error}.", _UPGRADE) from None
        if busy:
            raise ProbeError(f"{'; '.join(busy)}.")
        return "Nothing else uses them."

    def sound() -> str | Note | None:
        try:
            return free([PIEZO_PIN] * gpio.piezo)
        except ProbeError as error:  # a board can be played without sound
            fix = f"Replace dtparam=spi=on by dtoverlay=spi0-1cs in {_CONFIG_TXT}."
            return Note(error.problem.found, error.problem.fix or fix)

    fix = f"Take what uses it out of {_CONFIG_TXT}, or give the button another pin."
    return [
        Row("buttons: chip", chip, _UPGRADE),
        Row("buttons: lines", lambda: free(pins), fix),
        Row("sound: line", sound),
    ]


def _works(probe: Callable[[], object]) -> bool:
    try:
        probe()
    except ProbeError:
        return False
    return True


def _device(root: Path, path: str) -> str:
    """Whether a device file exists and this user may use it."""
    try:
        file = os.open(root / path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENODEV, errno.ENXIO}:
            off = "SPI is disabled: " if "spidev" in path else ""
            raise ProbeError(f"{off}/{path} does not exist.") from None
        found = f"This user may not use /{path} ({os_reason(error)})."
        raise ProbeError(found, _permission(root, path, error)) from None
    os.close(file)
    return f"/{path} is accessible."


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


def _buffer(gpio: Gpio, lights: LightsConfig, root: Path) -> str | None:
    """Whether a frame fits into the SPI buffer, so that it is sent without a gap."""
    if not (root / "dev/spidev0.0").exists():
        return None
    try:
        room = int((root / "sys/module/spidev/parameters/bufsiz").read_text())
    except (OSError, ValueError):
        room = 4096
    # rpi_ws281x sends 3 bits per bit and always reserves a fourth colour; neopixel_spi sends 8.
    colours = 4 if gpio.driver == "neopixel" or gpio.kind == "rgbw" else 3
    needed = lights.pixels * colours * (3 if gpio.driver == "neopixel" else 8) + _RESET_BYTES
    frame = f"A frame of {lights.pixels} pixels"
    if needed > room:
        raise ProbeError(f"{frame} takes {needed} bytes, more than the SPI buffer ({room}).")
    return f"{frame} fits into the SPI buffer."
