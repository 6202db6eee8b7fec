"""The host's side of docs/PROTOCOL.md as a state machine: bytes and time in, bytes and presses out.

It has no port and no clock, so that a test can run through hours of noise in seconds.
"""

from __future__ import annotations

import logging
from typing import Final

import msgspec

from pochboard import wire
from pochboard.boards.base import Problem, Sink, Tune
from pochboard.buttons.press import BUTTONS, Edge
from pochboard.config import ColourOrder
from pochboard.lights.frame import Frame
from pochboard.screen import Bitmap

log = logging.getLogger(__name__)

COPY_FIRMWARE: Final = (
    "Copy the firmware to the board's drive: hold its “next” button while you plug it in, run"
    " pochboard firmware install, then unplug it and plug it in again."
)
DEFAULT_DEBOUNCE_MS: Final = 8
"""As in the default configuration, and in the firmware."""
BEAT_US: Final = 250_000
LOST_US: Final = 2_000_000
"""A board that has been silent for this long is lost."""
LATE_US: Final = 2_000_000
"""An edge that arrives later than this is dropped: the player has moved on."""
_REFRESH_US: Final = 1_000_000
_NEVER_US: Final = 1 << 62
_HALF: Final = wire.TICKS // 2
_DRIFT: Final = 200
"""How far the two clocks may drift apart, in parts per million; crystals drift less."""


class Layout(msgspec.Struct, frozen=True):
    """The layout of the board, as the host's line describes it."""

    pixels_per_ring: int
    places: int
    limit_ma: int
    bytes_per_pixel: int = 3
    debounce_ms: int = DEFAULT_DEBOUNCE_MS
    order: ColourOrder = "GRB"

    def line(self, link: int) -> bytes:
        """The line of a host with this link."""
        *fields, order = msgspec.structs.astuple(self)
        number = wire.ORDERS.index(order)
        return wire.line(wire.pack(wire.HOST, wire.VERSION, link, *fields, number))


class Firmware(msgspec.Struct, frozen=True):
    """What a board says about itself."""

    version: tuple[int, int, int]
    capabilities: int
    id: str
    """The unique number of its chip, as USB shows it."""
    pixels_per_ring: int
    """According to its own settings."""
    bytes_per_pixel: int
    """According to its own settings."""


class Said(msgspec.Struct, frozen=True):
    """A line of a board."""

    boot: int
    link: int
    clock: int
    spoiled: int
    firmware: Firmware
    contacts: int
    presses: tuple[int, ...]
    edges: list[tuple[int, bool, int]]


def said_in(message: bytes) -> Said | None:
    """The line of a board in a message; None if it is none, or damaged."""
    fields = wire.unpack(message)
    edges = wire.edges_of(message) if fields and fields[0] == wire.BOARD else None
    if fields is None or edges is None:
        return None
    major, minor, patch, capabilities, chip, ring, pixel_bytes, contacts = fields[6:14]
    firmware = Firmware((major, minor, patch), capabilities, f"{chip:016X}", ring, pixel_bytes)
    boot, link, clock, spoiled = fields[2:6]
    return Said(boot, link, clock, spoiled, firmware, contacts, fields[14:], edges)


class BoardClock:
    """Converts the board's milliseconds to microseconds of the host's clock.

    Lines may wait in buffers, so each gives an upper bound for the offset between the clocks. The
    lowest bound counts, corrected for drift. An edge then has the right time even if its line is
    read late (PROTOCOL.md 4).
    """

    def __init__(self) -> None:
        self._ticks = self._ms = self._heard_us = 0
        self._offset_us: int | None = None

    def forget(self) -> None:
        """Forgets the offset: the board may have restarted."""
        self._offset_us = None

    def heard(self, ticks: int, now_us: int) -> bool:
        """Takes in the clock of a line that is read now; False if an earlier line was newer."""
        if self._offset_us is None:
            offset_us = now_us - self._ms * 1000
        else:
            since_ms = wire.ticks_between(self._ticks, ticks)
            if since_ms >= _HALF:
                return False
            self._ms += since_ms
            drifted_us = (now_us - self._heard_us) * _DRIFT // 1_000_000
            offset_us = min(now_us - self._ms * 1000, self._offset_us + drifted_us)
        self._ticks, self._offset_us, self._heard_us = ticks, offset_us, now_us
        return True

    def at_us(self, ago_ms: int = 0) -> int:
        """The host's time so long before the newest reading. Call `heard` first."""
        assert self._offset_us is not None, "a line has been heard"
        return self._offset_us + (self._ms - ago_ms) * 1000


