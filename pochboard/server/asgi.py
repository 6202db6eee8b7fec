"""The little of ASGI that is spoken here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, Final

from pochboard.errors import Refusal
from pochboard.server.errors import problem, wants_page

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]

SEND_S: Final = 10.0
"""How long a client may take to accept a piece of an answer."""
_PIECE: Final = 64 * 1024


class Gone(Exception):  # noqa: N818 - not an error: the client has gone, or does not read
    """There is nobody to answer any more."""


class Connection:
    """A client's connection, as far as a request may know it."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self.transport = transport
        self.answers = 0
        """Answers under way on it; a request that is still arriving is none."""

    @contextmanager
    def answering(self) -> Iterator[None]:
        """While this lasts, it is not idle."""
        self.answers += 1
        try:
            yield
        finally:
            self.answers -= 1

    def drop(self) -> None:
        """Closes it at once, without waiting for what the client has not read."""
        self.transport.abort()


def connection_of(scope: Scope) -> Connection:
    """The connection that a request came on."""
    connection = scope["state"]["connection"]
    assert isinstance(connection, Connection), "the server puts it there"
    return connection


def headers_of(scope: Scope) -> dict[str, str]:
    """The headers by name in lower case; repeated ones joined as HTTP has it."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        between = "; " if name == "cookie" else ", "
        headers[name] = f"{headers[name]}{between}{value}" if name in headers else value
    return headers


async def send_in_time(scope: Scope, send: Send, message: Message) -> None:
    """Sends a piece of an answer. A client that does not read is dropped; then raises Gone."""
    if connection_of(scope).transport.is_closing():
        raise Gone
    try:
        async with asyncio.timeout(SEND_S):
            await send(message)
    except (TimeoutError, OSError):
        connection_of(scope).drop()
        raise Gone from None


async def respond(
    scope: Scope, send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    """Sends a whole answer, in pieces, so that a slow client that does read is not dropped."""
    await send_in_time(
        scope, send, {"type": "http.response.start", "status": status, "headers": headers}
    )
    for start in range(0, len(body), _PIECE):
        piece = body[start : start + _PIECE]
        message = {"type": "http.response.body", "body": piece, "more_body": True}
        await send_in_time(scope, send, message)
    await send_in_time(scope, send, {"type": "http.response.body", "body": b""})


async def respond_problem(
    scope: Scope, send: Send, status: int, refusal: Refusal, *, extra: Headers = ()
) -> None:
    """Answers with a refusal."""
    accept = headers_of(scope).get("accept", "")
    body, kind = problem(status, refusal, page=wants_page(scope["path"], accept))
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *extra,
    ]
    await respond(scope, send, status, headers, body)
