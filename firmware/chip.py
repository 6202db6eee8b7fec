"""What `boot.py`, `code.py` and `safemode.py` ask of the hardware: held buttons, and memory.

The memory keeps its content without power. A byte marks that this firmware has written it;
otherwise everything reads as 0.
"""

import time

import board
import digitalio
import microcontroller

_MARK = 0xB0
_SIZE = 2
_RESTARTS = 1


def is_held(name: str) -> bool:
    """Whether the button at a pin is down. The pin must not be in use yet."""
    pin = digitalio.DigitalInOut(getattr(board, name))
    pin.switch_to_input(digitalio.Pull.UP)
    time.sleep(0.01)
    held = not pin.value
    pin.deinit()
    return held


def restarts() -> int:
    """How often the board has restarted after a crash since it last ran well."""
    return _remembered()[_RESTARTS]


def set_restarts(count: int) -> None:
    """Remembers how often the board has restarted after a crash."""
    _remember(_RESTARTS, count)


def was_switched_on() -> bool:
    """Whether the board has just got its power, and was not only reset."""
    return microcontroller.cpu.reset_reason is microcontroller.ResetReason.POWER_ON


def _remembered() -> bytearray:
    nvm = microcontroller.nvm
    if nvm is None or nvm[0] != _MARK:
        return bytearray(_SIZE)
    return bytearray(nvm[:_SIZE])


def _remember(at: int, value: int) -> None:
    data = _remembered()
    # Each write erases 4 kB of flash, which lasts for some 100,000 times.
    if microcontroller.nvm is not None and data[at] != value:
        data[0], data[at] = _MARK, value
        microcontroller.nvm[:_SIZE] = data