class Repeated:
    """The newest message of a kind: sent at once, a few times more, and then once a second."""

    def __init__(
        self, kind: int, times: int, every_ms: int, *, needs: int = 0, once: bool = False
    ) -> None:
        """Sent so many times at first. `needs`: a capability of the board.

        `once`: for what has happened, not for what is; it does not go on every second.
        """
        self.needs = needs
        self.due_us = _NEVER_US
        self._kind, self._once = kind, once
        self._times, self._every_us = times, 1000 * every_ms
        self._content: tuple[tuple[int, ...], bytes] | None = None
        self._number = 0
        self._left = 0

    def replace(self, data: bytes, *fields: int) -> None:
        """Replaces the message. Call `begin` to send it."""
        self._content = fields, data

    def begin(self, now_us: int) -> None:
        """Begins to send it, with a new number."""
        if self._content is not None:
            self._number = self._number % wire.MAX_NUMBER + 1
            self._left, self.due_us = self._times, now_us

    def end(self) -> None:
        """Sends nothing until `begin`."""
        self.due_us = _NEVER_US
        if self._once:
            self._content = None

    def to_send(self, now_us: int) -> bytes:
        """The line to send now; or nothing."""
        if self._content is None or now_us < self.due_us:
            return b""
        if not self._left:
            # The board does it again: a display may have lost its picture.
            self.begin(now_us)
            self._left = 1
        fields, data = self._content
        line = wire.line(wire.pack(self._kind, self._number, *fields) + data)
        self._left -= 1
        if self._left:
            self.due_us = now_us + self._every_us
        elif self._once:
            self.end()
        else:
            self.due_us = now_us + _REFRESH_US
        return line


