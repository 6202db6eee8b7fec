"""What the routes work with; they get it when the application is made."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

import msgspec
from flask import request

from pochboard.catalog import RulesetCatalog
from pochboard.demo.runner import BotRunner
from pochboard.errors import refuse
from pochboard.lights.display import DisplayConfig
from pochboard.lights.frame import Frame, hex_colours
from pochboard.server.authentication import Authenticator, Client, RequestSource
from pochboard.server.errors import ApiError
from pochboard.server.responses import FrameEvent
from pochboard.server.serializers import state_answer
from pochboard.table.records import Buttons, Snapshot
from pochboard.table.table import Table

_SNAPSHOTS_KEPT: Final = 32


class SnapshotCache:
    """The JSON of snapshots and frames, encoded once for any number of clients."""

    def __init__(self, display: DisplayConfig) -> None:
        self._display = display
        self._lock = threading.Lock()
        self._states: OrderedDict[tuple[int, bool], bytes] = OrderedDict()
        self._frame: tuple[Frame, bytes] | None = None

    def state(self, snapshot: Snapshot, *, paired: bool) -> bytes:
        """The JSON of a snapshot for a paired client, or for one that is not. Thread-safe."""
        key = snapshot.revision, paired
        with self._lock:
            known = self._states.get(key)
        if known is not None:
            return known
        encoded = msgspec.json.encode(state_answer(snapshot, self._display, paired=paired))
        with self._lock:
            self._states[key] = encoded
            while len(self._states) > _SNAPSHOTS_KEPT:
                self._states.popitem(last=False)
        return encoded

    def frame(self, frame: Frame) -> bytes:
        """The JSON of a frame. Only the newest is kept."""
        known = self._frame
        if known is None or known[0] != frame:
            known = self._frame = frame, msgspec.json.encode(FrameEvent(hex_colours(frame)))
        return known[1]


@dataclass(frozen=True, kw_only=True)
class Context:
    """The table and what belongs to it."""

    table: Table
    authenticator: Authenticator
    snapshots: SnapshotCache
    catalog: RulesetCatalog
    simulated: Buttons | None = None
    """The board's buttons, if it is the simulated one."""
    bots: BotRunner | None = None
    """Runs the bots at the simulated board."""
    press_slots: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(16)
    )
    """How many presses may be held at once; each keeps a thread waiting."""
    stopping: threading.Event = field(default_factory=threading.Event)

    def client(self) -> Client:
        """The client that sent the current request."""
        headers = {name.lower(): value for name, value in request.headers}
        address, own = request.remote_addr, request.environ["SERVER_NAME"]
        return self.authenticator.client(RequestSource(headers, address or "", own))

    def paired_client(self) -> Client:
        """The client that sent the current request. Raises ApiError 401 if it is not paired."""
        client = self.client()
        if not client.paired:
            raise ApiError(401, refuse("not-paired"))
        return client
