"""Checks of the board on the Pi's header: libraries, device files, pins, and how the Pi boots."""

from __future__ import annotations

import errno
import getpass
import os
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from pochboard.boards.gpio import PIEZO_PIN
from pochboard.buttons.press import CONTROLS, SEAT_BUTTONS
from pochboard.config import Config, Gpio
from pochboard.doctor.check import Check, Note, ProbeError, Row, install_fix, installed, run
from pochboard.lights.lights_config import LightsConfig
from pochboard.rules.accounts import POOLS
from pochboard.text.lazy import os_reason
from pochboard.text.translator import ENGLISH

BUTTON_PINS: Final = (*range(2, 7), 12, 13, *range(16, 28))
"""The GPIO numbers that buttons may use: SPI0 takes 7 to 11, the UART 14 and 15."""
_CONFIG_TXT: Final = ("boot/firmware/config.txt", "boot/config.txt")
"""The paths of config.txt: now, and before 2023."""
_CLOCKS: Final = {
    "3": ("core_freq=250",),
    "zero2": ("core_freq=250",),
    "4": ("core_freq=500", "core_freq_min=500"),
}
"""By model, the lines that keep the SPI clock constant; the Pi 5 needs none."""
_I2C: Final = ("i2c_arm", "i2c1", "i2c")
_OWN_PINS: Final = (
    "Give each button its own pin in [gpio.pins]; choose from 2 to 6, 12, 13 and 16 to 27."
)
_UPGRADE: Final = "Upgrade the Pi's system, then restart it."
_UPGRADE_FIRMWARE: Final = (
    "Upgrade the Pi's system and firmware: sudo apt full-upgrade, sudo rpi-eeprom-update -a, then"
    " restart it."
)
_RESET_BYTES: Final = 128
"""The pause between two frames, as bytes."""


def gpio_checks(gpio: Gpio, lights: LightsConfig, *, root: Path = Path("/")) -> Iterator[Check]:
    """Checks what the board needs to start. `root` is the folder of `dev`, `proc` and `sys`."""
    # This variable makes Blinka simulate the hardware, which the tests rely on.
    mock = "BLINKA_OS_AGNOSTIC" in os.environ
    model = _model(root)
    spi = _uses_spi(gpio, model)
    packages = {
        "gpiozero": "gpiozero",
        "gpiod": "gpiod",
        "adafruit_blinka": "Adafruit-Blinka",
        gpio.driver: f"adafruit-circuitpython-{gpio.driver}".replace("_", "-"),
    }
    if gpio.driver == "neopixel" and not mock:
        packages |= (
            {"_rpi_ws281x": "rpi_ws281x"}
            if spi
            else {"adafruit_raspberry_pi5_neopixel_write": "Adafruit-Blinka-Raspberry-Pi5-Neopixel"}
        )
    rows = [
        Row("buttons: pins", partial(_pins, gpio, lights.places), _OWN_PINS),
        Row(
            "machine",
            partial(_machine, model, mock=mock),
            'Choose board = "simulator" or "pico" in config.toml.',
        ),
        Row("libraries", partial(installed, packages), install_fix("gpio")),
        Row("display: bus", lambda: _display_bus(gpio.display, root) if gpio.display else None),
    ]
    if not mock:
        pins = [*pins_used(gpio, lights.places).values()]
        rows.append(Row("buttons: lines", partial(_lines, pins, root), _UPGRADE))
    if not mock and spi:
        if gpio.driver == "neopixel":
            rows.append(Row("pixels: pin", partial(_device, root, "dev/gpiomem"), _UPGRADE))
        enable = f"Add dtparam=spi=on to /{_CONFIG_TXT[0]} and restart the Pi."
        enlarge = "Add spidev.bufsiz=32768 to /boot/firmware/cmdline.txt and restart the Pi."
        rows += [
            Row("pixels: SPI", partial(_device, root, "dev/spidev0.0"), enable),
            Row("pixels: length", partial(_buffer, gpio, lights, root), enlarge),
        ]
    elif not mock:
        rows.append(Row("pixels: PIO", partial(_device, root, "dev/pio0"), _UPGRADE_FIRMWARE))
    yield from run(rows)


def _model(root: Path) -> str:
    """Such as `Raspberry Pi 4 Model B Rev 1.4`; empty if the machine does not say it."""
    return _read(root / "proc/device-tree/model").strip("\0\n ")


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""


