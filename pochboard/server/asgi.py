"""ASGI types, what the gateway has found out about a request, and whole responses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Final

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
