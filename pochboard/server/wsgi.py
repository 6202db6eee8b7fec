"""Lets the application, which is WSGI, answer requests of the event loop, in threads of its own.

A request changes to a thread once and back once: it comes with its whole body, and the answer goes
back complete. General bridges such as a2wsgi hand over each part of it, and the thread then
waits for the event loop four or five times.
"""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pochboard.server.asgi import Receive, Scope, Send, headers_of

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication, WSGIEnvironment


_FRAMING: Final = ("content-length", "transfer-encoding")
"""How the body was sent; here it comes in one piece, with its length."""


class _Answer(NamedTuple):
    status: int
    headers: list[tuple[bytes, bytes]]
    pieces: list[bytes]


class Bridge:
    """An ASGI application that answers with a WSGI application, in a pool of threads."""

    def __init__(self, application: WSGIApplication, *, threads: int) -> None:
        self._application = application
        self.executor = ThreadPoolExecutor(threads, "WSGI")

    def close(self) -> None:
        """Ends the threads once they have answered what they were given."""
        self.executor.shutdown()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request whose body `receive` gives in one piece; raises what that raises."""
        message = await receive()
        assert not message["more_body"], "the middleware has read the whole body"
        environ = _environ(scope, message["body"])
        loop = asyncio.get_running_loop()
        answer = await loop.run_in_executor(self.executor, self._answer, environ)
        await send(
            {
                "type": "http.response.start",
                "status": answer.status,
                "headers": answer.headers,
            }
        )
        *others, last = answer.pieces or [b""]
        for piece in others:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": last})

    def _answer(self, environ: WSGIEnvironment) -> _Answer:
        started: list[tuple[str, list[tuple[str, str]]]] = []
        pieces: list[bytes] = []

        def start_response(status: str, headers: list[tuple[str, str]], _: object = None) -> Any:
            started.append((status, headers))
            return pieces.append

        made: Iterable[bytes] = self._application(environ, start_response)
        try:
            pieces += made
        finally:
            close = getattr(made, "close", None)
            if close is not None:
                close()
        status, headers = started[-1]
        encoded = [
            (name.strip().lower().encode("latin-1"), value.strip().encode("latin-1"))
            for name, value in headers
        ]
        return _Answer(int(status[:3]), encoded, pieces)


def _environ(scope: Scope, body: bytes) -> WSGIEnvironment:
    """The request as WSGI describes it (PEP 3333), with the scope as `asgi.scope`."""
    environ: WSGIEnvironment = {
        # First, because they must not replace what follows. A name with `_` could pass for another.
        f"HTTP_{name.upper().replace('-', '_')}": value
        for name, value in headers_of(scope).items()
        if name not in _FRAMING and "_" not in name
    }
    address, port = scope["server"]
    client_address, client_port = scope["client"]
    return environ | {
        "asgi.scope": scope,
        "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": environ.pop("HTTP_CONTENT_TYPE", ""),
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "REMOTE_ADDR": client_address,
        "REMOTE_PORT": str(client_port),
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "SERVER_NAME": address,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "wsgi.errors": sys.stderr,
        "wsgi.input": io.BytesIO(body),
        "wsgi.multiprocess": False,
        "wsgi.multithread": True,
        "wsgi.run_once": False,
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.version": (1, 0),
    }
