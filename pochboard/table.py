"""The table: the one thread that owns the night. It decides, commits, then publishes.

Edges and commands come in through a bounded queue. Whatever lights, phones and callers see has
been stored before.
"""

from __future__ import annotations

import hashlib
import logging
import queue
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

import msgspec

from pochboard.buttons.panel import Panel
from pochboard.buttons.pending import Pending
from pochboard.buttons.press import Refused, Times
from pochboard.errors import LedgerError, PochboardError, Refusal, StoppedError
from pochboard.ledger.book import Book, Repeat, Step
from pochboard.ledger.offers import allowed_commands
from pochboard.ledger.sentences import sentence, sentences
from pochboard.lights.effects import (
    effects_of_entry,
    lot_effect,
    missing_effect,
    refusal_effect,
    still,
)
from pochboard.lights.look import Frame, Look, dark
from pochboard.lights.render import next_change_us, render
from pochboard.lights.scene import Scene
from pochboard.rules.sitting import Resolve
from pochboard.rules.state import State
from pochboard.sheets.run import names_heard
from pochboard.store import NightSummary, Opening, Pairing, Store, StoredNight, refold, summarise

log = logging.getLogger(__name__)
T = TypeVar("T")

QUEUE_LENGTH = 256
WINDOW_S = 60.0
TOUCH_MS = 3_600_000
"""A pairing's last use is written down at most this often."""
NIGHTS_KEPT = 4


class BoardInfo(msgspec.Struct, frozen=True):
    """The board at this table."""

    kind: str
    link: bool
    simulated: bool


class Snapshot(msgspec.Struct, frozen=True):
    """All that phones may know at one moment; replaced whole at every change."""

    revision: int
    night: int | None
    entry: int
    state: State
    pending: Pending | None
    """None also for a lobby that is as it was at first."""
    allowed_commands: tuple[str, ...]
    allowed_buttons: tuple[str, ...]
    board: BoardInfo
    pairing_open_until_ms: int | None
    last: str | None
    """The sentence of the last entry."""
    undoes: str | None
    """The sentence of the entry that `undo` would take back."""
    redoes: str | None


class Booked(msgspec.Struct, frozen=True):
    """The answer to a command: the entry that was made of it, and the state after it."""

    entry: int
    state: State
    snapshot: Snapshot


class RefusedNow(msgspec.Struct, frozen=True):
    """A press or command that was refused, as told to all phones."""

    code: str
    message: str
    buttons: tuple[str, ...] = ()
    command: str | None = None


class Night(msgspec.Struct, frozen=True):
    """A night with the state after each entry and each entry's sentence."""

    stored: StoredNight
    states: list[State]
    sentences: list[str]


class Listener(Protocol):
    """Who follows the table. Called in the table's thread: to hand over, not to work."""

    def on_snapshot(self, snapshot: Snapshot) -> None:
        """Something changed."""

    def on_refused(self, refused: RefusedNow) -> None:
        """A press or command was refused."""

    def on_frame(self, frame: Frame) -> None:
        """The lights changed."""


class Rules(msgspec.Struct, frozen=True):
    """How this table is set up."""

    resolve: Resolve
    times: Times = Times()
    look: Look = Look()
    window_s: float = WINDOW_S


class Window(msgspec.Struct, frozen=True):
    """The pairing window while it is open, on the monotonic and the wall clock."""

    since_us: int
    end_us: int
    end_ms: int


