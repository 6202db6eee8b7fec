"""The first light of the board: the answers so far, and the question that the board shows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Final

from pochboard.colour_order import ColourOrder
from pochboard.errors import Refusal, refuse
from pochboard.ledger.sounds import SoundName
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
from pochboard.lights.lights_config import dark_frame
from pochboard.store import Store
from pochboard.table.takeover import Showing
from pochboard.text.lazy import lazy_gettext

DIGITS: Final = "4711"
"""What people read on the display."""
ASKED_TUNE: Final[SoundName] = "claim"
"""What people listen to: four rising beeps."""


class FirstLight:
    """The conversation with a builder. For any thread."""

    def __init__(self, store: Store, showing: Showing, board: Callable[[], BoardUnderTest]) -> None:
        """`board` is the board as it is configured now. What was answered before still holds."""
        self._store = store
        self._showing = showing
        self._board = board
        self._lock = threading.Lock()
        self._answers = store.first_light()

    @property
    def answers(self) -> Mapping[str, str]:
        """What has been answered, by question."""
        return self._answers

    @property
    def board(self) -> BoardUnderTest:
        """The board as it is configured now."""
        return self._board()

    def step(self) -> Ask | Fault | None:
        """The question that is open, or the fault that was found; None if all is right."""
        return next_step(self._answers, self._board())

    def show(self, tune: SoundName | None = None) -> Refusal | None:
        """Lets the board show what is asked, or play a tune. Returns why it is refused, if so."""
        board, step = self._board(), self.step()
        if not isinstance(step, Ask):
            return self._showing.show_test("", dark_frame(board.lights), tune=tune)
        digits = DIGITS if step.kind == "display" else ""
        asked = ASKED_TUNE if step.kind == "sound" else None
        return self._showing.show_test(step.name, frame_of(step, board), digits, tune or asked)

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
                test = self._showing.test
                heard = test.heard if test and test.ask == ask else ()
                resting = sorted(closed) if step.kind == "rest" else []
                said = " ".join([*(f"{CLOSED}{name}" for name in resting), *heard])
            elif said not in {*step.choices, *step.picks}:
                return refuse("bad-argument", lazy_gettext("That is no answer to this question."))
            self._keep({**self._answers, ask: said})
        return None

    def learnt(self) -> ColourOrder | None:
        """The order of the colours that the answers have shown; None if they show none."""
        step = self.step()
        if isinstance(step, Fault):
            return step.order
        return self._board().order if "green" in self._answers else None

    def again(self, section: str) -> None:
        """Asks the questions of a section again, or all of them for an empty one."""
        with self._lock:
            board = self._board()
            forgotten = {
                name
                for one in ([section] if section else SECTIONS)
                for name in questions_of(one, self._answers, board)
            }
            kept = {name: said for name, said in self._answers.items() if name not in forgotten}
            self._keep(kept if section else {})

    def _keep(self, answers: Mapping[str, str]) -> None:
        self._answers = dict(answers)
        self._store.keep_first_light(self._answers)

    def state_of(self, section: str) -> str:
        """Whether a section is `right`, `wrong`, `absent` or still `open`."""
        step = self.step()
        if step is not None and step.section == section:
            return "wrong" if isinstance(step, Fault) else "open"
        names = list(SECTIONS)
        if step is not None and names.index(step.section) < names.index(section):
            return "open"
        asked = questions_of(section, self._answers, self._board())
        return "absent" if self._answers.get(asked[-1]) == ABSENT else "right"
