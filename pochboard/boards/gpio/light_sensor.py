"""The light sensor of the `gpio` board: a thread that asks a BH1750 on an I²C bus."""

from __future__ import annotations

import contextlib
import logging
import time
from typing import Final

from pochboard import bh1750
from pochboard.boards.gpio.i2c import Bus
from pochboard.runtime.threads import LoopThread

log = logging.getLogger(__name__)

EVERY_S: Final = 0.5
"""How long after a result the sensor is asked again."""
RETRY_S: Final = 2.0
"""How long after a failure."""
FRESH_S: Final = 3.0
"""How long a result counts: a bus may hang for ever."""
_CLOSE_S: Final = 1.0
_MEASURE_S: Final = bh1750.MEASURE_MS / 1000


def measure(bus: Bus) -> float:
    """The illuminance in lux, which takes 0.2 s. Raises OSError."""
    bus.writeto(bh1750.ADDRESS, bh1750.MEASURE)
    time.sleep(_MEASURE_S)
    return bh1750.tenths_of(bus.readfrom(bh1750.ADDRESS, bh1750.SIZE)) / 10


class LightSensor(LoopThread):
    """Measures again and again. A failure is logged, and retried.

    It never affects the link of the board, because the night can be played without it.
    """

    def __init__(self, device: str) -> None:
        super().__init__("gpio-light", _CLOSE_S)
        self._device = device
        self._bus: Bus | None = None
        self._failed = False
        self._measured: tuple[float, float] | None = None
        """The newest result in lux, and when it was measured."""

    @property
    def lux(self) -> float | None:
        """The illuminance; None if nothing has been measured in the last seconds."""
        measured = self._measured
        if measured is None or time.monotonic() - measured[1] > FRESH_S:
            return None
        return measured[0]

    def _run(self) -> None:
        while not self._closing:
            try:
                if self._bus is None:
                    self._bus = Bus(self._device)
                self._measured = measure(self._bus), time.monotonic()
                if self._failed:
                    log.info("The light sensor works again.")
                self._failed = False
            except OSError as error:
                if not self._failed:
                    log.warning("The light sensor does not work: %s. Run pochboard doctor.", error)
                self._failed, self._measured = True, None
                self._drop_bus()
            self._wait(RETRY_S if self._failed else EVERY_S)
        self._drop_bus()

    def _drop_bus(self) -> None:
        if self._bus is not None:
            with contextlib.suppress(OSError):
                self._bus.close()
            self._bus = None
