"""The server as the daemon knows it: made of the table and the board, started and stopped."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import msgspec

from pochboard.catalog import RulesetCatalog
from pochboard.demo.host import Host
from pochboard.server.app import create_app
from pochboard.server.authentication import Authenticator
from pochboard.server.context import Context
from pochboard.server.events import Events
from pochboard.server.hosts import KnownHosts
from pochboard.server.middleware import Middleware
from pochboard.server.snapshot_cache import SnapshotCache
from pochboard.server.web_server import WebServer
from pochboard.server.wsgi import WsgiAdapter
from pochboard.table.records import Buttons
from pochboard.table.table import Table

_THREADS: Final = 32
"""Most of them wait: for the table to commit, or for a press to be over."""


class Listening(msgspec.Struct, frozen=True, kw_only=True):
    """Where the server listens, and who it is there."""

    host: str = "127.0.0.1"
    port: int = 8441
    """0 takes one that is free."""
    names: tuple[str, ...] = ()
    """Host names that may be used besides the machine's own."""
    local_token: str | None = None
    """Lets the command line on this machine change things."""


class Server:
    """Pages, API and event stream.

    Start it after the table, and stop it before.
    """

    def __init__(
        self,
        table: Table,
        *,
        catalog: RulesetCatalog,
        simulated: Buttons | None = None,
        host: Host | None = None,
        at: Listening,
    ) -> None:
        """`simulated` is the board, if it is the simulated one, and `host` then has players."""
        self.table = table
        self.host = host
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="answer")
        self._stopping = threading.Event()
        self.hosts = KnownHosts(at.names, bound=at.host)
        self.authenticator = authenticator = Authenticator(table, local_token=at.local_token)
        snapshots = SnapshotCache(table.display)
        self.events = Events(table, authenticator, snapshots, self._pool)
        self.app = app = create_app(
            Context(
                table=table,
                authenticator=authenticator,
                snapshots=snapshots,
                catalog=catalog,
                simulated=simulated,
                host=host,
                stopping=self._stopping,
            )
        )
        front = Middleware(self.hosts, self.events, WsgiAdapter(app, self._pool))
        self._web = WebServer(
            front, host=at.host, port=at.port, opened=self.events.opened, ending=self.events.end
        )

    @property
    def port(self) -> int:
        """The port listened on; after `bind` the real one where 0 was asked for."""
        return self._web.port

    def bind(self) -> None:
        """Takes the port, so that it is known to be free. Raises ListenError with a sentence."""
        self._web.bind()

    def start(self) -> None:
        """Serves; returns when it does. Raises ListenError with a sentence."""
        self._web.start()
        self.events.listen()

    def stop(self) -> None:
        """Ends streams, answers and threads; returns when nothing is left. May be called twice."""
        self._stopping.set()
        self.events.unlisten()
        self._web.stop()
        self._pool.shutdown()

    def urls(self) -> list[str]:
        """The addresses to type into a phone, best first."""
        return self.hosts.urls(self.port)
