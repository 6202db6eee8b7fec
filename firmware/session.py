"""The board's side of the protocol (docs/PROTOCOL.md).

Takes in bytes, edges and the time, and gives out bytes and what the pixels show. It does no I/O:
`code.py` passes everything in and out. Times are readings of the board's clock, which counts
milliseconds and wraps around at 2**29.

Runs on CPython, MicroPython and CircuitPython.
"""

from pochboard import wire

# What the pixels show: nothing, the pulse of a silent host, or the host's frame.
DARK, SILENT, LIT = 0, 1, 2

PLACES = 8
"""The number of places with a button."""
RINGS = 9
NEXT, UNDO = 17, 18

DEBOUNCE_MS = 8
"""How long a contact must be stable, until the host says it."""

_SILENCE_MS = 2000
_ALIVE_MS = 250
_REPEAT_MS = 40
_SETTLE_MS = 60
"""How long after a reset the scanner may report held buttons as new: a few scans and a margin."""
_MAX_WAITING = 256
"""When more bytes wait, new messages are discarded; all of them are repeated later."""


class Layout:
    """The pixels of the board, their power limit, and its buttons, as the host describes them."""

    def __init__(
        self,
        ring: int,
        places: int,
        limit_ma: int,
        pixel_bytes: int,
        debounce_ms: int = DEBOUNCE_MS,
    ) -> None:
        self.ring = ring
        self.places = places
        self.limit_ma = limit_ma
        self.pixel_bytes = pixel_bytes
        self.debounce_ms = debounce_ms
        self.pixels = RINGS * ring + places
        if self.pixels > wire.MAX_PIXELS or pixel_bytes not in (3, 4):
            # This board cannot drive that many. Its greeting says so, and it stays dark.
            self.pixels = 0


class Greeting:
    """What the board says about itself in its greeting."""

    def __init__(
        self,
        version: tuple[int, int, int],
        *,
        id_: int = 0,
        capabilities: int = 0,
        ring: int = 0,
        pixel_bytes: int = 0,
    ) -> None:
        self.version = version
        """The version of the firmware."""
        self.id = id_
        """The unique number of the chip."""
        self.capabilities = capabilities
        self.ring = ring
        """Pixels per ring, according to its own settings."""
        self.pixel_bytes = pixel_bytes
        """Bytes per pixel, according to its own settings."""


class Session:
    """The state of the board's connection, from power-on."""

    def __init__(self, number: int, greeting: Greeting, now: int) -> None:
        self.number = number
        """The session's number in the protocol."""
        self.host = wire.NO_HOST
        """The connected host, or NO_HOST."""
        self.silent = False
        """Whether that host has been silent for two seconds."""
        self.dropped = 0
        """How many edges were dropped since the start."""
        self.layout: Layout | None = None
        self._described: tuple[int, ...] = ()
        self.band: bytes | None = None
        """The newest message for the display. `done` answers it."""
        self.tune: bytes | None = None
        """The newest tune. `played` answers it."""
        self.frame: bytes | None = None
        """The newest frame, red, green, blue of each pixel; None before the first."""
        self._greeting = greeting
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

    def done(self, number: int) -> None:
        """Answers a message for the display once it has been carried out."""
        self._send(wire.pack(wire.DONE, self.number, number))

    def played(self, number: int) -> None:
        """Answers a tune that has begun."""
        self._send(wire.pack(wire.PLAYED, self.number, number))

    def waiting(self) -> bytes:
        """The bytes to send. `sent` removes those that were sent."""
        return self._out

    def sent(self, count: int) -> None:
        """Removes the first bytes, which have been sent."""
        self._out = self._out[count:]

    def line_lost(self) -> None:
        """Discards partial messages in both directions, because the other end has gone."""
        self._out = wire.END
        self._decoder.restart()

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

    def scanner_restarted(self, now: int) -> None:
        """The scanner begins again, so what it held counts from its next down."""
        if self._pressed:
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
            dropped, spoiled = self.dropped & 0xFFFF, self._decoder.errors & 0xFFFF
            self._send(wire.pack(wire.ALIVE, self.number, now, dropped, spoiled))
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
        if fields is None or kind >= wire.GREETING:
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
        elif kind == wire.BAND and self._greeting.capabilities & wire.DISPLAY:
            self.band = message
        elif kind == wire.TUNE and self._greeting.capabilities & wire.SOUND:
            self.tune = message

    def _handle_hello(self, message: bytes, now: int) -> None:
        version = wire.version_of(message)
        if version is None:
            return
        if version != wire.VERSION:
            # The host sees from the greeting that the versions differ, and says so.
            self._send_greeting(wire.NO_HOST)
            return
        fields = wire.unpack(message)
        if fields is None or fields[2] == wire.NO_HOST:
            return
        host = fields[2]
        if host != self.host:
            if self.host != wire.NO_HOST:
                # It is unknown which edges the previous host has booked.
                self._begin_session()
            self._forget_frame()
            self.host = host
            self._last_alive_at = now
        self._last_heard_at = now
        self.silent = False
        self._set_layout(fields[3:8])
        self._send_greeting(host)

    def _set_layout(self, described: tuple[int, ...]) -> None:
        if described == self._described:
            return
        self._described = described
        ring, places, limit_ma, pixel_bytes, debounce_ms = described
        self.layout = Layout(ring, places, limit_ma, pixel_bytes, debounce_ms)
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
        greeting = self._greeting
        fields = [wire.VERSION, host, self.number]
        fields += greeting.version
        fields += (PLACES, wire.MAX_PIXELS, self.dropped & 0xFFFF)
        fields += (greeting.capabilities, greeting.id, self._decoder.errors & 0xFFFF)
        fields += (greeting.ring, greeting.pixel_bytes)
        self._send(wire.pack(wire.GREETING, *fields))

    def _send(self, message: bytes) -> None:
        if len(self._out) < _MAX_WAITING:
            self._out += wire.frame(message)
