"""The board's side of the protocol (docs/PROTOCOL.md).

Takes in bytes, edges and the time, and gives out bytes and what the pixels show. It does no I/O:
`code.py` passes everything in and out. Times are readings of the board's clock, which counts
milliseconds and wraps around at 2**29.

Runs on CPython, MicroPython and CircuitPython.
"""

from tests.firmware.version_1 import wire

# What the pixels show: nothing, the pulse of a silent host, or the host's frame.
DARK, SILENT, LIT = 0, 1, 2

PLACES = 8
"""The number of places with a button."""
RINGS = 9

_SILENCE_MS = 2000
_ALIVE_MS = 250
_REPEAT_MS = 40
_SETTLE_MS = 60
"""How long after a reset the scanner may report held buttons as new: a few scans and a margin."""
_MAX_WAITING = 256
"""When more bytes wait, new messages are discarded; all of them are repeated later."""


class Layout:
    """The pixels of the board and their power limit, as the host describes them."""

    def __init__(self, ring: int, places: int, limit_ma: int, pixel_bytes: int) -> None:
        self.ring = ring
        self.places = places
        self.limit_ma = limit_ma
        self.pixel_bytes = pixel_bytes
        self.pixels = RINGS * ring + places
        if self.pixels > wire.MAX_PIXELS or pixel_bytes not in (3, 4):
            # This board cannot drive that many. Its greeting says so, and it stays dark.
            self.pixels = 0


