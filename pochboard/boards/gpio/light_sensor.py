"""The light sensor of the `gpio` board: a thread that asks a BH1750 on an I²C bus."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from typing import Final

from pochboard import bh1750
from pochboard.boards.gpio.i2c import Bus

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


class LightSensor:
    """Measures again and again. A failure is logged, and retried.

    It never affects the link of the board, because the night can be played without it.
    """

    def __init__(self, device: str) -> None:
        self._device = device
        self._bus: Bus | None = None
        self._failed = False
        self._measured: tuple[float, float] | None = None
        """The newest result in lux, and when it was measured."""
        self._closing = threading.Event()
        # The process does not wait for it when it ends, because a bus may hang for ever.
        self._thread = threading.Thread(target=self._run, name="gpio-light", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    @property
    def lux(self) -> float | None:
        """The illuminance; None if nothing has been measured in the last seconds."""
        measured = self._measured
        if measured is None or time.monotonic() - measured[1] > FRESH_S:
            return None
        return measured[0]

    def is_alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Ends the thread, unless its bus hangs."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(_CLOSE_S)

    def _run(self) -> None:
        while not self._closing.is_set():
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
            self._closing.wait(RETRY_S if self._failed else EVERY_S)
        self._drop_bus()

    def _drop_bus(self) -> None:
        if self._bus is not None:
            with contextlib.suppress(OSError):
                self._bus.close()
            self._bus = None
