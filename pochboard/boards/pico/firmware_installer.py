"""Builds the firmware of a Pico, and installs it on the CIRCUITPY drive.

The firmware consists of the sources in `firmware/`, the protocol module `wire.py`, and two modules
generated here: the pins, from hardware/pins.toml, and the version.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from pochboard import __version__
from pochboard.errors import PochboardError
from pochboard.geometry.dimensions import source_folder
from pochboard.text.encodings import written_text
from pochboard.text.lazy import os_reason

SETTINGS: Final = "settings.py"
"""The user's own file: it is never overwritten."""
_BOARDS: Final = (
    "raspberry_pi_pico", "raspberry_pi_pico_w", "raspberry_pi_pico2", "raspberry_pi_pico2_w",
)  # fmt: skip
"""The board IDs that the firmware supports, as CircuitPython names them."""
_BOOT_OUT: Final = "boot_out.txt"
"""CircuitPython writes its version and board into this file on each of its drives."""
_RESERVE_BYTES: Final = 8192
"""Space for directories and partly used clusters."""

_TOP_LEVEL: Final = ("boot.py", "code.py", "safemode.py", "chip.py", "program.py", SETTINGS)
_MODULES: Final = ("link.py", "show.py", "selftest.py", "oled.py", "buzzer.py")


class FirmwareError(PochboardError, RuntimeError):
    """The firmware cannot be installed on this drive."""


def firmware_files() -> dict[str, bytes]:
    """All files of the firmware, by path on the drive."""
    folder = source_folder("firmware")
    files = {name: (folder / name).read_bytes() for name in _TOP_LEVEL}
    files |= {f"firmware/{name}": (folder / name).read_bytes() for name in _MODULES}
    files["firmware/__init__.py"] = b'"""The board."""\n'
    files["pochboard/__init__.py"] = b'"""The modules that host and board share."""\n'
    for name in ("wire.py", "ssd1306.py"):
        files[f"pochboard/{name}"] = (Path(__file__).parents[2] / name).read_bytes()
    buttons = "".join(f'    "{pin}",  # {name}\n' for name, pin in button_pins().items())
    pins = _pins()
    files["pins.py"] = (
        '"""The pins of the Pico, generated from hardware/pins.toml."""\n\n'
        f"BUTTONS = (\n{buttons})\n"
        '"""In the order of the protocol."""\n\n'
        f'PIXELS = "GP{pins["pixels"]["data"]["gp"]}"\n'
        f'DISPLAY_SDA = "GP{pins["display"]["sda"]["gp"]}"\n'
        f'DISPLAY_SCL = "GP{pins["display"]["scl"]["gp"]}"\n'
        f'PIEZO = "GP{pins["piezo"]["signal"]["gp"]}"\n'
    ).encode()
    version = f'"""The version of this firmware."""\n\nVERSION = {firmware_version()}\n'
    return files | {"version.py": version.encode()}


def firmware_version() -> tuple[int, int, int]:
    """The version of the firmware that this program installs: its own."""
    major, minor, patch = map(int, re.findall(r"\d+", __version__)[:3])
    return major, minor, patch


def button_pins() -> dict[str, str]:
    """The Pico's pin for each button, such as `GP0`, in the order of the protocol."""
    return {name: f"GP{pin['gp']}" for name, pin in _pins()["buttons"].items()}


def _pins() -> dict[str, dict[str, dict[str, int]]]:
    text = written_text((source_folder("hardware") / "pins.toml").read_bytes())
    return dict(tomllib.loads(text)["pico"])


def write_firmware(folder: Path) -> list[str]:
    """Writes the files to a folder and overwrites existing ones. Returns their paths.

    Raises OSError.
    """
    files = firmware_files()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return list(files)


def find_drive(mounts: Iterable[Path]) -> Path:
    """The only CircuitPython drive among these mount points.

    Raises FirmwareError if there is none, or more than one.
    """
    drives = sorted({mount for mount in mounts if _is_drive(mount)})
    if not drives:
        raise FirmwareError(
            "No CIRCUITPY drive is mounted. Plug in a Pico with CircuitPython on it. If it"
            " already has the firmware, hold its “next” button while you plug it in. If your"
            " desktop does not mount the drive automatically, open it once, or name its folder"
            " with --drive. A new Pico needs CircuitPython first: see firmware/README.md."
        )
    if len(drives) > 1:
        named = ", ".join(map(str, drives))
        raise FirmwareError(
            f"There are {len(drives)} CIRCUITPY drives: {named}. Choose one with --drive."
        )
    return drives[0]


def _is_drive(folder: Path) -> bool:
    try:
        return (folder / _BOOT_OUT).is_file()
    except OSError:  # another user's
        return False


