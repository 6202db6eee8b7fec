"""The displays of the board: one or two SSD1306 that show the same (docs/PROTOCOL.md).

A picture is written in small pieces, so that buttons and pixels never wait for more than a
millisecond.
"""

from pochboard import ssd1306, wire

_PIECE = 32
"""Bytes written at once: 0.9 ms at 400 kHz."""
_RETRY_MS = 2000


class Bus:
    """The method of an I²C bus that displays use, as `busio.I2C` has it."""

    def writeto(self, address: int, buffer: bytes) -> None:
        """Writes to a device. Raises OSError if it does not answer."""
        raise NotImplementedError


class Oled:
    """Writes pictures as the host sends them, and turns dark without a host."""

    def __init__(self, bus: Bus, addresses: list[int]) -> None:
        self._bus, self._addresses = bus, addresses
        self._is_ready = False
        """Whether the displays have been started."""
        self._is_complete = False
        """Whether a whole picture has been written since then."""
        self._is_on = False
        self._failed_at: int | None = None
        self._contrast, self._picture = 0, b""
        self._written: int | None = None
        """How many bytes of the picture have been written; None if there is nothing to write."""

    def take(self, message: bytes) -> None:
        """Begins to write a picture, and drops one that is not complete."""
        fields, picture = wire.unpack(message), wire.data_of(message)
        if fields is not None and len(picture) == ssd1306.WIDTH * ssd1306.BANDS:
            self._contrast, self._picture, self._written = fields[2], picture, 0

    def step(self, now: int, *, lit: bool) -> None:
        """Writes the next piece."""
        if self._failed_at is not None:
            if wire.ticks_between(self._failed_at, now) < _RETRY_MS:
                return
            self._failed_at = None
        try:
            self._step(lit)
        except OSError:
            # A loose plug: the host repeats the picture.
            self._failed_at = now
            self._is_ready = self._is_complete = self._is_on = False
            self._written = None

    def _step(self, lit: bool) -> None:
        if not lit:
            # The picture may be wrong.
            self._is_complete, self._written = False, None
        # Before the first picture, the memory holds noise.
        if self._is_on is not self._is_complete:
            self._write(ssd1306.OFF if self._is_on else ssd1306.ON)
            self._is_on = not self._is_on
        at = self._written
        if at is None:
            return
        if not self._is_ready:
            self._write(ssd1306.START)
            self._is_ready = True
        if at == 0:
            self._write(ssd1306.contrast(self._contrast))
        self._write(ssd1306.place(at // ssd1306.WIDTH, at % ssd1306.WIDTH))
        self._write(ssd1306.data(self._picture[at : at + _PIECE]))
        self._written = at + _PIECE
        if self._written == len(self._picture):
            self._is_complete = True
            self._written = None

    def _write(self, buffer: bytes) -> None:
        for address in self._addresses:
            self._bus.writeto(address, buffer)
