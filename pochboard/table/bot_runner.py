"""Runs bots at the simulated board, where they play a night by pressing the buttons.

At a real board there is only the practice deal, whose commands are sent without presses.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

from pochboard.bots.bot_table import AwaitPerson, BotAction, BotCommand, PlayCard
from pochboard.bots.practice import LEARNER
from pochboard.bots.presses import NEXT, next_press
from pochboard.buttons.press import Press, PressTimes
from pochboard.cards.card import Card
from pochboard.errors import LedgerError, Refusal, RefusedInput, StoppedError, refuse
from pochboard.ledger.remarks import NightOfBots
from pochboard.lights.frame import Frame
from pochboard.messages.practice import LessonName
from pochboard.rules.commands import AnyCommand, End, Start, Void
from pochboard.rules.state import State
from pochboard.table.bot_session import BotOptions, BotSession, delay_s, is_recorded, practice_start
from pochboard.table.simulated_board import Buttons
from pochboard.table.snapshot import Hand, Snapshot
from pochboard.table.table import Table
from pochboard.text.lazy import lazy_gettext, lazy_text
from pochboard.text.translator import Translator

T = TypeVar("T")

_MARGIN_S: Final = 0.06
"""How much longer than necessary a button is held, and how much later `next` is pressed."""
_ANSWER_S: Final = 10.0
"""The longest wait for the table, which answers far sooner unless it has stopped."""


class ButtonDriver:
    """Makes presses that mean the same however busy the machine is.

    A thread may be kept waiting for longer than a long press takes. So a short press is never
    timed here, and a long press, once begun, is never cut short.
    """

    def __init__(self, buttons: Buttons, times: PressTimes, pause: Callable[[float], bool]) -> None:
        """`pause` waits, but not longer than the bots play; it returns whether they still do."""
        self._buttons = buttons
        self._times = times
        self._pause = pause
        self._next_at_s = 0.0
        """The earliest time of the next press of `next`, on the monotonic clock."""

    def press(
        self, press: Press, *, wanted: Callable[[], bool] = lambda: True
    ) -> list[RefusedInput]:
        """Makes a press and returns what was refused.

        Does nothing if the bots are dismissed before it begins. A short press that is no longer
        `wanted` when the table handles it does nothing either. Raises ConnectionError if the
        board has lost its link, and StoppedError if it has stopped.
        """
        if press == NEXT and not self._pause(self._next_at_s - time.monotonic()):
            return []
        if press.long:
            refused = self._hold(press)
        else:
            (button,) = press.buttons
            refused = self._buttons.tap(button, wanted=wanted).result(_ANSWER_S)
        if press == NEXT:
            # Pressed again too soon, `next` would be refused (BOARD.md 3).
            self._next_at_s = time.monotonic() + self._times.too_soon_us / 1e6 + _MARGIN_S
        return refused

    def _hold(self, press: Press) -> list[RefusedInput]:
        both = len(press.buttons) > 1
        held_s = (self._times.both_us if both else self._times.long_us) / 1e6 + _MARGIN_S
        hold_s = held_s + _ANSWER_S
        answers = self._buttons.edges("bots", press.buttons, down=True, hold_s=hold_s)
        try:
            time.sleep(held_s)
        finally:
            answers += self._buttons.edges("bots", press.buttons, down=False)
        return [refused for answer in answers for refused in answer.result(_ANSWER_S)]


log = logging.getLogger(__name__)

_BETWEEN_PRESSES_S: Final = 0.4
_TRIES: Final = 4
_RETRY_S: Final = 1.0
_STUCK_S: Final = 10.0
_REAL_BOARD: Final = refuse(
    "no-bots",
    lazy_gettext("Computer players press the buttons of the simulated board. This is a real one."),
)
_NO_BOTS: Final = refuse("no-bots", lazy_gettext("No computer players are at the table."))


class BotRunner:
    """Bots at one table. Public methods may be called from any thread.

    Never call the table while holding the lock: the table's own thread takes the lock to report a
    change, so you would deadlock.
    """

    def __init__(self, table: Table, buttons: Buttons | None, times: PressTimes) -> None:
        """Without `buttons`, at a real board, there is only the practice deal."""
        self._table = table
        self._changed = threading.Condition()
        self._driver = ButtonDriver(buttons, times, self._pause) if buttons else None
        self._session: BotSession | None = None
        self._closed = False

    def start(self, options: BotOptions, t: Translator) -> Refusal | None:
        """Bots start a night and play it. Returns the refusal if they cannot.

        They have names in the language of `t`. The night is kept out of the list and the
        statistics.
        """
        if self._driver is None:
            return _REAL_BOARD
        options = options.seeded()
        if options.players > self._table.lights.places:
            return refuse(
                "bad-players",
                lazy_gettext(
                    "This board has only {places} places.", places=self._table.lights.places
                ),
            )
        return self._begin(BotSession(options), options.start(t))

    def practise(self, name: str, t: Translator) -> tuple[int, str] | Refusal:
        """Begins a practice deal. Returns the seat of the learner and the key to its cards.

        The night never counts, and it ends with the practice, whoever ends that. Without a name,
        the learner is called a guest in the language of `t`.
        """
        session = BotSession(BotOptions.practice(), practice=True)
        refusal = self._begin(session, practice_start(name, t))
        return refusal or (LEARNER, session.learners_key)

    def _begin(self, session: BotSession, start: Start) -> Refusal | None:
        with self._changed:
            if self._closed:
                raise StoppedError("The daemon is stopping.")
            if self._session:
                return refuse(
                    "wrong-phase", lazy_gettext("Computer players are already at the table.")
                )
            self._session = session
        recorded = self._table.command(start)
        if isinstance(recorded, Refusal):
            with self._changed:
                self._session = None
            return recorded
        session.night = night = self._table.snapshot.night
        if night is not None:
            try:
                self._table.nights.add_remark(NightOfBots(night, bots=True))
            except LedgerError as error:
                log.warning("the night is not marked as one of bots: %s", error)
        self._show(session, recorded.state, None)
        session.thread = threading.Thread(target=self._run, args=(session,), name="bots")
        session.thread.start()
        return None

    def dismiss(self) -> bool:
        """Sends the bots away, and leaves their night as it is. Returns whether there were any."""
        with self._changed:
            session = self._session
            if session is None:
                return False
            session.dismissed = True
            self._changed.notify_all()
        if session.thread:
            session.thread.join()
        return True

    def close(self) -> None:
        """Sends the bots away for good."""
        with self._changed:
            self._closed = True
        self.dismiss()

    def set_speed(self, speed: float) -> Refusal | None:
        """Sets how many times faster than people the bots play."""

        def set_speed(session: BotSession) -> None:
            session.speed = speed

        return self._with_session(set_speed)

    def take_seat(self, seat: int) -> str | Refusal:
        """A person takes over a seat; the key identifies them."""
        live = self._table.snapshot.state.live
        return self._with_session(lambda session: session.take_seat(seat, live))

    def give_back_seat(self, seat: int) -> Refusal | None:
        """A bot takes back a seat that a person had taken."""
        return self._with_session(lambda session: session.give_back_seat(seat))

    def hand(self, key: str) -> Hand | Refusal:
        """The cards of the person with this key."""
        state = self._table.snapshot.state
        with self._changed:
            return self._session.hand(key, state) if self._session else _NO_BOTS

    def read_lesson(self, key: str, name: LessonName) -> Refusal | None:
        """The learner with this key has read a lesson, so the practice goes on."""
        return self._with_session(lambda session: session.read_lesson(key, name))

    def play_card(self, key: str, card: Card) -> Refusal | None:
        """The person with this key plays a card."""
        state = self._table.snapshot.state
        return self._with_session(lambda session: session.play_card(key, card, state))

    def _with_session(self, act: Callable[[BotSession], T]) -> T | Refusal:
        """Does something with the bots that are there, and wakes their thread."""
        with self._changed:
            if self._session is None:
                return _NO_BOTS
            done = act(self._session)
            self._changed.notify_all()
        return done

    # A listener of the table, called in its thread.

    def on_snapshot(self, _: Snapshot) -> None:
        """Wakes the bots' thread."""
        with self._changed:
            self._changed.notify_all()

    def on_refused(self, refused: RefusedInput) -> None:
        """Does nothing: the answer to a press contains its refusal."""

    def on_frame(self, frame: Frame) -> None:
        """Does nothing."""

    # In the bots' own thread.

    def _run(self, session: BotSession) -> None:
        try:
            unlisten = self._table.listen(self)
            try:
                while self._turn(session):
                    pass
            finally:
                if session.practice:
                    self._end_night(session)
                with self._changed:
                    self._session = None
                self._table.show_bots(None)
                unlisten()
        except StoppedError:
            pass
        except Exception:
            log.exception("The computer players failed and have left. The table goes on.")

    def _end_night(self, session: BotSession) -> None:
        """Ends the night of a practice that was left early, so that the board is free again."""
        for command, name in ((Void(), "void"), (End(), "end")):
            now = self._table.snapshot
            if now.night == session.night and name in now.legal.commands:
                self._table.command(command)

    def _turn(self, session: BotSession) -> bool:
        """Carries out one action. Returns false when the bots leave."""
        snapshot = self._table.snapshot
        with self._changed:
            known = session.version, session.speed
            if session.dismissed or snapshot.night != session.night:
                return False
            session.fill_seats(snapshot.state.live)
            action = session.next_action(snapshot)
        self._show(session, snapshot.state, action)
        if action is None:
            return False
        if isinstance(action, AwaitPerson):
            self._wait_for_change(session, snapshot, known, None)
        elif self._wait_for_change(session, snapshot, known, delay_s(action) / session.speed):
            return True
        elif isinstance(action, PlayCard):
            with self._changed:
                if known[0] == session.version:
                    session.carried_out(action, snapshot)
        else:
            self._send(session, snapshot, action, known[0])
        return True

    def _wait_for_change(
        self,
        session: BotSession,
        snapshot: Snapshot,
        known: tuple[int, float],
        seconds: float | None,
    ) -> bool:
        """Waits until something changes, or for this long. Returns whether something has."""
        until = None if seconds is None else time.monotonic() + seconds
        with self._changed:
            while not self._has_changed(session, snapshot, known):
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    return False
                self._changed.wait(left)
        return True

    def _has_changed(
        self, session: BotSession, snapshot: Snapshot, known: tuple[int, float]
    ) -> bool:
        return (
            session.dismissed
            or (session.version, session.speed) != known
            or not _same_entry(self._table.snapshot, snapshot)
        )

    def _pause(self, seconds: float) -> bool:
        """Waits. Returns false if the bots have been dismissed meanwhile."""
        until = time.monotonic() + seconds
        with self._changed:
            while True:
                if self._session is None or self._session.dismissed:
                    return False
                left = until - time.monotonic()
                if left <= 0:
                    return True
                self._changed.wait(left)

    def _send(
        self, session: BotSession, snapshot: Snapshot, action: BotCommand, version: int
    ) -> None:
        """Makes presses until the command is recorded.

        Gives up if a seat changes hands meanwhile, or somebody else sends a command.
        """
        tries = 0
        while not session.dismissed and session.version == version:
            now = self._table.snapshot
            if not _same_entry(now, snapshot):
                break
            refused = self._step(action.command, now)
            tries += refused is not None
            if refused is None:
                self._pause(_BETWEEN_PRESSES_S / session.speed)
            elif tries < _TRIES:
                self._pause(_RETRY_S)
            else:
                self._wait_while_stuck(session, now, refused)
                return
        now = self._table.snapshot
        follows = (now.night, now.entry) == (snapshot.night, snapshot.entry + 1)
        if follows and is_recorded(action.command, now.command):
            with self._changed:
                session.carried_out(action, snapshot)

    def _step(self, command: AnyCommand, now: Snapshot) -> Refusal | None:
        """Makes one press on the way to a command, or sends one that only a phone can send.

        Returns why it was refused, if it was.
        """
        press = next_press(command, now.state, now.pending) if self._driver else None
        if press is None or self._driver is None:
            recorded = self._table.command(command)
            return recorded if isinstance(recorded, Refusal) else None
        try:
            # A person may send a command just now. Then the same press would send another command.
            refused = self._driver.press(
                press, wanted=lambda: _same_entry(self._table.snapshot, now)
            )
        except ConnectionError as error:
            return refuse("no-link", lazy_text(error))
        return refused[0].refusal if refused else None

    def _wait_while_stuck(self, session: BotSession, now: Snapshot, why: Refusal) -> None:
        """Shows why the bots cannot continue, and waits until somebody does something."""
        with self._changed:
            session.stuck = why
            known = session.version, session.speed
        self._show(session, now.state, None)
        self._wait_for_change(session, now, known, _STUCK_S)
        with self._changed:
            session.stuck = None

    def _show(self, session: BotSession, state: State, action: BotAction | None) -> None:
        with self._changed:
            bots = session.bots(state, action)
        if bots != session.shown:
            session.shown = bots
            self._table.show_bots(bots)


def _same_entry(one: Snapshot, other: Snapshot) -> bool:
    return (one.night, one.entry) == (other.night, other.entry)
