"""Bots at the table: they press the buttons of the simulated board.

At a real board there is only the practice deal, whose commands are sent without presses.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Final, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from pochboard.bots.betting import DEFAULT_STRATEGIES, Strategy
from pochboard.bots.bot_table import (
    NEXT,
    AwaitPerson,
    BotAction,
    BotTable,
    Onlooker,
    PlayCard,
    next_press,
)
from pochboard.bots.practice import LEARNER, PLAYERS, PracticeTable
from pochboard.cards.card import Card, cards_of, sorted_hand
from pochboard.errors import (
    CardError,
    LedgerError,
    Refusal,
    StoppedError,
    refuse,
)
from pochboard.ledger.remarks import NightOfBots
from pochboard.messages.practice import LessonName
from pochboard.rules import commands
from pochboard.rules.commands import AnyCommand, Command, End, Showdown, Start, Void
from pochboard.rules.melding import claimable
from pochboard.rules.ruleset_files import USUAL
from pochboard.rules.state import State
from pochboard.table.snapshot import Bots, Hand, Listener, Snapshot
from pochboard.table.table import Table
from pochboard.text.lazy import lazy_gettext, lazy_text
from pochboard.text.translator import Translator

log = logging.getLogger(__name__)
T = TypeVar("T")

_DELAY_S: Final[dict[type[Command], float]] = {
    commands.Deal: 2.5,
    commands.Next: 2.0,
    commands.Stake: 1.5,
    commands.Pass: 1.0,
    commands.Settle: 3.0,
}
"""The time that people would take before a command."""
_USUAL_DELAY_S: Final = 1.2
_CARD_DELAY_S: Final = 1.0
_BETWEEN_PRESSES_S: Final = 0.4
_MARGIN_S: Final = 0.06
"""How much longer than necessary a button is held, and how much later `next` is pressed."""
_ANSWER_S: Final = 10.0
"""The longest wait for the table, which answers far sooner unless it has stopped."""
_TRIES: Final = 4
_RETRY_S: Final = 1.0
_STUCK_S: Final = 10.0
_PRACTICE_SPEED: Final = 2.0
_NO_BOTS: Final = refuse("no-bots", "No computer players are at the table.")
_NAMES: Final = {
    "sensible": (
        lazy_gettext("Sensible Sophie"),
        lazy_gettext("Sensible Simon"),
        lazy_gettext("Sensible Selma"),
    ),
    "bold": (
        lazy_gettext("Bold Bruno"),
        lazy_gettext("Bold Berta"),
        lazy_gettext("Bold Boris"),
    ),
    "careful": (
        lazy_gettext("Careful Clara"),
        lazy_gettext("Careful Carl"),
        lazy_gettext("Careful Cosima"),
    ),
}

Speed = Annotated[float, Meta(ge=0.1, le=100)]
"""How many times faster than people the bots play."""


class BotOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A night of bots."""

    ruleset: str = USUAL
    players: int = 4
    seed: Annotated[str, Meta(max_length=64)] = ""
    """Empty for a random one. All cards of the night follow from it, so it is secret."""
    speed: Speed = 1.0
    options: Mapping[str, Any] = {}

    def start(self, t: Translator) -> Start:
        """The command that starts the night. The bots have names in the language of `t`."""
        names = tuple(_bot_name(seat, t) for seat in range(1, self.players + 1))
        return Start(ruleset=self.ruleset, players=names, options=dict(self.options))

    def strategies(self) -> dict[int, Strategy]:
        """The strategy at each seat."""
        return {seat: _strategy_of(seat) for seat in range(1, self.players + 1)}


def random_seed() -> str:
    """A seed of 128 bits, of which nobody can try all values."""
    return secrets.token_hex(16)


def _strategy_of(seat: int) -> Strategy:
    return DEFAULT_STRATEGIES[(seat - 1) % len(DEFAULT_STRATEGIES)]


