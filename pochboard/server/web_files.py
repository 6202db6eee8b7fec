"""Where the files of the pages are, how modules are sent, and the script within each page."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from flask import Response, send_from_directory
from werkzeug.http import generate_etag

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_COMMENTS: Final = re.compile(
    rb"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/[ \t]*)$"  # on lines of their own
    rb"|[ \t]+// [^\"`\n]*$"  # at the end of a line; what has a quote may be within a string
    rb"|/\*\* @type (?:(?!\*/).)*\*/ ?",  # before the value whose type it gives
    re.MULTILINE | re.DOTALL,
)
"""The comments of our scripts."""
_LINE_STARTS: Final = re.compile(rb"^\s+", re.MULTILINE)
"""Indentation, and empty lines."""
_STYLE_COMMENTS: Final = re.compile(rb"/\*(?:(?!\*/).)*\*/", re.DOTALL)
_STYLE_SPACES: Final = re.compile(rb'("[^"]*")|;?\s*(\})\s*|\s*([{;,>])\s*|(:)\s+|(\s)\s*')
"""Spaces of a stylesheet outside its strings, what needs none beside it, needless semicolons."""
_IMPORT: Final = re.compile(rb'^import \{([^}]*)\} from "\./([^"]+)";\n', re.MULTILINE)
_LIT: Final = "vendor/lit-html.js"
_LIT_EXPORTS: Final = re.compile(rb"\bexport\{([^}]*)\};\s*//# sourceMappingURL=.*\s*$")
_FROM_LIT: Final = b"html, nothing, svg"
"""What modules import from lit, besides `render`, which only drawing.js does."""

# Browsers refuse modules of any other type, and the machine's own table of types may name one.
# Reading it would take memory and time, too.
_KINDS: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}

_BOARD: Final = ("face.js", "glow.js", "board_parts.js", "board_buttons.js", "board.js")
JOINED: Final = {
    "page.css": (
        "base.css", "head.css", "layout.css", "board.css", "controls.css", "bar.css", "lobby.css",
    ),
    "night.css": ("suits.css", "seats.css", "entering.css"),
    "page.js": (
        _LIT, "storage.js", "time.js", "texts.js", "requests.js", "drawing.js", "elements.js",
        "views.js", "taps.js", "sharing.js", "connection.js", "dialog.js",
    ),
    "tv.js": ("suits.js", "stage.js", "tv.js"),
    "controls.js": ("suits.js", "counting.js", "melding.js", "controls.js"),
    "replay.js": ("follow.js", "moves.js", "player.js", "timeline.js", "replay.js"),
    "bots.js": ("own_seat.js", "bots_view.js", "bots.js"),
    "main.js": (
        *_BOARD, "keys.js", "store.js", "owner.js", "overview.js", "table_board.js", "phone.js",
        "commands.js", "display.js", "lazy_presses.js", "link.js", "panels.js", "main.js",
    ),
    "board.js": _BOARD,
}  # fmt: skip
"""Stylesheets, and modules each after those that it imports, that are sent as one file.

A browser loads six files of a server at once, and a phone far from the access point waits for every
further turn. Of two files with the same module, no page loads both.
"""
_SENT_IN: Final = {part: name for name, parts in JOINED.items() for part in parts}
"""For modules that are sent in several files, the last of them."""


def web_folder() -> Path:
    """Where templates and static files are: in the installed package, else in the repository."""
    installed = _PACKAGE / "web"
    return installed if installed.is_dir() else _PACKAGE.parent / "web"


def tag_of(body: bytes) -> str:
    """An ETag. Sixteen digits are enough to see that a file has changed."""
    return generate_etag(body)[:16]


def kind_of(name: str) -> str | None:
    """The media type of a file of the pages; None for what none of them loads."""
    return _KINDS.get(PurePosixPath(name).suffix)


def unchanged_file(name: str) -> Response:
    """A file of the pages as it is. Raises NotFound."""
    return send_from_directory(web_folder() / "static", name, mimetype=kind_of(name))


def compact_script(script: bytes) -> bytes:
    """A script without comments, indentation and empty lines, and otherwise as it was written."""
    return _LINE_STARTS.sub(b"", _COMMENTS.sub(b"", script))


def compact_style(style: bytes) -> bytes:
    """A stylesheet without comments and needless spaces."""
    kept = _STYLE_COMMENTS.sub(b"", style)
    return _STYLE_SPACES.sub(lambda space: next(filter(None, space.groups()[:-1]), b" "), kept)


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
        if source in JOINED.get(name, ()):
            renamed = source == _LIT and b" as " in match[1]
            return b"const {%s} = lit;\n" % match[1].replace(b" as", b":") if renamed else b""
        source = _SENT_IN.get(source, source)
        names = [name.strip() for name in match[1].decode().split(",") if name.strip()]
        new = [imported_name for imported_name in names if (source, imported_name) not in known]
        known.update((source, imported_name) for imported_name in new)
        return f'import {{ {", ".join(new)} }} from "./{source}";\n'.encode() if new else b""

    return [
        _within_function(module)
        if _LIT_EXPORTS.search(module)
        else _IMPORT.sub(imported, compact_script(module))
        for module in modules
    ]


def _within_function(lit: bytes) -> bytes:
    """The library lit, unchanged, but with its many short names kept apart from ours."""
    code, exported, *_ = _LIT_EXPORTS.split(lit)
    names = b", ".join(
        b"%s: %s" % (name, local)
        for local, name in (pair.split(b" as ") for pair in exported.split(b","))
    )
    return b"const lit = (() => {\n%s\nreturn {%s};\n})();\nexport const {%s} = lit;\n" % (
        code, names, _FROM_LIT,
    )  # fmt: skip


@cache
def start_script() -> str:
    """The script in the HTML of every page, which says why the page does not start."""
    written = (web_folder() / "templates" / "start.js").read_bytes()
    return compact_script(written).decode().strip()


@cache
def start_script_source() -> bytes:
    """What allows that script in a content security policy (CSP 3, section 2.3.1)."""
    digest = hashlib.sha256(start_script().encode()).digest()
    return b"'sha256-%s'" % base64.b64encode(digest)
