"""Runs once after power-on or reset, before USB starts: two serial lines, and the board's name."""

import supervisor
import usb_cdc

# One line for the console, as always, and one for the daemon alone.
usb_cdc.enable(console=True, data=True)
supervisor.set_usb_identification("pochboard", "pochboard")
