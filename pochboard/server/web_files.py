"""The files of the pages: their addresses, how they are sent, and the script within each page."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath
from typing import Final

from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from pochboard.server.errors import NOTHING_HERE, ApiError

STATIC: Final = "/static/"
"""All addresses of the files begin with this."""
_PACKAGE: Final = Path(__file__).resolve().parents[1]
# Browsers refuse modules of any other type, and the machine's own table of types may name one.
_KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_PACKED_ALREADY: Final = {_KINDS[".png"], _KINDS[".woff2"]}
_IMPORTED: Final = re.compile(rb' from "\./([^"]+)";$', re.MULTILINE)
_TEXT: Final = re.compile(
    r"""\b([np]?)text\(\s*(?:[^"`()]*\?\s)?\s*("(?:[^"\\]|\\.)*")(?:\s*[,:]\s*("(?:[^"\\]|\\.)*"))?"""
)
"""`text("…")`, `text(x ? "…" : "…")`, `ntext("…", "…")` or `ptext(context, "…")`."""
_LEVEL: Final = 6
_GZIP: Final = 16 + zlib.MAX_WBITS
"""What makes zlib write gzip, without a time."""
_LONG_BYTES: Final = 256 * 1024
_SENT_AGAIN: Final = 32
"""Bodies whose compressed form is kept: what all phones ask for."""


def web_folder() -> Path:
    """Where templates and static files are: in the installed package, else in the repository."""
    installed = _PACKAGE / "web"
    return installed if installed.is_dir() else _PACKAGE.parent / "web"


@cache
def static_files() -> Mapping[str, bytes]:
    """The files that pages load, by name.

    They are read once, so that an update of the package under a running daemon mixes no versions.
    """
    folder = web_folder() / "static"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.suffix in _KINDS
    }


@cache
def static_path() -> str:
    """Where the files are, relative to the root: below a hash of them all.

    Browsers keep what is there for ever: other files have another address.
    """
    digest = hashlib.sha256()
    for name, content in static_files().items():
        digest.update(b"%s %d " % (name.encode(), len(content)) + content)
    return f"{STATIC[1:]}{digest.hexdigest()[:12]}/"


@cache
def modules_of(name: str) -> tuple[str, ...]:
    """A module and all that it imports, which a browser would ask for one after another."""
    found = [name]
    for module in found:
        imported = _IMPORTED.findall(static_files()[module])
        found += [one for one in map(bytes.decode, imported) if one not in found]
    return tuple(found)


def texts_in(code: str) -> Iterator[tuple[str, str, str]]:
    """The texts of a module or template, which stand in it in English.

    Each has a context, which is empty unless it is too short to be understood alone, and a plural,
    which is empty if it has none.
    """
    for kind, *literals in _TEXT.findall(code):
        first, second = (json.loads(literal) if literal else "" for literal in literals)
        match kind:
            case "p":
                yield first, second, ""
            case "n":
                yield "", first, second
            case _:
                yield from (("", text, "") for text in (first, second) if text)


def static_file(path: str, encodings: str) -> tuple[list[tuple[str, str]], bytes]:
    """Headers and body of a file of the pages, for a client that accepts these encodings.

    Raises ApiError for that of another version.
    """
    root = f"/{static_path()}"
    name = path.removeprefix(root)
    body = static_files().get(name) if path.startswith(root) else None
    if body is None:
        raise ApiError(404, NOTHING_HERE)
    kind = _KINDS[PurePosixPath(name).suffix]
    headers = [
        ("content-type", kind),
        ("cache-control", "public, max-age=31536000, immutable"),
        ("vary", "Accept-Encoding"),
    ]
    if kind not in _PACKED_ALREADY and accepts_gzip(parse_accept_header(encodings, Accept)):
        body = _packed(name)
        headers.append(("content-encoding", "gzip"))
    return [*headers, ("content-length", str(len(body)))], body


def accepts_gzip(encodings: Accept) -> bool:
    """Whether a client does; over plain HTTP browsers accept nothing better."""
    return encodings["gzip"] > 0


@cache
def _packed(name: str) -> bytes:
    return _gzip(static_files()[name])


def gzipped(body: bytes) -> bytes:
    """A body, compressed. Short ones are kept."""
    return _gzipped_once(body) if len(body) <= _LONG_BYTES else _gzip(body)


def _gzip(body: bytes) -> bytes:
    return zlib.compress(body, _LEVEL, _GZIP)


_gzipped_once: Final = lru_cache(_SENT_AGAIN)(_gzip)


@cache
def start_script() -> str:
    """The script in the HTML of every page, which says why the page does not start."""
    return (web_folder() / "templates" / "start.js").read_text("utf-8").strip()


@cache
def start_script_source() -> str:
    """What allows that script in a content security policy (CSP 3, section 2.3.1)."""
    digest = hashlib.sha256(start_script().encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
