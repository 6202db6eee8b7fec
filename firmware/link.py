"""The board's side of the protocol (docs/PROTOCOL.md).

Takes in bytes, edges and the time, and gives out bytes and what the pixels show. It does no I/O:
`program.py` passes everything in and out. Times are readings of the board's clock, which counts
milliseconds and wraps around at 2**29.
"""

from pochboard import wire

# What the pixels show: nothing, the pulse of a silent host, or the host's frame.
DARK, SILENT, LIT = 0, 1, 2

NEXT, UNDO = 17, 18

DEBOUNCE_MS = 8
"""How long a contact must be stable, until the host says it."""

_SILENCE_MS = 2000
_EDGE_MS = 2000
"""How long an edge is repeated: a later one would not count."""
_REPEATS = 25
"""How often a line is repeated quickly after a change."""
_REPEAT_MS = 20
_HELD_MS = 40
"""How often a line is sent while a button is held: a long press counts once it is known."""
_IDLE_MS = 250
_SETTLE_MS = 60
"""How long after a reset the scanner may report held buttons as new: a few scans and a margin."""


class Layout:
    """The pixels of the board, their power limit, and its buttons, as the host describes them."""

    def __init__(
        self,
        ring: int,
        places: int,
        limit_ma: int,
        pixel_bytes: int,
        debounce_ms: int = 8,
        order: int = wire.ORDERS.index("GRB"),
    ) -> None:
        self.ring, self.places, self.limit_ma = ring, places, limit_ma
        self.pixel_bytes, self.debounce_ms = pixel_bytes, debounce_ms
        self.order = order % len(wire.ORDERS)
        self.pixels = wire.RINGS * ring + places
        if self.pixels > wire.MAX_PIXELS or pixel_bytes not in (3, 4):
            # This board cannot drive that many, and stays dark.
            self.pixels = 0


class Link:
    """What the board and its host have told each other, from the board's start."""

    def __init__(self, boot: int, about: tuple[int, ...], now: int) -> None:
        """`about`: the firmware's version, capabilities, chip, pixels per ring, bytes per pixel."""
        self.state = DARK
        """What the pixels show: DARK, SILENT or LIT."""
        self.layout: Layout | None = None
        self.frame: bytes | None = None
        """The newest frame, red, green, blue of each pixel; None before the first."""
        self.picture: bytes | None = None
        """A new message for the display; whoever takes it sets it to None."""
        self.tune: bytes | None = None
        """A new tune; whoever takes it sets it to None."""
        self._boot, self._about = boot, about
        self._number = wire.NOBODY
        self._over = wire.NOBODY
        """The link that has ended: what its host still says is too late."""
        self._described: tuple[int, ...] = ()
        self._numbers: dict[int, int] = {}
        """The number of the last message of each kind."""
        self._reader = wire.LineReader()
        self._heard_at = self._sent_at = now
        self._out = b""
        self._is_changed = True
        self._repeats = 0
        self._contacts = 0
        self._presses = [0] * wire.BUTTONS
        self._edges: list[tuple[int, bool, int]] = []
        self._scanner_reset_at: int | None = None

    # The serial line

    def receive(self, data: bytes, now: int) -> None:
        """Handles received bytes."""
        for message in self._reader.feed(data):
            self._take(message, now)

    def waiting(self) -> bytes:
        """The bytes to send. `sent` removes those that were sent."""
        return self._out

    def sent(self, count: int) -> None:
        """Removes the first bytes, which have been sent."""
        self._out = self._out[count:]

    def line_lost(self) -> None:
        """Discards partial lines in both directions, because the other end has gone."""
        self._out = wire.END
        self._reader.restart()

    # The buttons

    def edge(self, button: int, down: bool, at: int) -> None:
        """Handles a debounced edge: a button went down or up at this time."""
        if down == bool(self._contacts >> button & 1) or (down and self._is_settling(at)):
            return
        self._contacts ^= 1 << button
        if down:
            self._presses[button] = (self._presses[button] + 1) & 0xFF
        self._edges.append((button, down, at))
        self._edges = self._edges[-wire.MAX_EDGES :]
        self._is_changed = True

    def scanner_reset(self, now: int) -> None:
        """Counts from 0 again, as after a start, because the scanner has lost edges or is new.

        What it holds counts from its next down.
        """
        self._scanner_reset_at = now
        self._boot = (self._boot + 1) & 0xFFFFFFFF
        self._contacts = 0
        self._presses = [0] * wire.BUTTONS
        self._edges = []
        self._is_changed = True

    def _is_settling(self, at: int) -> bool:
        reset_at = self._scanner_reset_at
        return reset_at is not None and wire.ticks_between(reset_at, at) < _SETTLE_MS

    # Time

    def tick(self, now: int) -> None:
        """Detects a silent host, and makes the line that is due. Call it often."""
        reset_at = self._scanner_reset_at
        if reset_at is not None and wire.ticks_between(reset_at, now) > _SILENCE_MS:
            # Forget it: the clock will reach that value again.
            self._scanner_reset_at = None
        if self.state == LIT and wire.ticks_between(self._heard_at, now) >= _SILENCE_MS:
            self._end(SILENT)
        if self._edges:
            self._edges = [e for e in self._edges if wire.ticks_between(e[2], now) < _EDGE_MS]
        if self._out:
            # A line waits because the host does not read: the next one will say more.
            return
        pause = _REPEAT_MS if self._repeats else _HELD_MS if self._contacts else _IDLE_MS
        if self._is_changed or wire.ticks_between(self._sent_at, now) >= pause:
            self._sent_at = now
            self._repeats = _REPEATS if self._is_changed else max(0, self._repeats - 1)
            self._is_changed = False
            self._out = wire.line(self._line(now))

    def _line(self, now: int) -> bytes:
        fields = [wire.VERSION, self._boot, self._number, now, self._reader.errors & 0xFFFF]
        fields += self._about
        fields.append(self._contacts)
        fields += self._presses
        edges = [(button, down, wire.ticks_between(at, now)) for button, down, at in self._edges]
        return wire.pack(wire.BOARD, *fields) + wire.edges_data(edges)

    # Messages

    def _take(self, message: bytes, now: int) -> None:
        fields = wire.unpack(message)
        if fields is None:
            return
        kind, number = fields[:2]
        if kind == wire.HOST:
            if number == wire.VERSION:
                self._hear(fields[2], fields[3:], now)
            return
        if kind == wire.BOARD or self.state != LIT:
            # An echo, or a host that has not said who it is.
            return
        self._heard_at = now
        if self._numbers.get(kind) == number:
            return
        self._numbers[kind] = number
        if kind == wire.PICTURE:
            self.picture = message
        elif kind == wire.TUNE:
            self.tune = message
        elif self.layout is not None and self.layout.pixels:
            colours = wire.data_of(message)
            if len(colours) == 3 * self.layout.pixels:
                self.frame = colours

    def _hear(self, number: int, described: tuple[int, ...], now: int) -> None:
        if number == wire.NOBODY:
            self._end(DARK)
            return
        if number == self._over:
            return
        self._heard_at = now
        if number != self._number:
            self._number, self.state = number, LIT
            self._forget()
        if described != self._described:
            self._described = described
            self.layout = Layout(*described)
            self._forget()

    def _end(self, state: int) -> None:
        self.state = state
        if self._number != wire.NOBODY:
            self._over, self._number = self._number, wire.NOBODY
        self._forget()

    def _forget(self) -> None:
        self.frame = self.picture = self.tune = None
        self._numbers = {}
        self._is_changed = True