def _family(model: str) -> str:
    """The model, as `_CLOCKS` distinguishes them."""
    if "Zero 2" in model:
        return "zero2"
    match = re.search(r"(?:Raspberry Pi|Compute Module) (\d)", model)
    return match[1] if match else ""


def _uses_spi(gpio: Gpio, model: str) -> bool:
    """Whether the pixels are driven by SPI, and not by the PIO of a Pi 5."""
    pi5 = "Raspberry Pi" in model and re.search(r"(Pi|Module) 5", model) is not None
    return gpio.driver == "neopixel_spi" or not pi5


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


def _display_bus(device: str, root: Path) -> str | Note:
    """Whether the display's I²C bus can be used. A board can be played without a display."""
    try:
        return _device(root, device.lstrip("/"))
    except ProbeError as error:
        fix = "Run sudo systemd/install.sh, which sets up the bus, and restart the Pi."
        return Note(error.found, error.fix or fix)


def _lines(pins: list[int], root: Path) -> str:
    """Whether the chip of the header can be used, and nothing else uses the pins of the board."""
    paths = sorted(str(path.relative_to(root)) for path in (root / "dev").glob("gpiochip*"))
    found, *_ = [_device(root, path) for path in paths or ["dev/gpiochip0"]]
    if root == Path("/"):
        try:
            from pochboard.boards.gpio.lines import busy_lines

            busy = busy_lines(pins, but="pochboard")
        except ImportError:
            return found  # `libraries` says so
        except OSError as error:
            raise ProbeError(f"The pins cannot be checked: {error}.") from None
        if busy:
            fix = f"Remove what uses it from /{_CONFIG_TXT[0]}, or give the button another pin."
            raise ProbeError(f"{'; '.join(busy)}.", fix)
    return found


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
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # it has no name
        user = str(os.getuid())
    return f"Run sudo usermod -aG {group} {user}, then log out and in again, or restart."


def _buffer(gpio: Gpio, lights: LightsConfig, root: Path) -> str | None:
    """Whether a frame fits into the SPI buffer, so that it is sent without a gap."""
    if not (root / "dev/spidev0.0").exists():
        return None
    room = int(_read(root / "sys/module/spidev/parameters/bufsiz") or 4096)
    # rpi_ws281x sends 3 bits per bit and always reserves a fourth colour; neopixel_spi sends 8.
    colours = 4 if gpio.driver == "neopixel" or gpio.kind == "rgbw" else 3
    needed = lights.pixels * colours * (3 if gpio.driver == "neopixel" else 8) + _RESET_BYTES
    frame = f"A frame of {lights.pixels} pixels"
    if needed > room:
        raise ProbeError(f"{frame} takes {needed} bytes, more than the SPI buffer ({room}).")
    return f"{frame} fits into the SPI buffer."


# The boot configuration of a Pi (BOARD.md 6).


def boot_checks(config: Config, root: Path) -> Iterator[Check]:
    """Whether config.txt sets up the pins as the board needs them."""
    model = _model(root)
    if "Raspberry Pi" not in model:
        return
    boot = read_boot(root, model)
    if boot is None:
        yield Check(
            "boot",
            ok=False,
            found=f"/{_CONFIG_TXT[0]} is missing or not readable.",
            fix="Use Raspberry Pi OS, and make the file readable with sudo chmod a+r.",
        )
        return
    pins = pins_used(config.gpio, config.number_of_places)
    yield from run(
        (
            Row("boot: pixels", partial(_spi, boot, model, config.gpio)),
            Row("boot: buses", partial(_buses, boot, pins, root)),
            Row("boot: sound", lambda: _piezo_pin(boot) if config.gpio.piezo else None),
        )
    )


class Boot(msgspec.Struct, frozen=True):
    """The settings of config.txt for one model."""

    file: str
    settings: dict[str, str]
    """The last value of each, such as `core_freq`."""
    params: dict[str, str]
    """The last value of each `dtparam`."""
    overlays: frozenset[str]
    """The names of all overlays."""

    def has(self, line: str) -> bool:
        """Whether this line is in effect."""
        key, _, value = line.partition("=")
        if key == "dtparam":
            name, _, value = value.partition("=")
            return _is_on(self.params.get(name, ""), value)
        return self.settings.get(key) == value


