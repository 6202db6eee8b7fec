"""The web server: uvicorn, on an event loop in its own thread.

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
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from pochboard.errors import ListenError
from pochboard.runtime.threads import LoopThread
from pochboard.server.asgi import App
from pochboard.server.connections import IDLE_S, Connections
from pochboard.text.lazy import lazy_gettext, os_reason

log = logging.getLogger(__name__)

_BACKLOG: Final = 512
MOST_CONNECTIONS: Final = 512
_OTHER_FILES: Final = 64
"""File descriptors kept free for the ledger, the board and static files."""
_HEAD_BYTES: Final = 64 * 1024
"""At this size uvicorn gives up on a request head that is not complete."""
_VANISHED_MS: Final = 20_000
_GRACE_S: Final = 3
"""How long responses under way may take when the server stops."""


class WebServer(LoopThread):
    """Answers HTTP/1.1 from `start` to `close`."""

    def __init__(  # noqa: PLR0913 - what uvicorn is told
        self,
        app: App,
        connections: Connections,
        *,
        host: str,
        port: int,
        proxies: Sequence[str] = (),
        opened: Callable[[asyncio.AbstractEventLoop], None] = lambda _: None,
        ending: Callable[[], None] = lambda: None,
    ) -> None:
        """`proxies` may say for whom they ask.

        `opened` is called on the event loop before it serves, `ending` when it has to stop.
        """
        # Its answers and streams end within a time of their own.
        super().__init__("web", join_s=None)
        self._host = host
        self._port = port
        self._opened = opened
        self._ending = ending
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
                timeout_keep_alive=IDLE_S,
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
    def address(self) -> str | None:
        """The address listened on, once it is bound: the first one of a name."""
        return str(self._sockets[0].getsockname()[0]) if self._sockets else None

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

    def close(self) -> None:
        """Completes the responses under way, closes all connections and ends the thread."""
        super().close()
        for listening in self._sockets:
            listening.close()

    def _wake(self) -> None:
        if self.is_alive():
            with contextlib.suppress(RuntimeError):  # the loop has just ended
                self._ready.result().call_soon_threadsafe(self._woken_up)

    def _woken_up(self) -> None:
        self._answer_ping()
        if self._closing and not self._uvicorn.should_exit:
            self._begin_to_stop()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            if self._ready.done():
                log.exception("the web server ended")
                raise
            self._ready.set_exception(error)

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        self._opened(loop)
        # The sockets listen already, so clients can connect from here on.
        self._ready.set_result(loop)
        await self._uvicorn.serve(self._sockets)

    def _begin_to_stop(self) -> None:
        self._ending()
        self._uvicorn.stop()
        # uvicorn waits until every connection is closed, and idle clients may not close theirs.
        for connection in self._connections:
            if not connection.responses:
                connection.drop()
        asyncio.get_running_loop().call_later(_GRACE_S, self._drop_all)

    def _drop_all(self) -> None:
        for connection in self._connections:
            connection.drop()


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
            # Name the protocol: asyncio sets TCP_NODELAY only on sockets that do. Without it the
            # second piece of a response waits 40 ms for the client to acknowledge the first.
            listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            sockets.append(listening)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Connections inherit this. It ends those whose client has vanished or never reads.
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _VANISHED_MS)
            if family == socket.AF_INET6:
                listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(host != "::"))
            listening.bind((address[0], chosen, *address[2:]))
            listening.listen(_BACKLOG)
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
