"""The displays of the board: one or two SSD1306 that show the same (docs/PROTOCOL.md 6).

A picture is written in small pieces, so that buttons and pixels never wait for more than a
millisecond. Runs on CPython, MicroPython and CircuitPython.
"""

from pochboard import ssd1306, wire

_PIECE = 32
"""Bytes written at once: 0.9 ms at 400 kHz."""
_RETRY_MS = 2000


class Bus:
    """The method of an I²C bus that the displays use, as `busio.I2C` has it."""

    def writeto(self, address: int, buffer: bytes) -> None:
        """Writes to a device. Raises OSError if it does not answer."""
        raise NotImplementedError


class Oled:
    """Writes bands as the host sends them, and turns dark without a host."""

    def __init__(self, bus: Bus, addresses: list[int]) -> None:
        self._bus = bus
        self._addresses = addresses
        self._is_ready = False
        """Whether the displays have been started."""
        self._is_complete = False
        """Whether a whole picture has been written since then."""
        self._is_on = False
        self._failed_at: int | None = None
        self._band = 0
        self._rest = b""
        self._column = 0
        self._number: int | None = None

    def take(self, message: bytes) -> None:
        """Begins to write a band, and drops one that is not complete."""
        fields = wire.unpack(message)
        if fields is None:
            return
        _, number, band = fields
        content = wire.data_of(message)
        if len(content) != (1 if band == wire.CONTRAST else ssd1306.WIDTH) or band > wire.CONTRAST:
            return
        self._number, self._band, self._rest, self._column = number, band, content, 0

    def step(self, now: int, *, lit: bool) -> int | None:
        """Writes the next piece; returns the number of a band that is complete now."""
        if self._failed_at is not None:
            if wire.ticks_between(self._failed_at, now) < _RETRY_MS:
                return None
            self._failed_at = None
        try:
            return self._step(lit)
        except OSError:
            # A loose plug: the host repeats the band, and sends the others again in turn.
            self._failed_at = now
            self._is_ready = self._is_complete = self._is_on = False
            return None

    def _step(self, lit: bool) -> int | None:
        # Without a host, the picture may be wrong; before the first picture, the memory holds
        # noise.
        if self._is_on is not (lit and self._is_complete):
            self._write(ssd1306.OFF if self._is_on else ssd1306.ON)
            self._is_on = not self._is_on
        if not lit or self._number is None:
            return None
        if not self._is_ready:
            self._write(ssd1306.START)
            self._is_ready = True
        if self._band == wire.CONTRAST:
            self._write(ssd1306.contrast(self._rest[0]))
            self._rest = b""
        else:
            self._write(ssd1306.place(self._band, self._column))
            self._write(ssd1306.data(self._rest[:_PIECE]))
            self._rest = self._rest[_PIECE:]
            self._column += _PIECE
        if self._rest:
            return None
        if self._band == ssd1306.BANDS - 1:
            self._is_complete = True
        number, self._number = self._number, None
        return number

    def _write(self, buffer: bytes) -> None:
        for address in self._addresses:
            self._bus.writeto(address, buffer)
