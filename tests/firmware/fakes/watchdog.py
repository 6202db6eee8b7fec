"""The watchdog of the RP2040: at most 8.388 s, and it cannot be stopped."""

from __future__ import annotations

from enum import Enum

from tests.firmware.fakes.world import HERE


class WatchDogMode(Enum):
    RAISE = 1
    RESET = 2


class WatchDogTimer:
    def __init__(self) -> None:
        self._timeout_s: float | None = None
        self._mode: WatchDogMode | None = None
        self._fed_s = 0.0

    @property
    def timeout(self) -> float | None:
        return self._timeout_s

    @timeout.setter
    def timeout(self, timeout_s: float) -> None:
        if not 0 < timeout_s <= 8.388:
            raise ValueError("timeout duration exceeded the maximum supported value")
        self._timeout_s = timeout_s
        self._fed_s = HERE.turns / 1000

    @property
    def mode(self) -> WatchDogMode | None:
        return self._mode

    @mode.setter
    def mode(self, mode: WatchDogMode | None) -> None:
        if self._timeout_s is None:
            raise ValueError("WatchDogTimer.timeout must be greater than 0")
        if self._mode is not None and mode != self._mode:
            raise RuntimeError("WatchDogTimer.mode cannot be changed once set to RESET")
        if mode != WatchDogMode.RESET:
            raise NotImplementedError("RAISE mode is not implemented")
        self._mode = mode
        self.feed()
        with HERE.lock:
            HERE.every_ms.append(self._bite)

    def feed(self) -> None:
        HERE.wait()
        if self._mode is None:
            raise ValueError("WatchDogTimer is not currently running")
        self._fed_s = HERE.turns / 1000

    def _bite(self) -> None:
        assert self._timeout_s is not None
        if HERE.turns / 1000 - self._fed_s > self._timeout_s:
            HERE.reset()
