"""Settings of the board, for the person who built it; restart the board after a change."""

LIMIT_MA = 3000
"""The most that the pixels may draw, in mA. The daemon may ask for less, never for more."""

WATCHDOG = True
"""Restart the board when it hangs. Turn it off to work at the console: see README.md."""

# The pixels, for the self-test alone; otherwise the daemon says what there is.
PIXELS_PER_RING = 12
PLACES = 8
BYTES_PER_PIXEL = 3
"""3 for pixels of red, green and blue, 4 for those with white."""
