"""The simulated board: its buttons and pixels are on the page. On request it loses its link."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pochboard import ssd1306
from pochboard.boards.base import Board, Sink, Tune
from pochboard.buttons.press import HOLD_S
from pochboard.errors import PochboardError, RefusedInput, StoppedError
from pochboard.lights.frame import Frame
from pochboard.runtime.threads import LoopThread
from pochboard.screen import BLANK, Bitmap
from pochboard.table.clock import now_us
from pochboard.text.allowed_values import not_one_of
from pochboard.text.lazy import lazy_gettext

_MOST_AHEAD_US: Final = 1_000_000
"""How long before its first request arrived a press may have begun."""
_MOST_HOLDERS: Final = 32
"""The most clients that can hold one button."""
_MOST_CLIENTS: Final = 256
"""How many clients' last press numbers are kept."""
_MOST_HELD_MS: Final = 86_400_000


class ClientEdge(msgspec.Struct, frozen=True, kw_only=True):
    """A client's report about a button, over the network."""

    down: bool
    repeat: bool = False
    """The button is still down. This never begins a press."""
    press: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    """The number of the press, counted by the client. Edges of older presses are dropped."""
    held_ms: Annotated[int, Meta(ge=0, le=_MOST_HELD_MS)] | None = None
    """How long it has been held, by the client's clock; None: since the first request."""
    cancel: bool = False
    """The release does not count as a press."""


class UnknownButtonError(PochboardError, LookupError):
    """This board has no button with that name."""


class _Hold:
    """A button held by somebody."""

    def __init__(self, press: int | None = None, known_us: int | None = None) -> None:
        self.until_s = 0.0
        self.press = press
        """The number that the client gave its press."""
        self.down_us = known_us or 0
        self.known_us = known_us
        """The time until which a client is known to hold it; None: until it is released."""
        self.ends = False
        """Whether the client has reported that it releases it at `until_s`."""


