"""The web server: Hypercorn's protocol on a loop and in a thread of its own."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any, Final

from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.config import Config

from pochboard.errors import ListenError
from pochboard.server.asgi import App, Connection

log = logging.getLogger(__name__)

_BACKLOG: Final = 512
_MOST_CONNECTIONS: Final = 512
"""Above it, the connection that has been idle longest is dropped: half-open ones cost nobody."""
_VANISHED_MS: Final = 20_000
_LINGER_S: Final = 0.5
"""How long a conversation may take to see by itself that its client has gone."""
_GRACE_S: Final = 3.0
"""How long answers that are under way may take when the server stops."""


class WebServer:
    """Answers HTTP from `start` to `stop`, which may be called once each.

    Hypercorn's own `serve` keeps the connections to itself. Here they are ours, so that one that
    does not read can be dropped, their number is bounded, and none is left when the server stops.
    """

    def __init__(
        self,
        app: App,
        *,
        host: str,
        port: int,
        opened: Callable[[asyncio.AbstractEventLoop], None] = lambda _: None,
        ending: Callable[[], None] = lambda: None,
    ) -> None:
        """`opened` is called on the loop before it serves, `ending` when it is to stop."""
        self._app = app
        self._host = host
        self._port = port
        self._opened = opened
        self._ending = ending
        self._thread = threading.Thread(target=self._run, name="web")
        self._ready: Future[None] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._sockets: list[socket.socket] = []
        # Those that count, the one that has been idle longest first; and all conversations.
        self._connections: OrderedDict[Connection, None] = OrderedDict()
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def port(self) -> int:
        """The port listened on; the real one once it is bound."""
        return self._port

    def bind(self) -> None:
        """Takes the address and the port. Raises ListenError with a sentence."""
        self._sockets = bind(self._host, self._port)
        self._port = self._sockets[0].getsockname()[1]

    def start(self) -> None:
        """Serves; returns when connections are accepted. Raises ListenError."""
        if not self._sockets:
            self.bind()
        self._thread.start()
        self._ready.result()

    def stop(self) -> None:
        """Answers what is under way, closes all connections and ends the thread."""
        if self._thread.is_alive():
            loop, stop = self._loop, self._stop
            assert loop is not None
            assert stop is not None
            loop.call_soon_threadsafe(stop.set)
            self._thread.join()
        for one in self._sockets:
            one.close()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            if self._ready.done():
                log.exception("the web server ended")
                raise
            self._ready.set_exception(error)

    async def _serve(self) -> None:
        self._loop = loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        context = WorkerContext(None)
        config = _config()

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = loop.create_task(self._converse(reader, writer, config, context))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            conversation = writer.transport.get_protocol()
            assert isinstance(conversation, _Conversation)
            conversation.task = task

        def protocol() -> _Conversation:
            return _Conversation(asyncio.StreamReader(loop=loop), connected, loop)

        servers = [
            await loop.create_server(protocol, sock=one, backlog=_BACKLOG) for one in self._sockets
        ]
        self._opened(loop)
        self._ready.set_result(None)
        await self._stop.wait()
        for server in servers:
            server.close()
        self._ending()
        # Idle connections close at this, the others once they have answered.
        await context.terminated.set()
        await self._part(_GRACE_S)
        for connection in tuple(self._connections):
            connection.drop()
        await self._part(_GRACE_S)

    async def _part(self, wait_s: float) -> None:
        """Waits for the conversations to end, but not for ever."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=wait_s)

    async def _converse(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        config: Config,
        context: WorkerContext,
    ) -> None:
        """One connection from its first byte to its last."""
        connection = Connection(writer.transport)
        self._make_room()
        self._connections[connection] = None
        assert self._loop is not None
        state: dict[str, Any] = {"connection": connection}
        try:
            await TCPServer(self._hypercorn_app, self._loop, config, context, state, reader, writer)
        except Exception:
            log.exception("a connection failed")
        finally:
            self._connections.pop(connection, None)
            writer.transport.abort()

    async def _hypercorn_app(
        self,
        scope: Any,
        receive: Callable[[], Awaitable[Any]],
        send: Callable[[Any], Awaitable[None]],
        sync_spawn: Callable[..., Any],  # noqa: ARG002 - of Hypercorn's interface
        call_soon: Callable[..., Any],  # noqa: ARG002 - of Hypercorn's interface
    ) -> None:
        """The application as Hypercorn calls it."""
        connection = scope["state"]["connection"]
        try:
            await self._app(scope, receive, send)
        finally:
            if connection in self._connections:
                self._connections.move_to_end(connection)

    def _make_room(self) -> None:
        if len(self._connections) < _MOST_CONNECTIONS:
            return
        idle = (one for one in self._connections if not one.answers)
        oldest = next(idle, next(iter(self._connections)))
        # At once, for its conversation takes a moment to end.
        del self._connections[oldest]
        oldest.drop()


class _Conversation(asyncio.StreamReaderProtocol):
    """A connection's reader and writer, and an end to what is said on it once it is lost.

    Hypercorn itself waits for the keep-alive time where a client has gone, and for ever where it
    had sent requests ahead.
    """

    task: asyncio.Task[Any] | None = None

    def eof_received(self) -> bool:
        """The client has closed its side; Hypercorn answers nothing after that."""
        super().eof_received()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone, or has been dropped."""
        super().connection_lost(exc)
        if self.task is not None:
            asyncio.get_running_loop().call_later(_LINGER_S, self.task.cancel)


def _config() -> Config:
    config = Config()
    config.accesslog = None
    config.errorlog = log
    config.include_server_header = False
    config.keep_alive_timeout = 15
    # Nothing here needs more, and each stream may hold a request in memory.
    config.h2_max_concurrent_streams = 16
    return config


def bind(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen at an address, or at all that a name stands for; `::` means IPv4 too.

    Port 0 takes one that is free. Raises ListenError with a sentence.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise ListenError(f"There is no address “{host}” to listen on; see --host.") from None
    sockets: list[socket.socket] = []
    try:
        for family, _, _, _, address in dict.fromkeys(found):
            # With port 0 the first socket chooses, and the others follow.
            chosen = sockets[0].getsockname()[1] if sockets else port
            # With the protocol named: without it asyncio leaves out TCP_NODELAY, and the second
            # piece of every answer waits 40 ms for the client to acknowledge the first.
            one = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            sockets.append(one)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Inherited by connections: ends those whose client has vanished or never reads.
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _VANISHED_MS)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(host != "::"))
            one.bind((address[0], chosen, *address[2:]))
            one.listen(_BACKLOG)
            one.setblocking(False)
    except OSError as error:
        for one in sockets:
            one.close()
        raise ListenError(_sentence(error, host, port)) from None
    return sockets


def _sentence(error: OSError, host: str, port: int) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"port {port} is in use: another pochboard? choose another with --port"
        case errno.EACCES | errno.EPERM:
            return f"port {port} may not be used by this user; choose one above 1023 with --port"
        case errno.EADDRNOTAVAIL | errno.EAFNOSUPPORT:
            return f"this machine has no address {host} to listen on"
        case _:
            return f"cannot listen on {host}, port {port}: {error.strerror}"
