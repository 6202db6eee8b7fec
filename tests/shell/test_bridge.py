"""The bridge between the event loop and the application, and the compression of what it answers."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from wsgiref.validate import validator

import pytest

from pochboard.server.compression import gzipped
from pochboard.server.wsgi import Bridge


def scope(**changed: Any) -> dict[str, Any]:
    """A request as uvicorn describes it, with the headers as the middleware has joined them."""
    return {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "https",
        "path": "/api/größe",
        "query_string": b"lang=de",
        "server": ("127.0.0.1", 8441),
        "client": ("192.168.0.7", 50000),
        "headers": [],
        "state": {"headers": {}},
    } | changed


def answered(
    application: Callable[..., Iterable[bytes]], request: dict[str, Any], body: bytes = b""
) -> list[dict[str, Any]]:
    """The messages that the bridge sends of an answer."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    bridge = Bridge(application, threads=1)
    try:
        asyncio.run(bridge(request, receive, send))
    finally:
        bridge.close()
    return sent


def test_the_application_is_asked_as_wsgi_defines_it() -> None:
    seen: dict[str, Any] = {}

    def application(environ: dict[str, Any], start: Any) -> list[bytes]:
        seen.update(environ, body=environ["wsgi.input"].read(100))
        start("200 OK", [("Content-Type", "text/plain"), ("X-Twice", "1"), ("X-Twice", "2")])
        return [b"Anna"]

    headers = {
        "content-type": "application/json",
        "accept-language": "de",
        # The body came in chunks; here it does not.
        "transfer-encoding": "chunked",
        "content-length": "99",
        # Some servers make the same of `_` as of `-`.
        "accept_language": "en",
    }
    request = scope(state={"headers": headers})
    start, end = answered(validator(application), request, b"{}")
    assert start == {
        "type": "http.response.start",
        "status": 200,
        "headers": [(b"content-type", b"text/plain"), (b"x-twice", b"1"), (b"x-twice", b"2")],
    }
    assert end == {"type": "http.response.body", "body": b"Anna"}
    assert seen["body"] == b"{}"
    assert seen["asgi.scope"] is request
    assert {name: seen[name] for name in seen if name.isupper()} == {
        "CONTENT_LENGTH": "2",
        "CONTENT_TYPE": "application/json",
        "HTTP_ACCEPT_LANGUAGE": "de",
        "PATH_INFO": "/api/größe".encode().decode("latin-1"),
        "QUERY_STRING": "lang=de",
        "REMOTE_ADDR": "192.168.0.7",
        "REMOTE_PORT": "50000",
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8441",
        "SERVER_PROTOCOL": "HTTP/1.1",
    }
    assert seen["wsgi.url_scheme"] == "https"


class Pieces:
    """A body in pieces, which may fail."""

    def __init__(self, *pieces: bytes | Exception) -> None:
        self._pieces = pieces
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    def close(self) -> None:
        """Ends it."""
        self.is_closed = True


def test_a_body_in_pieces_is_sent_in_pieces() -> None:
    body = Pieces(b"one", b"two")

    def application(_: Any, start: Any) -> Pieces:
        start("200 OK", [])
        return body

    _, *sent = answered(application, scope())
    assert [(part["body"], part.get("more_body", False)) for part in sent] == [
        (b"one", True),
        (b"two", False),
    ]
    assert body.is_closed


def test_of_an_answer_that_fails_nothing_is_sent() -> None:
    body = Pieces(b"one", OSError("the disk"))

    def application(_: Any, start: Any) -> Pieces:
        start("200 OK", [])
        return body

    with pytest.raises(OSError, match="the disk"):
        answered(application, scope())
    assert body.is_closed


def test_what_begins_alike_is_compressed_as_if_it_were_compressed_at_once() -> None:
    beginning = bytes(range(256)) * 300
    for rest in (b"", b"Anna", bytes(range(255, -1, -1)) * 200):
        compressed = gzipped(rest, beginning=beginning)
        assert gzip.decompress(compressed) == beginning + rest
        assert compressed == gzipped(beginning + rest)
