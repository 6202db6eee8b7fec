"""The firmware of a Pico as a folder of files, and its way onto the CIRCUITPY drive.

The sources are those of `firmware/`, the wire's module, and two modules made here: the pins, from
hardware/pins.toml, and the version.
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

_PACKAGE: Final = Path(__file__).resolve().parent

SETTINGS: Final = "settings.py"
"""The one file that belongs to the person at the board: it is never written over."""
BOARDS: Final = ("raspberry_pi_pico", "raspberry_pi_pico2")
"""What CircuitPython calls the boards that the firmware knows the pins of."""
OLDEST: Final = (9, 1)
"""The first CircuitPython that debounces buttons."""

BOOT_OUT: Final = "boot_out.txt"
"""CircuitPython writes this file on every drive of its own, and says there what it is."""
_SHADOW: Final = "code.txt"
"""CircuitPython runs this in place of code.py."""
_MARGIN: Final = 8192
"""Bytes that folders and the ends of files take beside the files themselves."""

_AT_THE_TOP: Final = ("boot.py", "code.py", "safemode.py", SETTINGS)
_LOGIC: Final = ("session.py", "show.py", "selftest.py")


class FirmwareError(PochboardError, RuntimeError):
    """The firmware cannot be put onto a board's drive, or not onto this one."""


def _sources(name: str) -> Path:
    """A folder that is beside the package once installed, else at the top of the repository."""
    beside = _PACKAGE / name
    return beside if beside.is_dir() else _PACKAGE.parent / name


def firmware_files() -> dict[str, bytes]:
    """All files of the firmware, by their path on the drive."""
    folder = _sources("firmware")
    files = {name: (folder / name).read_bytes() for name in _AT_THE_TOP}
    files |= {f"firmware/{name}": (folder / name).read_bytes() for name in _LOGIC}
    files["firmware/__init__.py"] = b'"""The board."""\n'
    files["pochboard/__init__.py"] = b'"""What host and board share."""\n'
    files["pochboard/wire.py"] = (_PACKAGE / "wire.py").read_bytes()
    plan = tomllib.loads((_sources("hardware") / "pins.toml").read_text("utf-8"))
    files["pins.py"] = _pins(plan["pico"]).encode()
    files["version.py"] = _version().encode()
    return files


def _pins(plan: dict[str, dict[str, dict[str, int]]]) -> str:
    rows = "".join(f'    "GP{pin["gp"]}",  # {name}\n' for name, pin in plan["buttons"].items())
    return (
        '"""The pins of the Pico, made from hardware/pins.toml."""\n\n'
        f"BUTTONS = (\n{rows})\n"
        '"""In the order in which the wire numbers them."""\n\n'
        f'PIXELS = "GP{plan["pixels"]["data"]["gp"]}"\n'
    )


def _version() -> str:
    numbers = ", ".join(map(str, firmware_version()))
    return f'"""The version of this firmware."""\n\nVERSION = ({numbers})\n'


def firmware_version() -> tuple[int, int, int]:
    """The version of the firmware that would be installed: that of the program."""
    numbers = re.match(r"(\d+)\.(\d+)\.(\d+)", __version__)
    assert numbers is not None, "the project's version begins with three numbers"
    major, minor, patch = map(int, numbers.groups())
    return major, minor, patch


def button_pins() -> dict[str, str]:
    """The pin of each button on the Pico, as in `GP0`."""
    plan = tomllib.loads((_sources("hardware") / "pins.toml").read_text("utf-8"))
    return {name: f"GP{pin['gp']}" for name, pin in plan["pico"]["buttons"].items()}


def write_firmware(folder: Path) -> list[str]:
    """Writes the files into a folder, over what is there; their paths. Raises OSError."""
    files = firmware_files()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return list(files)


def find_drive(mounts: Iterable[Path]) -> Path:
    """The one drive of CircuitPython among these mounted folders.

    Raises FirmwareError if there is none or more than one.
    """
    drives = sorted({mount for mount in mounts if _is_drive(mount)})
    if not drives:
        raise FirmwareError(
            "No CIRCUITPY drive is mounted. Plug in the Pico with CircuitPython on it, open the"
            " drive once if your desktop does not mount it by itself, or name its folder with"
            " --drive. A new Pico needs CircuitPython first: see firmware/README.md."
        )
    if len(drives) > 1:
        named = ", ".join(map(str, drives))
        raise FirmwareError(
            f"There are {len(drives)} CIRCUITPY drives: {named}. Say which with --drive."
        )
    return drives[0]


def _is_drive(folder: Path) -> bool:
    try:
        return (folder / BOOT_OUT).is_file()
    except OSError:  # not ours to look into
        return False


