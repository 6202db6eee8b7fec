"""The files on an SD card that set up a Pi on its first boot.

Nothing here needs Linux: a card is made on macOS and Windows as well.
"""
