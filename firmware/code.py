"""Starts the program, and starts it again if it fails."""

import time
import traceback

import supervisor

# Writing to the drive must not restart the board during a game.
supervisor.runtime.autoreload = False
try:
    import program

    program.start()
except Exception as error:  # noqa: BLE001 - anything except Ctrl-C at the console
    traceback.print_exception(error)
    time.sleep(2)
    supervisor.reload()
