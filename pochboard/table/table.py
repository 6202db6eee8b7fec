"""The table: the one thread that owns the night. It decides, commits, then publishes.

Edges and commands come in through a bounded queue. Lights, phones and callers see only what is
stored.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Final, Literal, TypeVar, assert_never

import msgspec
from msgspec import UNSET

from pochboard.buttons.button_meaning import DrawDealer, OpenPairing, SendCommand, count_on_phone
from pochboard.buttons.panel import (
    OffSign,
    OffSwitch,
    Panel,
    PanelEffect,
    PanelEffects,
    PanelOutcome,
    UsableButtons,
    carry_out,
)
from pochboard.buttons.press import NOTHING, Edge
from pochboard.colour_order import ColourOrder, reordered
from pochboard.errors import Refusal, RefusedInput, refuse
from pochboard.ledger.book import (
    Book,
    LegalActions,
    Repeat,
    Step,
    accepted_candidates,
    legal_actions,
)
from pochboard.ledger.correcting import correctable_from
from pochboard.ledger.remarks import (
    NightOfBots,
    SamePerson,
)
from pochboard.lights.first_light import BoardUnderTest
from pochboard.lights.frame import Frame
from pochboard.lights.lights_config import LightsConfig
from pochboard.lights.render import code_format
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import AnyCommand, Parsed, Undo, contradicts, named_in
from pochboard.rules.registry import Rule
from pochboard.rules.shedding import verify_known_count
from pochboard.rules.state import BETWEEN_NIGHTS, State
from pochboard.runtime.error_boundary import ErrorBoundary
from pochboard.runtime.threads import Answer
from pochboard.store import Store
from pochboard.table.clock import TableClock, day_text, now_ms, now_us
from pochboard.table.journal import Corrections, Journal
from pochboard.table.ledger_nights import LedgerNights
from pochboard.table.lighting import Lighting
from pochboard.table.pairing import Pairings, PairingService
from pochboard.table.settings import Settings, SettingsService
from pochboard.table.snapshot import (
    BoardInfo,
    Demo,
    Listener,
    Recorded,
    Setup,
    Snapshot,
)
from pochboard.table.takeover import FirstLight, Showing
from pochboard.table.worker import Timer, Worker
from pochboard.text.lazy import lazy_gettext
from pochboard.time_zone import use_zone, zone_name

log = logging.getLogger(__name__)
T = TypeVar("T")

_RETRY_US: Final = 2_000_000
"""How often to check whether a ledger with a fault can be used again."""
_QUIET_US: Final = 1_000_000
"""How long after the last entry the log is copied into the ledger."""


class Table:
    """The night in progress, its presses and its lights. `start` it first, and `stop` it last."""

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
        self._demo: Demo | None = None
        self._bots_seed: tuple[int | None, str] | None = None
        """The last night that bots played, and its seed."""
        self.clock = TableClock()
        """The time that entries get."""
        self.boundary = ErrorBoundary()
        """Catches what fails while it only shows the table, here and in the page."""
        self._journal = Journal(store, setup.resolve, self.clock.now_ms, self.boundary)
        self._pairing = PairingService(
            store,
            setup.window_s,
            code_format(setup.lights),
            setup.times.next_long_us,
            on_wrong_code=self._wrong_code,
        )
        self._panel = Panel(self._journal.context, setup.times, setup.lights.places)
        self._off = OffSwitch(setup.times, allowed=setup.switch_off is not None)
        self._settings = SettingsService(store, setup, self._pairing)
        self._lighting = Lighting(setup.lights, self._on_frame)
        self._retry_us: int | None = None
        """When to check next whether the ledger can be used again."""
        self._checkpoint_us: int | None = None
        """When to copy the log into the ledger."""
        self._worker = Worker("table", self._timers())
        self.nights = LedgerNights(
            store,
            self._journal,
            setup.resolve,
            self._worker,
            self._learn,
            lambda: self.snapshot,
        )
        """The nights of the ledger, from any thread."""
        self.showing = Showing(
            self._journal, self.nights, self._lighting, self._change, self._basis
        )
        """What the board shows instead of the table."""
        self.first_light = FirstLight(
            store,
            self.showing,
            lambda: BoardUnderTest(self.buttons, self.dimmed_lights, self._order),
        )
        """The test of a board that is being built, from any thread."""
        self.pairings = Pairings(self._pairing, self._change)
        """The pairing window and the paired phones, from any thread."""
        self.settings = Settings(self._settings, self._change)
        """What people choose for the board, from any thread."""
        self.corrections = Corrections(
            self._journal, self._worker, self._record, self._refuse_correction, self._as_undo
        )
        """Corrections of the night in progress, from any thread."""
        started_ms, last_ms = now_ms(), self._journal.last_ms
        if started_ms < last_ms:
            # A Pi has no battery for its clock: it is wrong until the network has set it.
            log.warning(
                "The clock says %s, but the last entry was recorded on %s: entries get a wrong time"
                " until the clock is set.",
                day_text(started_ms),
                day_text(last_ms),
            )
        self._lighting.aliases = store.remarks().aliases
        self._revision = store.reserve_revisions(max(started_ms, last_ms + 1000))
        self.snapshot = self._snapshot()
        """What holds now; may be read from any thread."""

    # From any thread.

    def start(self) -> None:
        """Starts the thread and lights the board."""
        self._worker.start()
        self._worker.call(self._light)

    def stop(self) -> None:
        """Ends the thread after the queued jobs, and switches the lights off."""
        self._worker.close()
        self._settings.keep()
        use_zone(None)
        self._lighting.darken()

    def ping(self, answer: Answer) -> None:
        """Asks the table's thread to call `answer` soon; does not wait."""
        self._worker.ping(answer)

    def check_store(self) -> None:
        """Like `Store.check`."""
        self._store.check()

    def is_alive(self) -> bool:
        """Whether anything can still be recorded."""
        return self._worker.is_alive()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tells a listener about every change. Call the result to stop that."""

        def add() -> None:
            self._listeners = (*self._listeners, listener)

        def remove() -> None:
            self._listeners = tuple(other for other in self._listeners if other is not listener)

        self._worker.call(add)
        return lambda: self._worker.call(remove)

    @property
    def frame(self) -> Frame:
        """The newest frame, as the board shows it."""
        return self._lighting.frame

    @property
    def public_frame(self) -> Frame:
        """The newest frame without the pairing code, for clients that are not paired."""
        return self._lighting.public_frame

    @property
    def is_calm(self) -> bool:
        """Whether nothing but a slow rhythm changes the frames."""
        return self._lighting.is_calm

    @property
    def buttons(self) -> tuple[str, ...]:
        """The buttons of this board."""
        return self._panel.buttons

    @property
    def lights(self) -> LightsConfig:
        """The configuration of the lights."""
        return self._setup.lights

    @property
    def dimmed_lights(self) -> LightsConfig:
        """The lights as people have chosen."""
        return self._lighting.lights

    def command(self, command: Parsed) -> Recorded | Refusal:
        """Applies a command from a phone; returns when it is committed, or refused."""
        return self._worker.call(lambda: self._command(command))

    def count(self, seat: int, cards: int | None, seen: str | None = None) -> Refusal | None:
        """A phone says how many cards a seat has left; with None, it takes the count back.

        Returns why that is refused, or why the deal was not settled with it, if so.
        """

        def apply() -> Refusal | None:
            if seen is not None and not self.snapshot.is_of_this_entry(seen):
                again = self.snapshot.was_settled_with(seat, cards, seen)
                return None if again else _CHANGED
            counted = count_on_phone(seat, cards, self._journal.state, self._panel.pending)
            if isinstance(counted, Refusal):
                return counted
            held = self._journal.book.held
            known = (
                None
                if cards is None
                else verify_known_count(self._journal.state, seat, cards, held)
            )
            if known is not None:
                return known
            self._off.cancel()
            refused = carry_out(self._panel.count(counted), self._execute)
            return refused[0].refusal if refused else None

        return self._change(apply)

    def set_in_lobby(self, place: int, name: str | None, *, deals: bool) -> Refusal | None:
        """A phone puts a place in under a name, which may be blank, or with None puts it out.

        Returns why that is refused, if so.
        """
        if self._board.kind == "none":
            return NO_TABLE
        return self._change(lambda: self._panel.set_in_lobby(place, name, deals=deals))

    def edge(self, button: str, down: bool, at_us: int | None = None) -> Future[list[RefusedInput]]:
        """A debounced button went down or up, at `at_us` on the monotonic clock or just now.

        The future holds the presses that were refused, once the edge has been dealt with.
        """
        return self.edges_at_once([(button, down, now_us() if at_us is None else at_us)])

    def edges_at_once(
        self, edges: Sequence[Edge], *, wanted: Callable[[], bool] = lambda: True
    ) -> Future[list[RefusedInput]]:
        """Several edges, in order, with nothing in between, not even a timer of a held button.

        They are dropped unless they are `wanted` when their turn has come. The future holds the
        presses that were refused.
        """

        def effects() -> PanelEffects:
            if not wanted():
                return
            for button, down, at_us in edges:
                if down and self.showing.takes(button):
                    continue
                yield from self._tick_presses(at_us)
                if self._off.takes(button, down, at_us):
                    self._settings.forget(button, down)
                elif not self._settings.takes(button, down, at_us, has_sound=self._board.has_sound):
                    yield from self._panel.edge(button, down, at_us)

        return self._worker.submit(lambda: self._press(effects))

    def known_down(self, button: str, until_us: int | None) -> Future[list[RefusedInput]]:
        """The button, if down, is known to be down until this time; None: until it is released.

        The future holds the presses that were refused.
        """

        def effects() -> PanelEffects:
            # What is due later may still come after a press that is on its way.
            clock_us = now_us() if until_us is None else min(now_us(), until_us)
            self._settings.known_down(button, until_us)
            yield from self._panel.known_down(button, until_us, clock_us)
            self._settings.tick(clock_us)

        return self._worker.submit(lambda: self._press(effects))

    def release(self, button: str) -> None:
        """Releases a held button without effect, for example if its client is silent."""
        self._worker.submit(lambda: self._press(lambda: self._release((button,))))

    def release_all(self) -> None:
        """Releases every held button without an effect, as when the board's link is lost."""
        self._worker.submit(lambda: self._press(lambda: self._release(self.buttons)))

    def set_link(self, up: bool, *, has_sound: bool | None = None) -> None:
        """The link to the board is up, or lost; and whether it has a piezo, if that is known."""

        def change() -> None:
            sound = self._board.has_sound if has_sound is None else has_sound
            board = msgspec.structs.replace(self._board, link=up, has_sound=sound)
            self._board = _audible(board, self._setup)

        self._worker.submit(lambda: self._publish_after(change))

    def show_demo(self, demo: Demo | None) -> None:
        """Shows the bots at the table, or that there are none now; returns when it is published.

        Raises StoppedError.
        """

        def change() -> None:
            self._demo = demo
            self._journal.book.held = demo.held if demo else {}
            if demo is not None and demo.seed:
                self._bots_seed = (self._journal.number, demo.seed)

        self._change(change)

    def set_order(self, order: ColourOrder) -> None:
        """From now on the pixels have this order."""

        def learn() -> None:
            settings = self._settings.current
            self._settings.change(msgspec.structs.replace(settings, order=order))
            self._show_on_board(self._lighting.frame)

        self._change(learn)

    @property
    def _order(self) -> ColourOrder:
        """In which order the pixels expect their colours."""
        return self._settings.current.order or self._board.order

    def _change(self, act: Callable[[], T]) -> T:
        return self._worker.call(lambda: self._publish_after(act))

    def _learn(self, remark: NightOfBots | SamePerson) -> None:
        """Shows what a new remark changes at the table."""

        def apply() -> None:
            if isinstance(remark, SamePerson):
                self._lighting.aliases = self._store.remarks().aliases
                return
            self._journal.set_of_bots(remark.night, remark.bots)
            self._panel.learn(self._journal.context)

        self._change(apply)

    # In the table's thread.

    def _timers(self) -> list[Timer]:
        """All that the table does by itself, when nobody presses or sends anything."""
        presses = self._press_due
        return [
            Timer(self._panel.due_us, presses),
            Timer(self._off.due_us, presses),
            Timer(self._settings.press_due_us, presses),
            Timer(self._pairing.due_us, lambda: self._publish_after(self._pairing.close)),
            Timer(
                lambda: self.showing.due_us(),  # noqa: PLW0108 - it is made after its timer
                lambda: self._publish_after(self.showing.end),
            ),
            Timer(self._settings.sign_due_us, lambda: self._publish_after(self._settings.end_sign)),
            Timer(self._settings.keep_due_us, self._settings.keep),
            Timer(lambda: self._retry_us, self._retry),
            Timer(lambda: self._checkpoint_us, self._checkpoint),
            Timer(self._lighting.due_us, self._light),
        ]

    def _press_due(self) -> None:
        """Held presses, pending input and the question whether to switch off."""
        clock_us = now_us()
        self._press(lambda: self._tick_presses(clock_us))

    def _retry(self) -> None:
        self._retry_us = None
        self._publish_after(self._recover)

    def _checkpoint(self) -> None:
        self._checkpoint_us = None
        self._store.checkpoint()

    def _apply(self, command: Parsed) -> Step | Repeat | Refusal:
        """Applies a command and starts its effects on the lights. The caller tells the panel."""
        before = self._journal.state
        step = self._journal.apply(command)
        if isinstance(step, Refusal):
            if step.code == "short-ante":
                self._lighting.short()
        elif isinstance(step, Step):
            self._recorded(before, step.state, step.entry.command)
        return step

    def _recorded(self, before: State, after: State, command: AnyCommand) -> None:
        """Starts the effects of what was recorded."""
        self._attempt("lights", lambda: self._lighting.recorded(before, after, command))
        # Between deals, when nobody is pressing, so that no press has to wait.
        quiet = after.phase in ("idle", "closed")
        self._checkpoint_us = now_us() + _QUIET_US if quiet else None
        if before.phase in BETWEEN_NIGHTS and after.phase not in BETWEEN_NIGHTS:
            self.nights.restore(self._journal.number)

    def _command(self, command: Parsed) -> Recorded | Refusal:
        """Applies a command from a phone."""

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

    def _record(self, apply: Callable[[], Step | Repeat | Refusal]) -> Recorded | Refusal:
        """Records something and publishes it."""
        step = self._publish_after(apply)
        if isinstance(step, Refusal):
            return step
        return Recorded(step.entry.number, step.state, self._revision)

    def _as_undo(self, before: State) -> None:
        """The night was corrected. To lights, sounds and presses that is a single undo."""
        self._recorded(before, self._journal.state, Undo())
        self._tell_panel(Undo())
        self._off.cancel()

    def _tell_panel(self, command: AnyCommand) -> None:
        context = self._journal.context
        self._attempt("half-entered input", lambda: self._panel.recorded(command, context))

    def _refuse_correction(self, sent: Undo) -> Refusal | None:
        """Why nothing can be corrected now, if so."""
        if self._is_outdated(sent):
            return _CHANGED
        return _KNOWN_CARDS if self._demo else None

    def _is_outdated(self, command: Parsed) -> bool:
        """Whether what has happened since the sender saw the table contradicts the command."""
        if command.seen is UNSET or command.seen == self.snapshot.seen:
            return False
        since = self.snapshot.entries_since(command.seen)
        entries = self._journal.book.entries
        return not since or any(contradicts(entries[n].command, command) for n in since)

    def _recover(self) -> None:
        """Tries to clear a fault of the ledger."""
        entries = len(self._journal.book.entries)
        if not self._journal.recover():
            return
        # A command that seemed to be refused was recorded, or a correction, which is as an undo.
        recorded = [entry.command for entry in self._journal.book.entries[entries:]]
        if recorded:
            self._tell_panel(Undo() if len(recorded) > 1 else recorded[0])

    def _release(self, buttons: tuple[str, ...]) -> PanelEffects:
        """Releases buttons without effect."""
        self._off.release(buttons)
        self._settings.release(buttons)
        yield from self._panel.release(buttons, now_us())

    def _tick_presses(self, clock_us: int) -> PanelEffects:
        """Does what is due for presses by now, in order."""
        off_us = self._off.due_us()
        if off_us is not None and off_us <= clock_us:
            yield from self._panel.tick(off_us)
            yield from self._tick_off(clock_us)
        yield from self._panel.tick(clock_us)
        self._settings.tick(clock_us)

    def _tick_off(self, clock_us: int) -> PanelEffects:
        """Asks whether to switch off, drops the question, or switches off, if that is due."""
        match self._off.tick(clock_us):
            case "asks":
                # What was pressed before must not act after the question, and the code of the
                # pairing window must not be taken for its sign.
                yield from self._panel.release(self.buttons, clock_us)
                self._pairing.close()
            case "off":
                assert self._setup.switch_off is not None, "else nothing is asked"
                self._setup.switch_off()
            case _:
                pass

    def _press(self, effects: Callable[[], PanelEffects]) -> list[RefusedInput]:
        """Carries out the effects of a press; returns what was refused."""
        return self._publish_after(lambda: carry_out(effects(), self._execute))

    def _execute(self, effect: PanelEffect) -> PanelOutcome:
        match effect:
            case SendCommand(command):
                step = self._apply(command)
                return step if isinstance(step, Refusal) else self._journal.context
            case DrawDealer(places):
                winner: int = self._setup.draw(places)
                self._lighting.drawn(places, winner)
                return winner
            case OpenPairing():
                self._settings.open_pairing()
            case RefusedInput():
                self._lighting.refused(effect, self._uncounted())
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
        self._lighting.refused(RefusedInput(refusal, POOLS[:digits]), ())

    def _publish_after(self, act: Callable[[], T]) -> T:
        """Runs a change, then publishes the new state: first to the lights, then to the phones."""
        done = act()
        if self._journal.fault is None:
            self._retry_us = None
        elif self._retry_us is None and self._journal.fault.code != "damaged":
            self._retry_us = now_us() + _RETRY_US
        self._attempt("replay", self.showing.end_if_changed)
        self._light()
        changed = self._snapshot()
        if changed != self.snapshot:
            self._revision += 1
            self.snapshot = changed = msgspec.structs.replace(changed, revision=self._revision)
            self._tell(lambda listener: listener.on_snapshot(changed))
        return done

    def _tell(self, tell: Callable[[Listener], None]) -> None:
        for listener in self._listeners:
            part = f"table to the {type(listener).__name__}"
            self._attempt(part, lambda: tell(listener))  # noqa: B023 - it is called at once

    def _tell_refused(self, refused: RefusedInput) -> None:
        self._tell(lambda listener: listener.on_refused(refused))

    def _show_on_board(self, frame: Frame) -> None:
        self._show(reordered(frame, self._board.order, self._order))

    def _on_frame(self, frame: Frame) -> None:
        self._show_on_board(frame)
        self._tell(lambda listener: listener.on_frame(frame))

    def _attempt(self, part: str, act: Callable[[], object]) -> bool:
        """Does what only shows the table; returns whether that worked."""

        def done() -> bool:
            act()
            return True

        return self._shown(part, done, default=False)

    def _shown(self, part: str, act: Callable[[], T], default: T) -> T:
        """What `act` returns, or the default if it fails: then the table goes on without it."""
        return self.boundary.attempt(part, act, default)

    def _basis(self) -> object:
        """The situation at the table: what shows itself instead ends when any of it changes."""
        journal, panel = self._journal, self._panel
        held = self._pairing.window is not None, self._off.sign, self._board
        return journal.number, len(journal.book.entries), journal.fault, panel.pending, held

    def _light(self) -> None:
        if not self._attempt("lights", self._render):
            self._lighting.rest()

    def _render(self) -> None:
        self._lighting.set_settings(self._settings.current, self._settings.sign)
        if self.showing.lights():
            return
        replayed = self.showing.state
        self._lighting.light(
            replayed or self._journal.state,
            NOTHING if replayed else self._panel.pending,
            link=self._board.link,
            pairing=self._pairing.window,
            fault=self._journal.fault is not None,
            off=self._off.sign,
        )

    def _snapshot(self) -> Snapshot:
        journal, panel, window = self._journal, self._panel, self._pairing.window
        undone, redone = journal.book.undoes(), journal.book.redoes()
        last = journal.context_of(next(reversed(journal.book.entries), None))
        untouched = panel.pending.lobby is not None and panel.lobby_is_untouched()
        return Snapshot(
            revision=self._revision,
            night=journal.number,
            entry=len(journal.book.entries),
            state=journal.state,
            pending=None if untouched else panel.pending,
            legal=self._shown(
                "legal actions",
                lambda: legal_actions(journal.book, self._accepted),
                LegalActions(("undo",) if undone else (), {}, {}, None, ()),
            ),
            buttons=self._shown("usable buttons", panel.usable, UsableButtons((), {})),
            board=self._board,
            pairing_window_s=self._setup.window_s,
            pairing_open_until_ms=window.end_ms if window else None,
            pairing_code="".join(map(str, self._pairing.code)) or None,
            pairing_changes=self._pairing.changes,
            phones=self._pairing.is_used,
            last=last,
            corrected=last is not None and last.entry is self.corrections.last,
            undoes=journal.context_of(undone),
            redoes=journal.context_of(redone),
            taken_back=journal.taken_back,
            times=self._setup.times,
            lobby=panel.pending.lobby,
            lobby_names=panel.lobby_names(),
            earlier_names=panel.earlier_names(),
            start=journal.model.start if journal.state.phase in BETWEEN_NIGHTS else None,
            model=self._journal.model.state if self._continues_earlier() else None,
            demo=self._demo,
            bots_seed=self._revealed_seed(),
            aliases=self._lighting.aliases,
            settings=self._settings.shown,
            setting=self._settings.sign,
            switching_off=_switching_off(self._off.sign),
            fault=journal.fault,
            replayed=self.showing.night,
            test=self.showing.test,
            clock_set=self.clock.is_set,
            zone=zone_name(),
            correctable_from=(
                None
                if self._demo
                else self._shown("corrections", lambda: correctable_from(journal.book), None)
            ),
        )

    def _accepted(self, book: Book, rule: Rule[Any]) -> list[Any]:
        part = f"legality of {rule.struct.__name__}"
        return self._shown(part, lambda: accepted_candidates(book, rule), [])

    def _continues_earlier(self) -> bool:
        """Whether the next night continues a night other than the last one."""
        return self._journal.of_bots and self._journal.state.phase == "closed"

    def _revealed_seed(self) -> str | None:
        """The bots' seed, once it no longer reveals a hidden card."""
        if self._demo or self._bots_seed is None or self._journal.state.phase != "closed":
            return None
        night, seed = self._bots_seed
        return seed if night == self._journal.number else None


NO_TABLE: Final = refuse(
    "no-table",
    lazy_gettext(
        "Nobody plays here: this machine only collects nights. Play at one of the boards."
    ),
)
_CHANGED: Final = refuse(
    "changed",
    lazy_gettext("The table has moved on, so nothing was recorded. Look at what it shows now."),
)


_KNOWN_CARDS: Final = refuse(
    "known-cards",
    lazy_gettext(
        "Computer players play, and what their cards say is recorded. Nothing can be corrected."
    ),
)


def _audible(board: BoardInfo, setup: Setup) -> BoardInfo:
    """The board with its effective sound: one that is configured to be silent has none."""
    return msgspec.structs.replace(board, has_sound=board.has_sound and not setup.silent)


def _switching_off(sign: OffSign | None) -> Literal["asked", "confirmed"] | None:
    if sign is None:
        return None
    return "confirmed" if sign.confirmed else "asked"
