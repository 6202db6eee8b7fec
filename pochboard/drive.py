"""The firmware of a Pico as a folder of files, and its way onto the CIRCUITPY drive.

The sources are those of `firmware/`, the wire's module, and two modules made here: the pins, from
hardware/pins.toml, and the version.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

from pochboard import __version__

_PACKAGE: Final = Path(__file__).resolve().parent

SETTINGS: Final = "settings.py"
"""The one file that belongs to the person at the board: it is never written over."""
BOARDS: Final = ("raspberry_pi_pico", "raspberry_pi_pico2")
OLDEST: Final = (9, 1)
"""The first CircuitPython that debounces buttons."""

_AT_THE_TOP: Final = ("boot.py", "code.py", "safemode.py", SETTINGS)
_LOGIC: Final = ("session.py", "show.py", "selftest.py")


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
    numbers = re.match(r"(\d+)\.(\d+)\.(\d+)", __version__)
    assert numbers is not None, "the project's version begins with three numbers"
    return f'"""The version of this firmware."""\n\nVERSION = ({", ".join(numbers.groups())})\n'


def write_firmware(folder: Path) -> list[str]:
    """Writes the files into a folder, over what is there; their paths. Raises OSError."""
    files = firmware_files()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return list(files)
