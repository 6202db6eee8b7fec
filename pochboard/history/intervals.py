"""95 % intervals."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import Final

import msgspec

LEVEL: Final = 0.95
"""The confidence level: the share of intervals that should contain the true value."""
Z: Final = NormalDist().inv_cdf((1 + LEVEL) / 2)


class Interval(msgspec.Struct, frozen=True):
    """A confidence interval, ends included."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        """Whether the value lies in the interval."""
        return self.low <= value <= self.high

    @property
    def half_width(self) -> float:
        """The number after ±."""
        return (self.high - self.low) / 2


def wilson(hits: float, trials: float) -> Interval:
    """Wilson's score interval for a proportion (Wilson, 1927).

    The trials must be independent. With none, the interval is 0 to 1.
    """
    if not trials:
        return Interval(0.0, 1.0)
    share, square = hits / trials, Z * Z
    middle = share + square / (2 * trials)
    half = Z * sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    scale = 1 + square / trials
    # At the ends the bound is exactly 0 or 1; computing it would add a rounding error.
    low = 0.0 if hits == 0 else (middle - half) / scale
    high = 1.0 if hits == trials else (middle + half) / scale
    return Interval(low, high)