def mounted() -> list[Path]:
    """All mount points of this machine."""
    try:
        listing = Path("/proc/self/mounts").read_text("utf-8", "surrogateescape")
    except OSError:  # macOS
        return sorted(Path("/Volumes").glob("*"))
    return mount_points(listing)


def mount_points(listing: str) -> list[Path]:
    """The mount points in the format of /proc/self/mounts, which escapes blanks in octal."""
    return [
        Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), line.split()[1]))
        for line in listing.splitlines()
        if len(line.split()) > 1
    ]


class Installed(msgspec.Struct, frozen=True):
    """The result of an installation."""

    system: str
    """The drive's system, such as `CircuitPython 9.2.1, Raspberry Pi Pico`."""
    written: tuple[str, ...]
    """The files that were missing or different."""
    kept_settings: bool
    """Whether the drive has modified settings, which were left unchanged."""


def install(drive: Path) -> Installed:
    """Copies the files that differ to the drive and verifies them. Leaves all others alone.

    Raises FirmwareError, if possible before anything is written.
    """
    try:
        system = _check(drive)
        files = firmware_files()
        existing = {name: _content(drive / name) for name in files}
        kept_settings = existing[SETTINGS] not in (None, files[SETTINGS])
        if kept_settings:
            del files[SETTINGS]
        differing = [name for name, content in files.items() if existing[name] != content]
        # code.py comes last, because CircuitPython may start it as soon as writing stops.
        differing.sort(key=lambda name: (name == "code.py", name))
        added_bytes = sum(len(files[name]) - len(existing[name] or b"") for name in differing)
        if differing and shutil.disk_usage(drive).free < added_bytes + _RESERVE_BYTES:
            raise OSError(errno.ENOSPC, "too little space")  # noqa: TRY301 - the same sentence
        for name in differing:
            (drive / name).parent.mkdir(parents=True, exist_ok=True)
            with (drive / name).open("wb") as file:
                file.write(files[name])
                file.flush()
                os.fsync(file.fileno())
        spoiled = [name for name in differing if _content(drive / name) != files[name]]
    except OSError as error:
        raise FirmwareError(_explain(drive, error)) from None
    if spoiled:
        raise FirmwareError(
            f"{drive / spoiled[0]} does not read back as it was written. Unplug the board, plug it"
            " in again and retry. If that does not help, its flash memory is worn out."
        )
    return Installed(system, tuple(differing), kept_settings)


def _check(drive: Path) -> str:
    """The drive's system. Raises FirmwareError if the firmware does not support it."""
    if not drive.is_dir():
        raise FirmwareError(
            f"{drive} is not a folder. Name the one where the CIRCUITPY drive is mounted."
        )
    boot_out = (_content(drive / _BOOT_OUT) or b"").decode(errors="replace")
    match = re.match(r".*CircuitPython ((\d+)\.(\d+)\S*) on [^;]*; (.+?) with", boot_out)
    if match is None:
        raise FirmwareError(
            f"{drive} is not a CIRCUITPY drive: its {_BOOT_OUT} is missing or not CircuitPython's."
        )
    version, major, minor, name = match.groups()
    board = re.search(r"^Board ID:\s*(\S+)", boot_out, re.MULTILINE)
    if board is None or board[1] not in _BOARDS:
        raise FirmwareError(
            f"{drive} belongs to another board ({name}). The firmware needs a Raspberry Pi"
            " Pico, Pico W, Pico 2 or Pico 2 W, with the CircuitPython build for exactly"
            " that board."
        )
    if (int(major), int(minor)) < (9, 1):  # the first version that debounces buttons
        raise FirmwareError(
            f"{drive} has CircuitPython {version}, but the firmware needs 9.1 or later."
            " Install a newer one on the Pico first: see firmware/README.md."
        )
    if (drive / "code.txt").exists():
        raise FirmwareError(
            f"{drive / 'code.txt'} would run instead of the firmware: delete or rename it."
        )
    return f"CircuitPython {version}, {name}"


def _content(path: Path) -> bytes | None:
    """The content of a file, read from the drive itself; None if it does not exist."""
    try:
        with path.open("rb") as file:
            if hasattr(os, "posix_fadvise"):
                # Otherwise the system would answer from its cache.
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            return file.read()
    except FileNotFoundError:
        return None


def _explain(drive: Path, error: OSError) -> str:
    """What is wrong with the drive, and how to fix it."""
    match error.errno:
        case errno.ENOSPC:
            return (
                f"{drive} is full: remove what you do not need, such as the folder lib, and retry."
            )
        case errno.EACCES | errno.EPERM:
            return f"You may not write to {drive}: mount it as your own user, or use sudo."
        case _:
            return (
                f"{drive} cannot be written ({os_reason(error)}): unplug the board, plug it in"
                " again and retry."
            )
