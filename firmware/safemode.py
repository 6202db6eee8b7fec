"""Runs when CircuitPython has entered safe mode: restarts the board after a crash, three times.

After the third, and for any other reason, the board stays in safe mode: all pixels are dim red, and
the drive is visible. Pulling the plug ends that. A reset by the watchdog or a brownout does not
lead to safe mode on this chip.
"""

import time

import board
import chip
import digitalio
import microcontroller
import neopixel_write
import pins
import supervisor

from pochboard import wire

settings: object = None
try:
    import settings
except Exception as error:  # noqa: BLE001 - a user's file can fail in any way
    print("settings.py cannot be read:", error)

CRASHES = (
    supervisor.SafeModeReason.HARD_FAULT,
    supervisor.SafeModeReason.NLR_JUMP_FAIL,
    supervisor.SafeModeReason.STACK_OVERFLOW,
    supervisor.SafeModeReason.INTERRUPT_ERROR,
    supervisor.SafeModeReason.GC_ALLOC_OUTSIDE_VM,
)
MOST_RESTARTS = 3
MOST_PIXELS = 584
DIM = 8


def show_sign() -> None:
    """Makes all pixels dim red. They keep their colour when this program ends."""
    pixels = digitalio.DigitalInOut(getattr(board, pins.PIXELS))
    pixels.switch_to_output(False)
    red = bytearray(4 if getattr(settings, "BYTES_PER_PIXEL", 3) == 4 else 3)
    red[wire.ORDERS[chip.order()].index("R")] = DIM
    neopixel_write.neopixel_write(pixels, red * MOST_PIXELS)


if supervisor.runtime.safe_mode_reason in CRASHES and chip.restarts() < MOST_RESTARTS:
    chip.set_restarts(chip.restarts() + 1)
    time.sleep(1)
    microcontroller.reset()
show_sign()
