"""The middleware that every request passes before the event stream, a file or Flask answers it.

It finds out how a request came, checks whether it is admitted, and reads its whole body. A thread
makes the whole answer and takes the next request: none ever waits for a client.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from io import BytesIO
from typing import Any, Final

from flask import Flask

from pochboard.errors import Refusal, refuse
from pochboard.server.arrival import READING, Arrival, Proxies
from pochboard.server.errors import STOPPING, ApiError, error_answer, internal_error
from pochboard.server.events import EVENTS_ROUTE, Events
from pochboard.server.exchange import ClientGone, Exchange, Headers, Room
from pochboard.server.hosts import HostPort, KnownHosts, parse_host, parse_origin, url_of
from pochboard.server.web_files import STATIC, static_file
from pochboard.server.web_server import Receive, Scope, Send
from pochboard.text.lazy import lazy_gettext

log = logging.getLogger(__name__)

BODY_LIMIT: Final = 16 * 1024
"""The largest request body, unless the route declares another."""
_THREADS: Final = 32
"""Most of them wait for the table to commit."""
MOST_READERS: Final = 4
"""Read-only requests answered at once, so that no command waits for others' pages."""
_LONG: Final = ("/api/nights", "/api/statistics")
"""Answers that may take long, made one at a time so that no page waits for them."""
_LEFT_OUT: Final = {"if-modified-since", "if-unmodified-since", "if-range"}
"""Headers that Flask does not get: every file has an ETag, and Python cannot read every date."""


