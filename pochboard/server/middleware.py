"""What every request passes before the event stream or Flask answers it.

The middleware finds out how a request came, checks whether it is admitted, reads its whole body and
adds headers. So a thread never waits for a client: half-open connections and slow readers cost no
more than the memory of what they sent or asked for. The kernel ends those that never read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from werkzeug.http import http_date

from pochboard.errors import Refusal, refuse
from pochboard.server.asgi import (
    READING,
    App,
    Message,
    Receive,
    Scope,
    Send,
    arrival_of,
    connection_of,
    has_pieces,
    headers_of,
    joined_headers,
    respond,
    respond_error,
    take_pieces,
)
from pochboard.server.connections import ClientGone, Connections, Slots
from pochboard.server.errors import ApiError, internal_error
from pochboard.server.forwarding import Arrival, Proxies
from pochboard.server.hosts import HostPort, KnownHosts, parse_host, parse_origin, url_of
from pochboard.server.web_files import STATIC, send_file, start_script_source
from pochboard.text.lazy import lazy_gettext

log = logging.getLogger(__name__)

BODY_LIMIT: Final = 16 * 1024
"""The largest request body, unless the route declares another."""
_BODY_S: Final = 15.0
_DISCARD_S: Final = 3.0
_DISCARD_LIMIT: Final = 8 * 1024 * 1024
_MOST_UPLOADS: Final = 8
_MOST_UPLOADS_FROM_ONE: Final = 2
"""How many bodies above `BODY_LIMIT` may be read or processed at once: they are in memory."""
_CLOSE: Final = {"Connection": "close"}
"""For errors after which the rest of the request is not read."""

_PAGE_POLICY: Final = (
    b"default-src 'none'; script-src 'self' %s; style-src 'self'; img-src 'self'; font-src 'self';"
    b" connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none';"
    b" frame-ancestors %s"
)
_FILE_POLICY: Final = b"default-src 'none'; frame-ancestors 'none'"
"""The policy for responses that are not pages, and load nothing."""
_SECURITY: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
]


class Middleware:
    """Checks requests, and passes them to the event stream or to the application."""

    def __init__(
        self,
        admission: Admission,
        proxies: Proxies,
        connections: Connections,
        *,
        application: App,
        native: Mapping[str, App],
        body_limits: Mapping[tuple[str, str], int],
    ) -> None:
        """`native` answers GET by path instead of the application.

        `body_limits` in bytes, by method and path.
        """
        self._admission = admission
        self._proxies = proxies
        self._connections = connections
        self._application = application
        self._native = native
        self._body_limits = body_limits
        self._piece_maker = ThreadPoolExecutor(1, "pieces")
        self._uploads = Slots(_MOST_UPLOADS, _MOST_UPLOADS_FROM_ONE)

    def close(self) -> None:
        """Ends the thread that makes pieces of long answers, once no request is left."""
        self._piece_maker.shutdown()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        connection, headers = connection_of(scope), joined_headers(scope)
        arrival = self._proxies.arrival(scope, headers, connection.address)
        scope["state"] |= {"arrival": arrival, "headers": headers}
        scope = {
            **scope,
            "client": (arrival.address, scope["client"][1]),
            "path": arrival.path or "/",
        }
        answer = _Answer(scope, send)
        with self._connections.request(connection):
            try:
                await self._dispatch(scope, receive, answer)
            except ApiError as error:
                await respond_error(scope, answer, error)
            except ClientGone:
                await asyncio.sleep(0)  # uvicorn learns of it in the next round of the loop
            except Exception:
                log.exception("%s %s failed", scope["method"], scope["path"])
                if answer.started:
                    connection.drop()
                    await asyncio.sleep(0)
                else:
                    await respond_error(scope, answer, internal_error())

    async def _dispatch(self, scope: Scope, receive: Receive, send: _Answer) -> None:
        """Passes the request to the event stream or the application. Raises ApiError."""
        method, headers, arrival = scope["method"], headers_of(scope), arrival_of(scope)
        self._admission.check(method, headers, arrival, scope["server"][1])
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
        limit = self._body_limits.get((method, path))
        if limit is None:
            await self._apply(scope, await _read_body(receive, BODY_LIMIT), send)
            return
        with self._uploads.slot(arrival.address):
            await self._apply(scope, await _read_body(receive, limit), send)

    async def _apply(self, scope: Scope, body: bytes, send: _Answer) -> None:
        """Lets the application answer, then sends what is left of a long answer piece by piece."""
        with connection_of(scope).responding():
            await self._application(*_with_body(scope, body), send)
            pieces, loop = take_pieces(scope), asyncio.get_running_loop()
            while pieces is not None:
                # One thread makes all pieces, so that long answers delay the table little.
                piece = await loop.run_in_executor(self._piece_maker, next, pieces, None)
                more = piece is not None and not connection_of(scope).transport.is_closing()
                await send({"type": "http.response.body", "body": piece or b"", "more_body": more})
                pieces = pieces if more else None


class _Answer:
    """Sends a response with the headers that all have; left open if pieces are to follow."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self.started = False

    async def __call__(self, message: Message) -> None:
        """Sends a part of the response."""
        if message["type"] == "http.response.start":
            self.started = True
            headers = [*message["headers"], *_SECURITY]
            policy = _policy(_kind(message["headers"]), arrival_of(self._scope))
            headers.append((b"content-security-policy", policy))
            if not any(name == b"date" for name, _ in headers):
                headers.append((b"date", http_date().encode()))
            if has_pieces(self._scope):
                headers = [pair for pair in headers if pair[0] != b"content-length"]
            message = {**message, "headers": headers}
        elif has_pieces(self._scope):
            message = {**message, "more_body": True}
        await self._send(message)


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


