"""The commands of an SSD1306 or SSD1309, the controller of small displays with 128 x 64 pixels.

Host and firmware use this module. It runs on CPython, MicroPython and CircuitPython.

Source: Solomon Systech, SSD1306 data sheet, sections 9 and 10.
"""

ADDRESSES = (0x3C, 0x3D)
"""The addresses that a display can have on the I²C bus."""
WIDTH = 128
BANDS = 8
"""A band is 128 bytes: each is a column of eight pixels, the lowest bit at the top."""
CONTRAST = 0x7F
"""How bright the lit pixels are after power-on, of 0xFF."""

_COMMANDS = 0x00
_DATA = 0x40

START = bytes((
    _COMMANDS,
    # Off; the clock; 64 rows, no offset; the charge pump on, for displays that run on 3.3 V.
    0xAE, 0xD5, 0x80, 0xA8, 0x3F, 0xD3, 0x00, 0x40, 0x8D, 0x14,
    # One band after the other; the connector above the picture; wiring, timing and level of the
    # panel; show the memory, lit pixels bright.
    0x20, 0x02, 0xA1, 0xC8, 0xDA, 0x12, 0xD9, 0xF1, 0xDB, 0x40, 0xA4, 0xA6,
))  # fmt: skip
"""Prepares a display, and leaves it off."""
ON = bytes((_COMMANDS, 0xAF))
OFF = bytes((_COMMANDS, 0xAE))


def contrast(level: int) -> bytes:
    """How bright the lit pixels are, 0 to 255."""
    return bytes((_COMMANDS, 0x81, level))


def place(band: int, column: int) -> bytes:
    """Makes the next data go to this band, from this column on."""
    return bytes((_COMMANDS, 0xB0 | band, column & 0x0F, 0x10 | column >> 4))


def data(columns: bytes) -> bytes:
    """Some bytes of a band."""
    return bytes((_DATA,)) + columns
