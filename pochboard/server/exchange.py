"""One request and its answer, on the server's event loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from werkzeug.http import http_date

from pochboard.errors import refuse
from pochboard.server.arrival import Arrival
from pochboard.server.errors import ApiError
from pochboard.server.web_files import start_script_source
from pochboard.server.web_server import Connection, Receive, Send

Headers = Iterable[tuple[str, str]]
_LONG_BYTES: Final = 64 * 1024
"""Shorter bodies and answers need no room: the limit of connections also limits those."""
_ROOM_BYTES: Final = 48 * 1024 * 1024
_DISCARDED_BYTES: Final = 8 * 1024 * 1024
_PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self' {}; style-src 'self'; img-src 'self'; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors {}"
)
_FILE_POLICY: Final = "default-src 'none'; frame-ancestors 'none'"
"""The policy for responses that are not pages, and load nothing."""
_SECURITY: Final = (
    ("x-content-type-options", "nosniff"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
)


class ClientGone(Exception):  # noqa: N818 - not an error: the client has left
    """The client has gone, so there is nobody to respond to."""


class Room:
    """The memory for long bodies that arrive, and for long answers that are not taken yet."""

    def __init__(self) -> None:
        self._taken = 0

    @contextmanager
    def take(self, size: int) -> Iterator[None]:
        """Room for so many bytes. Raises ApiError 503 if clients have taken too much together."""
        size = size if size > _LONG_BYTES else 0
        if size and self._taken + size > _ROOM_BYTES:
            raise ApiError(503, refuse("busy", "Too many requests at once. Try again in a moment."))
        self._taken += size
        try:
            yield
        finally:
            self._taken -= size


class Exchange:
    """A request, from which the body is read, and to which one response is sent."""

    def __init__(
        self, arrival: Arrival, connection: Connection, room: Room, receive: Receive, send: Send
    ) -> None:
        self.arrival = arrival
        self.connection = connection
        self._room = room
        self._receive = receive
        self._send = send
        self.begun = False
        """Whether a part of the response is sent."""

    async def body(self, limit: int) -> bytes:
        """The whole body. Raises ApiError 413 if it is larger, or ClientGone."""
        self.connection.expect(limit)
        body, size, more = bytearray(), 0, True
        # A client that first sends everything would miss the response, so take more than the limit.
        while more and size <= limit + _DISCARDED_BYTES:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            piece, more = message.get("body", b""), message.get("more_body", False)
            size += len(piece)
            if size <= limit:
                body += piece
        self.connection.stop_expecting()
        if size > limit:
            raise ApiError(
                413,
                refuse("too-large", "The request is larger than {most} KiB.", most=limit // 1024),
                headers={"Connection": "close"},
            )
        return bytes(body)

    async def gone(self) -> None:
        """Returns when the client has gone."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def respond(self, status: int, headers: Headers, body: bytes = b"") -> None:
        """Sends a whole response. Raises ApiError 503 if there is no room for a long one."""
        with self._room.take(len(body)):
            self.connection.expect(len(body))
            await self.begin(status, headers)
            # Each piece waits until the client has taken most of those before it.
            sent = 0
            while len(body) - sent > _LONG_BYTES:
                await self.send(body[sent : sent + _LONG_BYTES])
                sent += _LONG_BYTES
            await self.end(body[sent:])

    async def begin(self, status: int, headers: Headers) -> None:
        """Sends the head of a response, with the headers that all have."""
        self.begun = True
        pairs = [("date", http_date()), *headers, *_SECURITY]
        # A 304 has no type, and its headers replace those of a page.
        kind = next((value for name, value in pairs if name.lower() == "content-type"), "text/html")
        policy = _FILE_POLICY
        if kind.startswith("text/html"):
            # Home Assistant shows a page below its ingress in a frame.
            framed = self.arrival.proxied and self.arrival.prefix
            policy = _PAGE_POLICY.format(start_script_source(), "'self'" if framed else "'none'")
        pairs.append(("content-security-policy", policy))
        encoded = [(name.lower().encode(), value.encode("latin-1")) for name, value in pairs]
        await self._send({"type": "http.response.start", "status": status, "headers": encoded})

    async def send(self, text: bytes) -> None:
        """Sends a part of the body that is not the last."""
        await self._send({"type": "http.response.body", "body": text, "more_body": True})

    async def end(self, text: bytes = b"") -> None:
        """Sends the last part of the body."""
        await self._send({"type": "http.response.body", "body": text})
