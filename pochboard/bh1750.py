"""The command of a BH1750, a light sensor on the I²C bus.

Host and firmware use this module. It runs on CPython, MicroPython and CircuitPython.

Source: ROHM, BH1750FVI technical note 11046EDT01, instruction set and measurement procedure.
"""

ADDRESS = 0x23
"""Its address on the bus while ADDR is open or connected to ground."""
MEASURE = b"\x20"
"""Measures once. This needs no other command, even just after power-on."""
MEASURE_MS = 200
"""When the result is ready: at most 180 ms after the command, with some to spare."""
SIZE = 2
"""Bytes of a result."""


def tenths_of(result: bytes) -> int:
    """The illuminance in tenths of a lux. A step of the sensor is 1 lux / 1.2."""
    return (result[0] << 8 | result[1]) * 25 // 3
