"""The interface of all boards, and helpers that several share."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Sequence
from typing import Any, Final, Protocol

import msgspec

from pochboard import ssd1306
from pochboard.buttons.press import Edge
from pochboard.lights.frame import Frame
from pochboard.runtime.threads import Answer, LoopThread
from pochboard.screen import Bitmap
from pochboard.text.lazy import os_reason

LOUDEST: Final = 255


class Tune(msgspec.Struct, frozen=True):
    """A sequence of notes, and how loud they are."""

    notes: tuple[tuple[int, int], ...]
    """The pitch of each in Hz, 0 for a rest, and its duration in ms; at most `wire.MAX_NOTES`."""
    volume: int = LOUDEST
    """The amplitude, 0 (silent) to 255. The ear hears ratios: half of it is a step of 6 dB."""


class Problem(msgspec.Struct, frozen=True):
    """Why something does not work, and how to fix it."""

    found: str
    """What is wrong, as a sentence."""
    fix: str = ""
    """What to do, as a sentence; empty if there is nothing to suggest."""

    def __str__(self) -> str:
        """Both on one line."""
        return f"{self.found} {self.fix}".rstrip()


class Sink(Protocol):
    """What a board reports to: the table. All methods may be called from any thread."""

    @property
    def buttons(self) -> tuple[str, ...]:
        """The buttons of the board."""

    def edge(self, button: str, down: bool, at_us: int) -> object:
        """A debounced button went down or up, at `at_us` on the monotonic clock."""

    def edges_at_once(self, edges: Sequence[Edge]) -> object:
        """Several edges, in order, with nothing in between, not even a timer of a held button."""

    def known_down(self, button: str, until_us: int) -> object:
        """The button, if down, is known to be down until this time.

        Boards that may report presses late must say so, if only because a process can stall.
        """

    def release_all(self) -> None:
        """Releases all held buttons; none of these releases counts as a press."""

    def set_link(self, up: bool, *, has_sound: bool | None = None) -> None:
        """The link to the board is up or down.

        A board that learns only now whether it has a piezo says so here.
        """


class Board:
    """A board. Start it once, and close it once.

    A board lacks whatever its class does not override. The kind `none` has nothing: such a
    machine only collects the nights of other boards (docs/COLLECTION.md).
    """

    kind = "none"
    """Its name in the configuration."""
    simulated = False
    """Whether its buttons are on the page."""

    @property
    def link(self) -> bool:
        """Whether the board is connected now."""
        return True

    @property
    def problem(self) -> Problem | None:
        """Why the link is down, if known; None while it is up."""
        return None

    @property
    def closed(self) -> frozenset[str]:
        """The buttons whose contacts are closed now, also those whose presses do not count."""
        return frozenset()

    def start(self, sink: Sink) -> None:
        """Starts reporting to the sink. Raises BoardError."""

    def show(self, frame: Frame) -> None:
        """Shows a frame soon. Called on the table's thread, so it must not block."""

    @property
    def has_display(self) -> bool:
        """Whether the board, as it is now, has a display."""
        return False

    def show_screen(self, bitmap: Bitmap, contrast: int = ssd1306.CONTRAST) -> None:
        """Shows a picture soon, if the board has a display. Must not block.

        The contrast says how bright its lit pixels are, 0 to 255.
        """

    @property
    def has_sound(self) -> bool:
        """Whether the board, as it is now, can play tunes."""
        return False

    @property
    def sound_problem(self) -> Problem | None:
        """Why the piezo has failed, if that is known; None while it works."""
        return None

    def play(self, tune: Tune) -> None:
        """Plays a tune at once, instead of the current one. Must not block.

        A board without a link, or without a piezo, plays nothing, and does not catch up later.
        """

    def ping(self, answer: Answer) -> None:
        """Asks the board's threads to call `answer` soon, to show that they run. Does not wait.

        It is repeated until they do.
        """
        answer()

    def ping_display(self, answer: Answer) -> None:
        """Like `ping`, for a thread that only writes to the display.

        Without such a thread, `answer` is called at once.
        """
        answer()

    def is_alive(self) -> bool:
        """Whether all threads of the board run."""
        return True

    def close(self) -> None:
        """Ends the threads of the board; the sink is not called after this."""


class SelectThread(LoopThread):
    """A loop that also waits for files: a serial port, the lines of a chip."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._bell: int | None = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._bell_lock = threading.Lock()

    def close(self) -> None:
        """Ends the thread. May be called again, and before `start`."""
        super().close()
        # After this, nobody may write: the descriptor may belong to another file by then.
        with self._bell_lock:
            if self._bell is not None and not self.is_alive():
                os.close(self._bell)
                self._bell = None

    def _wake(self) -> None:
        with self._bell_lock:
            if self._bell is not None:
                os.eventfd_write(self._bell, 1)

    def _wait(self, seconds: float | None = None) -> bool:
        return bool(self._select((), (), seconds)[0])

    def _select(
        self, reads: Sequence[Any], writes: Sequence[Any], seconds: float | None
    ) -> tuple[list[Any], list[Any]]:
        """Answers a ping, then waits for files like `select`, or until woken."""
        self._answer_ping()
        readable, writable, _ = select.select([self._bell, *reads], writes, [], seconds)
        if self._bell in readable:
            os.eventfd_read(self._bell)  # type: ignore[arg-type]  # open as long as the loop runs
        return readable, writable


def sentence(error: Exception) -> str:
    """The message of an exception, as a sentence on one line; of the system's, only its reason."""
    if error.args and isinstance(error.args[0], str):
        text = error.args[0]
    else:
        text = os_reason(error) if isinstance(error, OSError) else " ".join(str(error).split())
    text = text or type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."


class Simulator(Board):
    """A board without hardware: its buttons are on the page, which draws its pixels by itself."""

    kind = "simulator"
    simulated = True
