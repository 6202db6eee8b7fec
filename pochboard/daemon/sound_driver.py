"""Plays on the board's piezo what happens at the table."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Final

from pochboard.boards.base import LOUDEST, Board, Tune
from pochboard.buttons.settings import Volume
from pochboard.errors import RefusedInput, StoppedError
from pochboard.ledger.sounds import SoundName
from pochboard.lights.frame import Frame
from pochboard.table.snapshot import Snapshot
from pochboard.table.table import Table

Notes = tuple[tuple[int, int], ...]

TUNES: Final[Mapping[SoundName, Notes]] = {
    "knock": ((180, 25), (0, 135), (180, 25), (0, 40)),
    "chips": ((2600, 25), (0, 45), (3100, 25), (0, 40)),
    "claim": ((2300, 35), (0, 25), (2600, 35), (0, 25), (2900, 35), (0, 25), (3200, 60)),
    "win": ((660, 70), (0, 20), (880, 70), (0, 20), (1320, 180)),
    "out": ((1760, 60), (0, 40), (1760, 60), (0, 40), (1320, 200)),
    "end": ((523, 160), (659, 160), (784, 160), (1047, 300)),
    "turn": ((660, 120), (880, 160)),
    "refused": ((220, 120), (0, 20), (165, 200)),
    "volume": ((2600, 150),),
}
"""The tunes have the rhythms of the sounds of phones; a piezo can only beep."""

SHARES: Final[Mapping[Volume, float]] = {"loud": 1, "medium": 1 / 2, "quiet": 1 / 4, "silent": 0}
"""What part of the configured amplitude each choice is: steps of 6 dB (BOARD.md 4)."""


def amplitude(volume: float) -> float:
    """How loud the piezo is at most at a configured volume, 0 to 1: up to `LOUDEST`.

    From the lowest to the highest volume there are 12 dB, so that no step of it is inaudible.
    """
    return LOUDEST * 4 ** (volume - 1) if volume else 0.0


class SoundDriver:
    """Plays a tune for each entry that has a sound, for each turn, refusal and choice of volume.

    Start it once, and close it once.
    """

    def __init__(self, table: Table, board: Board, volume: float = 1.0) -> None:
        """The configured volume is 0 (silent) to 1. People choose what part of it is played."""
        self._table = table
        self._board = board
        self._loudest = amplitude(volume)
        # Used in the table's thread only, once it listens.
        self._last: Snapshot | None = None
        self._unlisten: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Follows the table from now on."""
        self._last = self._table.snapshot
        self._unlisten = self._table.listen(self)

    def close(self) -> None:
        """Plays nothing from now on."""
        with contextlib.suppress(StoppedError):
            self._unlisten()

    # Called by the table, in its thread.

    def on_snapshot(self, snapshot: Snapshot) -> None:
        """Plays what was recorded, whose turn it is, how loud it is, and what a test asks for."""
        last, self._last = self._last, snapshot
        assert last is not None, "it has been started"
        notes: Notes = ()
        for cue in snapshot.cues_since(last):
            notes += TUNES[cue]
        if snapshot.settings.volume != last.settings.volume:
            notes += TUNES["volume"]
        if snapshot.test != last.test and snapshot.test and snapshot.test.tune:
            notes += TUNES[snapshot.test.tune]
        self._play(notes)

    def on_refused(self, _: RefusedInput) -> None:
        """Plays that something was refused."""
        self._play(TUNES["refused"])

    def on_frame(self, _: Frame) -> None:
        """Frames make no sound."""

    def _play(self, notes: Notes) -> None:
        assert self._last is not None, "it has been started"
        volume = round(self._loudest * SHARES[self._last.settings.volume])
        if notes and volume:
            self._board.play(Tune(notes, volume))
