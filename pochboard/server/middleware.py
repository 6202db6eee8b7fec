"""What every request passes before the event stream or Flask answers it.

The middleware finds out how a request came, checks whether it is admitted, reads its whole body,
adds headers, and sends in time. So a thread never waits for a client: half-open connections and
slow readers cost no more than the memory of what they sent or asked for.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Final

from werkzeug.http import http_date

from pochboard.errors import refuse
from pochboard.server.admission import READING, Admission
from pochboard.server.asgi import (
    App,
    Message,
    Receive,
    Scope,
    Send,
    arrival_of,
    connection_of,
    headers_of,
    joined_headers,
    respond,
    respond_error,
    send_in_time,
)
from pochboard.server.connections import ClientGone, Connections, Slots
from pochboard.server.errors import ApiError, internal_error
from pochboard.server.forwarding import Arrival
from pochboard.server.hosts import is_loopback, parse_host
from pochboard.server.streaming import has_pieces, take_pieces
from pochboard.server.web_files import STATIC, send_file, start_script_source
from pochboard.text.lazy import lazy_gettext

log = logging.getLogger(__name__)

BODY_LIMIT: Final = 16 * 1024
"""The largest request body, unless the route declares another."""
_HEADERS_LIMIT: Final = 32 * 1024
_BODY_S: Final = 15.0
_DISCARD_S: Final = 3.0
_DISCARD_LIMIT: Final = 8 * 1024 * 1024
_MOST_AT_ONCE: Final = 128
"""How many requests that only read may be in progress at once, and how many others."""
_MOST_FROM_ONE: Final = 16
"""How many requests of one address may be in progress at once."""
_MOST_HEAVY: Final = 16
_MOST_HEAVY_FROM_ONE: Final = 4
"""How many answers that take long to make may be pending or being sent at once."""
_MOST_UPLOADS: Final = 8
_MOST_UPLOADS_FROM_ONE: Final = 2
"""How many bodies above `BODY_LIMIT` may be read or processed at once."""
_PIECE: Final = 64 * 1024
_CLOSE: Final = {"Connection": "close"}
"""For errors after which the rest of the request is not read."""

_PAGE_POLICY: Final = (
    b"default-src 'none'; script-src 'self' %s; style-src 'self'; img-src 'self';"
    b" font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none';"
    b" frame-ancestors %s"
)
_FILE_POLICY: Final = b"default-src 'none'; frame-ancestors 'none'"
"""The policy for responses that are not pages, and load nothing."""
_SECURITY: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
]
# Over plain HTTP browsers obey this header only from their own machine. From any other they
# complain that they ignore it.
_ON_THIS_MACHINE: Final = [(b"cross-origin-opener-policy", b"same-origin")]


class Middleware:
    """Checks and limits requests, and passes them to the event stream or to the application."""

    def __init__(
        self,
        admission: Admission,
        connections: Connections,
        *,
        application: App,
        native: Mapping[str, App],
        body_limits: Mapping[tuple[str, str], int],
        heavy: Sequence[str] = (),
    ) -> None:
        """`native` answers GET by path instead of the application.

        `body_limits` in bytes, by method and path. `heavy` are the paths of answers that take long
        to make, with variables in braces: these answers are made one at a time.
        """
        self._admission = admission
        self._connections = connections
        self._application = application
        self._native = native
        self._body_limits = body_limits
        paths = [re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) for path in heavy]
        self._heavy = re.compile("|".join(paths) or "(?!)")
        self._heavy_turn = asyncio.Lock()
        self._piece_maker = ThreadPoolExecutor(1, "pieces")
        self._requests = Slots(per_client=_MOST_FROM_ONE)
        self._under_way = {reads: Slots(_MOST_AT_ONCE) for reads in (True, False)}
        self._heavy_answers = Slots(_MOST_HEAVY, _MOST_HEAVY_FROM_ONE)
        self._uploads = Slots(_MOST_UPLOADS, _MOST_UPLOADS_FROM_ONE)

    def close(self) -> None:
        """Ends the thread that makes pieces of long answers, once no request is left."""
        self._piece_maker.shutdown()

    @property
    def under_way(self) -> int:
        """How many requests the application is answering."""
        return sum(slots.taken for slots in self._under_way.values())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        try:
            with self._connections.request(scope["client"], scope["server"]) as connection:
                headers = joined_headers(scope)
                arrival = self._admission.arrival(scope, headers)
                scope["state"] |= {
                    "connection": connection,
                    "arrival": arrival,
                    "headers": headers,
                }
                scope = {
                    **scope,
                    "client": (arrival.address, scope["client"][1]),
                    "scheme": arrival.scheme,
                    "path": arrival.path or "/",
                }
                await self._respond(scope, receive, _Sender(scope, send))
        except ClientGone:
            # uvicorn learns of it in the next round of the event loop. Until then it would report
            # a request without a response.
            await asyncio.sleep(0)

    async def _respond(self, scope: Scope, receive: Receive, send: _Sender) -> None:
        try:
            await self._dispatch(scope, receive, send)
        except ApiError as error:
            await respond_error(scope, send, error)
        except ClientGone:
            raise
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            if send.started:
                raise ClientGone from None
            await respond_error(scope, send, internal_error())

    async def _dispatch(self, scope: Scope, receive: Receive, send: _Sender) -> None:
        """Passes the request to the event stream or the application. Raises ApiError."""
        method, headers, arrival = scope["method"], headers_of(scope), arrival_of(scope)
        if scope["http_version"] not in ("1.0", "1.1"):
            # Also the preface of HTTP/2, which names no host.
            upgrade = {"Upgrade": "HTTP/1.1", "Connection": "Upgrade, close"}
            raise ApiError(
                426,
                refuse("bad-request", lazy_gettext("This server speaks HTTP/1.1 only.")),
                headers=upgrade,
            )
        self._admission.check(method, headers, arrival, scope["server"][1])
        if sum(len(name) + len(value) for name, value in scope["headers"]) > _HEADERS_LIMIT:
            raise ApiError(
                431, refuse("too-large", lazy_gettext("The headers of the request are too large."))
            )
        if "content-length" in headers and "transfer-encoding" in headers:
            # A proxy in front could see a different end of this request (RFC 9112 6.1).
            raise ApiError(
                400,
                refuse(
                    "bad-request",
                    lazy_gettext("Send either Content-Length or Transfer-Encoding, not both."),
                ),
                headers=_CLOSE,
            )
        if headers.get("upgrade", "").lower() == "websocket":
            raise ApiError(
                403,
                refuse(
                    "no-websocket", lazy_gettext("There are no WebSockets here. See /api/events.")
                ),
            )
        if not arrival.path and method in READING:
            # Without its slash at the end, links of the page would leave the prefix.
            await _redirect(scope, send, f"{arrival.prefix}/")
            return
        # The application answers a path with a trailing slash like the one without.
        path = arrival.path.removesuffix("/")
        if path in self._native and method in READING:
            await self._native[path](scope, receive, send)
            return
        if path.startswith(STATIC) and method in READING:
            await send_file(scope, receive, send)
            return
        address = scope["client"][0]
        limit = self._body_limits.get((method, path), BODY_LIMIT)
        if limit > BODY_LIMIT:
            with ExitStack() as upload:
                upload.enter_context(self._uploads.slot(address))
                body = await _read_body(receive, limit)
                await self._apply(scope, body, _closing(upload, send))
            return
        body = await _read_body(receive, limit)
        if method in READING and self._heavy.fullmatch(path):
            with self._heavy_answers.slot(address):
                await self._apply_heavy(scope, body, send)
        else:
            await self._apply(scope, body, send)

    async def _apply(self, scope: Scope, body: bytes, send: Send) -> None:
        """Lets the application answer. Raises ApiError 503, or 429 if it is only this client."""
        address, reads = scope["client"][0], scope["method"] in READING
        with (
            self._requests.slot(address),
            ExitStack() as making,
            connection_of(scope).responding(),
        ):
            making.enter_context(self._under_way[reads].slot(address))
            sent = _closing(making, _leaving_open(scope, send))
            await self._application(*_with_body(scope, body), sent)
            pieces = take_pieces(scope)
            if pieces is not None:
                await self._send_pieces(pieces, send)

    async def _send_pieces(self, pieces: Iterator[bytes], send: Send) -> None:
        """Sends the rest of a long answer; only one piece of all of them is made at a time."""
        loop = asyncio.get_running_loop()
        more = True
        while more:
            async with self._heavy_turn:
                piece = await loop.run_in_executor(self._piece_maker, next, pieces, None)
            more = piece is not None
            await send({"type": "http.response.body", "body": piece or b"", "more_body": more})

    async def _apply_heavy(self, scope: Scope, body: bytes, send: Send) -> None:
        """Lets the application answer once no other heavy answer is being made.

        Python runs one thread at a time, so several at once would only delay the table. Pending
        requests take no thread.
        """
        with connection_of(scope).responding():
            await self._heavy_turn.acquire()
            with ExitStack() as turn:
                turn.callback(self._heavy_turn.release)
                if connection_of(scope).transport.is_closing():
                    raise ClientGone
                await self._apply(scope, body, _closing(turn, send))


def _leaving_open(scope: Scope, send: Send) -> Send:
    """Sends all but the end if pieces of the answer are to follow."""

    async def send_beginning(message: Message) -> None:
        if has_pieces(scope):
            if message["type"] == "http.response.body":
                message = {**message, "more_body": True}
            else:
                headers = [pair for pair in message["headers"] if pair[0] != b"content-length"]
                message = {**message, "headers": headers}
        await send(message)

    return send_beginning


def _closing(stack: ExitStack, send: Send) -> Send:
    """Closes the stack before sending: the answer is complete, however slowly it is read."""

    async def send_complete(message: Message) -> None:
        stack.close()
        await send(message)

    return send_complete


class _Sender:
    """Sends a response: adds headers, and drops a client that does not read it."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self.started = False

    async def __call__(self, message: Message) -> None:
        """Sends a part of the response. Raises ClientGone."""
        if message["type"] == "http.response.start":
            self.started = True
            headers = [*message["headers"], *_SECURITY]
            policy = _policy(_kind(message["headers"]), arrival_of(self._scope))
            headers.append((b"content-security-policy", policy))
            if _is_this_machine(self._scope):
                headers += _ON_THIS_MACHINE
            if not any(name == b"date" for name, _ in headers):
                headers.append((b"date", http_date().encode()))
            message = {**message, "headers": headers}
            await send_in_time(self._scope, self._send, message)
            return
        # The time limit is for each piece: a client that reads slowly is not dropped.
        body, more_body = message.get("body", b""), message.get("more_body", False)
        for start in range(0, max(len(body), 1), _PIECE):
            piece = body[start : start + _PIECE]
            more = more_body or start + _PIECE < len(body)
            part = {"type": "http.response.body", "body": piece, "more_body": more}
            await send_in_time(self._scope, self._send, part)


