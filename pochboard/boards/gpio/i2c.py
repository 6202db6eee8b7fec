"""An I²C bus on the Pi's header."""

from __future__ import annotations

import fcntl
import os
from typing import Final

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