def _bot_name(seat: int, t: Translator) -> str:
    """The name of the bot at a seat, such as `Bold Bruno`. Its last word is the first name."""
    names = _NAMES[_strategy_of(seat).name]
    return names[(seat - 1) // len(DEFAULT_STRATEGIES) % len(names)].in_language(t)


class BotSession:
    """One night of bots: who plays which seat, and what happens next.

    Not thread-safe: the runner calls it under its lock.
    """

    def __init__(self, options: BotOptions, *, practice: bool = False) -> None:
        self.practice = PracticeTable(options.strategies(), options.seed) if practice else None
        """The table, if it is that of a practice deal."""
        self.speed = options.speed
        self.night: int | None = None
        """The number of the night, once it has started."""
        self.dismissed = False
        self.stuck: Refusal | None = None
        """Why the bots cannot continue, if they cannot."""
        self.version = 0
        """Increases when a card is played or a seat changes hands: the ledger records neither."""
        self.thread: threading.Thread | None = None
        self.shown: Bots | None = None
        """What the table was last told about the bots."""
        self._session = secrets.token_urlsafe(6)
        self._table = self.practice or BotTable(options.strategies(), options.seed)
        self._onlooker = Onlooker(self._table)
        self.keys: dict[int, str] = {}
        """The key of each seat that a person has taken; a learner has one from the beginning."""
        if practice:
            self.keys[LEARNER] = secrets.token_urlsafe(16)
            del self._table.strategies[LEARNER]
        self._decided: tuple[tuple[int, int], BotAction | None] | None = None

    # People at the table.

    def take_seat(self, seat: int, live: Iterable[int]) -> str | Refusal:
        """A person takes over a seat; the key identifies them."""
        if seat in self.keys:
            return refuse("seat-taken", "Somebody has already taken this seat.")
        self.fill_seats(live)
        if self._table.strategies.pop(seat, None) is None:
            return refuse("unknown-seat", "No computer player sits there.")
        self.keys[seat] = key = secrets.token_urlsafe(16)
        self.version += 1
        return key

    def give_back_seat(self, seat: int) -> Refusal | None:
        """A bot plays the seat again."""
        if self.keys.pop(seat, None) is None:
            return refuse("unknown-seat", "Nobody has taken this seat.")
        self._table.strategies[seat] = _strategy_of(seat)
        self.version += 1
        return None

    def fill_seats(self, live: Iterable[int]) -> None:
        """Gives every free seat a bot, because a player may have joined the night."""
        for seat in live:
            if seat not in self._table.strategies and seat not in self.keys:
                self._table.strategies[seat] = _strategy_of(seat)
                self.version += 1

    def hand(self, key: str, state: State) -> Hand | Refusal:
        """The cards of the person with this key."""
        seat = self._seat_of(key)
        if isinstance(seat, Refusal):
            return seat
        cards = self._table.cards
        lesson = self.practice.lesson(state) if self.practice else None
        if not cards.match(state) or seat not in state.live:
            return Hand(seat, (), (), (), lesson)
        shedding = cards.shedding
        has_turn = (
            shedding is not None
            and shedding.tableau.to_play == seat
            and state.winner is None
            and self._table.bonus_due(state) is None
        )
        # A learner who claimed sooner would miss the lessons about the trump and melding.
        melds = state.phase == "meld" and (lesson is None or lesson.name == "meld")
        may = claimable(state, seat) if melds else ()
        return Hand(
            seat,
            sorted_hand(cards_of(cards.view(seat, state).held)),
            sorted_hand(shedding.legal()) if shedding and has_turn else (),
            tuple(pool for pool in cards.due[seat] if pool in may),
            lesson,
        )

    def read_lesson(self, key: str, name: LessonName) -> Refusal | None:
        """The learner with this key has read a lesson, so the practice goes on."""
        seat = self._seat_of(key)
        if isinstance(seat, Refusal):
            return seat
        if self.practice is None:
            return refuse("wrong-phase", "This is no practice deal.")
        self.practice.read(name)
        self.version += 1
        return None

    def play_card(self, key: str, card: Card, state: State) -> Refusal | None:
        """The person with this key plays a card."""
        seat = self._seat_of(key)
        if isinstance(seat, Refusal):
            return seat
        if state.phase != "shed" or state.winner is not None:
            return refuse("wrong-phase", "No cards are played now.")
        try:
            self._table.play_card(state, seat, card)
        except CardError as error:
            return refuse("bad-cards", "{reason}.", reason=lazy_text(error))
        self._onlooker.observe(state, PlayCard(seat, card))
        self.version += 1
        return None

    def _seat_of(self, key: str) -> int | Refusal:
        for seat, known in self.keys.items():
            if secrets.compare_digest(known.encode(), key.encode()):
                return seat
        return refuse("unknown-seat", "This seat is no longer yours.")

    # Bots.

    def next_action(self, snapshot: Snapshot) -> BotAction | None:
        """What happens next. Decided once for each situation: deciding draws random numbers."""
        situation = snapshot.entry, self.version
        if self._decided is None or self._decided[0] != situation:
            self._decided = situation, self._table.next_action(snapshot.state)
        return self._decided[1]

    def carried_out(self, action: AnyCommand | PlayCard, before: Snapshot) -> None:
        """Notes that an action has happened."""
        if isinstance(action, PlayCard):
            self._table.carried_out(action)
            self.version += 1
        self._onlooker.observe(before.state, action)

    def bots(self, state: State, action: BotAction | None) -> Bots:
        """What everybody may know about the bots and their cards."""
        waits = action if isinstance(action, AwaitPerson) else None
        cards = self._onlooker.open_cards(state, waits=waits)
        held = cards.held if self._table.cards.match(state) else {}
        practice = self.practice is not None
        return Bots(cards, self.speed, self.stuck, held, practice, self._session)


class BotRunner(Listener):
    """Bots at one table. Public methods may be called from any thread.

    Never call the table while holding the lock: the table's own thread takes the lock to report a
    change, so you would deadlock.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._times = table.snapshot.times
        self._simulated = table.snapshot.board.simulated
        """Whether it is the simulated board; at another one there is only the practice deal."""
        self._changed = threading.Condition()
        self._session: BotSession | None = None
        self._closed = False
        self._next_at_s = 0.0
        """The earliest time of the next press of `next`, on the monotonic clock."""

    def start(self, options: BotOptions, t: Translator) -> Refusal | None:
        """Bots start a night and play it. Returns the refusal if they cannot.

        They have names in the language of `t`. The night is kept out of the list and the
        statistics.
        """
        if not self._simulated:
            return refuse(
                "no-bots",
                "Computer players press the buttons of the simulated board. This is a real one.",
            )
        places = self._table.lights.places
        if options.players > places:
            return refuse("bad-players", "This board has only {places} places.", places=places)
        options = replace(options, seed=options.seed or random_seed())
        return self._begin(BotSession(options), options.start(t))

    def practise(self, name: str, t: Translator) -> tuple[int, str] | Refusal:
        """Begins a practice deal. Returns the seat of the learner, who deals, and its key.

        The night never counts, and it ends with the practice, whoever ends that. Without a name,
        the learner is called a guest in the language of `t`.
        """
        # With the rules that boards are sold with, a little faster.
        options = BotOptions(players=PLAYERS, speed=_PRACTICE_SPEED)
        session = BotSession(options, practice=True)
        learner = name or lazy_gettext("Guest").in_language(t)
        start = options.start(t)
        start = replace(start, players=(learner, *start.players[LEARNER:]), dealer=LEARNER)
        return self._begin(session, start) or (LEARNER, session.keys[LEARNER])

    def _begin(self, session: BotSession, start: Start) -> Refusal | None:
        with self._changed:
            if self._closed:
                raise StoppedError("The daemon is stopping.")
            if self._session:
                return refuse("wrong-phase", "Computer players are already at the table.")
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

    def act(self, act: Callable[[BotSession, State], T]) -> T | Refusal:
        """Does something with the bots that are there in the state now, and wakes their thread."""
        with self._changed:
            if self._session is None:
                return _NO_BOTS
            done = act(self._session, self._table.snapshot.state)
            self._changed.notify_all()
        return done

    def on_snapshot(self, _: Snapshot) -> None:
        """Wakes the bots' thread. A refusal is in the answer to a press."""
        with self._changed:
            self._changed.notify_all()

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
            return True
        delay_s = _CARD_DELAY_S
        if not isinstance(action, PlayCard):
            delay_s = _DELAY_S.get(type(action), _USUAL_DELAY_S)
        if self._wait_for_change(session, snapshot, known, delay_s / session.speed):
            return True
        if isinstance(action, PlayCard):
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
        with self._changed:
            return self._changed.wait_for(
                lambda: (
                    session.dismissed
                    or (session.version, session.speed) != known
                    or not _same_entry(self._table.snapshot, snapshot)
                ),
                seconds,
            )

    def _pause(self, session: BotSession, seconds: float) -> bool:
        """Waits. Returns false if the bots have been dismissed meanwhile."""
        with self._changed:
            return not self._changed.wait_for(lambda: session.dismissed, max(0.0, seconds))

    def _send(
        self, session: BotSession, snapshot: Snapshot, action: AnyCommand, version: int
    ) -> None:
        """Makes presses until the command is recorded.

        Gives up if a seat changes hands meanwhile, or somebody else sends a command.
        """
        tries = 0
        while not session.dismissed and session.version == version:
            now = self._table.snapshot
            if not _same_entry(now, snapshot):
                break
            refused = self._step(session, action, now)
            tries += refused is not None
            if refused is None:
                self._pause(session, _BETWEEN_PRESSES_S / session.speed)
            elif tries < _TRIES:
                self._pause(session, _RETRY_S)
            else:
                self._wait_while_stuck(session, now, refused)
                return
        now = self._table.snapshot
        follows = (now.night, now.entry) == (snapshot.night, snapshot.entry + 1)
        if follows and _is_recorded(action, now.command):
            with self._changed:
                session.carried_out(action, snapshot)

    def _step(self, session: BotSession, command: AnyCommand, now: Snapshot) -> Refusal | None:
        """Makes one press on the way to a command, or sends one that only a phone can send.

        Returns why it was refused, if it was.
        """
        press = next_press(command, now.state, now.pending)
        if press is None or not self._simulated:
            recorded = self._table.command(command)
            return recorded if isinstance(recorded, Refusal) else None
        if press == NEXT and not self._pause(session, self._next_at_s - time.monotonic()):
            return None
        long_us = self._times.both_us if len(press.buttons) > 1 else self._times.long_us
        refused = self._table.press(
            press.buttons,
            long_us if press.long else 0,
            # A person may send a command just now. Then the press would send another command.
            wanted=lambda: _same_entry(self._table.snapshot, now),
        ).result(_ANSWER_S)
        if press == NEXT:
            # Pressed again too soon, `next` would be refused (BOARD.md 3).
            self._next_at_s = time.monotonic() + self._times.too_soon_us / 1e6 + _MARGIN_S
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


def _is_recorded(meant: AnyCommand, recorded: AnyCommand | None) -> bool:
    """Whether the recorded command is the one meant.

    The board sends a showdown as soon as the hands pressed decide every pot (BOARD.md 3).
    """
    if isinstance(meant, Showdown) and isinstance(recorded, Showdown):
        return meant.ranking[: len(recorded.ranking)] == recorded.ranking
    return meant == recorded