def _kind(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The type of an answer. A 304 has none, and its headers replace those of a page."""
    return next((value for name, value in headers if name == b"content-type"), b"text/html")


def _policy(kind: bytes, arrival: Arrival) -> bytes:
    """The content security policy for an answer of this type."""
    if not kind.startswith(b"text/html"):
        return _FILE_POLICY
    # Home Assistant shows a page below its ingress in a frame.
    framed = arrival.proxied and arrival.prefix
    return _PAGE_POLICY % (start_script_source(), b"'self'" if framed else b"'none'")


async def _redirect(scope: Scope, send: Send, location: str) -> None:
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    headers = [(b"location", location.encode() + query), (b"content-length", b"0")]
    await respond(send, 308, headers)


async def _read_body(receive: Receive, limit: int) -> bytes:
    """The whole body. Raises ApiError if it is too large or too slow, else ClientGone."""
    body = bytearray()
    more = True
    try:
        async with asyncio.timeout(_BODY_S):
            while more and len(body) <= limit:
                chunk, more = await _next_chunk(receive)
                body += chunk
    except TimeoutError:
        raise ApiError(
            408,
            refuse("too-slow", lazy_gettext("The request took too long to arrive.")),
            headers=_CLOSE,
        ) from None
    if len(body) > limit:
        if more:
            await _discard(receive)
        raise ApiError(
            413,
            refuse(
                "too-large",
                lazy_gettext("The request is larger than {most} KiB.", most=limit // 1024),
            ),
            headers=_CLOSE,
        )
    return bytes(body)


async def _next_chunk(receive: Receive) -> tuple[bytes, bool]:
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientGone
    return message.get("body", b""), message.get("more_body", False)


async def _discard(receive: Receive) -> None:
    """Keeps reading for a while: a client that first sends everything would miss the response."""
    taken, more = 0, True
    try:
        async with asyncio.timeout(_DISCARD_S):
            while more and taken < _DISCARD_LIMIT:
                chunk, more = await _next_chunk(receive)
                taken += len(chunk)
    except TimeoutError:
        return


def _with_body(scope: Scope, body: bytes) -> tuple[Scope, Receive]:
    """The request as if its body had come in one piece, with its length known."""
    framing = (b"content-length", b"transfer-encoding")
    headers = [pair for pair in scope["headers"] if pair[0].lower() not in framing]
    headers.append((b"content-length", str(len(body)).encode()))

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return {**scope, "headers": headers}, receive


def _is_this_machine(scope: Scope) -> bool:
    """Whether the browser knows that this comes from its own machine."""
    asked = parse_host(headers_of(scope).get("host", ""))
    return asked is not None and (asked.host == "localhost" or is_loopback(asked.host))
