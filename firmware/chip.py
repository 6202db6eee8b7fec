"""What the chip remembers without power, and which buttons are held.

A byte of the memory marks that this firmware has written it; otherwise everything reads as 0. The
firmware is in one of two folders. A new one is received into the other folder, and is then on
trial: unless it talks to a host in one of its first starts, the board returns to the old one.
"""

import os
import time

import board
import digitalio
import microcontroller

FOLDERS = ("a", "b")
LAST_FILE = "version.py"
"""The file of a firmware that is written last: a folder without it is incomplete."""

_MARK = 0xB0
_SIZE = 4
_RESTARTS, _FOLDER, _ATTEMPTS = 1, 2, 3
_MOST_ATTEMPTS = 3


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
    return _remembered()[_RESTARTS]


def set_restarts(count: int) -> None:
    """Remembers how often the board has restarted after a crash."""
    data = _remembered()
    data[_RESTARTS] = count
    _remember(data)


def firmware_folder() -> str:
    """The folder of the firmware to run."""
    chosen = FOLDERS[_remembered()[_FOLDER] % 2]
    return chosen if _is_complete(chosen) else other_folder(chosen)


def other_folder(folder: str) -> str:
    """The other of the two folders."""
    return FOLDERS[1 - FOLDERS.index(folder)]


def try_firmware(folder: str) -> None:
    """Puts the firmware in a folder on trial, from the next reset on."""
    data = _remembered()
    data[_FOLDER], data[_ATTEMPTS] = FOLDERS.index(folder), _MOST_ATTEMPTS
    _remember(data)


def attempts_left() -> int:
    """How often a firmware on trial may still start; 0 if none is on trial."""
    return min(_remembered()[_ATTEMPTS], _MOST_ATTEMPTS)


def count_attempt() -> None:
    """Counts a start of the firmware on trial. After the last one, returns to the old firmware."""
    data = _remembered()
    if not data[_ATTEMPTS]:
        return
    data[_ATTEMPTS] = min(data[_ATTEMPTS], _MOST_ATTEMPTS) - 1
    other = other_folder(FOLDERS[data[_FOLDER] % 2])
    if not data[_ATTEMPTS] and _is_complete(other):
        data[_FOLDER] = FOLDERS.index(other)
    _remember(data)


def keep_firmware() -> None:
    """Ends the trial: the firmware works."""
    data = _remembered()
    data[_ATTEMPTS] = 0
    _remember(data)


def _is_complete(folder: str) -> bool:
    try:
        os.stat(folder + "/" + LAST_FILE)
    except OSError:
        return False
    return True


def _remembered() -> bytearray:
    nvm = microcontroller.nvm
    if nvm is None or nvm[0] != _MARK:
        return bytearray(_SIZE)
    return bytearray(nvm[:_SIZE])


def _remember(data: bytearray) -> None:
    # Each write erases 4 kB of flash, which survives some 100,000 erasures.
    if microcontroller.nvm is not None and data != _remembered():
        data[0] = _MARK
        microcontroller.nvm[:_SIZE] = data
