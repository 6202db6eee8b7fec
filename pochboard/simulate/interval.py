"""Intervals that hold the true value 95 times of 100."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import Final

import msgspec

LEVEL: Final = 0.95
"""How often an interval should hold the true value."""
Z: Final = NormalDist().inv_cdf((1 + LEVEL) / 2)


class Interval(msgspec.Struct, frozen=True):
    """A range of values, both ends within."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        """Whether the value lies in the interval."""
        return self.low <= value <= self.high

    @property
    def half(self) -> float:
        """Half of its width: what stands behind ±."""
        return (self.high - self.low) / 2


def wilson(hits: float, trials: float) -> Interval:
    """Wilson's score interval for the chance of a hit (Wilson, 1927).

    Trials do not depend on each other; without any, nothing is known.
    """
    if not trials:
        return Interval(0.0, 1.0)
    share, square = hits / trials, Z * Z
    middle = share + square / (2 * trials)
    half = Z * sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    whole = 1 + square / trials
    # At the ends the root is the middle itself, but for rounding.
    low = 0.0 if hits == 0 else (middle - half) / whole
    high = 1.0 if hits == trials else (middle + half) / whole
    return Interval(low, high)


class Ratio(msgspec.Struct, frozen=True, gc=False):
    """Something counted night by night over something else, as chips staked over deals.

    The deals of a night hang together by the chips, nights do not: so the spread is told from the
    nights. All sums are whole numbers, so that adding knows no order.
    """

    nights: int = 0
    top: int = 0
    bottom: int = 0
    top_squared: int = 0
    both: int = 0
    bottom_squared: int = 0

    def night(self, top: int, bottom: int) -> Ratio:
        """With one more night."""
        return Ratio(
            self.nights + 1,
            self.top + top,
            self.bottom + bottom,
            self.top_squared + top * top,
            self.both + top * bottom,
            self.bottom_squared + bottom * bottom,
        )

    def __add__(self, other: Ratio) -> Ratio:
        """The nights of both."""
        return Ratio(
            self.nights + other.nights,
            self.top + other.top,
            self.bottom + other.bottom,
            self.top_squared + other.top_squared,
            self.both + other.both,
            self.bottom_squared + other.bottom_squared,
        )

    @property
    def mean(self) -> float | None:
        """What falls on one; None where there was nothing to count over."""
        return self.top / self.bottom if self.bottom else None

    @property
    def interval(self) -> Interval | None:
        """The normal interval of the mean; None with fewer than two nights."""
        error = self._error
        if error is None:
            return None
        mean = self.top / self.bottom
        return Interval(mean - Z * error, mean + Z * error)

    @property
    def share(self) -> Interval | None:
        """The interval where every one either counts or not: Wilson's.

        It reckons with as many trials as would spread so far if they did not hang together.
        None with fewer than two nights.
        """
        error = self._error
        if error is None:
            return None
        mean, trials = self.top / self.bottom, float(self.bottom)
        if error:
            trials = mean * (1 - mean) / error**2
        return wilson(mean * trials, trials) if 0 < mean < 1 else wilson(self.top, self.bottom)

    @property
    def _error(self) -> float | None:
        """The standard error of the mean."""
        if self.nights < 2 or not self.bottom:
            return None
        # The sum of (top - mean x bottom) squared, over the nights; in whole numbers as long as
        # differences are taken.
        spread = (
            self.top_squared * self.bottom**2
            - 2 * self.top * self.bottom * self.both
            + self.top**2 * self.bottom_squared
        ) / self.bottom**2
        return sqrt(spread * self.nights / (self.nights - 1)) / self.bottom
