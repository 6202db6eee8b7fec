"""The board's side of the wire (docs/PROTOCOL.md): bytes, edges and time in; bytes and light out.

It runs under CPython, MicroPython and CircuitPython alike, and touches no hardware: `code.py`
hands in what comes and takes out what goes. Times are readings of the board's clock, which counts
milliseconds and begins anew at 2**29.
"""

from pochboard import wire

# What the pixels show.
DARK, SILENT, LIT = 0, 1, 2

PLACES = 8
"""Places that the board has buttons for."""
RINGS = 9

_SILENCE_MS = 2000
_ALIVE_MS = 250
_REPEAT_MS = 40
_SETTLE_MS = 60
"""How long after its reset the scanner reports as new what is held: a few scans, and a margin."""
_MOST_WAITING = 256
"""Bytes that wait to be sent before nothing is added: whatever is left out is said again."""


class Layout:
    """How the pixels are laid out, and how much they may draw."""

    def __init__(self, ring: int, places: int, limit_ma: int, pixel_bytes: int) -> None:
        self.ring = ring
        self.places = places
        self.limit_ma = limit_ma
        self.pixel_bytes = pixel_bytes
        self.pixels = RINGS * ring + places
        if self.pixels > wire.MAX_PIXELS or pixel_bytes not in (3, 4):
            # More than this board can drive. It says so in its greeting, and stays dark.
            self.pixels = 0