class Simulator(LoopThread, Board):
    """A board without hardware. All methods may be called from any thread."""

    kind = "simulator"
    simulated = True
    has_display = True
    has_sound = True

    def __init__(self) -> None:
        super().__init__("simulator")
        self.frame: Frame = b""
        """What its pixels show."""
        self.screen: Bitmap = BLANK
        """What its display shows."""
        self.contrast = ssd1306.CONTRAST
        """How bright the lit pixels of the display are, 0 to 255."""
        self.tune: Tune | None = None
        """The tune that was played last."""
        # Held while edges are reported, to keep them in order.
        self._lock = threading.RLock()
        self._holds: dict[str, dict[str, _Hold]] = {}
        self._down: set[str] = set()
        # The times last reported to the sink, until which buttons are known to be down.
        self._told_known: dict[str, int | None] = {}
        # The newest press number of each client; the client that reported last is at the end.
        self._newest_press: OrderedDict[str, int] = OrderedDict()

    @property
    def closed(self) -> frozenset[str]:
        """The buttons that somebody holds."""
        with self._lock:
            return frozenset(self._down)

    def start(self, sink: Sink) -> None:  # type: ignore[override]  # each board needs one
        """Starts reporting to the sink."""
        self._sink = sink
        super().start()

    def close(self) -> None:
        """Releases all buttons, darkens the board and ends its thread."""
        with self._lock:
            self._closing = True
            self._down.clear()
            self.frame, self.screen = bytes(len(self.frame)), BLANK
        super().close()

    def show(self, frame: Frame) -> None:
        """Shows a frame."""
        if not self._closing:
            self.frame = frame

    def show_screen(self, bitmap: Bitmap, contrast: int = ssd1306.CONTRAST) -> None:
        """Shows a picture on its display."""
        if not self._closing:
            self.screen, self.contrast = bitmap, contrast

    def play(self, tune: Tune) -> None:
        """Records the tune, which nobody hears: phones have sounds of their own."""
        if not self._closing:
            self.tune = tune

    def edges(
        self,
        holder: str,
        buttons: Sequence[str],
        *,
        down: bool,
        hold_s: float = HOLD_S,
    ) -> list[Future[list[RefusedInput]]]:
        """Somebody in this process presses, releases or keeps holding buttons.

        A button is down while anybody holds it. A hold ends after `hold_s` unless the call is
        repeated. The futures' results list the presses refused meanwhile. Raises
        UnknownButtonError and StoppedError.
        """
        with self._lock:
            self._check(*buttons)
            for button in buttons:
                holds = self._holds.setdefault(button, {})
                if not down:
                    holds.pop(holder, None)
                elif holder in holds or len(holds) < _MOST_HOLDERS:
                    self._extend(holds.setdefault(holder, _Hold()), hold_s)
                self._tell_known(button)
            return self._settle(*buttons)

    def client_edge(self, client: str, button: str, edge: ClientEdge) -> list[RefusedInput]:
        """A client on the network presses or releases a button, or reports that it is held.

        The button counts as held only for the time that the client has reported. If the client is
        silent for 2 s, the button is released without effect. Returns the presses refused
        meanwhile. Raises what `edges` raises.
        """
        with self._lock:
            self._check(button)
            clock_us = now_us()
            known = self._take_word(client, button, edge, clock_us)
            futures = [*known, *self._settle(button, clock_us=clock_us)]
        return [refused for future in futures for refused in future.result()]

    def tap(
        self, button: str, *, wanted: Callable[[], bool] = lambda: True
    ) -> Future[list[RefusedInput]]:
        """Presses a button and releases it: a short press, however long threads have to wait.

        Does nothing while a client holds the button, or if the press is no longer `wanted` when the
        table handles it. The result and the errors are those of `edges`.
        """
        with self._lock:
            self._check(button)
            if button in self._down:
                return _nothing_refused()
            clock_us = now_us()
            return self._sink.edges_at_once(
                [(button, True, clock_us), (button, False, clock_us)], wanted=wanted
            )

    # Called with the lock held.

    def _take_word(
        self, client: str, button: str, edge: ClientEdge, clock_us: int
    ) -> list[Future[list[RefusedInput]]]:
        """Records a client's report about a button."""
        holds = self._holds.setdefault(button, {})
        hold = holds.get(client)
        # A repeat may overtake its down, which must then not be treated as late.
        if edge.press is not None and not edge.repeat:
            newest = self._newest_press.get(client, 0)
            if edge.down:
                if edge.press <= newest:
                    return []  # its release or a later press has arrived already
                if hold:
                    self._drop(button, client)  # its release was lost
                    hold = None
            self._newest_press[client] = max(newest, edge.press)
            self._newest_press.move_to_end(client)
            if len(self._newest_press) > _MOST_CLIENTS:
                self._newest_press.popitem(last=False)
        if hold is None and edge.down and not edge.repeat and len(holds) < _MOST_HOLDERS:
            hold = holds[client] = _Hold(edge.press, clock_us)
        if hold is None or hold.press != edge.press or hold.ends:
            return []
        if edge.cancel:
            self._drop(button, client)
            return []
        said_us = clock_us if edge.held_ms is None else hold.down_us + edge.held_ms * 1000
        said_us = min(said_us, clock_us + _MOST_AHEAD_US)
        hold.known_us = max(hold.known_us or 0, said_us)
        if edge.down:
            self._extend(hold, HOLD_S)
            return self._tell_known(button)
        futures = self._tell_known(button)
        if said_us > clock_us:
            # Its down took longer to arrive than its up. Keep the length of the press.
            hold.ends, hold.until_s = True, said_us / 1_000_000
            self._wake()
        else:
            del holds[client]
        return futures

    def _extend(self, hold: _Hold, hold_s: float) -> None:
        hold.until_s = time.monotonic() + hold_s
        self._wake()

    def _tell_known(self, button: str) -> list[Future[list[RefusedInput]]]:
        """Tells the sink how long a held button is known to be down, if that has changed."""
        known = [hold.known_us for hold in self._holds.get(button, {}).values()]
        if not known:
            return []
        until_us = None if None in known else max(us for us in known if us is not None)
        if until_us == self._told_known.get(button):
            return []
        self._told_known[button] = until_us
        return [self._sink.known_down(button, until_us)]

    def _drop(self, button: str, holder: str) -> None:
        """Forgets a client's hold. If no other is left, the button goes up without effect."""
        holds = self._holds[button]
        if not holds.pop(holder).ends and button in self._down and not holds:
            self._sink.release(button)
        self._settle(button)

    def _check(self, *buttons: str) -> None:
        if not self.is_alive() or self._closing:
            raise StoppedError(lazy_gettext("The simulated board is not running."))
        for button in buttons:
            if button not in self._sink.buttons:
                raise UnknownButtonError(
                    not_one_of('"button"', button[:40], list(self._sink.buttons))
                )

    def _settle(
        self, *buttons: str, clock_us: int | None = None
    ) -> list[Future[list[RefusedInput]]]:
        """Moves the contacts of those buttons whose holds have changed."""
        moved: list[tuple[str, bool]] = []
        for button in buttons:
            down = bool(self._holds.get(button))
            if down != (button in self._down):
                (self._down.add if down else self._down.discard)(button)
                moved.append((button, down))
        if not moved:
            return [_nothing_refused()]
        clock_us = now_us() if clock_us is None else clock_us
        return [self._sink.edges_at_once([(button, down, clock_us) for button, down in moved])]

    def _expire_holds(self) -> None:
        """Ends holds that have expired."""
        now_s = time.monotonic()
        for button, holds in self._holds.items():
            for holder, hold in [*holds.items()]:
                if hold.until_s > now_s:
                    continue
                if hold.known_us is None:
                    del holds[holder]
                    self._settle(button)
                else:
                    self._drop(button, holder)

    def _due_in_s(self) -> float | None:
        dues = [hold.until_s for holds in self._holds.values() for hold in holds.values()]
        return max(0.0, min(dues) - time.monotonic()) if dues else None

    # The thread. It sleeps while no button is held.

    def _run(self) -> None:
        due_in_s: float | None = None
        while not self._closing:
            self._wait(due_in_s)
            with self._lock:
                if self._closing:
                    return
                try:
                    self._expire_holds()
                except StoppedError:
                    return
                due_in_s = self._due_in_s()


def _nothing_refused() -> Future[list[RefusedInput]]:
    future: Future[list[RefusedInput]] = Future()
    future.set_result([])
    return future
