"""ASGI types, what the gateway has found out about a request, and whole responses."""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping
from itertools import chain
from typing import Any, Final

import msgspec
from flask import Response, request
from werkzeug.datastructures import Accept

from pochboard.server.authentication import RequestSource
from pochboard.server.connections import Connection
from pochboard.server.errors import ApiError, error_body, wants_page
from pochboard.server.forwarding import Arrival
from pochboard.server.language import translator_for

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

READING: Final = ("GET", "HEAD")
"""Methods of requests that change nothing."""


def connection_of(scope: Scope) -> Connection:
    """The connection that a request came on."""
    connection = scope["state"]["connection"]
    assert isinstance(connection, Connection), "the protocol sets it"
    return connection


def arrival_of(scope: Scope) -> Arrival:
    """The way of a request."""
    arrival = scope["state"]["arrival"]
    assert isinstance(arrival, Arrival), "the middleware sets it"
    return arrival


def headers_of(scope: Scope) -> Mapping[str, str]:
    """The headers by name in lower case; repeated ones are joined as HTTP defines it."""
    headers = scope["state"]["headers"]
    assert isinstance(headers, dict), "the middleware sets them"
    return headers


def joined_headers(scope: Scope) -> dict[str, str]:
    """What `headers_of` gives of a request that has just arrived."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        between = "; " if name == "cookie" else ", "
        headers[name] = f"{headers[name]}{between}{value}" if name in headers else value
    return headers


def source_of(scope: Scope) -> RequestSource:
    """The source of a request: its headers, and the addresses of both ends."""
    arrival = arrival_of(scope)
    return RequestSource(
        headers_of(scope), arrival.address, scope["server"][0], direct=arrival.direct
    )


async def respond(
    send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes = b""
) -> None:
    """Sends a whole response."""
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def respond_error(scope: Scope, send: Send, error: ApiError) -> None:
    """Sends a refusal or an error as a response."""
    sent = headers_of(scope)
    page = wants_page(scope["path"], sent.get("accept", ""))
    root = arrival_of(scope).root
    t = translator_for(sent, scope["query_string"])
    body, kind = error_body(error, t, page=page, root=root)
    headers = {
        "Content-Type": kind,
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
        **error.headers,
    }
    encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await respond(send, error.status, encoded, body)


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


def accepts_gzip(encodings: Accept) -> bool:
    """Whether a client does; over plain HTTP browsers accept nothing better."""
    return encodings["gzip"] > 0
