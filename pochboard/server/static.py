"""The page's files: found beside the package or in the repository, read and compressed once."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import threading
from pathlib import Path
from typing import Final

import msgspec
from flask import Request, Response

from pochboard.server.errors import ApiError
from pochboard.server.reply import accepts_gzip

_PACKAGE: Final = Path(__file__).resolve().parent.parent
_KINDS: Final = {
    # The machine's own table of types may know these under other names, or not at all.
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".woff2": "font/woff2",
    ".png": "image/png",
    ".ico": "image/x-icon",
}
_PACKED: Final = (".js", ".css", ".html", ".svg", ".json", ".webmanifest", ".txt", ".md")


def web_folder() -> Path:
    """Where templates and static files are: beside the package, else in the repository."""
    beside = _PACKAGE / "web"
    return beside if beside.is_dir() else _PACKAGE.parent / "web"


class _File(msgspec.Struct, frozen=True):
    stamp: tuple[int, int]
    body: bytes
    packed: bytes | None
    kind: str
    version: str


class StaticFiles:
    """The files of a folder, and nothing outside it. Changed files are read again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._lock = threading.Lock()
        self._files: dict[str, _File] = {}

    def answer(self, name: str, request: Request) -> Response:
        """The file, or 304 if the client has it. Raises ApiError 404."""
        file = self._file(name)
        packed = file.packed is not None and accepts_gzip(request)
        response = Response(file.packed if packed else file.body, content_type=file.kind)
        if packed:
            response.headers["Content-Encoding"] = "gzip"
        if file.packed is not None:
            response.headers["Vary"] = "Accept-Encoding"
        # Weak, since it names the file whether it is compressed or not.
        response.set_etag(file.version, weak=True)
        # Kept, but asked about each time: after an update no phone mixes old modules with new.
        response.headers["Cache-Control"] = "no-cache"
        response.make_conditional(request)
        return response

    def _file(self, name: str) -> _File:
        path = self._path(name)
        try:
            found = path.stat()
            stamp = (found.st_mtime_ns, found.st_size)
            with self._lock:
                known = self._files.get(name)
            if known is None or known.stamp != stamp:
                known = _read(path, stamp)
                with self._lock:
                    self._files[name] = known
        except OSError:
            raise ApiError(404, "not-found", "There is no such file.") from None
        return known

    def _path(self, name: str) -> Path:
        # A NUL in a name is no OSError but a ValueError.
        if "\0" in name or any(part.startswith(".") for part in name.split("/")):
            raise ApiError(404, "not-found", "There is no such file.")
        path = (self._folder / name).resolve()
        if not path.is_relative_to(self._folder) or not path.is_file():
            raise ApiError(404, "not-found", "There is no such file.")
        return path


def _read(path: Path, stamp: tuple[int, int]) -> _File:
    body = path.read_bytes()
    suffix = path.suffix.lower()
    packed = gzip.compress(body, 9, mtime=0) if suffix in _PACKED else None
    if packed is not None and len(packed) >= len(body):
        packed = None
    kind = _KINDS.get(suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return _File(stamp, body, packed, kind, hashlib.sha256(body).hexdigest()[:16])
