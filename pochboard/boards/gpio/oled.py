"""The display of the `gpio` board: a thread that writes pictures to an SSD1306 on an I²C bus."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
from typing import Final

from pochboard import ssd1306
from pochboard.boards.base import sentence
from pochboard.runtime.threads import LoopThread
from pochboard.screen import BLANK, Bitmap

log = logging.getLogger(__name__)

RETRY_S: Final = 2.0
"""How long after a failure the display is tried again."""
REFRESH_S: Final = 5.0
"""A picture is written again after this time: the display may have lost its power."""
_I2C_SLAVE: Final = 0x0703
"""The request to Linux to address a device, from linux/i2c-dev.h."""


class Bus:
    """An I²C bus of Linux, such as `/dev/i2c-3`. Raises OSError for whatever goes wrong."""

    def __init__(self, device: str) -> None:
        self._file = os.open(device, os.O_RDWR | os.O_CLOEXEC)

    def writeto(self, address: int, data: bytes) -> None:
        """Writes to a device."""
        fcntl.ioctl(self._file, _I2C_SLAVE, address)
        os.write(self._file, data)

    def close(self) -> None:
        """Closes the bus."""
        os.close(self._file)


class OledDisplay(LoopThread):
    """Shows pictures on the one or two displays of a bus. A failure is logged, and retried.

    It never affects the link of the board, because the night can be played without a display.
    """

    def __init__(self, device: str) -> None:
        super().__init__("gpio-display")
        self._device = device
        self._bus: Bus | None = None
        self._addresses: list[int] = []
        self._failed = False
        self._newest: tuple[Bitmap, int] = BLANK, ssd1306.CONTRAST

    def show(self, bitmap: Bitmap, contrast: int) -> None:
        """Shows a picture soon, with this contrast (0 to 255)."""
        self._newest = bitmap, contrast
        self._wake()

    def close(self) -> None:
        """Switches the display off and ends the thread, unless its bus hangs."""
        super().close()
        if self.is_alive():
            log.warning("The display does not respond, so it may stay lit.")

    def _run(self) -> None:
        while not self._closing:
            try:
                self._draw()
                if self._failed:
                    log.info("The display works again.")
                self._failed = False
            except OSError as error:
                if not self._failed:
                    log.warning(
                        "The display does not work: %s Run pochboard doctor.", sentence(error)
                    )
                self._failed = True
                self._drop_bus()
            if self._failed:
                self._pause(RETRY_S)
            else:
                self._wait(REFRESH_S)
        if self._bus is not None:
            with contextlib.suppress(OSError):
                self._write(ssd1306.OFF)
        self._drop_bus()

    def _draw(self) -> None:
        """Writes the newest picture. Raises OSError."""
        if self._bus is None:
            self._open()
        bitmap, contrast = self._newest
        self._write(ssd1306.contrast(contrast))
        for band in range(ssd1306.BANDS):
            self._write(ssd1306.place(band, 0))
            self._write(ssd1306.data(bitmap[band * ssd1306.WIDTH : (band + 1) * ssd1306.WIDTH]))
        self._write(ssd1306.ON)

    def _open(self) -> None:
        self._bus = Bus(self._device)
        self._addresses = []
        for address in ssd1306.ADDRESSES:
            # A device that is not there does not acknowledge its address.
            with contextlib.suppress(OSError):
                self._bus.writeto(address, ssd1306.START)
                self._addresses.append(address)
        if not self._addresses:
            raise OSError(f"no display answers on {self._device}")

    def _write(self, data: bytes) -> None:
        assert self._bus is not None, "the bus is open"
        for address in self._addresses:
            self._bus.writeto(address, data)

    def _drop_bus(self) -> None:
        if self._bus is not None:
            self._bus.close()
            self._bus = None
