"""What the routes are built on, handed to them when the application is made."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from flask import request

from pochboard.catalog import RulesetCatalog
from pochboard.demo.host import Host
from pochboard.server.bridge import CALLER
from pochboard.server.pairing import Caller, Gate, Visitor
from pochboard.server.problems import ApiError
from pochboard.server.views import Views
from pochboard.table.records import Buttons
from pochboard.table.table import Table


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The table and what stands around it."""

    table: Table
    gate: Gate
    views: Views
    catalog: RulesetCatalog
    simulated: Buttons | None = None
    """The board's buttons, if it is the simulated one."""
    host: Host | None = None
    """Who brings house players to the simulated board."""
    stopping: threading.Event = field(default_factory=threading.Event)

    def visitor(self) -> Visitor:
        """Who sent the request at hand."""
        caller = request.environ[CALLER]
        assert isinstance(caller, Caller), "the bridge puts it there"
        return self.gate.visitor(caller)

    def paired_visitor(self) -> Visitor:
        """Who sent the request at hand, if it may change anything; else 401."""
        visitor = self.visitor()
        if not visitor.paired:
            raise ApiError(
                401,
                "not-paired",
                "This phone is not paired: hold “next” on the board for 3 s, then press Pair.",
            )
        return visitor