def _is_on(found: str, wanted: str) -> bool:
    on = ("on", "yes", "true", "1", "okay")
    return found == wanted or (wanted in on and found in on)


def read_boot(root: Path, model: str) -> Boot | None:
    """The settings of config.txt for this model; None if there is no such file."""
    path = next((path for path in _CONFIG_TXT if _read(root / path)), None)
    if path is None:
        return None
    settings: dict[str, str] = {}
    params: dict[str, str] = {}
    overlays: set[str] = set()
    applies, seen = True, {"all", *_sections(model)}
    for raw in _read(root / path).splitlines():
        line = raw.partition("#")[0].strip()
        if section := re.fullmatch(r"\[(.*)\]", line):
            # Others, of a monitor or a pin, narrow the one before; they are assumed to apply.
            if re.match(r"all$|none$|tryboot$|pi\d|cm\d", named := section[1].lower()):
                applies = named in seen
            continue
        key, sign, value = (part.strip() for part in line.partition("="))
        key = key.replace("device_tree_", "dt")  # the former names
        if not applies or not sign:
            continue
        if key == "dtoverlay":
            overlays.add(value.partition(",")[0])
        if key == "dtparam":
            for param in value.split(","):
                what, _, how = param.partition("=")
                params[what] = how or "on"
        else:
            settings[key] = value
    return Boot(f"/{path}", settings, params, frozenset(overlays))


def _sections(model: str) -> set[str]:
    """The sections of config.txt that a model sees; there is none of a Compute Module 3 alone.

    By Raspberry Pi's documentation, "config.txt", "Conditional filters", "Model filters".
    """
    family = _family(model)
    seen = {"pi0", "pi0w", "pi02"} if family == "zero2" else {f"pi{family}"}
    if re.search(r"Pi 3 Model [AB] Plus", model):
        seen.add("pi3+")
    if special := re.search(r"Pi (\d00)|Compute Module (4S?|5)\b", model):
        seen.add(f"pi{special[1]}" if special[1] else f"cm{special[2].lower()}")
    return seen


def _spi(boot: Boot, model: str, gpio: Gpio) -> str:
    """Whether SPI is enabled, with a constant clock."""
    if not _uses_spi(gpio, model):
        return f"{boot.file} needs no line for the pixels."
    wanted = ("dtparam=spi=on", *_CLOCKS.get(_family(model), ()))
    missing = [line for line in wanted if not boot.has(line)]
    if not missing:
        return f"{boot.file} has {', '.join(wanted)}."
    lines = ", ".join(missing)
    off = "SPI is disabled" if "dtparam=spi=on" in missing else "The SPI clock may change"
    add = lines if len(missing) == 1 else f"the lines {lines}"
    raise ProbeError(
        f"{off}: {boot.file} lacks {lines}.", f"Add {add} to {boot.file} and restart the Pi."
    )


def _piezo_pin(boot: Boot) -> str:
    """Whether SPI leaves the piezo's pin alone: by default it uses that pin for a second device."""
    if not boot.has("dtparam=spi=on") or "spi0-1cs" in boot.overlays:
        return f"GPIO {PIEZO_PIN} is free for the piezo."
    raise ProbeError(
        f"SPI claims GPIO {PIEZO_PIN}, the pin of the piezo.",
        f"Add dtoverlay=spi0-1cs to {boot.file}, or run sudo systemd/install.sh, and restart the"
        " Pi.",
    )


def _buses(boot: Boot, used: Mapping[str, int], root: Path) -> str:
    """Whether I²C claims the pins of buttons."""
    i2c = [name for name in _I2C if _is_on(boot.params.get(name, ""), "on")]
    claimed = [
        button for button, pin in sorted(used.items(), key=lambda item: item[1]) if pin in (2, 3)
    ]
    if claimed and (i2c or (root / "dev/i2c-1").exists()):
        line = f"dtparam={i2c[0]}=on" if i2c else "the line that enables it"
        raise ProbeError(
            f"I²C is on and claims GPIO 2 and 3, the pins of {ENGLISH.listed(claimed)}.",
            f"Remove {line} from {boot.file} (or run sudo raspi-config nonint do_i2c 1) and restart"
            " the Pi.",
        )
    return "I²C does not claim the pin of any button."