class Session:
    """One board, from its start on."""

    def __init__(self, number: int, release: tuple[int, int, int], now: int) -> None:
        self.number = number
        """What the wire calls the session."""
        self.host = wire.NO_HOST
        """The host that has greeted the board, if one has and has not said goodbye."""
        self.silent = False
        """Whether that host has not been heard for two seconds."""
        self.dropped = 0
        """Edges dropped since the start."""
        self.layout: Layout | None = None
        self.frame: bytes | None = None
        """The colours to show, red, green, blue of each pixel, once the host has sent some."""
        self._release = release
        self._frames = wire.FrameDecoder()
        self._out = b""
        self._edges: list[tuple[int, bool, int]] = []
        self._first = 1
        self._sent = 0
        self._down: set[int] = set()
        self._unshown: int | None = None
        self._heard_at = now
        self._alive_at = now
        self._edges_at = now
        self._reset_at: int | None = None

    @property
    def state(self) -> int:
        """What the pixels show: nothing, the pulse of a silent host, or its frame."""
        if self.host == wire.NO_HOST:
            return DARK
        return SILENT if self.silent else LIT

    # The line.

    def receive(self, data: bytes, now: int) -> None:
        """Takes what has come over the line."""
        for message in self._frames.feed(data):
            self._take(message, now)

    def waiting(self) -> bytes:
        """What is to be sent; `sent` says how much of it was."""
        return self._out

    def sent(self, count: int) -> None:
        """The line has taken this many bytes."""
        self._out = self._out[count:]

    def line_lost(self) -> None:
        """Nobody is at the other end: halves of messages are forgotten on both ways."""
        self._out = wire.END
        self._frames = wire.FrameDecoder()

    # The buttons.

    def edge(self, button: int, down: bool, at: int) -> None:
        """A button went down or up, debounced, at this time."""
        if self.host == wire.NO_HOST or self.silent:
            self.dropped += 1
            return
        if down:
            if button in self._down or self._settling(at):
                return
            self._down.add(button)
        elif button in self._down:
            self._down.remove(button)
        else:
            # It went down in another session, so the host has let go of it.
            return
        if len(self._edges) >= wire.MAX_EDGES:
            self.dropped += 1
            self._begin_session()
            return
        self._edges.append((button, down, at))

    def scanner_lost(self, count: int, now: int) -> None:
        """The scanner has lost edges, and was reset: at least so many, with those thrown away."""
        self.dropped += count
        self._begin_session()
        self._reset_at = now

    def _settling(self, at: int) -> bool:
        reset_at = self._reset_at
        return reset_at is not None and wire.ticks_between(reset_at, at) < _SETTLE_MS

    # Time.

    def tick(self, now: int) -> None:
        """Time has passed: notices silence, and says what is due."""
        if self._reset_at is not None and wire.ticks_between(self._reset_at, now) > _SILENCE_MS:
            # No edge as old is still to come, and the clock will be at that reading again.
            self._reset_at = None
        if self.host == wire.NO_HOST:
            return
        if not self.silent and wire.ticks_between(self._heard_at, now) >= _SILENCE_MS:
            self.silent = True
            self._begin_session()
        if wire.ticks_between(self._alive_at, now) >= _ALIVE_MS:
            self._alive_at = now
            self._say(wire.pack(wire.ALIVE, self.number, now, self.dropped & 0xFFFF))
        if self._edges and not self._out:
            # Never while others wait, so that the clock in it is that of its sending.
            self._send_edges(now)

    def shown(self) -> None:
        """The pixels show the newest frame: the host is told."""
        if self._unshown is not None:
            self._say(wire.pack(wire.SHOWN, self.number, self._unshown))
            self._unshown = None

    def _send_edges(self, now: int) -> None:
        some = self._edges[: wire.EDGES_PER_MESSAGE]
        last = self._first + len(some) - 1
        if last <= self._sent and wire.ticks_between(self._edges_at, now) < _REPEAT_MS:
            return
        self._sent = last
        self._edges_at = now
        self._say(wire.pack_edges(self.number, self._first, now, some))

    # Messages.

    def _take(self, message: bytes, now: int) -> None:
        kind = message[0]
        if kind == wire.HELLO:
            self._hello(message, now)
            return
        fields = wire.unpack(message)
        if fields is None or kind not in (wire.BEAT, wire.PIXELS, wire.SEEN, wire.BYE):
            return
        stranger = kind in (wire.BEAT, wire.BYE) and fields[1] != self.host
        if self.host == wire.NO_HOST or stranger:
            self._greet(wire.NO_HOST)
            return
        if kind == wire.BYE:
            self.host = wire.NO_HOST
            self.silent = False
            self._begin_session()
            self._forget_frame()
            self._greet(wire.NO_HOST)
            return
        self._heard_at = now
        if kind == wire.SEEN:
            self._seen(fields[1], fields[2])
            return
        self.silent = False
        if kind == wire.PIXELS:
            self._show(fields[1], wire.pixels_of(message))

    def _hello(self, message: bytes, now: int) -> None:
        version = wire.version_of(message)
        if version is not None and version != wire.VERSION:
            self._greet(wire.NO_HOST)
            return
        fields = wire.unpack(message)
        if fields is None or fields[2] == wire.NO_HOST:
            return
        host, ring, places, limit_ma, pixel_bytes = fields[2:]
        if host != self.host:
            if self.host != wire.NO_HOST:
                # Who had presses booked last is not known.
                self._begin_session()
            self._forget_frame()
            self.host = host
            self._alive_at = now
        self._heard_at = now
        self.silent = False
        self._lay_out(ring, places, limit_ma, pixel_bytes)
        self._greet(host)

    def _lay_out(self, ring: int, places: int, limit_ma: int, pixel_bytes: int) -> None:
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
        self._unshown = None

    def _show(self, number: int, colours: bytes) -> None:
        layout = self.layout
        if layout is None or not layout.pixels or len(colours) != 3 * layout.pixels:
            return
        self.frame = colours
        self._unshown = number

    def _seen(self, session: int, last: int) -> None:
        booked = last - self._first + 1
        if session == self.number and 0 < booked <= len(self._edges):
            self._edges = self._edges[booked:]
            self._first += booked

    def _begin_session(self) -> None:
        if self._edges:
            # Among what waits to be sent may be edges of the session that is over: never late.
            self._out = wire.END
        self.dropped += len(self._edges)
        self.number = (self.number + 1) & 0xFFFFFFFF
        self._edges = []
        self._first = 1
        self._sent = 0
        self._down = set()

    def _greet(self, host: int) -> None:
        self._say(
            wire.pack(
                wire.GREETING,
                wire.VERSION,
                host,
                self.number,
                *self._release,
                PLACES,
                wire.MAX_PIXELS,
                self.dropped & 0xFFFF,
            )
        )

    def _say(self, message: bytes) -> None:
        if len(self._out) < _MOST_WAITING:
            self._out += wire.frame(message)
