"""The board's settings. Restart the board after a change."""

LIMIT_MA = 3000
"""The power limit of the pixels in mA. The daemon can lower it, but not raise it."""

WATCHDOG = True
"""Whether the watchdog restarts a board that hangs. Turn it off to work at the console."""

# Used only by the self-test; otherwise the daemon sends the layout.
PIXELS_PER_RING = 12
PLACES = 8
BYTES_PER_PIXEL = 3
"""3 for RGB pixels, 4 for RGBW pixels."""
