"""A tune, as a board plays it."""

from __future__ import annotations

import msgspec

MOST_NOTES = 32
LOUDEST = 255


class Tune(msgspec.Struct, frozen=True):
    """Notes one after the other, and how loud they are."""

    notes: tuple[tuple[int, int], ...]
    """The pitch of each in Hz, 0 for a rest, and its duration in ms."""
    volume: int = LOUDEST
    """0 (silent) to 255. The ear hears ratios: 128 is half as loud as 255."""
