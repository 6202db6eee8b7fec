"""Starts the program of the firmware in use.

There are two folders for the firmware, so that a new one can be received while the old one runs,
and the old one is kept (`chip.py`). A new firmware that fails is restarted by a reset, which counts
as one of its attempts.
"""

import sys
import time
import traceback

import chip
import microcontroller
import supervisor

# Writing to the drive must not restart the board during a game.
supervisor.runtime.autoreload = False
try:
    sys.path.insert(0, chip.firmware_folder())
    import program

    program.start()
except Exception as error:  # noqa: BLE001 - anything except Ctrl-C at the console
    traceback.print_exception(error)
    time.sleep(2)
    if chip.attempts_left():
        microcontroller.reset()
    supervisor.reload()
