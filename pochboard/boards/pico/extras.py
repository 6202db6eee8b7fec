"""What the host sends to the board besides light: pictures for its display, tunes for its piezo.

Like `Link` these have no port and no clock. At most one message of each is on the way, so that the
lights of a press never wait behind a picture.
"""

from __future__ import annotations

from typing import Final

from pochboard import ssd1306, wire
from pochboard.boards.base import Tune

BAND_AGAIN_US: Final = 250_000
"""An unanswered message is sent again after this time."""
REFRESH_US: Final = 1_000_000
"""One band is sent again after this time, to correct a display that has lost its power."""
_BANDS: Final = wire.CONTRAST + 1


class Extras:
    """The host's end for one board. Times are microseconds of a monotonic clock."""

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
    """The host's end for one board. Times are microseconds of a monotonic clock."""

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
