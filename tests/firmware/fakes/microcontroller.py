"""The microcontroller."""

from __future__ import annotations

from tests.firmware.fakes.watchdog import WatchDogTimer
from tests.firmware.fakes.world import HERE

watchdog = WatchDogTimer()


def reset() -> None:
    HERE.reset()
