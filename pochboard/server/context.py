"""What the routes are built on, handed to them when the application is made."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from flask import request

from pochboard.catalog import RulesetCatalog
from pochboard.demo.host import Host
from pochboard.server.authentication import Authenticator, Client, RequestSource
from pochboard.server.errors import ApiError
from pochboard.server.snapshot_cache import SnapshotCache
from pochboard.server.wsgi import SOURCE
from pochboard.table.records import Buttons
from pochboard.table.table import Table


@dataclass(frozen=True, kw_only=True)
class Context:
    """The table and what stands around it."""

    table: Table
    authenticator: Authenticator
    snapshots: SnapshotCache
    catalog: RulesetCatalog
    simulated: Buttons | None = None
    """The board's buttons, if it is the simulated one."""
    host: Host | None = None
    """Who brings house players to the simulated board."""
    stopping: threading.Event = field(default_factory=threading.Event)

    def client(self) -> Client:
        """Who sent the request at hand."""
        source = request.environ[SOURCE]
        assert isinstance(source, RequestSource), "the WSGI adapter sets it"
        return self.authenticator.client(source)

    def paired_client(self) -> Client:
        """Who sent the request at hand, if it may change anything; else 401."""
        client = self.client()
        if not client.paired:
            raise ApiError(
                401,
                "not-paired",
                "This phone is not paired: hold “next” on the board for 3 s, then press Pair.",
            )
        return client
