"""The host's side of docs/PROTOCOL.md as a state machine: bytes and time in, bytes and events out.

It has no port and no clock, so that a test can run through hours of noise in seconds. Besides light
and edges it carries pictures for the board's display and tunes for its piezo, at most one message
of each at a time, so that the lights of a press never wait behind a picture.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Final

import msgspec

from pochboard import ssd1306, wire
from pochboard.boards.base import Problem, Tune
from pochboard.buttons.press import BUTTONS
from pochboard.lights.frame import Frame
from pochboard.screen.bitmap import Bitmap
from pochboard.text.lazy import lazy_gettext

COPY_FIRMWARE: Final = lazy_gettext(
    "Copy the firmware to the board's drive: hold its “next” button while you plug it in, run"
    " pochboard firmware install, then unplug it and plug it in again."
)
DEFAULT_DEBOUNCE_MS: Final = 8
"""As in the default configuration, and in the firmware."""


class Layout(msgspec.Struct, frozen=True):
    """The layout of the board, as the host's hello describes it."""

    pixels_per_ring: int
    places: int
    limit_ma: int
    bytes_per_pixel: int = 3
    debounce_ms: int = DEFAULT_DEBOUNCE_MS

    def hello(self, host: int) -> bytes:
        """The hello of a host."""
        return wire.pack(wire.HELLO, wire.VERSION, host, *msgspec.structs.astuple(self))


class Firmware(msgspec.Struct, frozen=True):
    """What a board says about itself in its greeting."""

    version: tuple[int, int, int]
    places: int
    most_pixels: int
    id: str
    """The unique number of its chip, as USB shows it."""
    capabilities: int
    pixels_per_ring: int
    """According to its own settings."""
    bytes_per_pixel: int
    """According to its own settings."""


def _firmware_of(greeting: tuple[int, ...]) -> Firmware:
    _, _, _, _, *version, places, pixels, _, capabilities, number, _, ring, pixel_bytes = greeting
    major, minor, patch = version
    id_ = f"{number:016X}"
    return Firmware((major, minor, patch), places, pixels, id_, capabilities, ring, pixel_bytes)


def _version_problem(version: int) -> Problem:
    return Problem(
        lazy_gettext(
            "The board's firmware uses version {version} of the protocol, this program version"
            " {own}.",
            version=version,
            own=wire.VERSION,
        ),
        COPY_FIRMWARE if version < wire.VERSION else lazy_gettext("Update pochboard."),
    )


def _misfit_problem(firmware: Firmware, layout: Layout, wanted: str) -> Problem | None:
    """Why a board does not fit the configured layout or id; None if it does."""
    if layout.places > firmware.places:
        return Problem(
            lazy_gettext(
                "This board has buttons for {places} places, not {wanted}.",
                places=firmware.places,
                wanted=layout.places,
            ),
            lazy_gettext("Set places = {places} in config.toml.", places=firmware.places),
        )
    pixels = 9 * layout.pixels_per_ring + layout.places
    if pixels > firmware.most_pixels:
        return Problem(
            lazy_gettext(
                "This board drives at most {most} pixels, not {pixels}.",
                most=firmware.most_pixels,
                pixels=pixels,
            ),
            lazy_gettext("Set a smaller pixels_per_ring in config.toml."),
        )
    if wanted and firmware.id != wanted:
        return Problem(
            lazy_gettext("This is board {id}, not {wanted}.", id=firmware.id, wanted=wanted),
            lazy_gettext("Plug in the other board, or correct id in [pico] of config.toml."),
        )
    return None


_HALF: Final = wire.TICKS // 2
_DRIFT: Final = 200
"""How far the two clocks may drift apart, in parts per million; crystals drift less."""


