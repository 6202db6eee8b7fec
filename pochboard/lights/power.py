"""What a frame draws, and how a frame is kept within the supply (BOARD.md 4, power)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

WHITE_MA: Final = 55
"""What a pixel in full white draws beyond what it draws dark."""
WHITE_SUM: Final = 765
"""The sum of the three bytes of full white."""
DARK_MA: Final = 1
"""What a pixel draws even when it is dark."""

_FINENESS: Final = 1 << 14


def estimate_ma(frame: bytes) -> float:
    """The current a frame draws: sum(R+G+B) × 55 / 765 + pixels × 1."""
    return sum(frame) * WHITE_MA / WHITE_SUM + len(frame) // 3 * DARK_MA


def limit(frame: bytes, limit_ma: float) -> bytes:
    """The frame scaled down until its estimate is at or below the limit; else the frame itself.

    Bytes are rounded to the nearest, for rounding down would shift the hue of dim pixels.
    What dark pixels draw cannot be scaled away: a limit below that gives a dark frame, which is
    the least there is. A Look refuses such a limit.
    """
    if estimate_ma(frame) <= limit_ma:
        return frame
    dark_ma = len(frame) // 3 * DARK_MA
    if limit_ma <= dark_ma:
        return bytes(len(frame))
    budget = (limit_ma - dark_ma) * WHITE_SUM / WHITE_MA
    share = int(budget / sum(frame) * _FINENESS)
    while share > 0:
        scaled = frame.translate(_scaling(share))
        if estimate_ma(scaled) <= limit_ma:
            return scaled
        # Rounding went upwards by a little. The steps are small and end at a dark frame at last.
        share -= 1 + share // 256
    return bytes(len(frame))


@lru_cache(maxsize=512)
def _scaling(share: int) -> bytes:
    return bytes((value * share + _FINENESS // 2) // _FINENESS for value in range(256))
