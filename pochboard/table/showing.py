"""What the board shows instead of the table while no night is in progress (BOARD.md 4).

That is an entry of a replay, one colour while a phone asks which colour people see, or one part
while a board is tested.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

import msgspec

from pochboard.errors import Refusal, refuse
from pochboard.lights.frame import BLUE, RED, WHITE
from pochboard.rules.state import BETWEEN_NIGHTS, State
from pochboard.table.clock import now_us
from pochboard.table.journal import Journal
from pochboard.table.ledger_nights import LedgerNights
from pochboard.table.lighting import Lighting
from pochboard.table.records import BoardTest
from pochboard.table.worker import Change
from pochboard.text.lazy import lazy_gettext

REPLAY_SILENCE_US: Final = 6_000_000
"""The board shows the table again when the phone with the replay has been silent for this long."""
TEST_SILENCE_US: Final = 120_000_000
"""How long a colour or a part is shown unless the phone asks again or a button is pressed."""
TestColour = Literal["red", "green", "blue", "white"]
_SCREEN: Final[dict[TestColour, str]] = {
    "red": RED, "green": "#00ff00", "blue": BLUE, "white": WHITE,
}  # fmt: skip


class _Replay(msgspec.Struct, frozen=True):
    """An entry of a night, and the phone that replays it."""

    holder: str
    night: int
    state: State


class _Shown(msgspec.Struct, frozen=True):
    """What the board shows: an entry, a colour as screens have it, or a part."""

    what: _Replay | BoardTest | str
    basis: object
    """The situation at the table when it began. A change of it ends what is shown."""
    end_us: int


class Showing:
    """A replay, a colour or a test on the board, if any.

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

    def show_colour(self, colour: TestColour) -> Refusal | None:
        """Lights the whole board in one colour, so that people can say which one they see.

        Returns why it is refused, if it is.
        """
        return self._change(lambda: self._tested(_SCREEN[colour]))

    def end_colours(self) -> None:
        """The board shows the table again."""
        self._change(lambda: self.end() if self.colour is not None else None)

    def show_part(self, part: str) -> Refusal | None:
        """Lights one part of the board, and from then on only names what is pressed.

        Returns why it is refused, if it is.
        """

        def show() -> Refusal | None:
            pressed, last = (self.test.pressed, self.test.last) if self.test else ((), None)
            return self._tested(BoardTest(part, pressed, last))

        return self._change(show)

    def end_test(self) -> None:
        """The board shows the table again, and presses act again."""
        self._change(lambda: self.end() if self.test is not None else None)

    # In the table's thread.

    def takes(self, button: str) -> bool:
        """A button goes down: a test takes it, and all else that is shown ends. Returns which."""
        test = self.test
        if test is None:
            self.end()
            return False
        pressed = test.pressed if button in test.pressed else (*test.pressed, button)
        self._show(BoardTest(test.part, pressed, button), TEST_SILENCE_US)
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

    @property
    def colour(self) -> str | None:
        """The colour that the board shows, as screens have it."""
        what = self._shown.what if self._shown else None
        return what if isinstance(what, str) else None

    def lights(self) -> bool:
        """Lights the board if one colour is shown on it or a part of it; returns whether it is."""
        match self._shown.what if self._shown else None:
            case BoardTest(part=part):
                self._lighting.show_alone(part, WHITE)
            case str(colour):
                self._lighting.show_alone("all", colour)
            case _:
                return False
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

    def _tested(self, what: BoardTest | str) -> Refusal | None:
        """Shows a test, unless a night is in progress."""
        if self._journal.state.phase not in BETWEEN_NIGHTS:
            return refuse(
                "wrong-phase",
                lazy_gettext("The board can be tested only while no night is in progress."),
            )
        self._show(what, TEST_SILENCE_US)
        return None

    def _show(self, what: _Replay | BoardTest | str, silence_us: int) -> None:
        self._shown = _Shown(what, self._basis(), now_us() + silence_us)
