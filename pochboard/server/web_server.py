"""The web server: uvicorn, on an event loop in its own thread, and its open connections.

uvicorn is used through `Config` and `Server.serve`, but for three things that only this module
overrides: its protocol reports connections that open and close, never begins a second response, and
its main loop waits instead of polling.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import resource
import socket
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from concurrent.futures import Future
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from pochboard.errors import ListenError
from pochboard.runtime.threads import LoopThread
from pochboard.server.hosts import plain_address
from pochboard.text.lazy import lazy_gettext, os_reason

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_BACKLOG: Final = 512
MOST_CONNECTIONS: Final = 512
MOST_FROM_ONE: Final = 100
"""How many connections one address may have open."""
PATIENCE_S: Final = 30
"""The time a client has to send a head, again for the body, and again to take the answer."""
SLOWEST_BYTES_S: Final = 32 * 1024
"""The least speed of a client that sends or takes something long."""
_OTHER_FILES: Final = 64
"""File descriptors kept free for the ledger, the board and static files."""
_HEAD_BYTES: Final = 64 * 1024
"""At this size uvicorn gives up on a request head that is not complete."""
_VANISHED_MS: Final = 20_000
_GRACE_S: Final = 3
"""How long responses under way may take when the server stops."""


class Connection:
    """One client's connection. Only for use on the server's event loop."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self.transport = transport
        self.address = plain_address((transport.get_extra_info("peername") or ("",))[0])
        """Of the other end: the client, or a proxy."""
        self.since_s = 0.0
        """When the last wait for its client began."""
        self._timer: asyncio.TimerHandle | None = None
        self.expect()

    @property
    def is_idle(self) -> bool:
        """Whether it waits for the client, and not for the daemon."""
        return self._timer is not None

    def expect(self, size: int = 0) -> None:
        """Waits for a client to send or take so many bytes, and drops it if that is not in time."""
        self.stop_expecting()
        loop = asyncio.get_running_loop()
        self.since_s = loop.time()
        self._timer = loop.call_later(PATIENCE_S + size / SLOWEST_BYTES_S, self.drop)

    def stop_expecting(self) -> None:
        """Ends the wait: it is the daemon's turn, or the connection is lost."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def drop(self) -> None:
        """Closes it at once and discards what the client has not read."""
        self.transport.abort()


class Connections:
    """All open connections.

    Without a limit, descriptors run out, and the ledger cannot be opened any more. At the limit, in
    total or for one address, the connection that has been idle longest makes room: half-open ones
    keep no phone out. If none is idle, the new one is dropped: streams go on.
    """

    def __init__(self, limit: int, *, is_shared: Callable[[str], bool] = lambda _: False) -> None:
        """`is_shared` says whether an address is that of a proxy, and so of many clients."""
        self._limit = limit
        self._is_shared = is_shared
        self._open: set[Connection] = set()

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Connection]:
        return iter(tuple(self._open))

    def add(self, transport: asyncio.WriteTransport) -> Connection:
        """A client has connected."""
        new = Connection(transport)
        own = [one for one in self._open if one.address == new.address]
        is_full = len(own) >= MOST_FROM_ONE and not self._is_shared(new.address)
        if is_full or len(self._open) >= self._limit:
            crowd = own if is_full else self._open
            idle = (one for one in crowd if one.is_idle)
            dropped = min(idle, key=lambda one: one.since_s, default=new)
            # Its transport reports the loss only later.
            self.discard(dropped)
            dropped.drop()
            if dropped is new:
                return new
        self._open.add(new)
        return new

    def discard(self, connection: Connection) -> None:
        """A connection is lost. One that was dropped to make room is no longer here."""
        self._open.discard(connection)
        connection.stop_expecting()


class WebServer(LoopThread):
    """Answers HTTP/1.1 from `start` to `close`."""

    def __init__(
        self,
        app: App,
        connections: Connections,
        *,
        host: str,
        port: int,
        proxies: Sequence[str] = (),
    ) -> None:
        """`proxies` are trusted to name their clients."""
        # Its answers and streams end within a time of their own.
        super().__init__("web", join_s=None)
        self._host = host
        self._port = port
        self._connections = connections
        self._uvicorn = _Server(
            uvicorn.Config(
                app,
                http=_reporting_to(connections),
                ws="none",
                lifespan="off",
                interface="asgi3",
                # uvicorn warns about what clients send; the log is for what happens here.
                log_config=None,
                log_level="error",
                access_log=False,
                proxy_headers=bool(proxies),
                forwarded_allow_ips=list(proxies),
                server_header=False,
                date_header=False,
                backlog=_BACKLOG,
                timeout_keep_alive=PATIENCE_S,
                timeout_graceful_shutdown=2 * _GRACE_S,
                h11_max_incomplete_event_size=_HEAD_BYTES,
            )
        )
        self._ready: Future[asyncio.AbstractEventLoop] = Future()
        self._sockets: list[socket.socket] = []

    @property
    def port(self) -> int:
        """The port; the real one once it is bound."""
        return self._port

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop, once it has started."""
        return self._ready.result()

    def bind(self) -> None:
        """Binds the address and the port. Raises ListenError with a sentence."""
        self._sockets = bind(self._host, self._port)
        self._port = self._sockets[0].getsockname()[1]

    def start(self) -> None:
        """Serves. Returns when connections are accepted. Raises ListenError."""
        if not self._sockets:
            self.bind()
        super().start()
        self._ready.result()

    def close(self, end_streams: Callable[[], None] = lambda: None) -> None:
        """Completes the responses under way, closes all connections and ends the thread.

        Calls `end_streams` on the event loop before.
        """
        self._end_streams = end_streams
        super().close()
        for listening in self._sockets:
            listening.close()

    def _wake(self) -> None:
        if self.is_alive():
            with contextlib.suppress(RuntimeError):  # the loop has just ended
                self.loop.call_soon_threadsafe(self._woken_up)

    def _woken_up(self) -> None:
        self._answer_ping()
        if self._closing and not self._uvicorn.should_exit:
            self._end_streams()
            self._uvicorn.stop()
            # uvicorn waits until every connection is closed, and clients may not close theirs.
            self._drop(lambda one: one.is_idle and not one.transport.get_write_buffer_size())
            self.loop.call_later(_GRACE_S, self._drop, lambda _: True)

    def _drop(self, which: Callable[[Connection], bool]) -> None:
        for connection in filter(which, self._connections):
            connection.drop()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            if self._ready.done():
                log.exception("the web server ended")
                raise
            self._ready.set_exception(error)

    async def _serve(self) -> None:
        # The sockets listen already, so clients can connect from here on.
        self._ready.set_result(asyncio.get_running_loop())
        await self._uvicorn.serve(self._sockets)


