"""From ASGI to Flask: requests are read whole and in time, then answered by a bounded pool."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Iterable
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, Final

from pochboard.errors import Refusal
from pochboard.server.asgi import (
    Gone,
    Receive,
    Scope,
    Send,
    connection_of,
    headers_of,
    respond,
    respond_problem,
)
from pochboard.server.authentication import RequestSource

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

SOURCE: Final = "pochboard.source"
"""Where in a WSGI environment the RequestSource stands."""
BODY_LIMIT: Final = 16 * 1024
SHEET_LIMIT: Final = 4 * 1024 * 1024
_SHEETS: Final = ("POST", "/api/nights")
_BODY_S: Final = 15.0
_DISCARD_S: Final = 3.0
_DISCARD_LIMIT: Final = 8 * 1024 * 1024
_MOST_AT_ONCE: Final = 64


class _Refused(Exception):  # noqa: N818 - a refusal on its way
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.refusal = Refusal(code, message)


class WsgiAdapter:
    """Answers requests with a WSGI application in the threads of a pool.

    Only whole requests reach a thread, and a thread never waits for a client: half-open
    connections and slow readers cost no more than the memory of what they sent or asked for.
    """

    def __init__(self, app: WSGIApplication, pool: Executor) -> None:
        self._app = app
        self._pool = pool
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        try:
            body = await self._body(scope, receive)
        except _Refused as refused:
            # What a client still sends would reset the connection before it has read the answer.
            extra = [(b"connection", b"close")]
            await respond_problem(scope, send, refused.status, refused.refusal, extra=extra)
            return
        if self._under_way >= _MOST_AT_ONCE:
            busy = Refusal("busy", "Too much is asked at once; try again in a moment.")
            await respond_problem(scope, send, 503, busy, extra=[(b"retry-after", b"1")])
            return
        with connection_of(scope).answering():
            status, headers, answer = await self._answer(_environ(scope, body))
            await respond(scope, send, status, headers, answer)

    async def _answer(
        self, environ: dict[str, Any]
    ) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        self._under_way += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._pool, self._run, environ)
        finally:
            self._under_way -= 1

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body. Raises _Refused if it is too large or too slow, Gone at a disconnect."""
        is_sheet = (scope["method"], scope["path"]) == _SHEETS
        limit = SHEET_LIMIT if is_sheet else BODY_LIMIT
        body = bytearray()
        try:
            async with asyncio.timeout(_BODY_S):
                more = True
                while more and len(body) <= limit:
                    chunk, more = await _chunk(receive)
                    body += chunk
        except TimeoutError:
            raise _Refused(408, "too-slow", "The request took too long to arrive.") from None
        if len(body) > limit:
            if more:
                await _discard(receive)
            allowed = f"{limit // 1024} KiB"
            raise _Refused(413, "too-large", f"That is more than the {allowed} taken here.")
        return bytes(body)

    def _run(self, environ: dict[str, Any]) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """Runs the application, in a thread of the pool."""
        status, headers = 500, list[tuple[bytes, bytes]]()

        def start_response(line: str, pairs: list[tuple[str, str]], _: Any = None, /) -> Any:
            nonlocal status, headers
            status = int(line.partition(" ")[0])
            headers = [(n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in pairs]
            return lambda _: None

        chunks: Iterable[bytes] = self._app(environ, start_response)
        try:
            body = b"".join(chunks)
            return status, headers, body
        finally:
            close = getattr(chunks, "close", None)
            if close is not None:
                close()


async def _chunk(receive: Receive) -> tuple[bytes, bool]:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise Gone
    return message.get("body", b""), message.get("more_body", False)


async def _discard(receive: Receive) -> None:
    """Reads on for a while, so that a client that sends first and reads then sees the refusal."""
    taken, more = 0, True
    try:
        async with asyncio.timeout(_DISCARD_S):
            while more and taken < _DISCARD_LIMIT:
                chunk, more = await _chunk(receive)
                taken += len(chunk)
    except TimeoutError:
        pass


def source_of(scope: Scope) -> RequestSource:
    """Where a request came from."""
    return RequestSource(headers_of(scope), scope["client"][0], scope["server"][0])


def _environ(scope: Scope, body: bytes) -> dict[str, Any]:
    source = source_of(scope)
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("ascii"),
        "SERVER_NAME": source.own,
        "SERVER_PORT": str(scope["server"][1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": source.peer,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        SOURCE: source,
    }
    for name, value in source.headers.items():
        # A name with an underscore could pass for one with a hyphen.
        if "_" not in name:
            environ[f"HTTP_{name.upper().replace('-', '_')}"] = value
    environ["CONTENT_TYPE"] = source.headers.get("content-type", "")
    environ["CONTENT_LENGTH"] = str(len(body))
    return environ