class BoardClock:
    """Converts the board's milliseconds to microseconds of the host's clock.

    Messages may wait in buffers, so each gives an upper bound for the offset between the clocks.
    The lowest bound counts, corrected for drift. An edge then has the right time even if its
    message is read late (PROTOCOL.md 4).
    """

    def __init__(self) -> None:
        self._ticks = 0
        self._ms = 0
        self._offset_us: int | None = None
        self._heard_us = 0

    def forget(self) -> None:
        """Forgets the offset: the board may have restarted."""
        self._offset_us = None

    def heard(self, ticks: int, now_us: int) -> None:
        """Takes in the clock reading of a message that is read now."""
        if self._offset_us is None:
            self._ticks, self._ms = ticks, 0
        else:
            since_ms = self._since(ticks)
            if since_ms > 0:
                self._ticks, self._ms = ticks, self._ms + since_ms
        offset_us = now_us - self._ms * 1000
        if self._offset_us is not None:
            drifted_us = (now_us - self._heard_us) * _DRIFT // 1_000_000
            offset_us = min(offset_us, self._offset_us + drifted_us)
        self._offset_us, self._heard_us = offset_us, now_us

    def at_us(self, ticks: int) -> int:
        """The host's time of a reading of the board's clock. Call `heard` first."""
        assert self._offset_us is not None, "a message has been heard"
        return self._offset_us + (self._ms + self._since(ticks)) * 1000

    def _since(self, ticks: int) -> int:
        """Milliseconds from the newest reading to this one, negative for an earlier one."""
        since_ms = wire.ticks_between(self._ticks, ticks)
        return since_ms - wire.TICKS if since_ms >= _HALF else since_ms


BAND_AGAIN_US: Final = 250_000
"""An unanswered message is sent again after this time."""
REFRESH_US: Final = 1_000_000
"""One band is sent again after this time, to correct a display that has lost its power."""
_BANDS: Final = wire.CONTRAST + 1


class Pictures:
    """What the host sends to the board's display: the bands that have changed, one by one."""

    def __init__(self, now_us: int) -> None:
        self._bands: list[bytes] = []
        """The picture to show: its bands, and last its contrast."""
        self._drawn: list[bytes | None] = [None] * _BANDS
        """What each band of the display shows; missing where that is unknown."""
        self._number = 0
        self._sent: tuple[int, int, bytes] | None = None
        """The band on the way: the message's number, the band's index, and its content."""
        self._again_us = now_us
        self._refresh_us = now_us + REFRESH_US
        self._refreshed = 0

    def show(self, picture: bytes, contrast: int) -> None:
        """Replaces the picture to show, and its contrast (0 to 255)."""
        starts = range(0, len(picture), ssd1306.WIDTH)
        self._bands = [picture[start : start + ssd1306.WIDTH] for start in starts]
        self._bands.append(bytes((contrast,)))

    def found(self, now_us: int) -> None:
        """A board has been connected, and its display may show anything."""
        self._drawn = [None] * _BANDS
        self._sent = None
        self._refresh_us = now_us + REFRESH_US

    def done(self, number: int) -> None:
        """The board has carried out the message of this number."""
        if self._sent is not None and self._sent[0] == number:
            _, band, content = self._sent
            self._drawn[band] = content
            self._sent = None

    def due_us(self) -> int | None:
        """When the next message is due; None if there is nothing to send."""
        if not self._bands:
            return None
        if self._sent is not None:
            return self._again_us
        return self._refresh_us if self._changed() is None else 0

    def to_send(self, now_us: int) -> bytes:
        """The message to send now, framed; or nothing."""
        due_us = self.due_us()
        if due_us is None or now_us < due_us:
            return b""
        if now_us >= self._refresh_us and self._sent is None:
            self._refresh_us = now_us + REFRESH_US
            self._refreshed = (self._refreshed + 1) % _BANDS
            self._drawn[self._refreshed] = None
        # An unanswered band is replaced by the newest content of some band.
        band = self._changed()
        if band is None:
            self._sent = None
            return b""
        content = self._bands[band]
        self._number = self._number % wire.MAX_NUMBER + 1
        self._sent = self._number, band, content
        self._again_us = now_us + BAND_AGAIN_US
        return wire.frame(wire.pack(wire.BAND, self._number, band) + content)

    def _changed(self) -> int | None:
        """A band that is out of date: first the contrast, then from the top."""
        bands = (wire.CONTRAST, *range(ssd1306.BANDS))
        return next((band for band in bands if self._drawn[band] != self._bands[band]), None)


