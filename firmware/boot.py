"""Runs once after power-on or reset, before USB starts: two serial ports, and the USB name."""

import supervisor
import usb_cdc

# One port for the console, and one for the daemon alone.
usb_cdc.enable(console=True, data=True)
supervisor.set_usb_identification("pochboard", "pochboard")
