"""What a builder answers about a board, and the configuration that follows from it.

The defaults are those of the bill of materials (hardware/BUILD.md).
"""

from __future__ import annotations

import contextlib
import os
import re
import zoneinfo
from pathlib import Path
from typing import Final, Literal

import msgspec

from pochboard.config import PixelKind
from pochboard.text.lazy import LazyText, lazy_gettext

BuiltBoard = Literal["gpio", "pico"]
Language = Literal["", "de", "en"]
Pixels = Literal["strings", "rings", "rgbw"]
PIXELS: Final[dict[Pixels, tuple[LazyText, PixelKind, str]]] = {
    "strings": (lazy_gettext("Strings of WS2811, as in the bill of materials"), "rgb", "RGB"),
    "rings": (lazy_gettext("Rings or strips of WS2812B"), "rgb", "GRB"),
    "rgbw": (lazy_gettext("SK6812 with white (RGBW)"), "rgbw", "GRB"),
}
"""What is sold, the kind of pixels, and the order in which they expect their colours."""
ORDERS: Final = ("RGB", "RBG", "GRB", "GBR", "BRG", "BGR")
_DISPLAY_BUS: Final = "/dev/i2c-3"
"""What `systemd/install.sh` sets up."""


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """The answers; by default those of the board in the bill of materials."""

    board: BuiltBoard = "gpio"
    pixels: Pixels = "strings"
    order: str = "RGB"
    places: int = 8
    language: Language = ""
    display: bool = False
    sound: bool = False
    """A piezo."""


def config_text(answers: Answers) -> str:
    """The config.toml for these answers."""
    _, kind, _ = PIXELS[answers.pixels]
    lines = [
        "# Made by pochboard card. All keys: docs/CONFIG.md",
        f'board = "{answers.board}"',
        f"places = {answers.places}",
        "# The language of the display; empty for that of the first phone.",
        f'language = "{answers.language}"',
        "",
        f"[{answers.board}]",
        f'kind = "{kind}"',
        "# RGB, RBG, GRB, GBR, BRG or BGR. A paired phone can put it right.",
        f'order = "{answers.order}"',
    ]
    if answers.board == "gpio":
        lines += [
            f'display = "{_DISPLAY_BUS if answers.display else ""}"',
            f"piezo = {str(answers.sound).lower()}",
        ]
    return "\n".join(lines) + "\n"


_ZONE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}")
_ZONEINFO: Final = "zoneinfo/"


def is_timezone(name: str) -> bool:
    """Whether a name is that of a time zone, as far as this computer knows them."""
    if not _ZONE.fullmatch(name):
        return False
    known = zoneinfo.available_timezones()
    return not known or name in known


def own_timezone(root: Path = Path("/")) -> str:
    """The time zone of this computer, such as Europe/Berlin; empty if it is not known.

    Windows has names of its own for them.
    """
    names = [os.environ.get("TZ", "").removeprefix(":")]
    with contextlib.suppress(OSError, ValueError):
        names.append((root / "etc/timezone").read_text("utf-8").strip())
    with contextlib.suppress(OSError):
        link = (root / "etc/localtime").readlink()
        names.append(link.as_posix().partition(_ZONEINFO)[2])
    return next((name for name in names if name and is_timezone(name)), "")