TUNE_AGAIN_US: Final = 100_000
"""An unanswered tune is sent again after this time."""
TUNE_LATE_US: Final = 1_000_000
"""A tune that the board has not begun by then no longer fits what happens, and is dropped."""


class Tunes:
    """What the host sends to the board's piezo: the newest tune, until the board has begun it."""

    def __init__(self) -> None:
        self._tune: Tune | None = None
        """The tune to play, until the board has begun it."""
        self._number = 0
        self._again_us = 0
        self._late_us = 0

    def play(self, tune: Tune, now_us: int) -> None:
        """Plays a tune instead of the current one."""
        self._tune = tune
        self._number = self._number % wire.MAX_NUMBER + 1
        self._again_us = now_us
        self._late_us = now_us + TUNE_LATE_US

    def played(self, number: int) -> None:
        """The board has begun the tune of this number."""
        if number == self._number:
            self._tune = None

    def due_us(self) -> int | None:
        """When something is due next; None if nothing is."""
        return None if self._tune is None else min(self._again_us, self._late_us)

    def to_send(self, now_us: int) -> bytes:
        """The message to send now, framed; or nothing."""
        if self._tune is None:
            return b""
        if now_us >= self._late_us:
            self._tune = None
            return b""
        if now_us < self._again_us:
            return b""
        self._again_us = now_us + TUNE_AGAIN_US
        return wire.frame(wire.pack_tune(self._number, self._tune.volume, self._tune.notes))


HELLO_US: Final = 250_000
BEAT_US: Final = 250_000
LOST_US: Final = 1_500_000
"""A board that has been silent for this long is lost (PROTOCOL.md 3)."""
AGAIN_US: Final = 50_000
"""An unanswered frame of pixels is sent again after this time."""
LATE_US: Final = 2_000_000
"""An edge that arrives later than this is dropped: the player has moved on."""
_ON_THE_WAY: Final = 2
"""Unanswered frames of pixels: more would only become stale in buffers."""
_NEVER_US: Final = 1 << 62


class Found(msgspec.Struct, frozen=True):
    """The board has answered: the link is up."""

    firmware: Firmware


class Lost(msgspec.Struct, frozen=True):
    """The board has been silent for too long, or has restarted: the link is down."""


class Unusable(msgspec.Struct, frozen=True):
    """The board answers, but it cannot be used."""

    problem: Problem


class EdgeReported(msgspec.Struct, frozen=True):
    """A button went down or up. Call `recorded` with it once the table has processed it."""

    session: int
    number: int
    button: str
    down: bool
    at_us: int


class Released(msgspec.Struct, frozen=True):
    """All buttons are released, which does not count as a press."""


class Dropped(msgspec.Struct, frozen=True):
    """Some edges were dropped and will never be recorded."""

    edges: int


Event = Found | Lost | Unusable | EdgeReported | Released | Dropped


