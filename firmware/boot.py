"""Runs once after power-on or reset, before USB starts: the drive, two serial ports, the USB name.

The drive is hidden from the computer unless `next` is held or settings.py says DRIVE = True,
because pulling the cable while a computer writes to the drive would damage it.
"""

import traceback

import storage
import supervisor
import usb_cdc

# One port for the console, and one for the daemon alone.
usb_cdc.enable(console=True, data=True)
supervisor.set_usb_identification("pochboard", "pochboard")

try:
    import chip
    import pins
    import settings

    from firmware.link import NEXT

    if chip.was_switched_on():
        # Somebody has pulled the plug, so the board may try again.
        chip.set_restarts(0)
    if not getattr(settings, "DRIVE", False) and not chip.is_held(pins.BUTTONS[NEXT]):
        storage.disable_usb_drive()
except Exception as error:  # noqa: BLE001 - a broken file: the drive stays visible, to repair it
    traceback.print_exception(error)
