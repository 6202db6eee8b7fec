"""The work of the table's thread, which alone owns the night. It decides, commits, then publishes.

Edges and commands come in through a bounded queue. Lights, phones and callers see only what is
stored.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
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
from pochboard.buttons.press import Edge
from pochboard.config import ColourOrder
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
from pochboard.ledger.entry import Entry
from pochboard.ledger.remarks import (
    NightOfBots,
    SamePerson,
)
from pochboard.lights.first_light import BoardUnderTest
from pochboard.lights.frame import Frame, reordered
from pochboard.lights.render import code_format
from pochboard.rules.accounts import POOLS
from pochboard.rules.commands import AnyCommand, Parsed, Undo, contradicts, named_in
from pochboard.rules.registry import Rule
from pochboard.rules.shedding import verify_known_count
from pochboard.rules.state import BETWEEN_NIGHTS, State
from pochboard.runtime.error_boundary import ErrorBoundary
from pochboard.store import Store
from pochboard.table.clock import TableClock, day_text, now_ms, now_us
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
from pochboard.table.worker import Timer, Worker
from pochboard.text.lazy import lazy_gettext
from pochboard.time_zone import use_zone, zone_name

log = logging.getLogger(__name__)
T = TypeVar("T")

_RETRY_US: Final = 2_000_000
"""How often to check whether a ledger with a fault can be used again."""
_QUIET_US: Final = 1_000_000
"""How long after the last entry the log is copied into the ledger."""


class TableWork:
    """What the table's thread does. Not thread-safe, except where it says so."""

    def __init__(
        self,
        store: Store,
        setup: Setup,
        board: BoardInfo,
        show: Callable[[Frame], None] = lambda _: None,
    ) -> None:
        """`show` hands a frame to the board; it must not wait. Raises LedgerError."""
        self._store = store
        self.setup = setup
        self.board = _audible(board, setup)
        self._show = show
        self.listeners: tuple[Listener, ...] = ()
        self.bots: Bots | None = None
        self.bots_seed: tuple[int | None, str] | None = None
        """The last night that bots played, and its seed."""
        self.clock = TableClock()
        """The time that entries get."""
        self.boundary = ErrorBoundary()
        """Catches what fails while it only shows the table, here and in the page."""
        self.journal = Journal(store, setup.resolve, self.clock.now_ms, self.boundary)
        self.pairings = Pairings(
            store,
            setup.window_s,
            code_format(setup.lights),
            setup.times.next_long_us,
            self.change,
            self._wrong_code,
        )
        self.panel = Panel(self.journal.context, setup.times, setup.lights.places)
        self.off = OffSwitch(setup.times, allowed=setup.switch_off is not None)
        self.settings = Settings(store, setup, self.pairings, self.change)
        self.lighting = Lighting(setup.lights, self._on_frame)
        self.first_light = FirstLight(
            store,
            self.journal,
            lambda: BoardUnderTest(self.panel.buttons, self.lighting.lights, self.order),
            self.change,
            self._basis,
        )
        """The test of a board that is being built, from any thread."""
        self._retry_us: int | None = None
        """When to check next whether the ledger can be used again."""
        self._checkpoint_us: int | None = None
        """When to copy the log into the ledger."""
        self.worker = Worker("table", self._timers())
        self.nights = LedgerNights(
            store,
            self.journal,
            setup.resolve,
            self.worker,
            self._learn,
            lambda: self.snapshot,
        )
        """The nights of the ledger, from any thread."""
        self._corrected: Entry | None = None
        """The last entry of the last correction."""
        started_ms, last_ms = now_ms(), self.journal.last_ms
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
        """What holds now; may be read from any thread."""

    def change(self, act: Callable[[], T]) -> T:
        """Lets the table's thread change something and publish that; for any thread."""
        return self.worker.call(lambda: self.publish_after(act))

    @property
    def order(self) -> ColourOrder:
        """In which order the pixels expect their colours."""
        return self.settings.current.order or self.board.order

    def _learn(self, remark: NightOfBots | SamePerson) -> None:
        """Shows what a new remark changes at the table."""

        def apply() -> None:
            if isinstance(remark, SamePerson):
                self.lighting.aliases = self._store.remarks().aliases
                return
            self.journal.set_of_bots(remark.night, remark.bots)
            self.panel.learn(self.journal.context)

        self.change(apply)

    def count(self, seat: int, cards: int | None, basis: str | None) -> Refusal | None:
        """Takes a count from a phone, or takes it back. Returns why it is refused, if so."""
        if basis is not None and not self.snapshot.is_of_this_entry(basis):
            again = self.snapshot.was_settled_with(seat, cards, basis)
            return None if again else _CHANGED
        counted = count_on_phone(seat, cards, self.journal.state, self.panel.pending)
        if isinstance(counted, Refusal):
            return counted
        held = self.journal.book.held
        known = None if cards is None else verify_known_count(self.journal.state, seat, cards, held)
        if known is not None:
            return known
        self.off.cancel()
        refused = carry_out(self.panel.count(counted), self._execute)
        return refused[0].refusal if refused else None

    def edges(self, edges: Sequence[Edge]) -> PanelEffects:
        """Deals with edges, in order."""
        for button, down, at_us in edges:
            if down and self.first_light.consumes(button):
                continue
            yield from self._tick_presses(at_us)
            if self.off.consumes(button, down, at_us):
                self.settings.forget(button, down)
            elif not self.settings.consumes(button, down, at_us, has_sound=self.board.has_sound):
                yield from self.panel.edge(button, down, at_us)

    def known_down(self, button: str, until_us: int | None) -> PanelEffects:
        """A button is known to be down until this time; None: until it is released."""
        # What is due later may still come after a press that is on its way.
        clock_us = now_us() if until_us is None else min(now_us(), until_us)
        self.settings.known_down(button, until_us)
        yield from self.panel.known_down(button, until_us, clock_us)
        self.settings.tick(clock_us)

    def set_link(self, up: bool, has_sound: bool | None) -> None:
        """The link to the board is up, or lost; and whether it has a piezo, if that is known."""
        sound = self.board.has_sound if has_sound is None else has_sound
        board = msgspec.structs.replace(self.board, link=up, has_sound=sound)
        self.board = _audible(board, self.setup)

    def show_bots(self, bots: Bots | None) -> None:
        """Shows the bots at the table, or that there are none now."""
        self.bots = bots
        self.journal.book.held = bots.held if bots else {}
        if bots is not None and bots.seed:
            self.bots_seed = (self.journal.number, bots.seed)

    def set_order(self, order: ColourOrder) -> None:
        """From now on the pixels have this order."""
        self.settings.set(msgspec.structs.replace(self.settings.current, order=order))
        self.show_on_board(self.lighting.frame)

    def end(self) -> None:
        """Stores what has changed, and switches the lights off, once the thread has ended."""
        self.settings.keep()
        use_zone(None)
        self.lighting.darken()

    def _timers(self) -> list[Timer]:
        """All that the table does by itself, when nobody presses or sends anything."""
        presses = self._press_due
        return [
            Timer(self.panel.due_us, presses),
            Timer(self.off.due_us, presses),
            Timer(self.settings.press_due_us, presses),
            Timer(self.pairings.due_us, lambda: self.publish_after(self.pairings.close)),
            Timer(self.first_light.due_us, lambda: self.publish_after(self.first_light.end)),
            Timer(self.settings.sign_due_us, lambda: self.publish_after(self.settings.end_sign)),
            Timer(self.settings.keep_due_us, self.settings.keep),
            Timer(lambda: self._retry_us, self._retry),
            Timer(lambda: self._checkpoint_us, self._checkpoint),
            Timer(self.lighting.due_us, self.light),
        ]

    def _press_due(self) -> None:
        """Held presses, pending input and the question whether to switch off."""
        clock_us = now_us()
        self.press(lambda: self._tick_presses(clock_us))

    def _retry(self) -> None:
        self._retry_us = None
        self.publish_after(self._recover)

    def _checkpoint(self) -> None:
        self._checkpoint_us = None
        self._store.checkpoint()

    def _apply(self, command: Parsed) -> Step | Repeat | Refusal:
        """Applies a command and starts its effects on the lights. The caller tells the panel."""
        before = self.journal.state
        step = self.journal.apply(command)
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
            self.nights.restore(self.journal.number)

    def command(self, command: Parsed) -> Recorded | Refusal:
        """Applies a command from a phone."""

        def apply() -> Step | Repeat | Refusal:
            if self.board.kind == "none":
                return NO_TABLE
            # A repetition is answered as the first time, although its own entry is new since then.
            if self._is_outdated(command) and self.journal.book.repeated(command) is None:
                return _CHANGED
            step = self._apply(command)
            if isinstance(step, Step):
                self._tell_panel(step.entry.command)
                self.off.cancel()
            return step

        answer = self._record(apply)
        # An outdated command concerns only the phone that sent it.
        if isinstance(answer, Refusal) and answer.code != "changed":
            self._tell_refused(RefusedInput(answer, (), named_in(command)))
        return answer

    def _record(self, apply: Callable[[], Step | Repeat | Refusal]) -> Recorded | Refusal:
        """Records something and publishes it."""
        step = self.publish_after(apply)
        if isinstance(step, Refusal):
            return step
        return Recorded(step.entry.number, step.state, self._revision)

    def preview(
        self, number: int, command: Parsed | None, sent: Undo, *, insert: bool
    ) -> Preview | Refusal:
        """What a correction would change, or why it would be refused."""
        # Its id may have been used, for it is that of the correction which comes next.
        steps = self._refuse_correction(sent) or self.journal.correction(
            number, command, Undo(), insert=insert
        )
        return steps if isinstance(steps, Refusal) else Preview(self.journal.state, steps)

    def correct(
        self, number: int, command: Parsed | None, sent: Undo, *, insert: bool
    ) -> Recorded | Refusal:
        """Corrects the night. To lights, sounds and presses that is a single undo."""

        def correct() -> Step | Repeat | Refusal:
            before = self.journal.state
            refusal = None if self.journal.book.repeated(sent) else self._refuse_correction(sent)
            steps = refusal or self.journal.correct(number, command, sent, insert=insert)
            if isinstance(steps, Repeat | Refusal):
                return steps
            self._recorded(before, self.journal.state, Undo())
            self._tell_panel(Undo())
            self.off.cancel()
            self._corrected = steps[-1].entry
            return steps[-1]

        return self._record(correct)

    def _tell_panel(self, command: AnyCommand) -> None:
        context = self.journal.context
        self._attempt("half-entered input", lambda: self.panel.recorded(command, context))

    def _refuse_correction(self, sent: Undo) -> Refusal | None:
        """Why nothing can be corrected now, if so."""
        if self._is_outdated(sent):
            return _CHANGED
        return _KNOWN_CARDS if self.bots else None

    def _is_outdated(self, command: Parsed) -> bool:
        """Whether what has happened since the sender saw the table contradicts the command."""
        if command.basis is UNSET or command.basis == self.snapshot.basis:
            return False
        since = self.snapshot.entries_since(command.basis)
        entries = self.journal.book.entries
        return not since or any(contradicts(entries[n].command, command) for n in since)

    def _recover(self) -> None:
        """Tries to clear a fault of the ledger."""
        entries = len(self.journal.book.entries)
        if not self.journal.recover():
            return
        # A command that seemed to be refused was recorded, or a correction, which is as an undo.
        recorded = [entry.command for entry in self.journal.book.entries[entries:]]
        if recorded:
            self._tell_panel(Undo() if len(recorded) > 1 else recorded[0])

    def release(self, buttons: tuple[str, ...]) -> PanelEffects:
        """Releases buttons without effect."""
        self.off.release(buttons)
        self.settings.release(buttons)
        yield from self.panel.release(buttons, now_us())

    def _tick_presses(self, clock_us: int) -> PanelEffects:
        """Does what is due for presses by now, in order."""
        off_us = self.off.due_us()
        if off_us is not None and off_us <= clock_us:
            yield from self.panel.tick(off_us)
            yield from self._tick_off(clock_us)
        yield from self.panel.tick(clock_us)
        self.settings.tick(clock_us)

    def _tick_off(self, clock_us: int) -> PanelEffects:
        """Asks whether to switch off, drops the question, or switches off, if that is due."""
        match self.off.tick(clock_us):
            case "asks":
                # What was pressed before must not act after the question, and the code of the
                # pairing window must not be taken for its sign.
                yield from self.panel.release(self.panel.buttons, clock_us)
                self.pairings.close()
            case "off":
                assert self.setup.switch_off is not None, "else nothing is asked"
                self.setup.switch_off()
            case _:
                pass

    def press(self, effects: Callable[[], PanelEffects]) -> list[RefusedInput]:
        """Carries out the effects of a press; returns what was refused."""
        return self.publish_after(lambda: carry_out(effects(), self._execute))

    def _execute(self, effect: PanelEffect) -> PanelOutcome:
        match effect:
            case SendCommand(command):
                step = self._apply(command)
                return step if isinstance(step, Refusal) else self.journal.context
            case DrawDealer(places):
                winner: int = self.setup.draw(places)
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
        state = self.journal.state
        counted = {*self.panel.pending.cards, state.winner}
        return [state.places[seat - 1] for seat in state.live if seat not in counted]

    def _wrong_code(self, refusal: Refusal, digits: int) -> None:
        self.lighting.refused(RefusedInput(refusal, POOLS[:digits]), ())

    def publish_after(self, act: Callable[[], T]) -> T:
        """Runs a change, then publishes the new state: first to the lights, then to the phones."""
        done = act()
        if self.journal.fault is None:
            self._retry_us = None
        elif self._retry_us is None and self.journal.fault.code != "damaged":
            self._retry_us = now_us() + _RETRY_US
        self._attempt("test", self.first_light.end_if_changed)
        self.light()
        changed = self._snapshot()
        if changed != self.snapshot:
            self._revision += 1
            self.snapshot = changed = msgspec.structs.replace(changed, revision=self._revision)
            self._tell(lambda listener: listener.on_snapshot(changed))
        return done

    def _tell(self, tell: Callable[[Listener], None]) -> None:
        for listener in self.listeners:
            part = f"table to the {type(listener).__name__}"
            self._attempt(part, lambda: tell(listener))  # noqa: B023 - it is called at once

    def _tell_refused(self, refused: RefusedInput) -> None:
        self._tell(lambda listener: listener.on_refused(refused))

    def show_on_board(self, frame: Frame) -> None:
        """Hands a frame to the board, whose pixels may have another order than is configured."""
        self._show(reordered(frame, self.board.order, self.order))

    def _on_frame(self, frame: Frame) -> None:
        self.show_on_board(frame)
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
        """The situation at the table: a test of the board ends when any of it changes."""
        journal, panel = self.journal, self.panel
        held = self.pairings.window is not None, self.off.sign, self.board
        return journal.number, len(journal.book.entries), journal.fault, panel.pending, held

    def light(self) -> None:
        """Lights the board as it is now."""
        if not self._attempt("lights", self._render):
            self.lighting.rest()

    def _render(self) -> None:
        self.lighting.set_settings(self.settings.current, self.settings.sign)
        if self.first_light.test:
            self.lighting.show_alone(self.first_light.frame)
            return
        self.lighting.light(
            self.journal.state,
            self.panel.pending,
            link=self.board.link,
            pairing=self.pairings.window,
            fault=self.journal.fault is not None,
            off=self.off.sign,
        )

    def _snapshot(self) -> Snapshot:
        journal, panel, window = self.journal, self.panel, self.pairings.window
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
            board=self.board,
            pairing_window_s=self.setup.window_s,
            pairing_open_until_ms=window.end_ms if window else None,
            pairing_code="".join(map(str, self.pairings.code)) or None,
            pairing_changes=self.pairings.changes,
            phones=self.pairings.is_used,
            last=last,
            corrected=last is not None and last.entry is self._corrected,
            undoes=journal.context_of(undone),
            redoes=journal.context_of(redone),
            taken_back=journal.taken_back,
            times=self.setup.times,
            lobby=panel.pending.lobby,
            lobby_names=panel.lobby_names(),
            earlier_names=panel.earlier_names(),
            start=journal.model.start if journal.state.phase in BETWEEN_NIGHTS else None,
            model=self.journal.model.state if self._continues_earlier() else None,
            bots=self.bots,
            bots_seed=self._revealed_seed(),
            aliases=self.lighting.aliases,
            settings=self.settings.shown,
            setting=self.settings.sign,
            switching_off=_switching_off(self.off.sign),
            fault=journal.fault,
            test=self.first_light.test,
            clock_set=self.clock.is_set,
            zone=zone_name(),
            correctable_from=(
                None
                if self.bots
                else self._shown("corrections", lambda: correctable_from(journal.book), None)
            ),
        )

    def _accepted(self, book: Book, rule: Rule[Any]) -> list[Any]:
        part = f"legality of {rule.struct.__name__}"
        return self._shown(part, lambda: accepted_candidates(book, rule), [])

    def _continues_earlier(self) -> bool:
        """Whether the next night continues a night other than the last one."""
        return self.journal.of_bots and self.journal.state.phase == "closed"

    def _revealed_seed(self) -> str | None:
        """The bots' seed, once it no longer reveals a hidden card."""
        if self.bots or self.bots_seed is None or self.journal.state.phase != "closed":
            return None
        night, seed = self.bots_seed
        return seed if night == self.journal.number else None


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
