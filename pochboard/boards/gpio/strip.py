"""The chain of pixels, through `neopixel` or `neopixel_spi` (BOARD.md 6). One chain a process."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, Final

from pochboard.config import Gpio
from pochboard.lights.frame import Frame

_WS281X: Final = "adafruit_blinka.microcontroller.bcm283x.neopixel"
_PI5: Final = "adafruit_raspberry_pi5_neopixel_write"


class Strip:
    """The pixels, opened. Whatever goes wrong in the libraries comes out as it is.

    A strip of which `write` has raised is to be closed, and a new one made. Brightness, gamma and
    power limit are in the frames already.
    """

    def __init__(self, gpio: Gpio, pixels: int) -> None:
        # Blinka would ask on the terminal whether to install what it misses.
        os.environ["BLINKA_SKIP_DEPENDENCY_CHECK"] = "1"
        order = gpio.order + ("W" if gpio.kind == "rgbw" else "")
        # A white of its own stays dark: the look is checked for red, green and blue, and three
        # values alone would be shown with it where they are equal.
        self._white = (0,) if gpio.kind == "rgbw" else ()
        self._spi: Any = None
        self._works = False
        self._chain: Any = None
        how = {"bpp": len(order), "pixel_order": order, "brightness": 1.0, "auto_write": False}
        if gpio.driver == "neopixel":
            import board
            import neopixel

            # GPIO 10 of any Pi; what Blinka makes of other machines has one pin for pixels.
            pin = getattr(board, "D10", None) or board.NEOPIXEL
            self._chain = neopixel.NeoPixel(pin, pixels, **how)
        else:
            import board
            import busio
            import neopixel_spi

            self._spi = busio.SPI(board.SCK, MOSI=board.MOSI)
            self._chain = neopixel_spi.NeoPixel_SPI(self._spi, pixels, **how)

    def write(self, frame: Frame) -> None:
        """Shows a frame; returns when it is on the wire, after some 4 ms."""
        white = self._white
        self._chain[:] = [(*frame[at : at + 3], *white) for at in range(0, len(frame), 3)]
        try:
            self._chain.show()
        except Exception as error:
            if not self._works and "ws2811_render" not in str(error):
                _forget_ws281x()
            self._works = False
            raise
        self._works = True

    def close(self) -> None:
        """Lets go of pin and bus; what the pixels show stays as it is. Raises nothing."""
        with contextlib.suppress(Exception):
            if self._spi is not None:
                self._spi.deinit()
            else:
                # Not of the chain itself: that would write once more, to what may be broken.
                self._chain.pin.deinit()
        if self._works:
            self._works = False
            with contextlib.suppress(Exception):
                _free_driver()


def _free_driver() -> None:
    """Has the driver below let go of its devices, which it would keep to the end of the process."""
    if _WS281X in sys.modules:
        sys.modules[_WS281X].neopixel_cleanup()
    if _PI5 in sys.modules:
        sys.modules[_PI5].free_pio()


def _forget_ws281x() -> None:
    """Keeps Blinka's driver away from a strip whose set-up has failed.

    It keeps such a strip, would write through its null pointers the next time, and when it cleans
    up closes file 0, whatever that is by then (rpi_ws281x: ws2811_init returns early, and
    ws2811_cleanup takes mbox.handle, still 0, for open).
    """
    driver = sys.modules.get(_WS281X)
    if driver is not None:
        driver._led_strip = None  # type: ignore[attr-defined]  # noqa: SLF001 - it has no other way
