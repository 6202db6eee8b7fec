"""The buttons of a board, and the times of presses (BOARD.md 1 to 3)."""

from __future__ import annotations

from typing import Final

import msgspec

from pochboard.rules.accounts import POOLS

SEAT_BUTTONS: Final = tuple(f"seat{place}" for place in range(1, 9))
CONTROLS: Final = ("next", "undo")
PAIRING_BUTTON: Final = "next"
"""The button that opens pairing when it is held (BOARD.md 5)."""
BUTTONS: Final = (*POOLS, *SEAT_BUTTONS, *CONTROLS)
"""The 19 buttons of a board with eight places, in the order of BOARD.md 1."""


class PressTimes(msgspec.Struct, frozen=True):
    """The times of BOARD.md 2 and 3, in microseconds."""

    long_us: int = 800_000
    next_long_us: int = 3_000_000
    leave_us: int = 3_000_000
    both_us: int = 2_000_000
    overlap_us: int = 300_000
    select_us: int = 5_000_000
    too_soon_us: int = 1_000_000
    lobby_us: int = 10_000_000
    off_us: int = 8_000_000
    off_ask_us: int = 10_000_000


class Press(msgspec.Struct, frozen=True):
    """A button pressed short or held for its long meaning, or two held together."""

    buttons: tuple[str, ...]
    long: bool = False
