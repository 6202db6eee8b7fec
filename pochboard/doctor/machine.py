"""What the machine is: its Python, its model, its user's groups, and how it boots (BOARD.md 6)."""

from __future__ import annotations

import getpass
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from pochboard.boards.checks import Check
from pochboard.boards.gpio.checks import pins_used
from pochboard.config import Config, Gpio

OLDEST_PYTHON: Final = (3, 11)
_GROUPS: Final = {"gpio": ("gpio", "spi"), "pico": ("dialout",)}
"""Whose members may use the devices of a board."""
_CONFIG_TXT: Final = ("boot/firmware/config.txt", "boot/config.txt")
"""Where it is, and where it was before 2023."""
_CLOCKS: Final = {
    "3": ("core_freq=250",),
    "zero2": ("core_freq=250",),
    "4": ("core_freq=500", "core_freq_min=500"),
}
"""The lines that keep the clock of SPI from moving, by model; the Pi 5 needs none."""
_PROGRAM: Final = "opt/pochboard/.venv/bin/pochboard"
"""What the service runs."""
_I2C: Final = ("i2c_arm", "i2c1", "i2c")
_ONE_WIRE_PIN: Final = 4


def machine_checks(
    config: Config,
    *,
    root: Path = Path("/"),
    python: tuple[int, ...] = sys.version_info[:3],
) -> Iterator[Check]:
    """Looks at everything in turn; `root` is where `proc`, `etc` and `boot` are."""
    yield _python(python)
    name = _read(root / "proc/device-tree/model").strip("\0\n ")
    family = _family(name)
    if config.board != "gpio":  # the board on the header says itself what it hangs on
        yield _model(name, config.board)
    if name:
        yield _bits(root)
    if os.geteuid() == 0:
        yield _user_is_root(root)
    if config.board in _GROUPS:
        pio = config.board == "gpio" and _uses_pio(config.gpio, family)
        yield _groups(("gpio",) if pio else _GROUPS[config.board], root)
    if config.board == "gpio" and "Raspberry Pi" in name:
        yield from _boot(config, family, root)


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""


def _python(version: tuple[int, ...]) -> Check:
    said = ".".join(map(str, version))
    if version[:2] < OLDEST_PYTHON:
        return Check(
            "python",
            ok=False,
            found=f"This is Python {said}; 3.11 or later is needed.",
            mend="Bring the system up to date (Debian 12 or later has it), and install anew.",
        )
    return Check("python", ok=True, found=f"This is Python {said}.")


def _model(name: str, board: str) -> Check:
    what = f"This is a {name}" if name else "This is no Raspberry Pi"
    need = "nothing of the machine" if board == "simulator" else "a USB port"
    return Check("machine", ok=True, found=f"{what}; the board needs {need}.")


def _bits(root: Path) -> Check:
    """Whether programs here have 64 bits, as the head of the one that runs now says."""
    try:
        with (root / "proc/self/exe").open("rb") as file:
            head = file.read(5)
    except OSError:
        head = b""
    if head == b"\x7fELF\x01":
        return Check(
            "system",
            ok=True,
            found="The system has 32 bits.",
            mend="With the 64-bit Raspberry Pi OS nothing has to be compiled to be installed.",
        )
    return Check("system", ok=True, found="The system has 64 bits.")


def _user_is_root(root: Path) -> Check:
    mend = "Ask without sudo, as the user who runs the daemon: that one may do less."
    if (root / _PROGRAM).exists():
        folders = "XDG_DATA_HOME=/var/lib XDG_CONFIG_HOME=/etc"
        mend = (
            "Ask as the user of the service what that one may do:"
            f" sudo -u pochboard env {folders} /{_PROGRAM} doctor"
        )
    return Check(
        "user",
        ok=True,
        found="You are root, who may do anything.",
        mend=mend,
    )


def _groups(wanted: tuple[str, ...], root: Path) -> Check:
    """Whether this process is in the groups, and if not, whether its user is to be."""
    mine = {os.getegid(), *os.getgroups()}
    there = _members(root)
    missing = [name for name in wanted if name in there and there[name][0] not in mine]
    if os.geteuid() == 0 or not missing:
        named = [name for name in wanted if name in there] or ["none that matters"]
        return Check("groups", ok=True, found=f"This user is in the groups: {', '.join(named)}.")
    user = _user()
    if all(user in there[name][1] for name in missing):
        return Check(
            "groups",
            ok=False,
            found=f"User {user} was added to {' and '.join(missing)} after having logged in.",
            mend="Log out and in again, or restart the machine.",
        )
    return Check(
        "groups",
        ok=False,
        found=f"User {user} is not in the {_plural('group', missing)} {' and '.join(missing)}.",
        mend=f"Add it: sudo usermod -aG {','.join(missing)} {user}, and log in anew.",
    )


def _plural(word: str, of: list[str]) -> str:
    return word if len(of) == 1 else f"{word}s"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this number
        return str(os.getuid())


def _members(root: Path) -> Mapping[str, tuple[int, list[str]]]:
    """Number and members of each group."""
    rows = [line.split(":") for line in _read(root / "etc/group").splitlines()]
    return {row[0]: (int(row[2]), row[3].split(",")) for row in rows if len(row) == 4}


# How the Pi boots.


