"""Checks of the machine: Python, model, groups, and how a Pi boots (BOARD.md 6)."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from pochboard.boards.gpio import PIEZO_PIN
from pochboard.config import Config, Gpio
from pochboard.doctor.check import Check, Note, ProbeError, Row, run
from pochboard.doctor.gpio import pins_used, user_name
from pochboard.text.translator import ENGLISH

OLDEST_PYTHON: Final = (3, 11)
_GROUPS: Final = {"gpio": ("gpio", "spi"), "pico": ("dialout",)}
"""The groups whose members may use the devices of a board."""
_CONFIG_TXT: Final = ("boot/firmware/config.txt", "boot/config.txt")
"""The paths of config.txt: now, and before 2023."""
_CLOCKS: Final = {
    "3": ("core_freq=250",),
    "zero2": ("core_freq=250",),
    "4": ("core_freq=500", "core_freq_min=500"),
}
"""By model, the lines that keep the SPI clock constant; the Pi 5 needs none."""
_COMMAND: Final = "usr/local/bin/pochboard"
"""The command of the service, which runs the doctor within the limits of the unit."""
_UPGRADE: Final = "Upgrade the system (Debian 12 or later has it), then install pochboard again."
_I2C: Final = ("i2c_arm", "i2c1", "i2c")


def machine_checks(
    config: Config,
    *,
    root: Path = Path("/"),
    python: tuple[int, ...] = sys.version_info[:3],
) -> Iterator[Check]:
    """Checks everything in turn. `root` is the folder of `proc`, `etc` and `boot`."""
    name = _read(root / "proc/device-tree/model").strip("\0\n ")
    gpio = config.board == "gpio"
    spi = _uses_spi(config.gpio, _family(name))
    groups = ("gpio",) if gpio and not spi else _GROUPS.get(config.board, ())
    yield from run(
        (
            Row("python", partial(_python, python), _UPGRADE),
            # gpio_checks reports the machine for that board.
            Row("machine", lambda: None if gpio else _model(name, config.board)),
            Row("user", partial(_user, root)),
            Row("groups", lambda: _groups(groups, root) if groups else None),
        )
    )
    if gpio and "Raspberry Pi" in name:
        yield from run(_boot_rows(config, name, root))


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""


def _python(version: tuple[int, ...]) -> str:
    dotted = ".".join(map(str, version))
    if version[:2] < OLDEST_PYTHON:
        raise ProbeError(f"This is Python {dotted}; 3.11 or later is needed.")
    return f"This is Python {dotted}."


def _model(name: str, board: str) -> str:
    what = f"This is a {name}." if name else "This is not a Raspberry Pi."
    needs = "no hardware" if board in ("simulator", "none") else "only a USB port"
    return f"{what} The board needs {needs}."


def _user(root: Path) -> Note | None:
    if os.geteuid() != 0:
        return None
    fix = "Run this without sudo, as the user who runs the daemon, to check that user's rights."
    if (root / _COMMAND).exists():
        fix = "To check the rights of the service, run: sudo pochboard doctor"
    return Note("You are root, so missing rights would not be noticed.", fix)


def _groups(wanted: tuple[str, ...], root: Path) -> str:
    """Whether this process is in the groups; if not, whether its user is since the last login."""
    mine = {os.getegid(), *os.getgroups()}
    members = _members(root)
    missing = [name for name in wanted if name in members and members[name][0] not in mine]
    if os.geteuid() == 0 or not missing:
        mine_too = [name for name in wanted if name in members]
        return f"This user is in: {', '.join(mine_too)}." if mine_too else "No group is required."
    user, listed = user_name(), ENGLISH.listed(missing)
    if all(user in members[name][1] for name in missing):
        raise ProbeError(
            f"User {user} was added to {listed} after logging in.",
            "Log out and in again, or restart the machine.",
        )
    raise ProbeError(
        f"User {user} is not in the {'group' if len(missing) == 1 else 'groups'} {listed}.",
        f"Run sudo usermod -aG {','.join(missing)} {user}, then log out and in again.",
    )


def _members(root: Path) -> Mapping[str, tuple[int, list[str]]]:
    """The id and members of each group."""
    rows = [line.split(":") for line in _read(root / "etc/group").splitlines()]
    return {row[0]: (int(row[2]), row[3].split(",")) for row in rows if len(row) == 4}


# The boot configuration of a Pi.


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


def _family(name: str) -> str:
    """The model, as the tables above distinguish them."""
    if "Zero 2" in name:
        return "zero2"
    match = re.search(r"(?:Raspberry Pi|Compute Module) (\d)", name)
    return match[1] if match else ""


def _uses_spi(gpio: Gpio, family: str) -> bool:
    """Whether the pixels are driven by SPI, and not by the PIO of a Pi 5."""
    return gpio.driver == "neopixel_spi" or family != "5"


def _boot_rows(config: Config, name: str, root: Path) -> tuple[Row, ...]:
    boot = read_boot(root, name)
    if boot is None:
        return (Row("boot", _no_boot),)
    pins = pins_used(config.gpio, config.number_of_places)
    return (
        Row("boot: pixels", partial(_lines, boot, _family(name), config.gpio)),
        Row("boot: buses", partial(_buses, boot, pins, root)),
        Row("boot: sound", lambda: _piezo_pin(boot) if config.gpio.piezo else None),
    )


def _no_boot() -> str:
    raise ProbeError(
        f"/{_CONFIG_TXT[0]} is missing or not readable.",
        "Use Raspberry Pi OS, and make the file readable with sudo chmod a+r.",
    )


def read_boot(root: Path, name: str) -> Boot | None:
    """The settings of config.txt for the model of this name; None if there is no such file."""
    for path in _CONFIG_TXT:
        text = _read(root / path)
        if text:
            break
    else:
        return None
    settings: dict[str, str] = {}
    params: dict[str, str] = {}
    overlays: set[str] = set()
    applies, seen = True, {"all", *_sections(name)}
    for raw in text.splitlines():
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


def _sections(name: str) -> set[str]:
    """The sections of config.txt that a model sees; there is none of a Compute Module 3 alone.

    By Raspberry Pi's documentation, "config.txt", "Conditional filters", "Model filters".
    """
    family = _family(name)
    seen = {"pi0", "pi0w", "pi02"} if family == "zero2" else {f"pi{family}"}
    if re.search(r"Pi 3 Model [AB] Plus", name):
        seen.add("pi3+")
    if special := re.search(r"Pi (\d00)|Compute Module (4S?|5)\b", name):
        seen.add(f"pi{special[1]}" if special[1] else f"cm{special[2].lower()}")
    return seen


def _lines(boot: Boot, family: str, gpio: Gpio) -> str:
    """Whether SPI is enabled, with a constant clock."""
    wanted = ("dtparam=spi=on", *_CLOCKS.get(family, ())) if _uses_spi(gpio, family) else ()
    missing = [line for line in wanted if not boot.has(line)]
    if not wanted:
        return f"{boot.file} needs no line for the pixels."
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
    pins = {pin: button for button, pin in used.items()}
    i2c = [name for name in _I2C if _is_on(boot.params.get(name, ""), "on")]
    if (i2c or (root / "dev/i2c-1").exists()) and {2, 3} & set(pins):
        mine = ENGLISH.listed([pins[pin] for pin in (2, 3) if pin in pins])
        line = f"dtparam={i2c[0]}=on" if i2c else "the line that enables it"
        raise ProbeError(
            f"I²C is on and claims GPIO 2 and 3, the pins of {mine}.",
            f"Remove {line} from {boot.file} (or run sudo raspi-config nonint do_i2c 1) and restart"
            " the Pi.",
        )
    return "I²C does not claim the pin of any button."
