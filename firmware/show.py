"""The bytes sent to the pixels, within the power limit (docs/BOARD.md 4)."""

from math import cos, pi

from firmware.link import LIT, SILENT, Layout
from pochboard import wire

_WHITE_MA = 55
"""What full white adds to the current of a dark pixel."""
_WHITE_SUM = 765
"""R + G + B of full white."""
_SCALE_ONE = 1 << 14
"""1.0 as a fixed-point factor."""

_REFRESH_MS = 1000
"""An unchanged frame is written again after this time."""
_PULSE_STEP_MS = 80
_PULSE_STEPS = 50
_PULSE_MIN = 0.08
_PULSE = bytes(
    [
        round(255 * (_PULSE_MIN + (1 - _PULSE_MIN) * (1 + cos(2 * pi * step / _PULSE_STEPS)) / 2))
        for step in range(_PULSE_STEPS)
    ]
)
"""The blue level of each step of the pulse, which takes four seconds."""


def limit_power(colours: bytes, limit_ma: int) -> bytes:
    """The colours, scaled down until their estimated current is at or below the limit.

    The estimate in mA is sum(R+G+B) x 55 / 765 + pixels x 1. A limit below what dark pixels draw
    turns everything dark, because scaling cannot reduce that part.
    """
    total = sum(colours)
    budget = (limit_ma - len(colours) // 3) * _WHITE_SUM
    if total == 0 or total * _WHITE_MA <= budget:
        return colours
    scale = max(0, budget * _SCALE_ONE // (total * _WHITE_MA))
    while scale:
        # Round to nearest: rounding down would shift the hue of dim pixels.
        levels = bytes([(level * scale + _SCALE_ONE // 2) // _SCALE_ONE for level in range(256)])
        # Scale in place: a list of all levels would need four times the memory.
        scaled = bytearray(colours)
        for at in range(len(scaled)):
            scaled[at] = levels[scaled[at]]
        if sum(scaled) * _WHITE_MA <= budget:
            return bytes(scaled)
        scale -= 1 + scale // 256
    return bytes(len(colours))


class Show:
    """Decides when to write to the pixels, and what."""

    def __init__(self, limit_ma: int) -> None:
        self._limit_ma = limit_ma
        self._layout: Layout | None = None
        self._shown: tuple[int, int, bytes | None] | None = None
        self._buffer = bytearray()
        self._written_at = 0
        # Pixels keep their last colours across a restart, and their number is not known yet.
        self._bytes_to_clear = 4 * wire.MAX_PIXELS

    def next(
        self, state: int, layout: Layout | None, frame: bytes | None, now: int
    ) -> bytearray | None:
        """The bytes to write to the pixels, valid until the next call; None if nothing changes.

        `frame` is red, green, blue of each pixel of the layout, or None before the first frame.
        """
        if layout is not self._layout:
            self._bytes_to_clear = max(self._bytes_to_clear, len(self._buffer))
            self._layout = layout
        if self._bytes_to_clear:
            # Clear all pixels at once, including those that the new layout does not have.
            self._buffer = bytearray(self._bytes_to_clear)
            self._bytes_to_clear = 0
            self._shown = None
            return self._buffer
        if layout is None or not layout.pixels:
            return None
        step = now // _PULSE_STEP_MS % _PULSE_STEPS if state == SILENT else 0
        if state != LIT:
            frame = None
        if self._shown == (state, step, frame):
            if wire.ticks_between(self._written_at, now) < _REFRESH_MS:
                return None
            # Corrects a pixel that had interference, or received its power late.
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
        return self._encode(limit_power(frame, limit_ma), layout)

    def _encode(self, colours: bytes, layout: Layout) -> bytearray:
        """The colours in the pixels' own order, and then white, which stays off."""
        size = layout.pixel_bytes
        first, second, third = ("RGB".index(colour) for colour in wire.ORDERS[layout.order])
        if len(self._buffer) != size * layout.pixels:
            self._buffer = bytearray(size * layout.pixels)
        out, at = self._buffer, 0
        for pixel in range(0, len(colours), 3):
            out[at] = colours[pixel + first]
            out[at + 1] = colours[pixel + second]
            out[at + 2] = colours[pixel + third]
            at += size
        return out
