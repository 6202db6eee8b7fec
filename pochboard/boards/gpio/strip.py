"""The chain of pixels (BOARD.md 6), through `neopixel` or `neopixel_spi`: one per process.

As a program, it darkens them: the service runs it after the daemon has ended, even if the daemon
was killed.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Any, Final

from pochboard.config import Gpio
from pochboard.config_file import config_dir, load_config
from pochboard.lights.frame import RINGS, Frame
from pochboard.text.unicode_names import shown

_WS281X: Final = "adafruit_blinka.microcontroller.bcm283x.neopixel"
_PI5: Final = "adafruit_raspberry_pi5_neopixel_write"


class Strip:
    """The open pixels. Raises the exceptions of the libraries.

    After an exception from `write`, close the strip and make a new one. Brightness, gamma and
    power limit have already been applied to the frames.
    """

    def __init__(self, gpio: Gpio, pixels: int) -> None:
        # Otherwise Blinka asks on the terminal whether to install missing packages.
        os.environ["BLINKA_SKIP_DEPENDENCY_CHECK"] = "1"
        order = gpio.order + ("W" if gpio.kind == "rgbw" else "")
        # The white of RGBW pixels stays dark: the palette is checked in red, green and blue.
        # Given three values, the library would show equal ones as white.
        self._white = (0,) if gpio.kind == "rgbw" else ()
        self._spi: Any = None
        self._works = False
        self._chain: Any = None
        how = {"bpp": len(order), "pixel_order": order, "brightness": 1.0, "auto_write": False}
        if gpio.driver == "neopixel":
            import board
            import neopixel

            # GPIO 10 on every Pi; the machine that Blinka simulates has a pin for pixels.
            pin = getattr(board, "D10", None) or board.NEOPIXEL
            self._chain = neopixel.NeoPixel(pin, pixels, **how)
        else:
            import board
            import busio
            import neopixel_spi

            self._spi = busio.SPI(board.SCK, MOSI=board.MOSI)
            self._chain = neopixel_spi.NeoPixel_SPI(self._spi, pixels, **how)

    def write(self, frame: Frame) -> None:
        """Sends a frame, which takes about 4 ms."""
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
        """Closes pin and bus; the pixels keep their colours. Raises nothing."""
        with contextlib.suppress(Exception):
            if self._spi is not None:
                _close_bus(self._spi)
            else:
                # Deinitialising the chain itself would write to it once more; it may be broken.
                self._chain.pin.deinit()
        if self._works:
            self._works = False
            with contextlib.suppress(Exception):
                _free_driver()


def _close_bus(bus: Any) -> None:
    """Closes the device file of an SPI bus, which `deinit` of Blinka and PureIO leave open."""
    file = bus._spi._spi.handle  # noqa: SLF001 - there is no public way
    bus.deinit()
    os.close(file)


def _free_driver() -> None:
    """Makes the driver close its devices, which it would otherwise keep until the process ends."""
    if _WS281X in sys.modules:
        sys.modules[_WS281X].neopixel_cleanup()
    if _PI5 in sys.modules:
        sys.modules[_PI5].free_pio()


def _forget_ws281x() -> None:
    """Makes Blinka's driver forget a strip whose initialisation has failed.

    Otherwise its next write would go through null pointers, and its cleanup would close file
    descriptor 0: ws2811_init of rpi_ws281x returns early, and ws2811_cleanup takes mbox.handle,
    which is still 0, for an open file.
    """
    driver = sys.modules.get(_WS281X)
    if driver is not None:
        driver._led_strip = None  # type: ignore[attr-defined]  # noqa: SLF001 - there is no public way


def darken() -> None:
    """Darkens the pixels if the configured board is the one on the header. Never fails."""
    try:
        folder = os.environ.get("POCHBOARD_CONFIG")
        config = load_config(Path(folder) if folder else config_dir(), Path())
        if config.board == "gpio":
            pixels = RINGS * config.lights.pixels_per_ring + config.number_of_places
            with contextlib.closing(Strip(config.gpio, pixels)) as strip:
                strip.write(bytes(3 * pixels))
    except Exception as error:  # noqa: BLE001 - must not make the unit fail
        sys.stderr.write(f"pochboard: the pixels may still be lit: {shown(str(error))}\n")


if __name__ == "__main__":
    darken()