class Session:
    """The state of the board's connection, from its start on."""

    def __init__(self, number: int, version: tuple[int, int, int], now: int) -> None:
        self.number = number
        """The session's number in the protocol."""
        self.host = wire.NO_HOST
        """The connected host, or NO_HOST."""
        self.silent = False
        """Whether nothing has been heard of that host for two seconds."""
        self.dropped = 0
        """How many edges were dropped since the start."""
        self.layout: Layout | None = None
        self.frame: bytes | None = None
        """The newest frame, red, green, blue of each pixel; None before the first."""
        self._version = version
        self._decoder = wire.FrameDecoder()
        self._out = b""
        self._edges: list[tuple[int, bool, int]] = []
        self._first_number = 1
        self._last_sent = 0
        self._pressed: set[int] = set()
        self._unacknowledged_frame: int | None = None
        self._last_heard_at = now
        self._last_alive_at = now
        self._last_edges_at = now
        self._scanner_reset_at: int | None = None

    @property
    def state(self) -> int:
        """What the pixels show: DARK, SILENT or LIT."""
        if self.host == wire.NO_HOST:
            return DARK
        return SILENT if self.silent else LIT

    # The serial line

    def receive(self, data: bytes, now: int) -> None:
        """Handles received bytes."""
        for message in self._decoder.feed(data):
            self._handle(message, now)

    def waiting(self) -> bytes:
        """The bytes to send. `sent` removes those that were sent."""
        return self._out

    def sent(self, count: int) -> None:
        """Removes the first bytes, which have been sent."""
        self._out = self._out[count:]

    def line_lost(self) -> None:
        """Discards partial messages in both directions, because the other end has gone."""
        self._out = wire.END
        self._decoder = wire.FrameDecoder()

    # The buttons

    def edge(self, button: int, down: bool, at: int) -> None:
        """Handles a debounced edge: a button went down or up at this time."""
        if self.host == wire.NO_HOST or self.silent:
            self.dropped += 1
            return
        if down:
            if button in self._pressed or self._settling(at):
                return
            self._pressed.add(button)
        elif button in self._pressed:
            self._pressed.remove(button)
        else:
            # It went down in an earlier session, and the host has already released it.
            return
        if len(self._edges) >= wire.MAX_EDGES:
            self.dropped += 1
            self._begin_session()
            return
        self._edges.append((button, down, at))

    def scanner_overflowed(self, lost: int, now: int) -> None:
        """Begins a new session after the scanner lost at least this many edges and was reset."""
        self.dropped += lost
        self._begin_session()
        self._scanner_reset_at = now

    def _settling(self, at: int) -> bool:
        reset_at = self._scanner_reset_at
        return reset_at is not None and wire.ticks_between(reset_at, at) < _SETTLE_MS

    # Time

    def tick(self, now: int) -> None:
        """Detects a silent host, and sends what is due. Call it often."""
        if (
            self._scanner_reset_at is not None
            and wire.ticks_between(self._scanner_reset_at, now) > _SILENCE_MS
        ):
            # Forget it: no edge that old can follow, and the clock will reach that value again.
            self._scanner_reset_at = None
        if self.host == wire.NO_HOST:
            return
        if not self.silent and wire.ticks_between(self._last_heard_at, now) >= _SILENCE_MS:
            self.silent = True
            self._begin_session()
        if wire.ticks_between(self._last_alive_at, now) >= _ALIVE_MS:
            self._last_alive_at = now
            self._send(wire.pack(wire.ALIVE, self.number, now, self.dropped & 0xFFFF))
        if self._edges and not self._out:
            # Only when nothing else waits: its clock must be the time of sending.
            self._send_edges(now)

    def shown(self) -> None:
        """Acknowledges the newest frame, which the pixels now show."""
        if self._unacknowledged_frame is not None:
            self._send(wire.pack(wire.SHOWN, self.number, self._unacknowledged_frame))
            self._unacknowledged_frame = None

    def _send_edges(self, now: int) -> None:
        edges = self._edges[: wire.EDGES_PER_MESSAGE]
        last = self._first_number + len(edges) - 1
        if last <= self._last_sent and wire.ticks_between(self._last_edges_at, now) < _REPEAT_MS:
            return
        self._last_sent = last
        self._last_edges_at = now
        self._send(wire.pack_edges(self.number, self._first_number, now, edges))

    # Messages

    def _handle(self, message: bytes, now: int) -> None:
        kind = message[0]
        if kind == wire.HELLO:
            self._handle_hello(message, now)
            return
        fields = wire.unpack(message)
        if fields is None or kind not in (wire.BEAT, wire.PIXELS, wire.SEEN, wire.BYE):
            return
        is_stranger = kind in (wire.BEAT, wire.BYE) and fields[1] != self.host
        if self.host == wire.NO_HOST or is_stranger:
            self._send_greeting(wire.NO_HOST)
            return
        if kind == wire.BYE:
            self.host = wire.NO_HOST
            self.silent = False
            self._begin_session()
            self._forget_frame()
            self._send_greeting(wire.NO_HOST)
            return
        self._last_heard_at = now
        if kind == wire.SEEN:
            self._handle_seen(fields[1], fields[2])
            return
        self.silent = False
        if kind == wire.PIXELS:
            self._handle_pixels(fields[1], wire.pixels_of(message))

    def _handle_hello(self, message: bytes, now: int) -> None:
        version = wire.version_of(message)
        if version is not None and version != wire.VERSION:
            self._send_greeting(wire.NO_HOST)
            return
        fields = wire.unpack(message)
        if fields is None or fields[2] == wire.NO_HOST:
            return
        host, ring, places, limit_ma, pixel_bytes = fields[2:]
        if host != self.host:
            if self.host != wire.NO_HOST:
                # It is unknown which edges the previous host has recorded.
                self._begin_session()
            self._forget_frame()
            self.host = host
            self._last_alive_at = now
        self._last_heard_at = now
        self.silent = False
        self._set_layout(ring, places, limit_ma, pixel_bytes)
        self._send_greeting(host)

    def _set_layout(self, ring: int, places: int, limit_ma: int, pixel_bytes: int) -> None:
        layout, old = Layout(ring, places, limit_ma, pixel_bytes), self.layout
        if old is not None and (old.ring, old.places, old.limit_ma, old.pixel_bytes) == (
            ring,
            places,
            limit_ma,
            pixel_bytes,
        ):
            return
        self.layout = layout
        self._forget_frame()

    def _forget_frame(self) -> None:
        self.frame = None
        self._unacknowledged_frame = None

    def _handle_pixels(self, number: int, colours: bytes) -> None:
        layout = self.layout
        if layout is None or not layout.pixels or len(colours) != 3 * layout.pixels:
            return
        self.frame = colours
        self._unacknowledged_frame = number

    def _handle_seen(self, session: int, last: int) -> None:
        acknowledged = last - self._first_number + 1
        if session == self.number and 0 < acknowledged <= len(self._edges):
            self._edges = self._edges[acknowledged:]
            self._first_number += acknowledged

    def _begin_session(self) -> None:
        if self._edges:
            # Discard what waits to be sent: it may contain edges of the old session.
            self._out = wire.END
        self.dropped += len(self._edges)
        self.number = (self.number + 1) & 0xFFFFFFFF
        self._edges = []
        self._first_number = 1
        self._last_sent = 0
        self._pressed = set()

    def _send_greeting(self, host: int) -> None:
        self._send(
            wire.pack(
                wire.GREETING,
                wire.VERSION,
                host,
                self.number,
                *self._version,
                PLACES,
                wire.MAX_PIXELS,
                self.dropped & 0xFFFF,
            )
        )

    def _send(self, message: bytes) -> None:
        if len(self._out) < _MAX_WAITING:
            self._out += wire.frame(message)
