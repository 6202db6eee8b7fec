"""Event streams (Server-Sent Events), on the event loop: they take no thread."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Final, TypeVar

import msgspec

from pochboard.errors import PochboardError, RefusedEvent, RefusedInput, refuse
from pochboard.lights.frame import Frame
from pochboard.messages.labels import fault_text
from pochboard.runtime.threads import Faults, HealthMonitor
from pochboard.server.arrival import Arrival
from pochboard.server.context import Context
from pochboard.server.errors import ApiError
from pochboard.server.exchange import Exchange
from pochboard.server.routing import Route
from pochboard.server.web_server import Connection
from pochboard.table.snapshot import Listener, Snapshot
from pochboard.text.translator import Translator
from pochboard.views.board import FrameEvent

T = TypeVar("T")

HEARTBEAT_S: Final = 5.0
FRAME_S: Final = 1 / 30
"""The least time between two frames to one client."""
CALM_FRAME_S: Final = 0.2
"""The same while a light only pulses: eight steps of a pulse are as calm as twenty, and a page that
is open all evening draws less than half as often."""
MOST_STREAMS: Final = 200
_WOKEN_AT_ONCE: Final = 8
_STATES_KEPT: Final = 8
_REFUSALS_KEPT: Final = 32
_UNREAD_BYTES: Final = 32 * 1024
"""How much is buffered for a slow client. Beyond that, only the newest frame and state are kept."""


class HealthEvent(msgspec.Struct, frozen=True):
    """A sentence about what does not work in the daemon; None once everything works again."""

    message: str | None


def health_event(health: HealthMonitor, t: Translator) -> HealthEvent:
    """What does not work in the daemon."""
    faults = health.faults
    restarts = health.restarts(faults)
    return HealthEvent(fault_text(faults.items(), restarts=restarts, t=t) if faults else None)


class HeartbeatEvent(msgspec.Struct, frozen=True, omit_defaults=True):
    """The daemon is alive, and this is the newest revision it has sent."""

    revision: int
    time_ms: int | None = None
    """The time of its clock, as long as no network has set that."""


EVENTS_ROUTE: Final = Route(
    method="GET",
    path="/api/events",
    summary=(
        "Server-Sent Events: `state` (as /api/state) on connect and at every new revision,"
        " `refused` (RefusedEvent), `heartbeat` (HeartbeatEvent) every 5 s, `health` (HealthEvent)"
        " when a part of the daemon stops working or works again, and with frames=1"
        " `frame` (FrameEvent), at most 30 a second. The id is the revision. A client that has the"
        " newest state already gets a `heartbeat` in its place on connect."
    ),
    handler=None,
    query={
        "frames": "1 to be sent frames too",
        "known": "the revision of the client's state, and whose it is: 7-paired or 7-watching",
    },
    answer="text/event-stream",
    schemas=(RefusedEvent, FrameEvent, HeartbeatEvent, HealthEvent),
)
_HEADERS: Final = (
    ("content-type", "text/event-stream; charset=utf-8"),
    # Proxies must neither hold events back nor compress them, which would do that, too.
    ("cache-control", "no-store, no-transform"),
    ("x-accel-buffering", "no"),
)


class _Stream:
    """One client, and what it has not been sent yet."""

    def __init__(self, arrival: Arrival) -> None:
        options = arrival.query.split(b"&")
        self.arrival = arrival
        self.t = arrival.t
        self.has_token = arrival.token is not None
        self.wants_frames = b"frames=1" in options
        self.known = next((option for option in options if option.startswith(b"known=")), b"")
        """The state that the client has."""
        self.paired = False
        self.states: deque[Snapshot] = deque(maxlen=_STATES_KEPT)
        self.refusals: deque[RefusedInput] = deque(maxlen=_REFUSALS_KEPT)
        self.frame: Frame | None = None
        """The frame it was sent last."""
        self.revision = 0
        """The revision it was sent last."""
        self.ended = False
        self.wake = asyncio.Event()

    def knows(self, snapshot: Snapshot) -> bool:
        """Whether the client has this state, as it is for such a client."""
        whose = b"paired" if self.paired else b"watching"
        return self.known == b"known=%d-%s" % (snapshot.revision, whose)

    def end(self) -> None:
        """Ends the stream soon."""
        self.ended = True
        self.wake.set()


class Events(Listener):
    """All streams. It listens to the table; in the table's threads it only hands data over."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._table = context.table
        self._health = context.health
        self._snapshots = context.snapshots
        # In the order in which they began.
        self._streams: dict[_Stream, None] = {}
        self._to_wake: dict[_Stream, None] = {}
        """Streams that have news and have not been woken yet."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._unlisten: list[Callable[[], None]] = []
        # Filled by the table's thread, emptied by the loop.
        self._states: deque[Snapshot] = deque(maxlen=_STATES_KEPT)
        self._refusals: deque[RefusedInput] = deque(maxlen=_REFUSALS_KEPT)
        self._handed_over = False

    def __len__(self) -> int:
        return len(self._streams)

    # Called by the server, around the life of its loop.

    def listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Follows the table from now on, for streams on this event loop.

        Waits for the table, so do not call this on the loop.
        """
        self._loop = loop
        self._unlisten.append(self._table.listen(self))

    def unlisten(self) -> None:
        """Stops following the table. Waits for it, so do not call this on the event loop."""
        while self._unlisten:
            self._unlisten.pop()()

    def end(self) -> None:
        """Ends all streams; call it on the event loop. Clients then try to connect again."""
        for stream in self._streams:
            stream.end()

    # Called by the table, in its thread.

    def on_snapshot(self, snapshot: Snapshot) -> None:
        """Hands a new revision over to the loop."""
        self._states.append(snapshot)
        self._hand_over()

    def on_refused(self, refused: RefusedInput) -> None:
        """Hands a refusal over to the loop."""
        self._refusals.append(refused)
        self._hand_over()

    def on_frame(self, _: Frame) -> None:
        """Wakes the loop, which takes the newest frame from the table."""
        self._hand_over()

    def _hand_over(self) -> None:
        # One call is enough for everything that arrives before the loop gets to it.
        if not self._handed_over and self._loop is not None:
            self._handed_over = True
            with suppress(RuntimeError):  # the server's loop has just ended
                self._loop.call_soon_threadsafe(self._distribute)

    # On the event loop.

    def _distribute(self) -> None:
        self._handed_over = False
        states = _take_all(self._states)
        refusals = _take_all(self._refusals)
        waking = bool(self._to_wake)
        for stream in self._streams:
            stream.states.extend(states)
            stream.refusals.extend(refusals)
            if states or refusals or stream.wants_frames:
                self._to_wake[stream] = None
        if not waking:
            self._wake_some()

    def _wake_some(self) -> None:
        """Wakes a few streams, and the others after the loop has done its other work.

        Otherwise the answer to the command that caused this would wait for all of them.
        """
        for stream in tuple(islice(self._to_wake, _WOKEN_AT_ONCE)):
            del self._to_wake[stream]
            stream.wake.set()
        if self._to_wake:
            asyncio.get_running_loop().call_soon(self._wake_some)

    async def follow(self, exchange: Exchange) -> None:
        """Answers a request for a stream; returns when the client has gone or the stream ends.

        The oldest stream of an unpaired client makes room for a new one. Raises ApiError 503 if all
        are of paired ones.
        """
        if exchange.arrival.method == "HEAD":
            await exchange.respond(200, _HEADERS)
            return
        if len(self._streams) >= MOST_STREAMS:
            oldest = next((one for one in self._streams if not (one.paired or one.ended)), None)
            if oldest is None:
                raise ApiError(
                    503, refuse("busy", "Too many clients are already following this board.")
                )
            oldest.end()
        stream = _Stream(exchange.arrival)
        self._streams[stream] = None
        watcher = asyncio.create_task(exchange.gone())
        watcher.add_done_callback(lambda _: stream.end())
        try:
            exchange.connection.stop_expecting()
            # Every change after this snapshot, also of the pairing, has a later revision and
            # reaches the stream as news.
            first = self._table.snapshot
            stream.paired = await self._is_paired(stream)
            _limit_unread(exchange.connection)
            await self._write(exchange, stream, first)
        finally:
            del self._streams[stream]
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)

    async def _is_paired(self, stream: _Stream) -> bool:
        """Runs in a thread, because the table may have to look up the pairing."""
        try:
            client = await asyncio.to_thread(self._context.client_of, stream.arrival)
        except PochboardError:
            return False  # the table has stopped, and this stream is about to end
        return client.paired

    async def _write(self, exchange: Exchange, stream: _Stream, first: Snapshot) -> None:
        await exchange.begin(200, _HEADERS)
        text = b"retry: 1000\n\n"
        if stream.knows(first):
            stream.revision = first.revision
            text += self._beat(stream)
        else:
            text += self._state(stream, first)
        loop = asyncio.get_running_loop()
        now = loop.time()
        beat_at, sent_at = now + HEARTBEAT_S, now - CALM_FRAME_S
        faults: Faults = {}
        while not stream.ended:
            stream.wake.clear()
            text += await self._news(stream)
            if faults != self._health.faults:
                faults = self._health.faults
                event = msgspec.json.encode(health_event(self._health, stream.t))
                text += _event("health", stream.revision, event)
            now = loop.time()
            # A frame that belongs to a change comes with it.
            frame_at = now if text else sent_at + self._frame_s()
            if self._has_frame(stream) and now >= frame_at:
                stream.frame = self._frame(stream)
                text += _event("frame", stream.revision, self._snapshots.frame(stream.frame))
                sent_at, frame_at = now, now + self._frame_s()
            if now >= beat_at:
                text += self._beat(stream)
                beat_at = now + HEARTBEAT_S
            if text:
                await exchange.send(text)
                text = b""
            next_at = min(beat_at, frame_at) if self._has_frame(stream) else beat_at
            await _wait(stream.wake, next_at)
        exchange.connection.expect()
        await exchange.end()

    async def _news(self, stream: _Stream) -> bytes:
        """The states and refusals that the stream has not been sent, as events."""
        if stream.states and stream.has_token:
            # Ending a pairing raises the revision. The states from then on say so.
            stream.paired = await self._is_paired(stream)
        text = b""
        for snapshot in _take_all(stream.states):
            if snapshot.revision > stream.revision:
                text += self._state(stream, snapshot)
        for refused in _take_all(stream.refusals):
            event = self._snapshots.refused(refused, stream.t)
            text += _event("refused", stream.revision, event) if event else b""
        return text

    def _state(self, stream: _Stream, snapshot: Snapshot) -> bytes:
        stream.revision = snapshot.revision
        data = self._snapshots.state(snapshot, stream.t, paired=stream.paired)
        return _event("state", snapshot.revision, data)

    def _beat(self, stream: _Stream) -> bytes:
        clock = self._table.clock
        time_ms = None if clock.is_set else clock.now_ms()
        event = msgspec.json.encode(HeartbeatEvent(stream.revision, time_ms))
        return _event("heartbeat", stream.revision, event)

    def _frame_s(self) -> float:
        """How long a frame stands at least."""
        return CALM_FRAME_S if self._table.lighting.is_calm else FRAME_S

    def _has_frame(self, stream: _Stream) -> bool:
        return stream.wants_frames and stream.frame != self._frame(stream)

    def _frame(self, stream: _Stream) -> Frame:
        """The newest frame for this client. Only paired clients see the pairing code."""
        return self._table.lighting.frame if stream.paired else self._table.lighting.public_frame


def _take_all(kept: deque[T]) -> list[T]:
    """Removes and returns what is queued now. Other threads may add more meanwhile."""
    return [kept.popleft() for _ in range(len(kept))]


def _event(name: str, revision: int, data: bytes) -> bytes:
    return b"event: %s\nid: %d\ndata: %s\n\n" % (name.encode(), revision, data)


async def _wait(wake: asyncio.Event, until: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout_at(until):
            await wake.wait()


def _limit_unread(connection: Connection) -> None:
    """Keeps buffers small: a slow client should see the board now, not that of minutes ago."""
    connection.transport.set_write_buffer_limits(high=_UNREAD_BYTES)
    raw = connection.transport.get_extra_info("socket")
    with suppress(OSError):  # its socket was closed while the pairing was looked up
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNREAD_BYTES)