class _Server(uvicorn.Server):
    """uvicorn's server, which sleeps until it has to stop.

    uvicorn's own main loop wakes ten times a second to set the Date header and to check whether it
    has to stop. On a Pi with a quiet table that would be most of the load.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._stopping = asyncio.Event()

    async def main_loop(self) -> None:
        """Returns when the server has to stop."""
        await self._stopping.wait()

    def stop(self) -> None:
        """Ends the main loop; on the event loop."""
        self.should_exit = True
        self._stopping.set()


def _reporting_to(connections: Connections) -> type[asyncio.Protocol]:
    """Uvicorn's protocol for HTTP/1.1, which also keeps the list of open connections."""

    class Protocol(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.connection = connections.add(transport)
            # An IPv4 address that came in by IPv6 is that of a trusted proxy, too.
            self.client = self.connection.address, self.client[1] if self.client else 0
            self.app_state = {"connection": self.connection}

        def connection_lost(self, exc: Exception | None) -> None:
            connections.discard(self.connection)
            super().connection_lost(exc)

        def send_400_response(self, msg: str) -> None:
            # A body may turn out to be malformed while its request is being answered. uvicorn
            # would then begin a second response, and raise.
            if self.conn.our_state is h11.IDLE:
                super().send_400_response(msg)
            else:
                self.transport.abort()

    return Protocol


def connection_limit() -> int:
    """How many connections there may be: 512, or what the limit of open files leaves room for."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(MOST_CONNECTIONS, max(files - _OTHER_FILES, 16))


def bind(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen at an address, or at every address of a name. `::` includes IPv4.

    Port 0 takes a free one. Raises ListenError with a sentence.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise ListenError(
            lazy_gettext("There is no address “{host}” to listen on; see --host.", host=host)
        ) from None
    sockets: list[socket.socket] = []
    try:
        for family, _, _, _, address in dict.fromkeys(addresses):
            # With port 0 the first socket chooses, and the others follow.
            chosen = sockets[0].getsockname()[1] if sockets else port
            listening = socket.create_server(
                (address[0], chosen, *address[2:]),
                family=family,
                backlog=_BACKLOG,
                dualstack_ipv6=host == "::",
            )
            sockets.append(listening)
            # Connections inherit these. The second piece of a response does not wait 40 ms for the
            # client to acknowledge the first, and a client that has vanished or never reads ends.
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _VANISHED_MS)
            listening.setblocking(False)
    except OSError as error:
        for listening in sockets:
            listening.close()
        raise ListenError(_sentence(error, host, port)) from None
    return sockets


def _sentence(error: OSError, host: str, port: int) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return lazy_gettext(
                "port {port} is in use: another pochboard? choose another with --port", port=port
            )
        case errno.EACCES | errno.EPERM:
            return lazy_gettext(
                "port {port} may not be used by this user; choose one above 1023 with --port",
                port=port,
            )
        case errno.EADDRNOTAVAIL | errno.EAFNOSUPPORT:
            return lazy_gettext("this machine has no address {host} to listen on", host=host)
        case _:
            return lazy_gettext(
                "cannot listen on {host}, port {port}: {reason}",
                host=host,
                port=port,
                reason=os_reason(error),
            )
