"""Where the files of the pages are, how modules are sent, and the script within each page."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from flask import Response, send_from_directory

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_COMMENTS: Final = re.compile(
    rb"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/[ \t]*)$", re.MULTILINE | re.DOTALL
)
"""The comments of our scripts that have lines of their own."""
_INDENTATION: Final = re.compile(rb"^[ \t]+", re.MULTILINE)
_STYLE_COMMENTS: Final = re.compile(rb"/\*(?:(?!\*/).)*\*/", re.DOTALL)
_STYLE_SPACES: Final = re.compile(rb'("[^"]*")|\s*([{};,>])\s*|(:)\s+|(\s)\s*')
"""Spaces of a stylesheet outside its strings, and what needs none beside it."""
_IMPORT: Final = re.compile(rb'^import \{([^}]*)\} from "\./([^"]+)";$', re.MULTILINE)

# Browsers refuse modules of any other type, and the machine's own table of types may name one.
# Reading it would take memory and time, too.
_KINDS: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}

JOINED: Final = {
    "page.css": (
        "base.css", "suits.css", "head.css", "layout.css", "board.css", "controls.css", "bar.css",
        "lobby.css", "overview.css",
    ),
    "page.js": (
        "storage.js", "time.js", "texts.js", "suits.js", "requests.js", "drawing.js", "elements.js",
        "views.js", "taps.js", "sharing.js", "connection.js", "dialog.js",
    ),
    "tv.js": ("stage.js", "tv.js"),
    "board.js": ("face.js", "glow.js", "board_parts.js", "board_buttons.js", "board.js"),
    "controls.js": ("counting.js", "melding.js", "controls.js"),
    "replay.js": ("follow.js", "moves.js", "player.js", "timeline.js", "replay.js"),
    "bots.js": ("own_seat.js", "bots_view.js", "bots.js"),
    "main.js": (
        "keys.js", "store.js", "owner.js", "overview.js", "table_board.js", "phone.js",
        "commands.js", "display.js", "lazy_presses.js", "link.js", "panels.js", "main.js",
    ),
}  # fmt: skip
"""Stylesheets, and modules each after those that it imports, that are sent as one file.

A browser loads six files of a server at once, and a phone far from the access point waits for every
further turn.
"""
_SENT_IN: Final = {part: name for name, parts in JOINED.items() for part in parts}


def web_folder() -> Path:
    """Where templates and static files are: in the installed package, else in the repository."""
    installed = _PACKAGE / "web"
    return installed if installed.is_dir() else _PACKAGE.parent / "web"


def kind_of(name: str) -> str | None:
    """The media type of a file of the pages; None for what none of them loads."""
    return _KINDS.get(PurePosixPath(name).suffix)


def unchanged_file(name: str) -> Response:
    """A file of the pages as it is. Raises NotFound."""
    return send_from_directory(web_folder() / "static", name, mimetype=kind_of(name))


def compact_script(script: bytes) -> bytes:
    """A script without comments and indentation. Errors keep their line numbers."""
    kept = _COMMENTS.sub(lambda comment: b"\n" * comment[0].count(b"\n"), script)
    return _INDENTATION.sub(b"", kept)


def compact_style(style: bytes) -> bytes:
    """A stylesheet without comments and needless spaces."""
    kept = _STYLE_COMMENTS.sub(b"", style)
    return _STYLE_SPACES.sub(lambda space: space[1] or space[2] or space[3] or b" ", kept)


def static_file(name: str) -> bytes | None:
    """A module or stylesheet of ours as it is sent, with those that it is joined with.

    None if there is none of this name.
    """
    folder = web_folder() / "static"
    parts = JOINED.get(name, () if name in _SENT_IN else (name,))
    try:
        versions = tuple((folder / part).stat().st_mtime_ns for part in parts)
        return _made_file(name, parts, versions)
    except (OSError, ValueError):
        return None


@cache
def _made_file(name: str, parts: tuple[str, ...], _versions: tuple[int, ...]) -> bytes | None:
    """The same, made again only when one of the files has changed. Raises OSError."""
    folder = web_folder() / "static"
    written = [(folder / part).read_bytes() for part in parts]
    sent = map(compact_style, written) if name.endswith(".css") else _linked(name, written)
    return b"".join(sent) or None


def _linked(name: str, modules: list[bytes]) -> list[bytes]:
    """Compact modules, which import from the files that others are sent in."""
    known: set[tuple[str, str]] = set()

    def imported(match: re.Match[bytes]) -> bytes:
        """An import, from the file that its module is sent in, of what is not imported yet."""
        source = match[2].decode()
        source = _SENT_IN.get(source, source)
        names = [name.strip() for name in match[1].decode().split(",") if name.strip()]
        new = (
            []
            if source == name
            else [imported_name for imported_name in names if (source, imported_name) not in known]
        )
        known.update((source, imported_name) for imported_name in new)
        lines = b"\n" * match[0].count(b"\n")
        return (
            f'import {{ {", ".join(new)} }} from "./{source}";'.encode() + lines if new else lines
        )

    return [_IMPORT.sub(imported, compact_script(module)) for module in modules]


@cache
def start_script() -> str:
    """The script in the HTML of every page, which says why the page does not start."""
    written = (web_folder() / "templates" / "start.js").read_bytes()
    # Within HTML nobody looks for its lines.
    return re.sub(r"\n\s*", "\n", compact_script(written).decode()).strip()


@cache
def start_script_source() -> bytes:
    """What allows that script in a content security policy (CSP 3, section 2.3.1)."""
    digest = hashlib.sha256(start_script().encode()).digest()
    return b"'sha256-%s'" % base64.b64encode(digest)
