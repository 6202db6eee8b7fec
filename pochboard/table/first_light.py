"""The test of a board that is being built: a conversation with whoever builds it (BOARD.md 4).

While no night is in progress, the board shows what a question is about instead of the table, and
presses are only heard.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from pochboard.config import ColourOrder
from pochboard.errors import Refusal, refuse
from pochboard.ledger.entry import SoundName
from pochboard.lights.first_light import (
    ABSENT,
    CLOSED,
    SECTIONS,
    Ask,
    BoardUnderTest,
    Fault,
    frame_of,
    next_step,
    questions_of,
)
from pochboard.lights.frame import Frame
from pochboard.lights.lights_config import dark_frame
from pochboard.rules.state import BETWEEN_NIGHTS
from pochboard.runtime.threads import Change, now_us
from pochboard.store import Store, keep_small, read_small
from pochboard.table.journal import Journal
from pochboard.table.snapshot import BoardTest

SILENCE_US: Final = 120_000_000
"""How long a test is shown unless the phone asks again or a button is pressed."""
MOST_HEARD: Final = 32
"""How many of the newest presses a test keeps, however often a contact flickers."""
DIGITS: Final = "4711"
"""What people read on the display."""
ASKED_TUNE: Final[SoundName] = "claim"
"""What people listen to: four rising beeps."""


class FirstLight:
    """The questions and answers, and what the board shows meanwhile.

    Methods are for any thread, those from `consumes` on for the table's.
    """

    def __init__(
        self,
        store: Store,
        journal: Journal,
        board: Callable[[], BoardUnderTest],
        change: Change,
        situation: Callable[[], object],
    ) -> None:
        """Earlier answers still hold. A change of the `situation` ends the test."""
        self._journal = journal
        self.board = board
        """The board as it is configured now."""
        self._change = change
        self._situation = situation
        self._lock = threading.Lock()
        self._file = store.beside("first-light")
        self.answers: Mapping[str, str] = read_small(self._file, dict[str, str]) or {}
        """What has been answered, by question."""
        self._asked = 0
        self.test: BoardTest | None = None
        """The question that is shown, and the presses heard; None without a test."""
        self.frame: Frame = b""
        """What the board lights for it."""
        self._began: object = None
        self._end_us = 0

    def step(self) -> Ask | Fault | None:
        """The question that is open, or the fault that was found; None if all is right."""
        return next_step(self.answers, self.board())

    def show(self, tune: SoundName | None = None) -> Refusal | None:
        """Lets the board show what is asked, or play a tune. Returns why it is refused, if so."""
        board, step = self.board(), self.step()
        ask, digits, frame = "", "", dark_frame(board.lights)
        if isinstance(step, Ask):
            ask, frame = step.name, frame_of(step, board)
            digits = DIGITS if step.kind == "display" else ""
            tune = tune or (ASKED_TUNE if step.kind == "sound" else None)

        def show() -> Refusal | None:
            if self._journal.state.phase not in BETWEEN_NIGHTS:
                return refuse(
                    "wrong-phase",
                    "The board can be tested only while no night is in progress.",
                )
            self._asked += 1
            self._show(BoardTest(ask, self._asked, (), digits, tune), frame)
            return None

        return self._change(show)

    def leave(self) -> None:
        """The board shows the table again, and presses act again."""
        self._change(self.end)

    def answer(self, ask: str, said: str, closed: frozenset[str]) -> Refusal | None:
        """Takes an answer. If the board answers, `said` is empty: it is what was heard.

        `closed` are the buttons whose contacts are closed now. An answer to a question that is not
        open any more changes nothing, as after a double tap.
        """
        with self._lock:
            step = self.step()
            if not isinstance(step, Ask) or step.name != ask:
                return None
            if not said and step.listens:
                test = self.test
                heard = test.heard if test and test.ask == ask else ()
                resting = sorted(closed) if step.kind == "rest" else []
                said = " ".join([*(f"{CLOSED}{name}" for name in resting), *heard])
            elif said not in {*step.choices, *step.picks}:
                return refuse("bad-argument", "That is no answer to this question.")
            self._keep({**self.answers, ask: said})
        return None

    def learnt(self) -> ColourOrder | None:
        """The order of the colours that the answers have shown; None if they show none."""
        step = self.step()
        if isinstance(step, Fault):
            return step.order
        return self.board().order if "green" in self.answers else None

    def again(self, section: str) -> None:
        """Asks the questions of a section again, or all of them for an empty one."""
        with self._lock:
            answers = self.answers
            forgotten = questions_of(section, answers, self.board()) if section else answers
            self._keep({name: said for name, said in answers.items() if name not in forgotten})

    def _keep(self, answers: Mapping[str, str]) -> None:
        self.answers = dict(answers)
        keep_small(self._file, self.answers)

    def state_of(self, section: str) -> str:
        """Whether a section is `right`, `wrong`, `absent` or still `open`."""
        step = self.step()
        if step is not None and step.section == section:
            return "wrong" if isinstance(step, Fault) else "open"
        names = list(SECTIONS)
        if step is not None and names.index(step.section) < names.index(section):
            return "open"
        asked = questions_of(section, self.answers, self.board())
        return "absent" if self.answers.get(asked[-1]) == ABSENT else "right"

    # In the table's thread.

    def consumes(self, button: str) -> bool:
        """A button goes down: returns whether a test takes it."""
        if self.test is None:
            return False
        heard = (*self.test.heard, button)[-MOST_HEARD:]
        self._show(replace(self.test, heard=heard), self.frame)
        return True

    def due_us(self) -> int | None:
        """When the test ends unless its phone asks again; None if there is none."""
        return self._end_us if self.test else None

    def end(self) -> None:
        """Shows the table again."""
        self.test = None

    def end_if_changed(self) -> None:
        """Shows the table again if the situation there has changed."""
        if self.test and self._began != self._situation():
            self.end()

    def _show(self, test: BoardTest, frame: Frame) -> None:
        self.test, self.frame = test, frame
        self._began, self._end_us = self._situation(), now_us() + SILENCE_US