WRONG_HOST: Final = 421
"""Misdirected Request: this server does not answer for that name (RFC 9110)."""


class Admission:
    """Decides which requests are answered: those that name this machine and are no other site's.

    Another site's page can point its own name at this machine (DNS rebinding) and would then share
    our origin. But it cannot make the browser send one of our names.
    """

    def __init__(self, hosts: KnownHosts) -> None:
        self._hosts = hosts

    def check(self, method: str, headers: Mapping[str, str], arrival: Arrival, port: int) -> None:
        """Raises ApiError if a request must not be answered.

        `headers` have names in lower case; `port` is the one listened on.
        """
        asked = parse_host(headers.get("host", ""))
        if asked is None or not self._hosts.allows(asked.host):
            raise self._wrong_host(headers.get("host", ""), port)
        if arrival.host is not None and not self._hosts.allows(arrival.host.host):
            raise self._wrong_host(arrival.host.host, port)
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        known = parse_origin(origin) if origin is not None else None
        # Our pages send no referrer, so their requests may have the origin `null`, and a proxy may
        # have replaced the host. Then we rely on Sec-Fetch-Site, which only browsers themselves
        # can set.
        foreign = origin is not None and known is None and site != "same-origin"
        # Other sites may link to pages, which show only what everybody may read.
        if foreign or (site not in (None, "same-origin", "none") and _is_api(arrival)):
            why = (
                lazy_gettext("Pages from other sites may not read this board.")
                if method in READING
                else lazy_gettext("Pages from other sites may not change anything.")
            )
            raise ApiError(403, refuse("wrong-origin", why))
        if known and site != "same-origin" and not self._is_own(known, asked, arrival):
            raise ApiError(403, _not_proxied(known, asked))

    def _is_own(self, origin: HostPort, asked: HostPort, arrival: Arrival) -> bool:
        """Whether an origin is ours. Its port must be the one that the client sees."""
        if self._hosts.names_port(origin):
            return True
        default = 443 if arrival.scheme == "https" else 80
        ports = {host_port.port for host_port in (asked, arrival.host) if host_port is not None}
        seen = {None if port == default else port for port in ports}
        return origin.port in seen and self._hosts.allows(origin.host)

    def _wrong_host(self, value: str, port: int) -> ApiError:
        urls = ", ".join(tuple(self._hosts.known_urls(port)[:3]))
        shown = "".join(c for c in value[:80] if c.isascii() and c.isprintable())
        why = (
            lazy_gettext(
                "{host} is not a name of this board. Use {urls}, or list it in config.toml"
                " under names.",
                host=f"“{shown}”",
                urls=urls,
            )
            if shown
            else lazy_gettext("The request does not say whom it is for. Use {urls}.", urls=urls)
        )
        return ApiError(WRONG_HOST, refuse("wrong-host", why))


def _is_api(arrival: Arrival) -> bool:
    return f"{arrival.path}/".startswith("/api/")


def _not_proxied(origin: HostPort, asked: HostPort) -> Refusal:
    """The refusal for an origin that is another site's, or that of a proxy that is not named."""
    seen, reached = (
        url_of(host_port.host, host_port.port).partition("//")[2] for host_port in (origin, asked)
    )
    return refuse(
        "wrong-origin",
        lazy_gettext(
            "The page is at {origin}, but its request is for {host}. A proxy in between must pass"
            " on Host, or names in config.toml must list “{origin}”.",
            origin=seen,
            host=reached,
        ),
    )