class Link:
    """The host's end of the line. Times are microseconds of a monotonic clock."""

    def __init__(self, host: int, layout: Layout, now_us: int, *, board: str = "") -> None:
        """`host` is a random number for each start, and not 0. `board` is the only id to accept."""
        self.firmware: Firmware | None = None
        """The connected board's; None while there is none."""
        self.refused: Problem | None = None
        """Why the board that answers cannot be used."""
        self.spoiled_there = 0
        """How many damaged frames the board has received since it started."""
        self._host = host
        self._layout = layout
        self._wanted = board
        self._frames = wire.FrameDecoder()
        self._heard_us = now_us
        self._hello_us = now_us
        self._beat_us = now_us
        # Edges of this session: the last one received in order, the last one recorded by the table.
        self._session: int | None = None
        self._received = 0
        self._recorded = 0
        self._late: set[int] = set()
        self._answer = False
        self._clock = BoardClock()
        self._last_at_us = 0
        self._dropped: int | None = None
        # Pixels: the newest frame, and those sent but not answered.
        self._colours: Frame | None = None
        self._number = 0
        self._shown = True
        self._sent: deque[int] = deque()
        self._again_us = now_us
        self._pictures = Pictures(now_us)
        self._tunes = Tunes()

    @property
    def spoiled_here(self) -> int:
        """How many damaged frames this host has received since it started."""
        return self._frames.errors

    def show(self, colours: Frame) -> None:
        """Replaces the frame of pixels to show."""
        self._colours = colours
        self._number = self._number % wire.MAX_NUMBER + 1
        self._shown = False

    def show_screen(self, picture: Bitmap, contrast: int = ssd1306.CONTRAST) -> None:
        """Replaces the picture on the board's display, if it has one."""
        self._pictures.show(picture, contrast)

    def play(self, tune: Tune, now_us: int) -> None:
        """Plays a tune, if the board has a piezo."""
        if self._has(wire.SOUND):
            self._tunes.play(tune, now_us)

    def recorded(self, edge: EdgeReported) -> None:
        """The table has processed an edge, so that the board need not keep it."""
        if edge.session == self._session and edge.number > self._recorded:
            self._book(edge.number)

    def hung_up(self, now_us: int) -> list[Event]:
        """The port is closed; discards partial input."""
        self.refused = None
        return self.forget_line(now_us)

    def forget_line(self, now_us: int) -> list[Event]:
        """Discards partial input and greets the board again."""
        self._frames.restart()
        self._hello_us = now_us
        return list(self._lose())

    def _book(self, number: int) -> None:
        """Marks edges up to this one as recorded, along with late ones right after it."""
        while number + 1 in self._late:
            number += 1
        self._late = {late for late in self._late if late > number}
        self._recorded = number
        self._answer = True

    # Receiving.

    def received(self, data: bytes, now_us: int) -> list[Event]:
        """Takes in bytes; returns the events they cause."""
        found: list[Event] = []
        for message in self._frames.feed(data):
            found += self._message(message, now_us)
        return found

    def _message(self, message: bytes, now_us: int) -> Iterator[Event]:
        version = wire.version_of(message)
        if message[0] == wire.GREETING and version is not None and version != wire.VERSION:
            yield from self._refuse(_version_problem(version))
            return
        fields = wire.unpack(message)
        if fields is None or message[0] < wire.GREETING:
            # Not a message, or an echo of our own.
            return
        if fields[0] == wire.GREETING:
            yield from self._greeted(fields, now_us)
            return
        if self.firmware is None:
            return
        self._heard_us = now_us
        yield from self._in_session(fields[1])
        match fields[0]:
            case wire.EDGES:
                self._clock.heard(fields[3], now_us)
                yield from self._edges(message, fields, now_us)
            case wire.ALIVE:
                self._clock.heard(fields[2], now_us)
                self.spoiled_there = fields[4]
                yield from self._count_dropped(fields[3])
            case wire.SHOWN:
                self._note_shown(fields[2])
            case wire.DONE:
                self._pictures.done(fields[2])
            case wire.PLAYED:
                self._tunes.played(fields[2])
            case _:
                pass

    def _greeted(self, fields: tuple[int, ...], now_us: int) -> Iterator[Event]:
        host, session = fields[2:4]
        if host != self._host:
            # It has restarted, or has been greeted by another host.
            self._hello_us = max(self._hello_us, now_us)
            yield from self._lose()
            return
        firmware = _firmware_of(fields)
        problem = _misfit_problem(firmware, self._layout, self._wanted)
        if problem:
            yield from self._refuse(problem)
            return
        dropped, self.spoiled_there = fields[9], fields[12]
        self._heard_us = now_us
        if self.firmware is None:
            self._beat_us = now_us
            self._clock.forget()
            self.refused = None
            self._sent.clear()
            self._shown = self._colours is None
            self._pictures.found(now_us)
            self.firmware = firmware
            yield Found(firmware)
        yield from self._in_session(session)
        yield from self._count_dropped(dropped)

    def _in_session(self, session: int) -> Iterator[Event]:
        """In a new session no button is held, and edges are numbered from 1 again."""
        if session == self._session:
            return
        known = self._session is not None
        self._session = session
        self._received = self._recorded = 0
        self._late.clear()
        self._answer = False
        self._shown = self._colours is None
        if known:
            yield Released()

    def _count_dropped(self, dropped: int) -> Iterator[Event]:
        """Reports edges dropped by the board since its last message; a restart resets its count."""
        known, self._dropped = self._dropped, dropped
        if known is None or dropped == known:
            return
        yield Dropped(dropped - known if dropped > known else dropped)

    def _edges(self, message: bytes, fields: tuple[int, ...], now_us: int) -> Iterator[Event]:
        _, session, first, _ = fields
        edges = wire.edges_of(message)
        if edges is None:
            return
        self._answer = True
        for number, (button, down, ticks) in enumerate(edges, first):
            if number != self._received + 1:
                continue
            self._received = number
            at_us = self._clock.at_us(ticks)
            if now_us - at_us >= LATE_US or button >= len(BUTTONS):
                self._late.add(number)
                self._book(self._recorded)
                # Its other edge may have been recorded, or may still come: release the button.
                yield Released()
                yield Dropped(1)
                continue
            self._last_at_us = at_us = max(at_us, self._last_at_us)
            yield EdgeReported(session, number, BUTTONS[button], down, at_us)

    def _note_shown(self, number: int) -> None:
        while number in self._sent:
            self._sent.popleft()
        if number == self._number:
            self._shown = True

    def _refuse(self, problem: Problem) -> Iterator[Event]:
        yield from self._lose()
        self.refused = problem
        yield Unusable(problem)

    def _lose(self) -> Iterator[Event]:
        if self.firmware is not None:
            self.firmware = None
            yield Lost()

    # Sending.

    def due_us(self) -> int:
        """When the next message is due, or the board counts as lost."""
        if self.firmware is None:
            return self._hello_us
        dues = [self._beat_us, self.overdue_us()]
        if self._answer:
            return 0
        if not self._shown:
            dues.append(0 if self._may_send() else self._again_us)
        else:
            picture_us = self._pictures.due_us() if self._has(wire.DISPLAY) else None
            dues += [us for us in (picture_us, self._tunes.due_us()) if us is not None]
        return min(dues)

    def overdue_us(self) -> int:
        """When the connected board counts as lost."""
        return _NEVER_US if self.firmware is None else self._heard_us + LOST_US

    def overdue(self, now_us: int) -> list[Event]:
        """The loss of the board, if it has been silent for too long."""
        if self.firmware is None or now_us < self.overdue_us():
            return []
        self._hello_us = now_us
        return list(self._lose())

    def to_send(self, now_us: int) -> bytes:
        """The bytes to send now."""
        if self.firmware is None:
            return self._hello(now_us)
        out = b""
        if self._answer:
            self._answer = False
            assert self._session is not None, "edges came in a session"
            out += wire.frame(wire.pack(wire.SEEN, self._session, self._recorded))
        if now_us >= self._beat_us:
            self._beat_us = now_us + BEAT_US
            out += wire.frame(wire.pack(wire.BEAT, self._host))
        if not self._shown and (self._may_send() or now_us >= self._again_us):
            out += self._pixels(now_us)
        if self._shown:
            # The lights first.
            out += self._tunes.to_send(now_us)
            if self._has(wire.DISPLAY):
                out += self._pictures.to_send(now_us)
        return out

    def _has(self, capability: int) -> bool:
        return self.firmware is not None and bool(self.firmware.capabilities & capability)

    def _pixels(self, now_us: int) -> bytes:
        assert self._colours is not None, "there is a frame to show"
        if now_us >= self._again_us:
            self._sent.clear()
        self._sent.append(self._number)
        self._again_us = now_us + AGAIN_US
        return wire.frame(wire.pack_pixels(self._number, self._colours))

    def bye(self) -> bytes:
        """A goodbye: the board stays dark until it is greeted again."""
        return wire.frame(wire.pack(wire.BYE, self._host))

    def _may_send(self) -> bool:
        """Whether the newest frame is still unsent, and few enough are unanswered."""
        return self._number not in self._sent and len(self._sent) < _ON_THE_WAY

    def _hello(self, now_us: int) -> bytes:
        if now_us < self._hello_us:
            return b""
        self._hello_us = now_us + HELLO_US
        # The END before it terminates any garbage on the line.
        return wire.END + wire.frame(self._layout.hello(self._host))
