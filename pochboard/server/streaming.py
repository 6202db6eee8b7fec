"""Answers that may be very long: made and sent piece by piece.

The application makes the first two pieces. If that is not all, the middleware gets the rest by the
ASGI scope. It makes each piece when the client has taken the one before, so neither a thread nor
more than a piece waits for a slow client.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final

import msgspec
from flask import Response, request

from pochboard.server.asgi import Scope
from pochboard.server.web_files import accepts_gzip

_PIECE: Final = 64 * 1024
_KEY: Final = "pieces"


def streamed(texts: Iterable[str | bytes], content_type: str) -> Response:
    """A response of texts that are made one by one; a short one is sent whole."""
    pieces = _pieces(texts)
    first, second = next(pieces, b""), next(pieces, None)
    if second is None:
        return Response(first, content_type=content_type)
    response = Response(content_type=content_type)
    # `_compressed` in app.py needs the whole body, so a long one is compressed here.
    response.cache_control.no_cache = True
    response.vary.add("Accept-Encoding")
    pieces = chain((first, second), pieces)
    if accepts_gzip(request.accept_encodings):
        response.headers["Content-Encoding"] = "gzip"
        pieces = _gzipped(pieces)
    scope = request.environ.get("asgi.scope")
    if scope is None:
        response.response = pieces  # without the middleware, as in a test of Flask alone
    elif request.method != "HEAD":
        scope["state"][_KEY] = pieces
    return response


def streamed_list(answers: Iterable[Any]) -> Response:
    """A JSON list of answers that are made one by one."""
    return streamed(_json_list(answers), "application/json")


def has_pieces(scope: Scope) -> bool:
    """Whether the response to a request goes on after what the application has sent."""
    return _KEY in scope["state"]


def take_pieces(scope: Scope) -> Iterator[bytes] | None:
    """What is left to send of the response to a request, if it is long."""
    pieces: Iterator[bytes] | None = scope["state"].pop(_KEY, None)
    return pieces


def _json_list(answers: Iterable[Any]) -> Iterator[bytes]:
    before = b"["
    for answer in answers:
        yield before + msgspec.json.encode(answer)
        before = b","
    yield b"[]" if before == b"[" else b"]"


def _pieces(texts: Iterable[str | bytes]) -> Iterator[bytes]:
    """Texts as pieces of about 64 KiB."""
    piece = bytearray()
    for text in texts:
        piece += text.encode() if isinstance(text, str) else text
        if len(piece) >= _PIECE:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


def _gzipped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    compressor = zlib.compressobj(6, wbits=16 + zlib.MAX_WBITS)
    for piece in pieces:
        yield compressor.compress(piece)
    yield compressor.flush()
