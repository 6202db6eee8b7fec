"""What the chip remembers without power, and which buttons are held."""

import time

import board
import digitalio
import microcontroller

from pochboard import wire

_MARK = 0xB0
"""The first byte of the memory, once this firmware has written to it."""


def is_held(name: str) -> bool:
    """Whether the button at a pin is down. The pin must not be in use yet."""
    pin = digitalio.DigitalInOut(getattr(board, name))
    pin.switch_to_input(digitalio.Pull.UP)
    time.sleep(0.01)
    held = not pin.value
    pin.deinit()
    return held


def was_switched_on() -> bool:
    """Whether the board was just powered on, rather than reset."""
    return microcontroller.cpu.reset_reason is microcontroller.ResetReason.POWER_ON


def restarts() -> int:
    """How often the board has restarted after a crash since it last ran well."""
    nvm = microcontroller.nvm
    return 0 if nvm is None or nvm[0] != _MARK else nvm[1]


def order() -> int:
    """The number of the colours' order that the host named last; that of most pixels before."""
    nvm = microcontroller.nvm
    usual = wire.ORDERS.index("GRB")
    return usual if nvm is None or nvm[0] != _MARK or nvm[2] >= len(wire.ORDERS) else nvm[2]


def set_order(number: int) -> None:
    """Remembers the order of the colours, for what the board shows without a host."""
    if microcontroller.nvm is not None and number != order():
        microcontroller.nvm[:3] = bytes((_MARK, restarts(), number))


def set_restarts(count: int) -> None:
    """Remembers how often the board has restarted after a crash."""
    # Each write erases 4 kB of flash, which survives some 100,000 erasures.
    if microcontroller.nvm is not None and count != restarts():
        microcontroller.nvm[:2] = bytes((_MARK, count))
