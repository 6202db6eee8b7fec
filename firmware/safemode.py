"""Runs when CircuitPython has stopped in safe mode: a board on a table had better start again.

After a supply that sagged and after a hang only; other causes are for a person to look at.
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
