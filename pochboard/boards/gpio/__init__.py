"""The board on a Pi's own header: buttons through gpiozero, pixels through Blinka.

The hardware's libraries are loaded only when there is a board to use (BOARD.md 6).
"""

from typing import Final

PIEZO_PIN: Final = 7
"""The GPIO number of hardware/pins.toml: the only one that neither buttons nor pixels need."""
