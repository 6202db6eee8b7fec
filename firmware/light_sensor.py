"""The light sensor of the board: a BH1750 on the bus of the displays (docs/PROTOCOL.md 8).

A command and a result take less than 0.1 ms each. Runs on CPython, MicroPython and CircuitPython.
"""

from pochboard import bh1750, wire

_EVERY_MS = 500


class Bus:
    """The methods of an I²C bus that the sensor uses, as `busio.I2C` has them."""

    def writeto(self, address: int, buffer: bytes) -> None:
        """Writes to a device. Raises OSError if it does not answer."""
        raise NotImplementedError

    def readfrom_into(self, address: int, buffer: bytearray) -> None:
        """Fills the buffer from a device. Raises OSError if it does not answer."""
        raise NotImplementedError


class LightSensor:
    """Measures twice a second, between all other work."""

    def __init__(self, bus: Bus, now: int) -> None:
        self._bus = bus
        self._result = bytearray(bh1750.SIZE)
        self._asked_at = now
        self._is_measuring = False

    def step(self, now: int) -> int | None:
        """The illuminance in tenths of a lux, when there is a new one; otherwise None.

        It is `wire.NO_LIGHT` if the sensor does not answer.
        """
        passed = wire.ticks_between(self._asked_at, now)
        try:
            if self._is_measuring and passed >= bh1750.MEASURE_MS:
                self._is_measuring = False
                self._bus.readfrom_into(bh1750.ADDRESS, self._result)
                return bh1750.tenths_of(bytes(self._result))
            if passed >= _EVERY_MS:
                self._asked_at = now
                self._bus.writeto(bh1750.ADDRESS, bh1750.MEASURE)
                self._is_measuring = True
        except OSError:
            # Perhaps a loose plug: ask again later.
            return wire.NO_LIGHT
        return None
