"""Runs when CircuitPython has entered safe mode: restarts the board after a brownout or a hang.

All other causes need a person to look at them.
"""

import time

import microcontroller
import supervisor

if supervisor.runtime.safe_mode_reason in (
    supervisor.SafeModeReason.BROWNOUT,
    supervisor.SafeModeReason.WATCHDOG,
):
    time.sleep(1)
    microcontroller.reset()
