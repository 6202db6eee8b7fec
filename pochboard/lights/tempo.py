"""What moves by itself: the rhythms of pulses, breaths and blinks, on a fixed grid of time.

Every rhythm steps at multiples of its step, so that frames between two steps are the same and the
next one can be told.
"""

from __future__ import annotations

from math import cos, pi
from typing import Final

from pochboard.lights.levels import BREATH_FLOOR, PULSE_FLOOR

SLOW_STEP_US: Final = 80_000
PULSE_US: Final = 1_600_000
BREATH_US: Final = 3_200_000
SILENCE_US: Final = 4_000_000
BLINK_STEP_US: Final = 400_000
WARNING_STEP_US: Final = 800_000
RUN_STEP_US: Final = 160_000
"""How long the light of the pairing window stays at a place."""


def _wave(period_us: int, floor: float) -> tuple[float, ...]:
    """One period from the brightest to the floor and back, a level a step."""
    steps = period_us // SLOW_STEP_US
    return tuple(
        round(floor + (1 - floor) * (1 + cos(2 * pi * step / steps)) / 2, 4)
        for step in range(steps)
    )


_PULSE: Final = _wave(PULSE_US, PULSE_FLOOR)
_BREATH: Final = _wave(BREATH_US, BREATH_FLOOR)
_SILENCE: Final = _wave(SILENCE_US, PULSE_FLOOR)


def pulse(now_us: int) -> float:
    """The level of everything that pulses."""
    return _PULSE[now_us // SLOW_STEP_US % len(_PULSE)]


def breath(now_us: int) -> float:
    """The level of a ring that holds more chips than it can count."""
    return _BREATH[now_us // SLOW_STEP_US % len(_BREATH)]


def silence(now_us: int) -> float:
    """The level of the slow pulse that says that nobody is listening."""
    return _SILENCE[now_us // SLOW_STEP_US % len(_SILENCE)]


def blink(now_us: int) -> bool:
    """Whether what blinks is on."""
    return now_us // BLINK_STEP_US % 2 == 0


def warning(now_us: int) -> bool:
    """Whether what flashes slowly is red."""
    return now_us // WARNING_STEP_US % 2 == 0


def runner(now_us: int, places: int) -> int:
    """The place (1, 2, …) that the light of the pairing window has reached."""
    return now_us // RUN_STEP_US % places + 1


def next_step(now_us: int, step_us: int) -> int:
    """When the grid of this step has its next line."""
    return now_us - now_us % step_us + step_us