class Middleware:
    """Checks requests, and passes them to the event stream or to Flask."""

    def __init__(
        self,
        flask: Flask,
        events: Events,
        hosts: KnownHosts,
        proxies: Proxies,
        stopping: threading.Event,
        limits: Mapping[tuple[str, str], int],
    ) -> None:
        """`limits` of larger bodies in bytes, by method and path."""
        self._flask = flask
        self._events = events
        self._hosts = hosts
        self._proxies = proxies
        self._stopping = stopping
        self._limits = limits
        self._room = Room()
        self._threads = ThreadPoolExecutor(_THREADS, "answers")
        self._readers = asyncio.Semaphore(MOST_READERS)
        self._long = asyncio.Semaphore(1)

    def close(self) -> None:
        """Ends the threads, once no request is left."""
        self._threads.shutdown()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        connection = scope["state"]["connection"]
        arrival = self._proxies.arrival(scope, connection.address)
        exchange = Exchange(arrival, connection, self._room, receive, send)
        try:
            await self._answer(exchange)
        except ClientGone:
            await asyncio.sleep(0)  # uvicorn learns of it in the next round of the loop
        except Exception as error:
            if not isinstance(error, ApiError):
                log.exception("%s %s failed", arrival.method, arrival.path)
                error = internal_error()
            if exchange.begun:
                connection.drop()
                await asyncio.sleep(0)
            else:
                await exchange.respond(*error_answer(error, arrival))

    async def _answer(self, exchange: Exchange) -> None:
        """Raises ApiError."""
        arrival = exchange.arrival
        reads, path = arrival.method in READING, arrival.path.removesuffix("/")
        admit(arrival, self._hosts)
        if "content-length" in arrival.headers and "transfer-encoding" in arrival.headers:
            # A proxy in front could see a different end of this request (RFC 9112 6.1).
            raise ApiError(
                400,
                refuse("bad-request", "Send either Content-Length or Transfer-Encoding, not both."),
                headers={"Connection": "close"},
            )
        if self._stopping.is_set():
            raise ApiError(503, STOPPING)
        if reads and not arrival.path:
            # Without its slash at the end, links of the page would leave the prefix.
            query = f"?{arrival.query.decode('latin-1')}" if arrival.query else ""
            location = f"{arrival.prefix}/{query}"
            await exchange.respond(308, [("location", location), ("content-length", "0")])
        elif reads and path == EVENTS_ROUTE.path:
            await self._events.follow(exchange)
        elif reads and path.startswith(STATIC):
            accepted = arrival.headers.get("accept-encoding", "")
            await exchange.respond(200, *static_file(arrival.path, accepted))
        else:
            limit = self._limits.get((arrival.method, path), BODY_LIMIT)
            turn = self._long if path.startswith(_LONG) else self._readers
            with self._room.take(limit):
                body = await exchange.body(limit)
                async with turn if reads else nullcontext():
                    loop = asyncio.get_running_loop()
                    answer = await loop.run_in_executor(self._threads, self._ask, arrival, body)
            await exchange.respond(*answer)

    def _ask(self, arrival: Arrival, body: bytes) -> tuple[int, Headers, bytes]:
        """Flask's answer, as WSGI has it (PEP 3333). Raises ApiError."""
        environ: dict[str, Any] = {
            f"HTTP_{name.upper().replace('-', '_')}": value
            for name, value in arrival.headers.items()
            if name not in _LEFT_OUT and "_" not in name
        }
        environ |= {
            "REQUEST_METHOD": arrival.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": (arrival.path or "/").encode().decode("latin-1"),
            "QUERY_STRING": arrival.query.decode("latin-1"),
            "CONTENT_TYPE": arrival.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "SERVER_NAME": arrival.own_address,
            "SERVER_PORT": str(arrival.own_port),
            "SERVER_PROTOCOL": "HTTP/1.1",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": arrival.scheme,
            "wsgi.input": BytesIO(body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
            "pochboard.arrival": arrival,
        }
        head: list[Any] = []

        def start_response(*given: Any) -> Any:
            head[:] = given

        text = b"".join(self._flask.wsgi_app(environ, start_response))
        status, headers, *_ = head
        return int(status[:3]), headers, text


WRONG_HOST: Final = 421
"""Misdirected Request: this server does not answer for that name (RFC 9110)."""


def admit(arrival: Arrival, hosts: KnownHosts) -> None:
    """Raises ApiError unless a request names this machine, and is no other site's.

    Another site's page can point its own name at this machine (DNS rebinding) and would then share
    our origin. But it cannot make the browser send one of our names.
    """
    headers = arrival.headers
    asked = parse_host(headers.get("host", ""))
    if asked is None or not hosts.allows(asked.host):
        raise _wrong_host(headers.get("host", ""), hosts, arrival.own_port)
    if arrival.host is not None and not hosts.allows(arrival.host.host):
        raise _wrong_host(arrival.host.host, hosts, arrival.own_port)
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    known = parse_origin(origin) if origin is not None else None
    # Our pages send no referrer, so their requests may have the origin `null`, and a proxy may have
    # replaced the host. Then we rely on Sec-Fetch-Site, which only browsers themselves can set.
    foreign = origin is not None and known is None and site != "same-origin"
    # Other sites may link to pages, which show only what everybody may read.
    if foreign or (site not in (None, "same-origin", "none") and arrival.is_api):
        why = (
            lazy_gettext("Pages from other sites may not read this board.")
            if arrival.method in READING
            else lazy_gettext("Pages from other sites may not change anything.")
        )
        raise ApiError(403, refuse("wrong-origin", why))
    if known and site != "same-origin" and not _is_own(known, asked, arrival, hosts):
        raise ApiError(403, _not_proxied(known, asked))


def _is_own(origin: HostPort, asked: HostPort, arrival: Arrival, hosts: KnownHosts) -> bool:
    """Whether an origin is ours. Its port must be the one that the client sees."""
    if hosts.names_port(origin):
        return True
    default = 443 if arrival.scheme == "https" else 80
    ports = {host_port.port for host_port in (asked, arrival.host) if host_port is not None}
    seen = {None if port == default else port for port in ports}
    return origin.port in seen and hosts.allows(origin.host)


def _wrong_host(value: str, hosts: KnownHosts, port: int) -> ApiError:
    urls = ", ".join(hosts.urls(port)[:3])
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


def _not_proxied(origin: HostPort, asked: HostPort) -> Refusal:
    """The refusal for an origin that is another site's, or that of a proxy that is not named."""
    seen, reached = (
        url_of(host_port.host, host_port.port).partition("//")[2] for host_port in (origin, asked)
    )
    return refuse(
        "wrong-origin",
        "The page is at {origin}, but its request is for {host}. A proxy in between must pass"
        " on Host, or names in config.toml must list “{origin}”.",
        origin=seen,
        host=reached,
    )
