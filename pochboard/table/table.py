"""The table: it alone owns the night. It decides, commits, then publishes.

Edges and commands of other threads come in through a bounded queue, and one thread deals with them.
Lights, phones and callers see only what is stored.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, assert_never

from msgspec import UNSET
from msgspec.structs import replace

from pochboard.buttons.button_meaning import DrawDealer, OpenPairing, SendCommand, count_on_phone
from pochboard.buttons.panel import (
    OffSwitch,
    Panel,
    PanelEffect,
    PanelEffects,
    PanelOutcome,
    UsableButtons,
    carry_out,
)
from pochboard.buttons.press import Edge
from pochboard.config import ColourOrder
from pochboard.errors import Refusal, RefusedInput, StoppedError, UnknownButtonError, refuse
from pochboard.ledger.book import (
    Book,
    LegalActions,
    Repeat,
    Step,
    accepted_candidates,
    legal_actions,
)
from pochboard.ledger.correcting import correctable_from
from pochboard.ledger.entry import Entry
from pochboard.ledger.remarks import NightOfBots, SamePerson
from pochboard.lights.first_light import BoardUnderTest
from pochboard.lights.frame import Frame, reordered
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import AnyCommand, Parsed, Undo, contradicts, named_in
from pochboard.rules.registry import Rule
from pochboard.rules.shedding import verify_known_count
from pochboard.rules.state import BETWEEN_NIGHTS, State
from pochboard.runtime.threads import ErrorBoundary, Timer, Worker, now_us
from pochboard.store import Store
from pochboard.table.clock import TableClock, day_text, now_ms
from pochboard.table.first_light import FirstLight
from pochboard.table.journal import Journal
from pochboard.table.ledger_nights import LedgerNights
from pochboard.table.lighting import Lighting
from pochboard.table.pairing import Pairings
from pochboard.table.settings import Settings
from pochboard.table.snapshot import (
    BoardInfo,
    Bots,
    Listener,
    Preview,
    Recorded,
    Setup,
    Snapshot,
)
from pochboard.text.allowed_values import not_one_of
from pochboard.time_zone import use_zone, zone_name

log = logging.getLogger(__name__)
T = TypeVar("T")
P = ParamSpec("P")

_RETRY_US: Final = 2_000_000
"""How often to check whether a ledger with a fault can be used again."""
_QUIET_US: Final = 1_000_000
"""How long after the last entry the log is copied into the ledger."""
NO_TABLE: Final = refuse(
    "no-table",
    "Nobody plays here: this machine only collects nights. Play at one of the boards.",
)
_CHANGED: Final = refuse(
    "changed",
    "The table has moved on, so nothing was recorded. Look at what it shows now.",
)
_KNOWN_CARDS: Final = refuse(
    "known-cards",
    "Computer players play, and what their cards say is recorded. Nothing can be corrected.",
)


_Method = Callable[Concatenate["Table", P], T]


def _by_its_thread(method: _Method[P, T]) -> _Method[P, T]:
    """Lets the table's thread run the method, and waits for what it returns."""

    @wraps(method)
    def call(table: Table, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return table.worker.call(lambda: method(table, *args, **kwargs))

    return call


class Table:
    """The night in progress, its presses and its lights. `start` it first, and `stop` it last.

    Public methods are for any thread, private ones for the table's.
    """

    def __init__(
        self,
        store: Store,
        setup: Setup,
        board: BoardInfo,
        show: Callable[[Frame], None] = lambda _: None,
    ) -> None:
        """`show` hands a frame to the board; it must not wait. Raises LedgerError."""
        self._store = store
        self._setup = setup
        self._board = _audible(board, setup)
        self._show = show
        self._listeners: tuple[Listener, ...] = ()
        self._bots: Bots | None = None
        self._corrected: Entry | None = None
        """The last entry of the last correction."""
        self._retry_us: int | None = None
        """When to check next whether the ledger can be used again."""
        self._checkpoint_us: int | None = None
        """When to copy the log into the ledger."""
        self.clock = TableClock()
        """The time that entries get."""
        self.boundary = ErrorBoundary()
        """Catches what fails while it only shows the table, here and in the page."""
        self._journal = Journal(store, setup.resolve, self.clock.now_ms, self.boundary)
        self.pairings = Pairings(store, setup, self.change, self._wrong_code)
        """The pairing window and the paired phones."""
        self._panel = Panel(self._journal.context, setup.times, setup.lights.places)
        self.buttons = self._panel.buttons
        """The buttons of this board."""
        self._off = OffSwitch(setup.times, allowed=setup.switch_off is not None)
        self.settings = Settings(store, setup, self.pairings, self.change)
        """What people choose for the board."""
        self.lights = setup.lights
        """Their configuration."""
        self.lighting = Lighting(setup.lights, self._on_frame)
        """The lights. Other threads may read its frames."""
        self.first_light = FirstLight(
            store,
            self._journal,
            lambda: BoardUnderTest(self.buttons, self.lighting.lights, self._order),
            self.change,
            self._situation,
        )
        """The test of a board that is being built."""
        self.worker = Worker("table", self._timers())
        """The table's thread."""
        self.nights = LedgerNights(
            store,
            self._journal,
            setup.resolve,
            self.worker,
            lambda remark: self.change(lambda: self._learned(remark)),
            lambda: self.snapshot,
        )
        """The nights of the ledger."""
        started_ms, last_ms = now_ms(), self._journal.last_ms
        if started_ms < last_ms:
            # A Pi has no battery for its clock: it is wrong until the network has set it.
            log.warning(
                "The clock says %s, but the last entry was recorded on %s: entries get a wrong time"
                " until the clock is set.",
                day_text(started_ms),
                day_text(last_ms),
            )
        self.lighting.aliases = store.remarks().aliases
        self._revision = store.reserve_revisions(max(started_ms, last_ms + 1000))
        self.snapshot = self._snapshot()
        """What holds now."""

    def start(self) -> None:
        """Starts the thread and lights the board."""
        self.worker.start()
        self.worker.call(self._light)

    def stop(self) -> None:
        """Ends the thread after the queued jobs, stores settings and switches the lights off."""
        self.worker.close()
        self.settings.keep()
        use_zone(None)
        self.lighting.darken()

    def change(self, act: Callable[[], T]) -> T:
        """Lets the table's thread change something and publish that."""
        return self.worker.call(lambda: self._publish_after(act))

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tells a listener about every change. Call the result to stop that."""

        def add() -> None:
            self._listeners = (*self._listeners, listener)

        def remove() -> None:
            self._listeners = tuple(other for other in self._listeners if other is not listener)

        def stop() -> None:
            with suppress(StoppedError):
                self.worker.call(remove)

        self.worker.call(add)
        return stop

    @_by_its_thread
    def command(self, command: Parsed) -> Recorded | Refusal:
        """Applies a command from a phone; returns when it is committed, or refused."""

        def apply() -> Step | Repeat | Refusal:
            if self._board.kind == "none":
                return NO_TABLE
            # A repetition is answered as the first time, although its own entry is new since then.
            if self._is_outdated(command) and self._journal.book.repeated(command) is None:
                return _CHANGED
            step = self._apply(command)
            if isinstance(step, Step):
                self._tell_panel(step.entry.command)
                self._off.cancel()
            return step

        answer = self._record(apply)
        # An outdated command concerns only the phone that sent it.
        if isinstance(answer, Refusal) and answer.code != "changed":
            self._tell_refused(RefusedInput(answer, (), named_in(command)))
        return answer

    @_by_its_thread
    def preview(
        self, number: int, command: Parsed | None, sent: Undo, *, insert: bool = False
    ) -> Preview | Refusal:
        """What a correction would change, or why it would be refused; see `correct`."""
        # Its id may have been used, for it is that of the correction which comes next.
        steps = self._refuse_correction(sent) or self._journal.correction(
            number, command, Undo(), insert=insert
        )
        return steps if isinstance(steps, Refusal) else Preview(self._journal.state, steps)

    @_by_its_thread
    def correct(
        self, number: int, command: Parsed | None, sent: Undo, *, insert: bool = False
    ) -> Recorded | Refusal:
        """Puts a command in the place of an entry of the night, or with `insert` before it.

        Without a command, the entry is left out. `sent` has the id of the correction, and what its
        sender has seen. Only the phone hears of a refusal; to lights, sounds and presses it is a
        single undo.
        """

        def correct() -> Step | Repeat | Refusal:
            before = self._journal.state
            refusal = None if self._journal.book.repeated(sent) else self._refuse_correction(sent)
            steps = refusal or self._journal.correct(number, command, sent, insert=insert)
            if isinstance(steps, Repeat | Refusal):
                return steps
            self._recorded(before, self._journal.state, Undo())
            self._tell_panel(Undo())
            self._off.cancel()
            self._corrected = steps[-1].entry
            return steps[-1]

        return self._record(correct)

    def count(self, seat: int, cards: int | None, basis: str | None = None) -> Refusal | None:
        """A phone says how many cards a seat has left; with None, it takes the count back.

        Returns why that is refused, or why the deal was not settled with it, if so.
        """
        return self.change(lambda: self._count(seat, cards, basis))

    def _count(self, seat: int, cards: int | None, basis: str | None) -> Refusal | None:
        if basis is not None and not self.snapshot.is_of_this_entry(basis):
            again = self.snapshot.was_settled_with(seat, cards, basis)
            return None if again else _CHANGED
        state, held = self._journal.state, self._journal.book.held
        counted = count_on_phone(seat, cards, state, self._panel.pending)
        if isinstance(counted, Refusal):
            return counted
        known = None if cards is None else verify_known_count(state, seat, cards, held)
        if known is not None:
            return known
        self._off.cancel()
        refused = carry_out(self._panel.count(counted), self._execute)
        return refused[0].refusal if refused else None

    def set_in_lobby(self, place: int, name: str | None, *, deals: bool) -> Refusal | None:
        """A phone puts a place in under a name, which may be blank, or with None puts it out.

        Returns why that is refused, if so.
        """
        if self._board.kind == "none":
            return NO_TABLE
        return self.change(lambda: self._panel.set_in_lobby(place, name, deals=deals))

    def edge(self, button: str, down: bool, at_us: int | None = None) -> Future[list[RefusedInput]]:
        """A debounced button went down or up, at `at_us` on the monotonic clock or just now.

        The future holds the presses that were refused, once the edge has been dealt with.
        """
        return self.edges_at_once([(button, down, now_us() if at_us is None else at_us)])

    def edges_at_once(self, edges: Sequence[Edge]) -> Future[list[RefusedInput]]:
        """Several edges, in order, with nothing in between, not even a timer of a held button.

        The future holds the presses that were refused.
        """
        return self._submit(lambda: self._edges(edges))

    def press(
        self,
        buttons: Sequence[str],
        held_us: int = 0,
        *,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Future[list[RefusedInput]]:
        """Presses buttons that have been held for so long and go up now, as one press.

        It lasts as long as its sender says, however long threads and networks wait. Does
        nothing if it is no longer `wanted` when its turn has come. The future holds the presses
        that were refused. Raises UnknownButtonError, StoppedError.
        """
        for button in buttons:
            if button not in self.buttons:
                raise UnknownButtonError(not_one_of('"button"', button[:40], list(self.buttons)))
        up_us = now_us()
        downs = [(button, True, up_us - held_us) for button in buttons]
        ups = [(button, False, up_us) for button in buttons]
        return self._submit(lambda: self._edges([*downs, *ups] if wanted() else ()))

    def known_down(self, button: str, until_us: int) -> Future[list[RefusedInput]]:
        """The button, if down, is known to be down until this time.

        The future holds the presses that were refused.
        """
        return self._submit(lambda: self._known_down(button, until_us))

    def release_all(self) -> None:
        """Releases every held button without an effect, as when the board's link is lost."""

        def release() -> None:
            self._off.release()
            self.settings.gesture.release()
            self._panel.release()

        self.worker.submit(lambda: self._publish_after(release))

    def set_link(self, up: bool, *, has_sound: bool | None = None) -> None:
        """The link to the board is up, or lost; and whether it has a piezo, if that is known."""

        def set_link() -> None:
            sound = self._board.has_sound if has_sound is None else has_sound
            self._board = _audible(replace(self._board, link=up, has_sound=sound), self._setup)

        self.worker.submit(lambda: self._publish_after(set_link))

    def show_bots(self, bots: Bots | None) -> None:
        """Shows the bots at the table, or that there are none now; returns when it is published.

        Raises StoppedError.
        """

        def show() -> None:
            self._bots = bots
            self._journal.book.held = bots.held if bots else {}

        self.change(show)

    def set_order(self, order: ColourOrder) -> None:
        """From now on the pixels expect their colours in this order."""

        def set_order() -> None:
            self.settings.set(replace(self.settings.current, order=order))
            self._show_on_board(self.lighting.frame)

        self.change(set_order)

    # In the table's thread, or before it starts.

    def _timers(self) -> list[Timer]:
        """All that the table does by itself, when nobody presses or sends anything."""

        def publish(act: Callable[[], object]) -> Callable[[], object]:
            return lambda: self._publish_after(act)

        return [
            Timer(self._panel.due_us, self._press_due),
            Timer(self._off.due_us, self._press_due),
            Timer(self.settings.gesture.due_us, self._press_due),
            Timer(self.pairings.due_us, publish(self.pairings.close)),
            Timer(self.first_light.due_us, publish(self.first_light.end)),
            Timer(self.settings.sign_due_us, publish(self.settings.end_sign)),
            Timer(lambda: self.settings.keep_us, self.settings.keep),
            Timer(lambda: self._retry_us, publish(self._recover)),
            Timer(lambda: self._checkpoint_us, self._checkpoint),
            Timer(lambda: self.lighting.due_us, self._light),
        ]

    def _checkpoint(self) -> None:
        self._checkpoint_us = None
        self._store.checkpoint()

    # Presses.

    def _submit(self, effects: Callable[[], PanelEffects]) -> Future[list[RefusedInput]]:
        """Queues what presses do."""
        return self.worker.submit(lambda: self._press(effects))

    def _press(self, effects: Callable[[], PanelEffects]) -> list[RefusedInput]:
        """Carries out the effects of a press; returns what was refused."""
        return self._publish_after(lambda: carry_out(effects(), self._execute))

    def _edges(self, edges: Sequence[Edge]) -> PanelEffects:
        """Deals with edges, in order."""
        for button, down, at_us in edges:
            if down and self.first_light.consumes(button):
                continue
            yield from self._tick_presses(at_us)
            if self._off.consumes(button, down, at_us):
                self.settings.gesture.forget(button, down)
            elif not self.settings.consumes(button, down, at_us, has_sound=self._board.has_sound):
                yield from self._panel.edge(button, down, at_us)

    def _known_down(self, button: str, until_us: int) -> PanelEffects:
        # What is due later may still come after a press that is on its way.
        clock_us = min(now_us(), until_us)
        self.settings.gesture.known_down(button, until_us)
        yield from self._panel.known_down(button, until_us, clock_us)
        self.settings.tick(clock_us)

    def _press_due(self) -> None:
        """Held presses, pending input and the question whether to switch off."""
        clock_us = now_us()
        self._press(lambda: self._tick_presses(clock_us))

    def _tick_presses(self, clock_us: int) -> PanelEffects:
        """Does what is due for presses by now, in order."""
        off_us = self._off.due_us()
        if off_us is not None and off_us <= clock_us:
            yield from self._panel.tick(off_us)
            self._tick_off(clock_us)
        yield from self._panel.tick(clock_us)
        self.settings.tick(clock_us)

    def _tick_off(self, clock_us: int) -> None:
        """Asks whether to switch off, drops the question, or switches off, if that is due."""
        match self._off.tick(clock_us):
            case "asks":
                # What was pressed before must not act after the question, and the code of the
                # pairing window must not be taken for its sign.
                self._panel.release()
                self.pairings.close()
            case "off":
                assert self._setup.switch_off is not None, "else nothing is asked"
                self._setup.switch_off()
            case _:
                pass

    def _execute(self, effect: PanelEffect) -> PanelOutcome:
        match effect:
            case SendCommand(command):
                step = self._apply(command)
                return step if isinstance(step, Refusal) else self._journal.context
            case DrawDealer(places):
                winner: int = self._setup.draw(places)
                self.lighting.drawn(places, winner)
                return winner
            case OpenPairing():
                self.settings.open_pairing()
            case RefusedInput():
                self.lighting.refused(effect, self._uncounted())
                self._tell_refused(effect)
            case _:
                assert_never(effect)
        return None

    def _uncounted(self) -> list[int]:
        """The places that still have to count their cards."""
        state = self._journal.state
        counted = {*self._panel.pending.cards, state.winner}
        return [state.places[seat - 1] for seat in state.live if seat not in counted]

    def _wrong_code(self, refusal: Refusal, digits: int) -> None:
        self.lighting.refused(RefusedInput(refusal, POOLS[:digits]), ())

    # Recording.

    def _apply(self, command: Parsed) -> Step | Repeat | Refusal:
        """Applies a command and starts its effects on the lights. The caller tells the panel."""
        before = self._journal.state
        step = self._journal.apply(command)
        if isinstance(step, Refusal):
            if step.code == "short-ante":
                self.lighting.short()
        elif isinstance(step, Step):
            self._recorded(before, step.state, step.entry.command)
        return step

    def _recorded(self, before: State, after: State, command: AnyCommand) -> None:
        """Starts the effects of what was recorded."""
        self._attempt("lights", lambda: self.lighting.recorded(before, after, command))
        # Between deals, when nobody is pressing, so that no press has to wait.
        quiet = after.phase in ("idle", "closed")
        self._checkpoint_us = now_us() + _QUIET_US if quiet else None
        if before.phase in BETWEEN_NIGHTS and after.phase not in BETWEEN_NIGHTS:
            self.nights.restore(self._journal.number)

    def _record(self, apply: Callable[[], Step | Repeat | Refusal]) -> Recorded | Refusal:
        """Records something and publishes it."""
        step = self._publish_after(apply)
        if isinstance(step, Refusal):
            return step
        return Recorded(step.entry.number, step.state, self._revision)

    def _tell_panel(self, command: AnyCommand) -> None:
        context = self._journal.context
        self._attempt("half-entered input", lambda: self._panel.recorded(command, context))

    def _refuse_correction(self, sent: Undo) -> Refusal | None:
        """Why nothing can be corrected now, if so."""
        if self._is_outdated(sent):
            return _CHANGED
        return _KNOWN_CARDS if self._bots else None

    def _is_outdated(self, command: Parsed) -> bool:
        """Whether what has happened since the sender saw the table contradicts the command."""
        if command.basis is UNSET or command.basis == self.snapshot.basis:
            return False
        since = self.snapshot.entries_since(command.basis)
        entries = self._journal.book.entries
        return not since or any(contradicts(entries[n].command, command) for n in since)

    def _recover(self) -> None:
        """Tries to clear a fault of the ledger."""
        self._retry_us = None
        entries = len(self._journal.book.entries)
        if not self._journal.recover():
            return
        # A command that seemed to be refused was recorded, or a correction, which is as an undo.
        recorded = [entry.command for entry in self._journal.book.entries[entries:]]
        if recorded:
            self._tell_panel(Undo() if len(recorded) > 1 else recorded[0])

    def _learned(self, remark: NightOfBots | SamePerson) -> None:
        """A new remark changes what the table shows."""
        if isinstance(remark, SamePerson):
            self.lighting.aliases = self._store.remarks().aliases
            return
        self._journal.set_of_bots(remark.night, remark.bots)
        self._panel.learn(self._journal.context)

    # Publishing.

    def _publish_after(self, act: Callable[[], T]) -> T:
        """Runs a change, then publishes the new state: first to the lights, then to the phones."""
        done = act()
        if self._journal.fault is None:
            self._retry_us = None
        elif self._retry_us is None and self._journal.fault.code != "damaged":
            self._retry_us = now_us() + _RETRY_US
        self._attempt("test", self.first_light.end_if_changed)
        self._light()
        changed = self._snapshot()
        if changed != self.snapshot:
            self._revision += 1
            self.snapshot = changed = replace(changed, revision=self._revision)
            self._tell(lambda listener: listener.on_snapshot(changed))
        return done

    def _tell(self, tell: Callable[[Listener], None]) -> None:
        for listener in self._listeners:
            part = f"table to the {type(listener).__name__}"
            self._attempt(part, lambda: tell(listener))  # noqa: B023 - it is called at once

    def _tell_refused(self, refused: RefusedInput) -> None:
        self._tell(lambda listener: listener.on_refused(refused))

    def _attempt(self, part: str, act: Callable[[], object]) -> bool:
        """Does what only shows the table; returns whether that worked."""

        def done() -> bool:
            act()
            return True

        return bool(self.boundary.attempt(part, done, None))

    def _situation(self) -> object:
        """The situation at the table: a test of the board ends when any of it changes."""
        journal = self._journal
        held = self.pairings.window is not None, self._off.sign, self._board
        return journal.number, len(journal.book.entries), journal.fault, self._panel.pending, held

    def _light(self) -> None:
        """Lights the board as it is now."""
        if not self._attempt("lights", self._render):
            self.lighting.rest()

    def _render(self) -> None:
        self.lighting.set_settings(self.settings.current, self.settings.sign)
        if self.first_light.test:
            self.lighting.show_alone(self.first_light.frame)
            return
        self.lighting.light(
            self._journal.state,
            self._panel.pending,
            link=self._board.link,
            pairing=self.pairings.window,
            fault=self._journal.fault is not None,
            off=self._off.sign,
        )

    def _on_frame(self, frame: Frame) -> None:
        self._show_on_board(frame)
        self._tell(lambda listener: listener.on_frame(frame))

    @property
    def _order(self) -> ColourOrder:
        """In which order the pixels expect their colours."""
        return self.settings.current.order or self._board.order

    def _show_on_board(self, frame: Frame) -> None:
        """Hands a frame to the board, whose pixels may have another order than is configured."""
        self._show(reordered(frame, self._board.order, self._order))

    def _snapshot(self) -> Snapshot:
        journal, panel, window = self._journal, self._panel, self.pairings.window
        book, sign, attempt = journal.book, self._off.sign, self.boundary.attempt
        is_between = journal.state.phase in BETWEEN_NIGHTS
        undone = book.undoes()
        last = journal.context_of(next(reversed(book.entries), None))
        untouched = panel.pending.lobby is not None and panel.lobby_is_untouched()
        # The night that the next one continues may be one before that of the bots.
        continues_earlier = journal.of_bots and journal.state.phase == "closed"
        return Snapshot(
            revision=self._revision,
            night=journal.number,
            entry=len(book.entries),
            state=journal.state,
            pending=None if untouched else panel.pending,
            legal=attempt(
                "legal actions",
                lambda: legal_actions(book, self._accepted),
                LegalActions(("undo",) if undone else (), {}, {}, None, ()),
            ),
            buttons=attempt("usable buttons", panel.usable, UsableButtons((), {})),
            board=self._board,
            pairing_window_s=self._setup.window_s,
            pairing_open_until_ms=window.end_ms if window else None,
            pairing_code="".join(map(str, window.code)) if window else None,
            pairing_changes=self.pairings.changes,
            phones=self.pairings.is_used,
            last=last,
            corrected=last is not None and last.entry is self._corrected,
            undoes=journal.context_of(undone),
            redoes=journal.context_of(book.redoes()),
            taken_back=journal.taken_back,
            times=self._setup.times,
            lobby=panel.pending.lobby,
            lobby_names=panel.lobby_names(),
            earlier_names=panel.earlier_names(),
            start=journal.model.start if is_between else None,
            model=journal.model.state if continues_earlier else None,
            bots=self._bots,
            aliases=self.lighting.aliases,
            settings=self.settings.shown,
            setting=self.settings.sign,
            switching_off=None if sign is None else "confirmed" if sign.confirmed else "asked",
            fault=journal.fault,
            test=self.first_light.test,
            clock_set=self.clock.is_set,
            zone=zone_name(),
            correctable_from=(
                None if self._bots else attempt("corrections", lambda: correctable_from(book), None)
            ),
        )

    def _accepted(self, book: Book, rule: Rule[Any]) -> list[Any]:
        part = f"legality of {rule.struct.__name__}"
        return self.boundary.attempt(part, lambda: accepted_candidates(book, rule), [])


def _audible(board: BoardInfo, setup: Setup) -> BoardInfo:
    """The board with its effective sound: one that is configured to be silent has none."""
    return replace(board, has_sound=board.has_sound and not setup.silent)
