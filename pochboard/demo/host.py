"""The host: brings house players to the table, where they play by pressing the board's buttons."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from typing import Final

import msgspec

from pochboard.buttons.press import PressTimes
from pochboard.cards.card import Card, sorted_hand
from pochboard.demo.fingers import SHORT_S, Fingers
from pochboard.demo.visit import Visit, is_booked, pace_s
from pochboard.demo.wish import Wish, temper_of
from pochboard.errors import CardError, Refusal, RefusalEvent, StoppedError, refuse
from pochboard.lights.frame import Frame
from pochboard.messages.refusals import refusal_text
from pochboard.players.acts import Act, Await, Do, Lay
from pochboard.players.presses import NEXT, next_press
from pochboard.rules.commands import AnyCommand
from pochboard.rules.melding import claimable
from pochboard.rules.state import State
from pochboard.table.records import Buttons, Snapshot
from pochboard.table.table import Table

log = logging.getLogger(__name__)

_BETWEEN_PRESSES_S: Final = 0.35
_TRIES: Final = 4
_AGAIN_S: Final = 1.0


class Hand(msgspec.Struct, frozen=True):
    """What a person who has taken a seat holds, and may do with it."""

    seat: int
    cards: tuple[Card, ...]
    """The cards in hand, sorted."""
    playable: tuple[Card, ...]
    """Those that may be laid now; empty when it is not this seat's turn."""
    due: tuple[str, ...]
    """The pools that the hand may claim now."""


