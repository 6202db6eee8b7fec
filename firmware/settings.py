"""The board's settings. Restart the board after a change."""

LIMIT_MA = 3000
"""The power limit of the pixels in mA. The daemon can lower it, but not raise it."""

WATCHDOG = True
"""Whether the watchdog restarts a board that hangs. Turn it off to work at the console."""

DRIVE = False
"""Whether the computer always sees the drive CIRCUITPY. Otherwise it sees the drive only if `next`
is held while the board starts, because a cable that is pulled during a write damages it."""

PIEZO = False
"""Whether a piezo is connected; the board cannot detect one."""

# Used only by the self-test; otherwise the daemon sends the layout.
PIXELS_PER_RING = 12
PLACES = 8
BYTES_PER_PIXEL = 3
"""3 for RGB pixels, 4 for RGBW pixels."""
