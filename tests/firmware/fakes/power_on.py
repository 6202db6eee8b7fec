"""Powers on a board: runs boot.py, starts USB, runs code.py. Or runs only safemode.py.

usage: python -m tests.firmware.fakes.power_on DRIVE, with the folder of the board in FAKE_BOARD
"""

from __future__ import annotations

import os
import runpy
import sys
from importlib import import_module
from pathlib import Path

from tests.firmware.fakes import supervisor, usb_cdc
from tests.firmware.fakes.world import HERE

HARDWARE = (
    *("board", "busio", "digitalio", "keypad", "microcontroller", "neopixel_write", "pwmio"),
    *("storage", "supervisor", "usb_cdc", "watchdog"),
)


def power_on(drive: Path) -> None:
    """Runs the programs on the drive, and does not return."""
    for name in HARDWARE:
        sys.modules[name] = import_module(f"tests.firmware.fakes.{name}")
    sys.path.insert(0, str(drive))
    os.chdir(drive)
    HERE.start()
    # Each start has the next of these reasons for safe mode; with none left, it is a normal one.
    reasons = HERE.port.with_name("safe_mode")
    reason, _, later = reasons.read_text().partition(" ")
    reasons.write_text(later)
    if reason:
        supervisor.runtime.safe_mode_reason = supervisor.SafeModeReason[reason]
        runpy.run_path(str(drive / "safemode.py"))
        print("In safe mode: nothing runs.")
        return
    runpy.run_path(str(drive / "boot.py"))
    HERE.port.with_name("identity").write_text(" ".join(supervisor.usb_identity or ()))
    HERE.port.with_name("shows_drive").write_text(str(HERE.shows_drive))
    if usb_cdc.data is not None:
        HERE.plug_in()
    own = set(sys.modules)
    while True:
        try:
            runpy.run_path(str(drive / "code.py"), run_name="__main__")
        except supervisor.ReloadError:
            # Discard everything of the program: its modules, its pins, its scanner.
            for name in set(sys.modules) - own:
                del sys.modules[name]
            HERE.let_go()
            continue
        return


if __name__ == "__main__":
    power_on(Path(sys.argv[1]))