class Host:
    """House players at one table. From any thread; the host's own one presses.

    Nothing here calls the table while it holds its lock: the table tells us of changes in its
    own thread, and waits for that lock there.
    """

    def __init__(self, table: Table, buttons: Buttons, times: PressTimes) -> None:
        self._table = table
        self._times = times
        self._changed = threading.Condition()
        self._fingers = Fingers(buttons, times, self._pause)
        self._visit: Visit | None = None
        self._next_s = 0.0
        """When `next` was pressed last, on the monotonic clock."""
        self._closed = False

    # From any thread.

    def invite(self, wish: Wish) -> Refusal | None:
        """House players start a night and play it; the refusal if they cannot."""
        wish = wish.seeded()
        if wish.players > self._table.display.places:
            return refuse("bad-players", "places", places=self._table.display.places)
        with self._changed:
            if self._closed:
                raise StoppedError("The daemon is stopping.")
            if self._visit:
                return refuse("wrong-phase", "bots-playing")
            visit = self._visit = Visit(wish)
        done = self._table.command(wish.start())
        if isinstance(done, Refusal):
            with self._changed:
                self._visit = None
            return done
        visit.night = self._table.snapshot.night
        self._show(visit, done.state, None)
        visit.thread = threading.Thread(target=self._run, args=(visit,), name="house")
        visit.thread.start()
        return None

    def dismiss(self) -> bool:
        """Sends the house players away; the night stays as it is. Whether there were any."""
        with self._changed:
            visit = self._visit
            if visit is None:
                return False
            visit.over = True
            self._changed.notify_all()
        if visit.thread:
            visit.thread.join()
        return True

    def close(self) -> None:
        """Sends the house players away for good."""
        with self._changed:
            self._closed = True
        self.dismiss()

    def set_speed(self, speed: float) -> Refusal | None:
        """How many times faster than people the house plays."""
        with self._changed:
            if self._visit is None:
                return _NOBODY
            self._visit.speed = speed
            self._changed.notify_all()
        return None

    def take(self, seat: int) -> str | Refusal:
        """A person takes over a seat; the key tells the person from others."""
        live = self._table.snapshot.state.live
        with self._changed:
            visit = self._visit
            if visit is None:
                return _NOBODY
            if seat in visit.keys:
                return refuse("seat-taken")
            visit.seat_guests(live)
            if seat not in visit.house.tempers:
                return refuse("unknown-seat", "no-bot")
            visit.house.tempers.pop(seat)
            visit.keys[seat] = key = secrets.token_urlsafe(16)
            visit.touched()
            self._changed.notify_all()
        return key

    def give_back(self, seat: int) -> Refusal | None:
        """The house plays a seat again that a person had taken."""
        with self._changed:
            visit = self._visit
            if visit is None:
                return _NOBODY
            if visit.keys.pop(seat, None) is None:
                return refuse("unknown-seat", "not-taken")
            visit.house.tempers[seat] = temper_of(seat)
            visit.touched()
            self._changed.notify_all()
        return None

    def hand(self, key: str) -> Hand | Refusal:
        """The cards of the person with this key."""
        state = self._table.snapshot.state
        with self._changed:
            found = self._seat_of(key)
            if isinstance(found, Refusal):
                return found
            visit, seat = found
            arbiter = visit.house.arbiter
            if not arbiter.knows(state) or seat not in state.live:
                return Hand(seat, (), (), ())
            view = arbiter.view(seat, state)
            game = arbiter.game
            turn = (
                game is not None
                and game.tableau.to_play == seat
                and state.winner is None
                and visit.house.owed(state) is None
            )
            may = claimable(state, seat) if state.phase == "meld" else ()
            return Hand(
                seat,
                sorted_hand(view.held),
                sorted_hand(game.legal()) if game and turn else (),
                tuple(pool for pool in arbiter.due[seat] if pool in may),
            )

    def lay(self, key: str, card: Card) -> Refusal | None:
        """The person with this key lays a card."""
        state = self._table.snapshot.state
        with self._changed:
            found = self._seat_of(key)
            if isinstance(found, Refusal):
                return found
            visit, seat = found
            if state.phase != "shed" or state.winner is not None:
                return refuse("wrong-phase", "no-cards-played")
            try:
                visit.house.lay(state, seat, card)
            except CardError as error:
                return refuse("bad-cards", reason=str(error))
            visit.onlooker.noticed(state, Lay(seat, card), state)
            visit.touched()
            self._changed.notify_all()
        return None

    def _seat_of(self, key: str) -> tuple[Visit, int] | Refusal:
        visit = self._visit
        if visit is None:
            return _NOBODY
        for seat, known in visit.keys.items():
            if secrets.compare_digest(known.encode(), key.encode()):
                return visit, seat
        return refuse("unknown-seat", "given-back")

    # The table tells us; in its thread.

    def on_snapshot(self, _: Snapshot) -> None:
        """Something changed: whoever waits looks again."""
        with self._changed:
            self._changed.notify_all()

    def on_refused(self, refused: RefusalEvent) -> None:
        """Of no interest: whoever presses hears of it at once."""

    def on_frame(self, frame: Frame) -> None:
        """Of no interest here."""

    # In the host's own thread.

    def _run(self, visit: Visit) -> None:
        try:
            unlisten = self._table.listen(self)
            try:
                while self._turn(visit):
                    pass
            finally:
                with self._changed:
                    self._visit = None
                self._table.show_demo(None)
                unlisten()
        except StoppedError:
            pass
        except Exception:
            log.exception("the house players left")

    def _turn(self, visit: Visit) -> bool:
        """One thing that happens at the table; false when the house players leave."""
        snapshot = self._table.snapshot
        with self._changed:
            known = visit.version, visit.speed
            if visit.over or snapshot.night != visit.night:
                return False
            visit.seat_guests(snapshot.state.live)
            act = visit.next_act(snapshot)
        self._show(visit, snapshot.state, act)
        if act is None:
            return False
        if isinstance(act, Await):
            self._wait(visit, snapshot, known, None)
        elif self._wait(visit, snapshot, known, pace_s(act) / visit.speed):
            return True
        elif isinstance(act, Lay):
            with self._changed:
                if known[0] == visit.version:
                    visit.house.done(act)
                    visit.onlooker.noticed(snapshot.state, act, snapshot.state)
                    visit.touched()
        else:
            self._carry_out(visit, snapshot, act, known[0])
        return True

    def _wait(
        self,
        visit: Visit,
        snapshot: Snapshot,
        known: tuple[int, float],
        seconds: float | None,
    ) -> bool:
        """Waits until something changes, which is true, or the time is over."""
        until = None if seconds is None else time.monotonic() + seconds
        with self._changed:
            while not self._has_changed(visit, snapshot, known):
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    return False
                self._changed.wait(left)
        return True

    def _has_changed(self, visit: Visit, snapshot: Snapshot, known: tuple[int, float]) -> bool:
        now = self._table.snapshot
        return (
            visit.over
            or (visit.version, visit.speed) != known
            or (now.night, now.entry) != (snapshot.night, snapshot.entry)
        )

    def _pause(self, seconds: float) -> bool:
        """Waits; false if the house players have been sent away meanwhile."""
        until = time.monotonic() + seconds
        with self._changed:
            while (left := until - time.monotonic()) > 0:
                if self._visit is None or self._visit.over:
                    return False
                self._changed.wait(left)
        return True

    def _carry_out(self, visit: Visit, snapshot: Snapshot, act: Do, version: int) -> None:
        """Presses, or sends what only a phone can, until the command is booked.

        Leaves off where a seat changes hands meanwhile, or somebody else sends a command.
        """
        tries = 0
        while not visit.over and visit.version == version:
            now = self._table.snapshot
            if (now.night, now.entry) != (snapshot.night, snapshot.entry):
                break
            refused = self._step(act.command, now)
            tries += refused is not None
            if refused is None:
                self._pause(_BETWEEN_PRESSES_S / visit.speed)
            elif tries < _TRIES:
                self._pause(_AGAIN_S)
            else:
                self._stick(visit, now, refused)
                return
        now = self._table.snapshot
        follows = (now.night, now.entry) == (snapshot.night, snapshot.entry + 1)
        if follows and is_booked(act.command, now.command):
            with self._changed:
                visit.onlooker.noticed(snapshot.state, act, now.state, now.last)
                visit.heard = now.entry

    def _step(self, command: AnyCommand, now: Snapshot) -> str | None:
        """One press towards the command; why it was refused, if it was."""
        press = next_press(command, now.state, now.pending)
        if press is None:
            done = self._table.command(command)
            return refusal_text(done) if isinstance(done, Refusal) else None
        if press == NEXT:
            # A hand that knows the board does not press `next` again too soon (BOARD.md 3).
            too_soon_s = self._times.too_soon_us / 1_000_000 + 2 * SHORT_S
            self._pause(self._next_s + too_soon_s - time.monotonic())
            self._next_s = time.monotonic()
        try:
            refused = self._fingers.press(press)
        except ConnectionError as error:
            return str(error)
        return refusal_text(refused[0].refusal) if refused else None

    def _stick(self, visit: Visit, now: Snapshot, why: str) -> None:
        """The house cannot do what it should; it waits until somebody does something."""
        with self._changed:
            visit.stuck = why
            known = visit.version, visit.speed
        self._show(visit, now.state, None)
        self._wait(visit, now, known, _AGAIN_S * 10)
        with self._changed:
            visit.stuck = None

    def _show(self, visit: Visit, state: State, act: Act | None) -> None:
        with self._changed:
            demo = visit.demo(state, act if isinstance(act, Await) else None)
        if demo != visit.shown:
            visit.shown = demo
            self._table.show_demo(demo)


_NOBODY: Final = refuse("no-demo")
