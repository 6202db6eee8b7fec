"""The table, as other threads see it: they hand in edges and commands, and get what is stored.

`TableWork` does what they ask for, in the one thread that owns the night.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from pochboard.buttons.press import Edge
from pochboard.config import ColourOrder
from pochboard.errors import Refusal, RefusedInput
from pochboard.lights.frame import Frame
from pochboard.lights.lights_config import LightsConfig
from pochboard.rules.commands import Parsed, Undo
from pochboard.runtime.threads import Answer
from pochboard.store import Store
from pochboard.table.clock import now_us
from pochboard.table.snapshot import (
    BoardInfo,
    Bots,
    Listener,
    Preview,
    Recorded,
    Setup,
    Snapshot,
)
from pochboard.table.work import NO_TABLE, TableWork


class Table:
    """The night in progress, its presses and its lights, from any thread.

    `start` it first, and `stop` it last.
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
        self._work = work = TableWork(store, setup, board, show)
        self._worker = work.worker
        self.clock = work.clock
        """The time that entries get."""
        self.boundary = work.boundary
        """Catches what fails while it only shows the table, here and in the page."""
        self.nights = work.nights
        """The nights of the ledger."""
        self.first_light = work.first_light
        """The test of a board that is being built."""
        self.pairings = work.pairings
        """The pairing window and the paired phones."""
        self.settings = work.settings
        """What people choose for the board."""

    @property
    def snapshot(self) -> Snapshot:
        """What holds now."""
        return self._work.snapshot

    def start(self) -> None:
        """Starts the thread and lights the board."""
        self._worker.start()
        self._worker.call(self._work.light)

    def stop(self) -> None:
        """Ends the thread after the queued jobs, and switches the lights off."""
        self._worker.close()
        self._work.end()

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
        work = self._work

        def add() -> None:
            work.listeners = (*work.listeners, listener)

        def remove() -> None:
            work.listeners = tuple(other for other in work.listeners if other is not listener)

        self._worker.call(add)
        return lambda: self._worker.call(remove)

    @property
    def frame(self) -> Frame:
        """The newest frame, as the board shows it."""
        return self._work.lighting.frame

    @property
    def public_frame(self) -> Frame:
        """The newest frame without the pairing code, for clients that are not paired."""
        return self._work.lighting.public_frame

    @property
    def is_calm(self) -> bool:
        """Whether nothing but a slow rhythm changes the frames."""
        return self._work.lighting.is_calm

    @property
    def buttons(self) -> tuple[str, ...]:
        """The buttons of this board."""
        return self._work.panel.buttons

    @property
    def lights(self) -> LightsConfig:
        """The configuration of the lights."""
        return self._work.setup.lights

    @property
    def dimmed_lights(self) -> LightsConfig:
        """The lights as people have chosen."""
        return self._work.lighting.lights

    def command(self, command: Parsed) -> Recorded | Refusal:
        """Applies a command from a phone; returns when it is committed, or refused."""
        return self._worker.call(lambda: self._work.command(command))

    def preview(
        self, number: int, command: Parsed | None, sent: Undo, *, insert: bool = False
    ) -> Preview | Refusal:
        """What a correction would change, or why it would be refused; see `correct`."""
        work = self._work
        return self._worker.call(lambda: work.preview(number, command, sent, insert=insert))

    def correct(
        self, number: int, command: Parsed | None, sent: Undo, *, insert: bool = False
    ) -> Recorded | Refusal:
        """Puts a command in the place of an entry of the night, or with `insert` before it.

        Without a command, the entry is left out. `sent` has the id of the correction, and what its
        sender has seen. Only the phone hears of a refusal.
        """
        work = self._work
        return self._worker.call(lambda: work.correct(number, command, sent, insert=insert))

    def count(self, seat: int, cards: int | None, basis: str | None = None) -> Refusal | None:
        """A phone says how many cards a seat has left; with None, it takes the count back.

        Returns why that is refused, or why the deal was not settled with it, if so.
        """
        return self._work.change(lambda: self._work.count(seat, cards, basis))

    def set_in_lobby(self, place: int, name: str | None, *, deals: bool) -> Refusal | None:
        """A phone puts a place in under a name, which may be blank, or with None puts it out.

        Returns why that is refused, if so.
        """
        work = self._work
        if work.board.kind == "none":
            return NO_TABLE
        return work.change(lambda: work.panel.set_in_lobby(place, name, deals=deals))

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
        work = self._work
        return self._worker.submit(
            lambda: work.press(lambda: work.edges(edges if wanted() else ()))
        )

    def known_down(self, button: str, until_us: int | None) -> Future[list[RefusedInput]]:
        """The button, if down, is known to be down until this time; None: until it is released.

        The future holds the presses that were refused.
        """
        work = self._work
        return self._worker.submit(lambda: work.press(lambda: work.known_down(button, until_us)))

    def release(self, button: str) -> None:
        """Releases a held button without effect, for example if its client is silent."""
        work = self._work
        self._worker.submit(lambda: work.press(lambda: work.release((button,))))

    def release_all(self) -> None:
        """Releases every held button without an effect, as when the board's link is lost."""
        work = self._work
        self._worker.submit(lambda: work.press(lambda: work.release(self.buttons)))

    def set_link(self, up: bool, *, has_sound: bool | None = None) -> None:
        """The link to the board is up, or lost; and whether it has a piezo, if that is known."""
        work = self._work
        self._worker.submit(lambda: work.publish_after(lambda: work.set_link(up, has_sound)))

    def show_bots(self, bots: Bots | None) -> None:
        """Shows the bots at the table, or that there are none now; returns when it is published.

        Raises StoppedError.
        """
        self._work.change(lambda: self._work.show_bots(bots))

    def set_order(self, order: ColourOrder) -> None:
        """From now on the pixels have this order."""
        self._work.change(lambda: self._work.set_order(order))
