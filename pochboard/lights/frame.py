"""Frames: the bytes of all pixels, the current they draw, and the power limit (BOARD.md 4)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from pochboard.rules.accounts import POOLS

Frame = bytes
"""Red, green, blue of each pixel: the rings in board order, each clockwise from its top, then the
places in their order. 116 pixels, 348 bytes by default."""

RINGS: Final = len(POOLS)

WHITE_MA: Final = 55
"""What a pixel in full white draws beyond what it draws dark."""
WHITE_SUM: Final = 765
"""The sum of the three bytes of full white."""
DARK_MA: Final = 1
"""What a pixel draws even when it is dark."""

_SCALE_STEPS: Final = 1 << 14


def hex_colours(frame: Frame) -> list[str]:
    """The pixels of a frame as `#rrggbb`, in the order of the frame."""
    text = frame.hex()
    return [f"#{text[start : start + 6]}" for start in range(0, len(text), 6)]


def estimate_ma(frame: Frame) -> float:
    """The current a frame draws: sum(R+G+B) × 55 / 765 + pixels × 1."""
    return sum(frame) * WHITE_MA / WHITE_SUM + len(frame) // 3 * DARK_MA


def limit(frame: Frame, limit_ma: float) -> Frame:
    """Scales a frame down until its estimate is within the limit; else returns it unchanged.

    Bytes are rounded to the nearest, because rounding down would shift the hue of dim pixels.
    Scaling cannot reduce what dark pixels draw: below that, the result is a dark frame.
    A LightsConfig refuses such a low limit.
    """
    if estimate_ma(frame) <= limit_ma:
        return frame
    dark_ma = len(frame) // 3 * DARK_MA
    if limit_ma <= dark_ma:
        return bytes(len(frame))
    budget = (limit_ma - dark_ma) * WHITE_SUM / WHITE_MA
    scale = int(budget / sum(frame) * _SCALE_STEPS)
    while scale > 0:
        scaled = frame.translate(_scaling(scale))
        if estimate_ma(scaled) <= limit_ma:
            return scaled
        # Rounding up has exceeded the limit by a little. Small steps end at a dark frame at worst.
        scale -= 1 + scale // 256
    return bytes(len(frame))


@lru_cache(maxsize=512)
def _scaling(scale: int) -> bytes:
    return bytes((value * scale + _SCALE_STEPS // 2) // _SCALE_STEPS for value in range(256))