class Link:
    """The host's end of the line, which tells its sink what happens.

    Times are microseconds of a monotonic clock.
    """

    sink: Sink

    def __init__(self, number: int, layout: Layout, now_us: int, *, board: str = "") -> None:
        """`number` is a random number, and not 0. `board` is the only id to accept."""
        self.firmware: Firmware | None = None
        """The connected board's; None while there is none."""
        self.refused: Problem | None = None
        """Why the board that answers cannot be used."""
        self.spoiled_there = 0
        """How many damaged lines the board has received since it started."""
        self._number = number
        self._layout = layout
        self._wanted = board
        self._reader = wire.LineReader()
        self._heard_us = now_us
        self._beat_us = now_us
        self._clock = BoardClock()
        self._boot = 0
        self._contacts = 0
        self._presses: tuple[int, ...] = ()
        self._held: set[str] = set()
        """The buttons whose down has been reported, but no up."""
        self._last_at_us = 0
        self._pixels = Repeated(wire.PIXELS, 8, 50)
        self._tune = Repeated(wire.TUNE, 16, 25, needs=wire.SOUND, once=True)
        self._picture = Repeated(wire.PICTURE, 3, 100, needs=wire.DISPLAY)
        # The lights first.
        self._outputs = self._pixels, self._tune, self._picture

    @property
    def spoiled_here(self) -> int:
        """How many damaged lines this host has received since it started."""
        return self._reader.errors

    @property
    def closed(self) -> frozenset[str]:
        """The buttons that were down in the newest line. For any thread."""
        bits = self._contacts if self.firmware is not None else 0
        return frozenset(name for number, name in enumerate(BUTTONS) if bits >> number & 1)

    def has(self, capability: int) -> bool:
        """Whether the connected board has a display or a piezo."""
        return self.firmware is not None and bool(self.firmware.capabilities & capability)

    def show(self, colours: Frame, now_us: int) -> None:
        """Replaces the frame of pixels to show."""
        self._pixels.replace(colours)
        self._begin(self._pixels, now_us)

    def show_screen(self, picture: Bitmap, contrast: int, now_us: int) -> None:
        """Replaces the picture on the board's display, if it has one."""
        self._picture.replace(picture, contrast)
        self._begin(self._picture, now_us)

    def play(self, tune: Tune, now_us: int) -> None:
        """Plays a tune, if the board is connected and has a piezo; never later."""
        if self.has(wire.SOUND):
            self._tune.replace(wire.notes_data(tune.notes), tune.volume)
            self._begin(self._tune, now_us)

    def _begin(self, output: Repeated, now_us: int) -> None:
        if self.firmware is not None and (not output.needs or self.has(output.needs)):
            output.begin(now_us)

    def hung_up(self, now_us: int) -> None:
        """The port is closed, or has just been opened: begins a new link."""
        self.refused = None
        self._reader.restart()
        self._lose(now_us)

    # Receiving.

    def received(self, data: bytes, now_us: int) -> None:
        """Takes in bytes."""
        # Whatever arrives after a long pause of this program has waited, and is of the old link.
        self.check(now_us)
        for message in self._reader.feed(data):
            version = wire.version_of(message)
            if message[0] != wire.BOARD or version is None:
                continue  # an echo of our own, or no message
            said = said_in(message) if version == wire.VERSION else None
            problem = _problem(version, said, self._wanted)
            if problem:
                if self.firmware is not None:
                    self._lose(now_us)
                self.refused = problem
            elif said is not None:
                self._hear(said, now_us)

    def _hear(self, said: Said, now_us: int) -> None:
        if said.link != self._number or (self.firmware and said.boot != self._boot):
            # It has not heard of this link yet, has given it up, or has restarted.
            if self.firmware is not None:
                self._lose(now_us)
            return
        if self.firmware is None:
            self._clock.forget()
            self.refused = None
            self._boot, self._contacts, self._presses = said.boot, said.contacts, said.presses
            self.firmware = said.firmware
            for output in self._outputs:
                self._begin(output, now_us)
            self.sink.set_link(True, has_sound=self.has(wire.SOUND))
        self._heard_us, self.spoiled_there = now_us, said.spoiled
        if self._clock.heard(said.clock, now_us):
            self._tell_edges(said, now_us)

    def _tell_edges(self, said: Said, now_us: int) -> None:
        """Tells the edges that are new in a line, and what is held in it."""
        pressed = sum((a - b) % 256 for a, b in zip(said.presses, self._presses, strict=True))
        new = 2 * pressed + self._contacts.bit_count() - said.contacts.bit_count()
        self._contacts, self._presses = said.contacts, said.presses
        edges: list[Edge] = []
        for number, down, ago_ms in said.edges[-new:] if new > 0 else []:
            at_us = self._clock.at_us(ago_ms)
            if now_us - at_us < LATE_US:
                self._last_at_us = max(at_us, self._last_at_us)
                edges.append((BUTTONS[number], down, self._last_at_us))
        if new > len(edges):
            self._held.clear()
            self.sink.release_all()
            log.warning("dropped edges that came too late: %d", new - len(edges))
        until_us = max(self._clock.at_us(), self._last_at_us)
        # A held button is known to be down until its first edge, or until now. Only then may the
        # table decide how long it was held; so it is told before the edges that this line brings.
        moved = [button for button, _, _ in edges]
        first = {button: at_us for button, _, at_us in reversed(edges)}
        for button in self._held:
            self.sink.known_down(button, first.get(button, until_us))
        for button in first.keys() - self._held:
            if moved.count(button) > 1:
                self.sink.known_down(button, until_us)
        counted: list[Edge] = []
        for button, down, at_us in edges:
            # The up of a button that was held before the link means nothing.
            if down != (button in self._held) and button in self.sink.buttons:
                self._held ^= {button}
                counted.append((button, down, at_us))
        if counted:
            self.sink.edges_at_once(counted)
        for button in self._held & first.keys():
            self.sink.known_down(button, until_us)

    def _lose(self, now_us: int) -> None:
        """Begins a new link: whatever was said in the old one no longer counts."""
        self._number = self._number % 0xFFFF_FFFF + 1
        self._beat_us = now_us
        self._held.clear()
        for output in self._outputs:
            output.end()
        if self.firmware is not None:
            self.firmware = None
            self.sink.release_all()
            self.sink.set_link(False)

    # Sending.

    def due_us(self) -> int:
        """When the next line is due, or the board counts as lost."""
        if self.firmware is None:
            return self._beat_us
        return min(self._beat_us, self.overdue_us(), *(out.due_us for out in self._outputs))

    def overdue_us(self) -> int:
        """When the connected board counts as lost."""
        return _NEVER_US if self.firmware is None else self._heard_us + LOST_US

    def check(self, now_us: int) -> None:
        """Gives the board up if it has been silent for too long."""
        if now_us >= self.overdue_us():
            self._lose(now_us)

    def to_send(self, now_us: int) -> bytes:
        """The line to send now; or nothing. The lights of a press never wait behind a picture."""
        if now_us >= self._beat_us:
            self._beat_us = now_us + BEAT_US
            return self._layout.line(self._number)
        if self.firmware is None:
            return b""
        lines = (output.to_send(now_us) for output in self._outputs)
        return next(filter(None, lines), b"")

    def bye(self) -> bytes:
        """A goodbye: the board stays dark until another link."""
        return self._layout.line(wire.NOBODY)


def _problem(version: int, said: Said | None, wanted: str) -> Problem | None:
    """Why a board cannot be used; None if it can."""
    if version != wire.VERSION:
        return Problem(
            (
                f"The board's firmware uses version {version} of the protocol, this program"
                f" version {wire.VERSION}."
            ),
            COPY_FIRMWARE if version < wire.VERSION else "Update pochboard.",
        )
    if said and wanted and said.firmware.id != wanted:
        return Problem(
            f"This is board {said.firmware.id}, not {wanted}.",
            "Plug in the other board, or correct id in [pico] of config.toml.",
        )
    return None
