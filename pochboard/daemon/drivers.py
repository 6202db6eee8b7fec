"""What follows the table at the board: its display, in a thread of its own, and its piezo."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final

from pochboard import ssd1306
from pochboard.boards.base import LOUDEST, Board, Tune
from pochboard.buttons.settings import Volume
from pochboard.errors import Refusal, RefusedInput
from pochboard.ledger.entry import SoundName
from pochboard.ledger.results import results_of
from pochboard.lights.animation import REVEAL_US
from pochboard.lights.frame import Frame
from pochboard.rules.state import BETWEEN_NIGHTS
from pochboard.runtime.threads import Answer, LoopThread
from pochboard.screen import BLANK, Bitmap, draw
from pochboard.table.snapshot import Listener, Snapshot
from pochboard.table.table import Table
from pochboard.text.translator import ENGLISH, table_translator
from pochboard.views.screen import Reachable, needs_reach, screen_of

LIGHTS_FIRST_S: Final = 0.03
"""How long a change waits before it is drawn: by then the lights have been sent."""
REFUSED_S: Final = 4.0
"""How long a refusal stays."""
TURN_S: Final = 8.0
"""How long each of several screens stays."""


class ScreenDriver(LoopThread, Listener):
    """Draws what the display shows whenever that changes. Start it once, and close it once."""

    def __init__(self, table: Table, board: Board, reach: Callable[[], Reachable]) -> None:
        """`reach` says how phones reach the page; it may take some milliseconds."""
        super().__init__("display")
        self._table = table
        self._board = board
        self._reach = reach
        self._refused: tuple[Refusal, float] | None = None
        """The newest refusal, and until when it stays."""
        self._drawn_until_s = 0.0
        """How long the screen stays as it was drawn, if nothing happens."""
        self._phase = table.snapshot.state.phase
        self._revealed_s = 0.0
        """When the lights have revealed the result of the last night, as phones do."""
        self._unlisten: Callable[[], None] = lambda: None
        self._contrast = ssd1306.CONTRAST

    def start(self) -> None:
        """Follows the table from now on."""
        self._unlisten = self._table.listen(self)
        super().start()

    def ping(self, answer: Answer) -> None:
        """Asks this thread and then the board's to call `answer` soon; at once without a display.

        Without a display, no picture can be out of date.
        """
        if not self._board.has_display:
            answer()
            return
        super().ping(lambda: self._board.ping_display(answer))

    def close(self) -> None:
        """Ends the thread."""
        self._unlisten()
        super().close()

    # Called by the table, in its thread.

    def on_snapshot(self, snapshot: Snapshot) -> None:
        """Something changed."""
        before, self._phase = self._phase, snapshot.state.phase
        if self._phase != "closed":
            self._revealed_s = 0.0
        elif before not in BETWEEN_NIGHTS:
            ranks = {person.rank for person in results_of(snapshot.state, snapshot.aliases)}
            self._revealed_s = time.monotonic() + len(ranks) * REVEAL_US / 1e6
        self._wake()

    def on_refused(self, refused: RefusedInput) -> None:
        """A press or command was refused."""
        self._refused = refused.refusal, time.monotonic() + REFUSED_S
        self._wake()

    def on_frame(self, _: Frame) -> None:
        """The lights have changed, and perhaps the brightness of the display with them."""
        if self._table.lighting.lights.contrast != self._contrast:
            self._wake()

    # The thread.

    def _run(self) -> None:
        shown: tuple[Bitmap, int] | None = None
        while not self._closing:
            time.sleep(LIGHTS_FIRST_S)
            self._drawn_until_s = time.monotonic() + TURN_S
            if self._board.has_display:
                shown = self._show(shown)
            self._wait(max(0.0, self._drawn_until_s - time.monotonic()))

    def _show(self, shown: tuple[Bitmap, int] | None) -> tuple[Bitmap, int] | None:
        """Shows the current screen, unless it is shown already; returns what is shown."""
        picture = self._table.boundary.attempt("display", self._picture, None)
        if picture is None:
            self._board.show_screen(BLANK)  # a dark display misleads nobody
        elif picture != shown:
            self._board.show_screen(*picture)
        return picture

    def _picture(self) -> tuple[Bitmap, int]:
        snapshot, now_s = self._table.snapshot, time.monotonic()
        refusal, until_s = self._refused or (None, 0.0)
        if now_s >= until_s:
            refusal = None
        else:
            self._drawn_until_s = until_s
        revealed = now_s >= self._revealed_s
        if not revealed:
            self._drawn_until_s = min(self._drawn_until_s, self._revealed_s)
        reach = self._reach() if needs_reach(snapshot) else Reachable()
        self._contrast = self._table.lighting.lights.contrast
        t = table_translator(snapshot.settings.language or ENGLISH.language)
        turn = int(now_s / TURN_S) if revealed else None
        screen = screen_of(snapshot, t, reach=reach, refused=refusal, turn=turn)
        return draw(screen), self._contrast


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


class SoundDriver(Listener):
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

    def _play(self, notes: Notes) -> None:
        assert self._last is not None, "it has been started"
        volume = round(self._loudest * SHARES[self._last.settings.volume])
        if notes and volume:
            self._board.play(Tune(notes, volume))