class Table:
    """The night in progress, its presses and its lights; `start` it, and `stop` it at the end."""

    def __init__(
        self,
        store: Store,
        rules: Rules,
        board: BoardInfo,
        show: Callable[[Frame], None] = lambda _: None,
    ) -> None:
        self._store = store
        self._rules = rules
        self._board = board
        self._show = show
        # A slot is taken before the lock, so that a full queue never keeps `stop` waiting on it.
        self._slots = threading.BoundedSemaphore(QUEUE_LENGTH)
        self._queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._door = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="table")
        self._started = False
        self._stopping = False
        self._listeners: tuple[Listener, ...] = ()
        self._load()
        self._panel = Panel(self, rules.times, rules.look.places)
        self._window: Window | None = None
        self._deal_was_refused = False
        self._effects: tuple[Any, ...] = ()
        self._revision = time.time_ns() // 1_000_000
        self._nights: OrderedDict[int, Night] = OrderedDict()
        self._pairings: dict[bytes, Pairing] = {}
        self._next_frame_us: int | None = 0
        self.frame: Frame = dark(rules.look)
        """The newest frame."""
        self.snapshot = self._snapshot()
        """What holds now; may be read from any thread."""

    def _load(self) -> None:
        """Resumes the night in progress, or knows the last one."""
        night = self._store.current()
        self.book = refold(night) if night else Book(self._rules.resolve)
        self.book.resolve = self._rules.resolve
        self._night = night.number if night else None
        self._opened_ms = self.book.entries[0].time_ms if night else 0
        self._heard = dict(night.heard) if night else {}
        for state in self.book.states:
            self._heard.update(names_heard(state))
        self._said = sentences(self.book.entries, self.book.states)

    # For everybody, from any thread.

    def start(self) -> None:
        """Starts the thread; until then commands wait."""
        self._started = True
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread after what is in hand; the last frame is dark."""
        if self._started and not self._stopping:
            self._put(self._end)
            self._thread.join()
        self._show_frame(dark(self._rules.look))

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Has a listener told of every change; returns what ends that."""

        def add() -> None:
            self._listeners = (*self._listeners, listener)

        def remove() -> None:
            self._listeners = tuple(one for one in self._listeners if one is not listener)

        self._ask(add)
        return lambda: None if self._stopping else self._ask(remove)

    def command(self, raw: object) -> Booked | Refusal:
        """Applies a command from a phone; returns when it is committed, or refused."""
        return self._ask(lambda: self._command(raw))

    def edge(self, button: str, down: bool, at_us: int | None = None) -> Future[list[Refused]]:
        """A debounced button went down or up; `at_us` on the monotonic clock, or now.

        The future holds the presses that were refused by then.
        """
        when_us = now_us() if at_us is None else at_us
        return self._post(lambda: self._edge(button, down, when_us))

    def release_all(self) -> None:
        """Every held button goes up without a meaning, as when the board's link is lost."""
        self._post(lambda: self._panel.release_all(now_us()))

    def set_link(self, up: bool) -> None:
        """The link to the board is up, or lost."""

        def change() -> None:
            self._board = msgspec.structs.replace(self._board, link=up)

        self._post(lambda: self._publishing(change))

    @property
    def buttons(self) -> tuple[str, ...]:
        """The buttons of this board."""
        return self._panel.buttons

    @property
    def look(self) -> Look:
        """How the lights are set up."""
        return self._rules.look

    def night(self, number: int) -> Night:
        """A night of the ledger, folded. Raises UnknownNightError."""
        if number == self._night:
            return self._ask(self._tonight)
        kept = self._nights.get(number)
        if kept is None:
            stored = self._store.night(number)
            book = refold(stored)
            kept = Night(stored, book.states, sentences(book.entries, book.states))
            self._ask(lambda: self._keep(number, kept))
        return kept

    def nights(self) -> list[NightSummary]:
        """All nights, the newest first."""
        summaries = {night.number: night for night in self._store.nights()}
        tonight = self._ask(self._summary)
        if tonight:
            summaries[tonight.number] = tonight
        return [summaries[number] for number in sorted(summaries, reverse=True)]

    def add_nights(self, nights: list[tuple[StoredNight, NightSummary]]) -> list[int]:
        """Stores closed nights, all or none; the night in progress stays current."""
        return self._ask(lambda: self._store.add_nights(nights))

    # Pairing (BOARD.md 5).

    def pair(self, label: str) -> str | None:
        """A new token, if the window is open; that closes it."""
        return self._ask(lambda: self._publishing(lambda: self._pair(label)))

    def pairing_of(self, token: str) -> Pairing | None:
        """The pairing of a token, if it is in force; its last use is noted."""
        digest = digest_of(token)
        known = self._pairings.get(digest)
        wall_ms = now_ms()
        if known and wall_ms - known.used_ms < TOUCH_MS:
            return known
        return self._ask(lambda: self._used(digest, wall_ms))

    def pairings(self) -> list[Pairing]:
        """All pairings in force."""
        return self._ask(lambda: self._store.pairings(now_ms()))

    def unpair(self, number: int) -> bool:
        """Revokes a pairing; whether there was one."""

        def revoke() -> bool:
            self._pairings.clear()
            return self._store.unpair(number)

        return self._ask(lambda: self._publishing(revoke))

    # The desk that the panel acts on; in the table's thread.

    @property
    def state(self) -> State:
        """The state now."""
        return self.book.state

    @property
    def last_start(self) -> Mapping[str, Any] | None:
        """The command that started this night or the last one."""
        return self.book.entries[0].command if self.book.entries else None

    @property
    def heard(self) -> Mapping[int, str]:
        """The name last heard at each place."""
        return self._heard

    def send(self, command: object) -> Refusal | None:
        """Applies a command."""
        done = self._apply(command)
        return done if isinstance(done, Refusal) else None

    def would(self, command: dict[str, Any]) -> bool:
        """Whether the command would be accepted now."""
        return isinstance(self.book.consider(command), Step)

    def open_pairing(self) -> None:
        """Opens the pairing window, or opens it anew."""
        open_s = self._rules.window_s
        since_us = now_us()
        self._window = Window(
            since_us, since_us + round(open_s * 1e6), now_ms() + round(open_s * 1e3)
        )

    def draw(self, count: int) -> int:
        """A number from 0 to count - 1 by chance."""
        return secrets.randbelow(count)

    # In the table's thread.

    def _apply(self, command: object) -> Step | Repeat | Refusal:
        """Decides, commits, and takes it into the book."""
        before = self.state
        step = self.book.consider(command, now_ms())
        if not isinstance(step, Step):
            return step
        try:
            self._commit(step, before)
        except LedgerError as error:
            log.error("not stored: %s", error)
            return Refusal("not-stored", f"{error} Nothing was booked.")
        self.book.accept(step)
        after = step.state
        if step.opens:
            self._said = []
        self._said.append(
            sentence(step.entry, before, after, lambda number: self._said[number - 1])
        )
        self._heard.update(names_heard(after))
        self._deal_was_refused = self._deal_was_refused and after.phase == "idle"
        self._effects = effects_of_entry(before, after, step.entry.command, now_us())
        self._panel.notice(before, after, step.entry.command["do"])
        return step

    def _commit(self, step: Step, before: State) -> None:
        night, opening = self._night, None
        if step.opens:
            night = self._store.next_number()
            opening = Opening(step.state.rules, dict(self._heard))
            self._opened_ms = step.entry.time_ms
        assert night is not None, "without a night only a start is accepted"
        closes = step.state.phase == "closed"
        summary = None
        if closes:
            entries = [*self.book.entries, step.entry]
            summary = summarise(night, entries, step.state, imported=False)
        self._store.append(
            night,
            step.entry,
            opening=opening,
            summary=summary,
            reopens=before.phase == "closed" and not closes and not step.opens,
        )
        self._night = night

    def _command(self, raw: object) -> Booked | Refusal:
        done = self._publishing(lambda: self._apply(raw))
        if isinstance(done, Refusal):
            name = raw.get("do") if isinstance(raw, dict) else None
            self._note_refusal(done, name)
            told = RefusedNow(done.code, done.message, (), name if isinstance(name, str) else None)
            self._tell(lambda listener: listener.on_refused(told))
            return done
        return Booked(done.entry.number, done.state, self.snapshot)

    def _note_refusal(self, refusal: Refusal | Refused, name: object) -> None:
        if refusal.code == "short-ante":
            self._publishing(lambda: setattr(self, "_deal_was_refused", True))

    def _edge(self, button: str, down: bool, at_us: int) -> list[Refused]:
        refused = self._publishing(lambda: self._panel.edge(button, down, at_us))
        self._tell_refused(refused)
        return refused

    def _tick(self) -> None:
        due_us = self._panel.due_us()
        clock_us = now_us()
        if due_us is not None and due_us <= clock_us:
            self._tell_refused(self._publishing(lambda: self._panel.tick(clock_us)))
        if self._window and clock_us >= self._window.end_us:
            self._publishing(self._close_window)
        if self._next_frame_us is not None and self._next_frame_us <= clock_us:
            self._light()

    def _tell_refused(self, presses: list[Refused]) -> None:
        for refused in presses:
            self._effects += (refusal_effect(refused.buttons, now_us()),)
            if refused.code == "counts-missing":
                self._effects += (missing_effect(self._uncounted(), now_us()),)
            self._note_refusal(refused, None)
            self._light()
            told = RefusedNow(refused.code, refused.message, refused.buttons)
            self._tell(lambda listener, told=told: listener.on_refused(told))  # type: ignore[misc]

    def _uncounted(self) -> list[int]:
        """The places that still have to count their cards."""
        state = self.state
        counted = {*self._panel.pending.cards, state.winner}
        return [state.places[seat - 1] for seat in state.live if seat not in counted]

    def _publishing(self, act: Callable[[], T]) -> T:
        """Acts, then shows what has changed: first the lights, then the phones."""
        done = act()
        for lot in self._panel.lots:
            self._effects += (lot_effect(lot.places, lot.place, now_us()),)
        self._panel.lots.clear()
        self._light()
        changed = self._snapshot()
        if changed != self.snapshot:
            self._revision += 1
            self.snapshot = msgspec.structs.replace(changed, revision=self._revision)
            self._tell(lambda listener: listener.on_snapshot(self.snapshot))
        return done

    def _tell(self, tell: Callable[[Listener], None]) -> None:
        for listener in self._listeners:
            tell(listener)

    def _light(self) -> None:
        """Renders the frame of this moment and says when the next one is due."""
        clock_us = now_us()
        self._effects = still(self._effects, clock_us)
        state = self.state
        short = state.live if self._deal_was_refused and state.phase == "idle" else ()
        scene = Scene(
            state=state,
            pending=self._panel.pending,
            link=self._board.link,
            effects=self._effects,
            pairing_since_us=self._window.since_us if self._window else None,
            short=frozenset(seat for seat in short if state.is_short(seat)),
        )
        look = self._rules.look
        self._show_frame(render(scene, look, clock_us))
        self._next_frame_us = next_change_us(scene, look, clock_us)

    def _show_frame(self, frame: Frame) -> None:
        if frame != self.frame:
            self.frame = frame
            self._show(frame)
            self._tell(lambda listener: listener.on_frame(frame))

    def _snapshot(self) -> Snapshot:
        undone, redone = self.book.undoes(), self.book.redoes()
        fresh = self._panel.lobby_is_fresh() if self._panel.pending.lobby else False
        return Snapshot(
            revision=self._revision,
            night=self._night,
            entry=len(self.book.entries),
            state=self.state,
            pending=None if fresh else self._panel.pending,
            allowed_commands=allowed_commands(self.book),
            allowed_buttons=self._panel.allowed(),
            board=self._board,
            pairing_open_until_ms=self._window.end_ms if self._window else None,
            last=self._said[-1] if self._said else None,
            undoes=self._said[undone.number - 1] if undone else None,
            redoes=self._said[redone.number - 1] if redone else None,
        )

    def _tonight(self) -> Night:
        assert self._night is not None
        stored = StoredNight(
            number=self._night,
            ruleset=self.state.rules,
            heard={},
            imported=False,
            entries=list(self.book.entries),
        )
        return Night(stored, list(self.book.states), list(self._said))

    def _keep(self, number: int, night: Night) -> None:
        self._nights[number] = night
        while len(self._nights) > NIGHTS_KEPT:
            self._nights.popitem(last=False)

    def _summary(self) -> NightSummary | None:
        if self._night is None:
            return None
        return summarise(self._night, self.book.entries, self.state, imported=False)

    def _close_window(self) -> None:
        self._window = None

    def _pair(self, label: str) -> str | None:
        if self._window is None:
            return None
        self._close_window()
        token = secrets.token_urlsafe(32)
        self._store.pair(digest_of(token), label, now_ms())
        return token

    def _used(self, digest: bytes, wall_ms: int) -> Pairing | None:
        pairing = self._store.pairing(digest, wall_ms)
        if pairing is None:
            self._pairings.pop(digest, None)
            return None
        self._store.touch(pairing.number, wall_ms)
        self._pairings[digest] = msgspec.structs.replace(pairing, used_ms=wall_ms)
        return self._pairings[digest]

    # The thread.

    def _post(self, act: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()

        def run() -> None:
            try:
                future.set_result(act())
            except Exception as error:  # noqa: BLE001 - whoever asked gets it
                future.set_exception(error)
                if not isinstance(error, PochboardError):
                    log.exception("the table failed at a request")

        self._put(run)
        return future

    def _put(self, job: Callable[[], None]) -> None:
        self._slots.acquire()
        with self._door:
            if self._stopping:
                self._slots.release()
                raise StoppedError("The daemon is stopping.")
            self._queue.put(job)

    def _ask(self, act: Callable[[], T]) -> T:
        if not self._started or threading.current_thread() is self._thread:
            return act()
        return self._post(act).result()

    def _end(self) -> None:
        with self._door:
            self._stopping = True

    def _run(self) -> None:
        self._publishing(lambda: None)
        while not (self._stopping and self._queue.empty()):
            try:
                job = self._queue.get(timeout=self._wait_s())
            except queue.Empty:
                pass
            else:
                self._slots.release()
                job()
            self._tick()

    def _wait_s(self) -> float | None:
        """How long until a timer or the next step of an animation."""
        dues = [self._panel.due_us(), self._next_frame_us]
        if self._window:
            dues.append(self._window.end_us)
        due_us = min((due for due in dues if due is not None), default=None)
        return None if due_us is None else max(0.0, (due_us - now_us()) / 1_000_000)


def now_us() -> int:
    """The monotonic clock, in microseconds."""
    return time.monotonic_ns() // 1000


def now_ms() -> int:
    """The wall clock: milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def digest_of(token: str) -> bytes:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).digest()
