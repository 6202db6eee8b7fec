"""What the pixels show, as the bytes that go to them, within the power limit (docs/BOARD.md 4).

It runs under CPython, MicroPython and CircuitPython alike.
"""

from math import cos, pi

from firmware.session import LIT, SILENT, Layout
from pochboard import wire

_WHITE_MA = 55
"""What a pixel in full white draws beyond what it draws dark."""
_WHITE_SUM = 765
"""The sum of the three bytes of full white."""
_FINENESS = 1 << 14

_REFRESH_MS = 1000
"""A picture that stays is written again after so long."""
_STEP_MS = 80
_STEPS = 50
_FLOOR = 0.08
_PULSE = bytes(
    [
        round(255 * (_FLOOR + (1 - _FLOOR) * (1 + cos(2 * pi * step / _STEPS)) / 2))
        for step in range(_STEPS)
    ]
)
"""The blue of the places while the host is silent, a level a step: a pulse takes four seconds."""


def within(colours: bytes, limit_ma: int) -> bytes:
    """The colours scaled down until their estimate is at or below the limit, in mA.

    The estimate is sum(R+G+B) x 55 / 765 + pixels x 1. What dark pixels draw cannot be scaled
    away: a limit below that gives darkness.
    """
    total = sum(colours)
    budget = (limit_ma - len(colours) // 3) * _WHITE_SUM
    if total == 0 or total * _WHITE_MA <= budget:
        return colours
    share = max(0, budget * _FINENESS // (total * _WHITE_MA))
    while share:
        # To the nearest, for rounding down would shift the hue of dim pixels.
        levels = bytes([(level * share + _FINENESS // 2) // _FINENESS for level in range(256)])
        # In place: a list of all levels would take four times their memory.
        scaled = bytearray(colours)
        for at in range(len(scaled)):
            scaled[at] = levels[scaled[at]]
        if sum(scaled) * _WHITE_MA <= budget:
            return bytes(scaled)
        share -= 1 + share // 256
    return bytes(len(colours))


class Show:
    """Tells when the pixels are to be written, and with what."""

    def __init__(self, limit_ma: int) -> None:
        self._limit_ma = limit_ma
        self._layout: Layout | None = None
        self._shown: tuple[int, int, bytes | None] | None = None
        self._buffer = bytearray()
        self._written_at = 0
        # Whatever pixels have shown last, they still do; how many there are is not known yet.
        self._stale = 4 * wire.MAX_PIXELS

    def next(
        self, state: int, layout: Layout | None, frame: bytes | None, now: int
    ) -> bytearray | None:
        """The bytes to write to the pixels, valid until the next call; None: they stay as they are.

        `frame` is red, green, blue of each pixel of the layout, or None where none has come yet.
        """
        if layout is not self._layout:
            self._stale = max(self._stale, len(self._buffer))
            self._layout = layout
        if self._stale:
            # All at once, also those that the layout does not have.
            self._buffer = bytearray(self._stale)
            self._stale = 0
            self._shown = None
            return self._buffer
        if layout is None or not layout.pixels:
            return None
        step = now // _STEP_MS % _STEPS if state == SILENT else 0
        if state != LIT:
            frame = None
        if self._shown == (state, step, frame):
            if wire.ticks_between(self._written_at, now) < _REFRESH_MS:
                return None
            # A pixel that was disturbed, or got its power late, is put right.
            self._written_at = now
            return self._buffer
        self._shown = (state, step, frame)
        self._written_at = now
        if state == SILENT:
            blue = bytes((0, 0, _PULSE[step]))
            frame = bytes(3 * (layout.pixels - layout.places)) + blue * layout.places
        elif frame is None:
            frame = bytes(3 * layout.pixels)
        limit_ma = min(self._limit_ma, layout.limit_ma)
        return self._wired(within(frame, limit_ma), layout)

    def _wired(self, colours: bytes, layout: Layout) -> bytearray:
        """The colours in the order of the pixels: green, red, blue, and white, which stays dark."""
        size = layout.pixel_bytes
        if len(self._buffer) != size * layout.pixels:
            self._buffer = bytearray(size * layout.pixels)
        out, at = self._buffer, 0
        for pixel in range(0, len(colours), 3):
            out[at] = colours[pixel + 1]
            out[at + 1] = colours[pixel]
            out[at + 2] = colours[pixel + 2]
            at += size
        return out