class Boot(msgspec.Struct, frozen=True):
    """What config.txt says for one model."""

    file: str
    settings: dict[str, str]
    """The last value of each, as in `core_freq`."""
    params: dict[str, str]
    """The last value of each `dtparam`."""
    one_wire: frozenset[int]
    """The pins on which 1-Wire is switched on."""

    def has(self, line: str) -> bool:
        """Whether it says this."""
        key, _, value = line.partition("=")
        if key == "dtparam":
            name, _, value = value.partition("=")
            return _is_on(self.params.get(name, ""), value)
        return self.settings.get(key) == value


def _is_on(found: str, wanted: str) -> bool:
    on = ("on", "yes", "true", "1", "okay")
    return found == wanted or (wanted in on and found in on)


def _family(name: str) -> str:
    """The model as the sections of config.txt and the tables here tell them apart."""
    if "Zero 2" in name:
        return "zero2"
    found = re.search(r"(?:Raspberry Pi|Compute Module) (\d)", name)
    return found[1] if found else ""


def _uses_pio(gpio: Gpio, family: str) -> bool:
    """Whether the pixels are driven without SPI."""
    return family == "5" and gpio.driver == "neopixel"


def _boot(config: Config, family: str, root: Path) -> Iterator[Check]:
    boot = read_boot(root, family)
    if boot is None:
        yield Check(
            "boot",
            ok=False,
            found=f"There is no /{_CONFIG_TXT[0]} that could be read.",
            mend="Use Raspberry Pi OS, and make the file readable: sudo chmod a+r.",
        )
        return
    yield _lines(boot, family, config.gpio)
    yield _buses(boot, pins_used(config.gpio, config.places), root)


def read_boot(root: Path, family: str) -> Boot | None:
    """What config.txt says for this model; None where there is none."""
    for name in _CONFIG_TXT:
        text = _read(root / name)
        if text:
            break
    else:
        return None
    settings: dict[str, str] = {}
    params: dict[str, str] = {}
    one_wire: dict[int, bool] = {}
    applies = True
    for raw in text.splitlines():
        line = raw.partition("#")[0].strip()
        if section := re.fullmatch(r"\[(.*)\]", line):
            applies = _applies(section[1].lower(), family)
            continue
        key, sign, value = (part.strip() for part in line.partition("="))
        if not applies or not sign:
            continue
        if key == "dtparam":
            for param in value.split(","):
                what, _, how = param.partition("=")
                params[what] = how or "on"
        elif key == "dtoverlay" and value.startswith("w1-gpio"):
            pin = re.search(r"gpiopin=(\d+)", value)
            one_wire[int(pin[1]) if pin else _ONE_WIRE_PIN] = True
        else:
            settings[key] = value
    return Boot(f"/{name}", settings, params, frozenset(one_wire))


def _applies(section: str, family: str) -> bool:
    """Whether the lines of a section are for this model. What is not a model's is taken to be."""
    if section in ("none", "pi0w"):
        return False
    if section == "pi02":
        return family == "zero2"
    model = re.fullmatch(r"(?:pi|cm)(\d)(?:00|s|\+)?", section)
    if model is None:
        return True
    return model[1] == ("0" if family == "zero2" else family)


def _lines(boot: Boot, family: str, gpio: Gpio) -> Check:
    """Whether SPI is on, and its clock stands still."""
    wanted = () if _uses_pio(gpio, family) else ("dtparam=spi=on", *_CLOCKS.get(family, ()))
    missing = [line for line in wanted if not boot.has(line)]
    if missing:
        wrong = "SPI is not switched on" if "dtparam=spi=on" in missing else "SPI's clock may move"
        return Check(
            "boot: pixels",
            ok=False,
            found=f"{wrong}: {boot.file} does not say {', '.join(missing)}.",
            mend=f"Write {_as_lines(missing)} into {boot.file} and restart the Pi.",
        )
    said = f"says {', '.join(wanted)}" if wanted else "needs no line for the pixels"
    return Check("boot: pixels", ok=True, found=f"{boot.file} {said}.")


def _as_lines(lines: list[str]) -> str:
    return lines[0] if len(lines) == 1 else f"the lines {', '.join(lines)}"


def _buses(boot: Boot, used: Mapping[str, int], root: Path) -> Check:
    """Whether I2C or 1-Wire claims pins that buttons hang on."""
    pins = {pin: button for button, pin in used.items()}
    i2c = [name for name in _I2C if _is_on(boot.params.get(name, ""), "on")]
    if (i2c or (root / "dev/i2c-1").exists()) and {2, 3} & set(pins):
        mine = " and ".join(pins[pin] for pin in (2, 3) if pin in pins)
        line = f"dtparam={i2c[0]}=on" if i2c else "what switches it on"
        return Check(
            "boot: buses",
            ok=False,
            found=f"I²C is on and claims GPIO 2 and 3, which {mine} hang on.",
            mend=f"Take {line} out of {boot.file} (or: sudo raspi-config nonint do_i2c 1)"
            " and restart the Pi.",
        )
    for pin in sorted(boot.one_wire & set(pins)):
        return Check(
            "boot: buses",
            ok=False,
            found=f"1-Wire is on and claims GPIO {pin}, which {pins[pin]} hangs on.",
            mend=f"Take dtoverlay=w1-gpio out of {boot.file} and restart the Pi.",
        )
    return Check("boot: buses", ok=True, found="I²C and 1-Wire leave the buttons' pins alone.")