def mounted() -> list[Path]:
    """The folders that something is mounted at."""
    try:
        listing = Path("/proc/self/mounts").read_text("utf-8", "surrogateescape")
    except OSError:  # macOS
        return sorted(Path("/Volumes").glob("*"))
    return mount_points(listing)


def mount_points(listing: str) -> list[Path]:
    """The folders of a listing as /proc/self/mounts is, where a blank is written in octal."""
    return [
        Path(re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), line.split()[1]))
        for line in listing.splitlines()
        if len(line.split()) > 1
    ]


class Installed(msgspec.Struct, frozen=True):
    """What was done to a drive."""

    system: str
    """What CircuitPython says it is, as `CircuitPython 9.2.1, Raspberry Pi Pico`."""
    written: tuple[str, ...]
    """Files that were not there, or were others."""
    kept: bool
    """Whether the drive has settings of its own, which were left as they are."""


def install(drive: Path) -> Installed:
    """Copies what differs onto the drive, reads it back and compares. Nothing else is touched.

    Raises FirmwareError, before anything is written where that can be known.
    """
    try:
        return _install(drive)
    except OSError as error:
        raise FirmwareError(_mend(drive, error)) from None


def _install(drive: Path) -> Installed:
    system = _check(drive)
    files = firmware_files()
    there = {name: _content(drive / name) for name in files}
    kept = there[SETTINGS] not in (None, files[SETTINGS])
    differing = [
        name
        for name, content in files.items()
        if there[name] != content and not (name == SETTINGS and kept)
    ]
    # The program last: CircuitPython may start it as soon as the drive is quiet.
    differing.sort(key=lambda name: (name == "code.py", name))
    grow = sum(len(files[name]) - len(there[name] or b"") for name in differing)
    if differing and shutil.disk_usage(drive).free < grow + _MARGIN:
        raise OSError(errno.ENOSPC, "too little room")
    for name in differing:
        _write(drive / name, files[name])
    for name in differing:
        if _content(drive / name) != files[name]:
            raise FirmwareError(
                f"{drive / name} does not read back as it was written. Unplug the board, plug it"
                " in again and repeat; if that does not help, its flash is worn out."
            )
    return Installed(system, tuple(differing), kept)


def _check(drive: Path) -> str:
    """What system the drive is of. Raises FirmwareError for one that will not do."""
    if not drive.is_dir():
        raise FirmwareError(f"{drive} is no folder: name the one that the CIRCUITPY drive is at.")
    told = _content(drive / BOOT_OUT)
    found = re.match(rb".*CircuitPython (\d+)\.(\d+)(\S*) on [^;]*; (.+?) with", told or b"")
    if found is None:
        raise FirmwareError(
            f"{drive} is no CIRCUITPY drive: {BOOT_OUT} is missing there, or not CircuitPython's."
        )
    version = f"{found[1].decode()}.{found[2].decode()}{found[3].decode(errors='replace')}"
    name = found[4].decode(errors="replace")
    board = re.search(rb"^Board ID:\s*(\S+)", told or b"", re.MULTILINE)
    if board is None or board[1].decode(errors="replace") not in BOARDS:
        raise FirmwareError(
            f"{drive} belongs to another board ({name}): the firmware is for a Raspberry Pi Pico"
            " or Pico 2, with CircuitPython made for exactly that."
        )
    if (int(found[1]), int(found[2])) < OLDEST:
        raise FirmwareError(
            f"{drive} has CircuitPython {version}, and the firmware needs 9.1 or later: put a newer"
            " one on the Pico first, see firmware/README.md."
        )
    if (drive / _SHADOW).exists():
        raise FirmwareError(
            f"{drive / _SHADOW} would be run in place of the firmware: delete or rename it."
        )
    return f"CircuitPython {version}, {name}"


def _content(path: Path) -> bytes | None:
    """What a file holds, from the drive itself; None where there is none."""
    try:
        with path.open("rb") as file:
            if hasattr(os, "posix_fadvise"):
                # Not what the system remembers of it.
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            return file.read()
    except FileNotFoundError:
        return None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _mend(drive: Path, error: OSError) -> str:
    """What is wrong with a drive, and what to do, as a sentence."""
    match error.errno:
        case errno.ENOSPC:
            return (
                f"{drive} is full: remove what you do not need there, for example the folder lib,"
                " and repeat."
            )
        case errno.EROFS:
            return (
                f"{drive} is mounted read-only: unplug the board and plug it in again; if that does"
                " not help, the drive has to be repaired or formatted anew (FAT)."
            )
        case errno.EACCES | errno.EPERM:
            return f"{drive} may not be written by you: mount it as your own user, or use sudo."
        case _:
            return (
                f"{drive} cannot be written ({error.strerror or error}): unplug the board, plug it"
                " in again and repeat."
            )
