"""What the board shows instead of the table while no night is in progress (BOARD.md 4).

That is an entry of a replay, or what a question of the first light is about.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from pochboard.config import ColourOrder
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
from pochboard.lights.frame import Frame
from pochboard.lights.lights_config import dark_frame
from pochboard.rules.state import BETWEEN_NIGHTS, State
from pochboard.store import Store, keep_small, read_small
from pochboard.table.clock import now_us
from pochboard.table.journal import Journal
from pochboard.table.ledger_nights import LedgerNights
from pochboard.table.lighting import Lighting
from pochboard.table.snapshot import BoardTest
from pochboard.table.worker import Change
from pochboard.text.lazy import lazy_gettext

REPLAY_SILENCE_US: Final = 6_000_000
"""The board shows the table again when the phone with the replay has been silent for this long."""
TEST_SILENCE_US: Final = 120_000_000
"""How long a test is shown unless the phone asks again or a button is pressed."""
MOST_HEARD: Final = 32
"""How many of the newest presses a test keeps, however often a contact flickers."""


class _Replay(msgspec.Struct, frozen=True):
    """An entry of a night, and the phone that replays it."""

    holder: str
    night: int
    state: State


class _Shown(msgspec.Struct, frozen=True):
    """What the board shows: an entry of a night, or a test."""

    what: _Replay | BoardTest
    basis: object
    """The situation at the table when it began. A change of it ends what is shown."""
    end_us: int
    frame: Frame = b""
    """What a test lights."""


class Showing:
    """A replay or a test on the board, if any.

    The methods up to `end_test` are for any thread.
    """

    def __init__(
        self,
        journal: Journal,
        nights: LedgerNights,
        lighting: Lighting,
        change: Change,
        basis: Callable[[], object],
    ) -> None:
        """`basis` is the situation at the table; a change of it ends what is shown."""
        self._journal = journal
        self._nights = nights
        self._lighting = lighting
        self._change = change
        self._basis = basis
        self._shown: _Shown | None = None
        self._tests = 0

    def show_replay(self, night: int, entry: int, holder: str, *, keep: bool) -> Refusal | None:
        """Lets the board show a night after an entry, until `holder` is silent (BOARD.md 4).

        With `keep`, only if the board still shows the replay of this holder. Returns why it is
        refused, if it is. Raises UnknownNightError, LedgerError.
        """
        states = self._nights.night(night).states
        if not 1 <= entry <= len(states):
            return refuse(
                "bad-argument",
                lazy_gettext(
                    '"entry" must be a whole number from 1 to {most}, the last entry of this'
                    " night.",
                    most=len(states),
                ),
            )
        replayed = states[entry - 1]

        def show() -> Refusal | None:
            if self._journal.state.phase not in BETWEEN_NIGHTS:
                return refuse(
                    "wrong-phase",
                    lazy_gettext("The board can show a replay only while no night is in progress."),
                )
            if keep and not self._is_shown_to(holder):
                return refuse("replay-over", lazy_gettext("The board no longer shows the replay."))
            self._show(_Replay(holder, night, replayed), REPLAY_SILENCE_US)
            self._lighting.calm()
            return None

        return self._change(show)

    def end_replay(self, holder: str) -> None:
        """The board shows the table again, if it has shown the replay of this holder."""
        self._change(lambda: self.end() if self._is_shown_to(holder) else None)

    def show_test(
        self, ask: str, frame: Frame, digits: str = "", tune: SoundName | None = None
    ) -> Refusal | None:
        """Shows what a question of the first light is about; from then on presses are only heard.

        Returns why it is refused, if it is.
        """

        def show() -> Refusal | None:
            self._tests += 1
            return self._tested(BoardTest(ask, self._tests, (), digits, tune), frame)

        return self._change(show)

    def end_test(self) -> None:
        """The board shows the table again, and presses act again."""
        self._change(lambda: self.end() if self.test is not None else None)

    # In the table's thread.

    def consumes(self, button: str) -> bool:
        """A button goes down: a test takes it, and all else that is shown ends. Returns which."""
        test = self.test
        if test is None:
            self.end()
            return False
        assert self._shown is not None, "it has the test"
        heard = (*test.heard, button)[-MOST_HEARD:]
        self._show(replace(test, heard=heard), TEST_SILENCE_US, self._shown.frame)
        return True

    @property
    def test(self) -> BoardTest | None:
        """The test under way."""
        what = self._shown.what if self._shown else None
        return what if isinstance(what, BoardTest) else None

    @property
    def state(self) -> State | None:
        """The state of a replay that the board shows."""
        replay = self._replay
        return replay.state if replay else None

    @property
    def night(self) -> int | None:
        """The night of a replay that the board shows."""
        replay = self._replay
        return replay.night if replay else None

    def lights(self) -> bool:
        """Lights the board if a test is shown on it; returns whether it is."""
        if self._shown is None or not isinstance(self._shown.what, BoardTest):
            return False
        self._lighting.show_alone(self._shown.frame)
        return True

    def due_us(self) -> int | None:
        """When what is shown ends unless its phone asks again; None if nothing is."""
        return self._shown.end_us if self._shown else None

    def end(self) -> None:
        """Shows the table again."""
        self._shown = None

    def end_if_changed(self) -> None:
        """Shows the table again if the situation there has changed."""
        if self._shown is not None and self._shown.basis != self._basis():
            self.end()

    @property
    def _replay(self) -> _Replay | None:
        what = self._shown.what if self._shown else None
        return what if isinstance(what, _Replay) else None

    def _is_shown_to(self, holder: str) -> bool:
        replay = self._replay
        return replay is not None and replay.holder == holder

    def _tested(self, what: BoardTest, frame: Frame) -> Refusal | None:
        """Shows a test, unless a night is in progress."""
        if self._journal.state.phase not in BETWEEN_NIGHTS:
            return refuse(
                "wrong-phase",
                lazy_gettext("The board can be tested only while no night is in progress."),
            )
        self._show(what, TEST_SILENCE_US, frame)
        return None

    def _show(self, what: _Replay | BoardTest, silence_us: int, frame: Frame = b"") -> None:
        self._shown = _Shown(what, self._basis(), now_us() + silence_us, frame)


DIGITS: Final = "4711"
"""What people read on the display."""
ASKED_TUNE: Final[SoundName] = "claim"
"""What people listen to: four rising beeps."""


class FirstLight:
    """The conversation with a builder. For any thread."""

    def __init__(self, store: Store, showing: Showing, board: Callable[[], BoardUnderTest]) -> None:
        """`board` is the board as it is configured now. What was answered before still holds."""
        self._showing = showing
        self._board = board
        self._lock = threading.Lock()
        self._file = store.beside("first-light")
        self._answers = read_small(self._file, dict[str, str]) or {}

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
        keep_small(self._file, self._answers)

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
