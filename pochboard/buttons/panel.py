"""The presses of a board: a machine fed with edges and a clock (BOARD.md 2 and 3).

All times are whole microseconds of a monotonic clock; it never reads one itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from pochboard.buttons.lobby import fresh
from pochboard.buttons.meaning import meaning_of, meaning_of_both
from pochboard.buttons.pending import NOTHING, Pending
from pochboard.buttons.press import (
    BUTTONS,
    CONTROLS,
    SEAT_BUTTONS,
    Deed,
    Desk,
    Draw,
    Keep,
    Lot,
    Meaning,
    Pair,
    Refused,
    Send,
    Times,
    word_of,
)
from pochboard.errors import Refusal
from pochboard.rules.board import MOST_PLACES
from pochboard.rules.state import State

_CHANGED = Refusal("no-meaning", "Meanwhile the table has moved on; look, and press again.")
_NOT_LONG = Refusal("no-meaning", "This button must be held.")


@dataclass(slots=True)
class _Held:
    """A button that is down."""

    down_us: int
    meaning: Meaning
    scene: tuple[object, ...]
    done: bool = False


@dataclass(slots=True)
class _Both:
    """`next` and `undo` down together, until both are up."""

    down_us: int
    deed: Deed
    done: bool = False


class Panel:
    """All buttons of a board, what is held, and what is pending.

    Each press acts on the desk. Whoever applies a command, from here or elsewhere, tells
    `notice`. `edge` and `tick` return the presses that were refused.
    """

    def __init__(self, desk: Desk, times: Times | None = None, places: int = MOST_PLACES) -> None:
        self._desk = desk
        self._times = times or Times()
        self._places = places
        self.buttons = tuple(b for b in BUTTONS if b not in SEAT_BUTTONS[places:])
        self.pending = fresh(desk.state, places)
        self.lots: list[Lot] = []
        """Lots drawn and not yet shown; whoever shows them empties the list."""
        self._held: dict[str, _Held] = {}
        self._both: _Both | None = None
        self._accepted_us = 0
        self._next_us: int | None = None
        self._refused: list[Refused] = []

    # What is fed in.

    def edge(self, button: str, down: bool, at_us: int) -> list[Refused]:
        """A debounced button goes down or up."""
        refused = self.tick(at_us)
        if down and button not in self._held:
            self._down(button, at_us)
        elif not down and button in self._held:
            self._up(button, at_us)
        return refused + self._taken()

    def tick(self, now_us: int) -> list[Refused]:
        """Fires all timers due by now, in their order."""
        while (due := self.due_us()) is not None and due <= now_us:
            self._fire(due)
        return self._taken()

    def release_all(self, at_us: int) -> list[Refused]:
        """Every held button goes up, as when the link to the board is lost, and none acts."""
        for held in self._held.values():
            held.done = True
        if self._both:
            self._both.done = True
        for button in tuple(self._held):
            self._up(button, at_us)
        return self._taken()

    def notice(self, before: State, after: State, do: str) -> None:
        """A command was applied: what is pending may have lost its ground."""
        if do in ("undo", "redo") or _ground(before) != _ground(after):
            self.pending = fresh(after, self._places)
            return
        place = self.pending.place
        if place is not None and before.seat_at(place) != after.seat_at(place):
            # Somebody else sits at the selected place now, or nobody.
            self.pending = NOTHING

    # What can be asked.

    def due_us(self) -> int | None:
        """When the next timer fires, if nothing else happens before."""
        dues = [
            held.down_us + held.meaning.long_us
            for button, held in self._held.items()
            if not held.done and not self._in_both(button)
        ]
        if self._both and not self._both.done:
            dues.append(self._both.down_us + self._times.both_us)
        expiry = self._expiry_us()
        if expiry is not None:
            dues.append(expiry)
        return min(dues, default=None)

    def allowed(self) -> tuple[str, ...]:
        """The buttons that would be accepted now, pressed short or held, pairing aside."""
        return tuple(button for button in self.buttons if self._would(button))

    def holds_us(self) -> dict[str, int]:
        """How long each button must be held now, for those that mean something when held."""
        meanings = {button: self._meaning(button) for button in self.buttons}
        return {
            button: meaning.long_us
            for button, meaning in meanings.items()
            if meaning.long is not None
        }

    def lobby_is_fresh(self) -> bool:
        """Whether the lobby is as it was at first."""
        return self.pending == fresh(self._desk.state, self._places)

    # How it works.

    def _meaning(self, button: str) -> Meaning:
        return meaning_of(button, self._desk, self.pending, self._times, self._places)

    def _would(self, button: str) -> bool:
        meaning = self._meaning(button)
        return any(
            self._desk.would(deed.command) if isinstance(deed, Send) else True
            for deed in (meaning.short, meaning.long)
            if deed is not None and not isinstance(deed, Refusal | Pair)
        )

    def _scene(self) -> tuple[object, ...]:
        return _ground(self._desk.state)

    def _in_both(self, button: str) -> bool:
        return self._both is not None and button in CONTROLS

    def _expiry_us(self) -> int | None:
        """When a selected seat or a first `next` in the lobby is dropped."""
        if self.pending.place is not None:
            return self._accepted_us + self._times.select_us
        if self.pending.lobby and self.pending.lobby.armed:
            assert self._next_us is not None, "a press of next armed it"
            return self._next_us + self._times.lobby_us
        return None

    def _fire(self, due_us: int) -> None:
        if due_us == self._expiry_us():
            lobby = self.pending.lobby
            self.pending = Pending(lobby=replace(lobby, armed=False)) if lobby else NOTHING
            return
        both = self._both
        if both and not both.done and due_us == both.down_us + self._times.both_us:
            both.done = True
            deed = meaning_of_both(self._desk.state)
            self._do(CONTROLS, deed if deed == both.deed else _CHANGED, due_us)
            return
        for button, held in self._held.items():
            due = due_us == held.down_us + held.meaning.long_us
            if due and not held.done and not self._in_both(button):
                held.done = True
                self._act(button, held, due_us, long=True)
                return

    def _down(self, button: str, at_us: int) -> None:
        partner = _partner(button)
        joins = partner in self._held and not self._held[partner].done and not self._both
        self._complete_quick(at_us, but=partner if joins else None)
        if joins:
            self._both = _Both(at_us, meaning_of_both(self._desk.state))
        meaning = self._meaning(button)
        held = _Held(at_us, meaning, self._scene())
        self._held[button] = held
        if self._in_both(button):
            return
        if meaning.long is None:
            held.done = True
            assert meaning.short is not None, "every button means something, if only a refusal"
            self._do((button,), meaning.short, at_us)

    def _complete_quick(self, at_us: int, but: str | None) -> None:
        """Another button goes down: what was pressed just before counts as a short press."""
        quick_us = self._times.overlap_us
        if self._both and not self._both.done and at_us - self._both.down_us < quick_us:
            self._both.done = True
            self._do(CONTROLS, _NOT_LONG, at_us)
        for button, held in tuple(self._held.items()):
            if held.done or button == but or self._in_both(button):
                continue
            if at_us - held.down_us < quick_us:
                held.done = True
                self._act(button, held, at_us, long=False)

    def _up(self, button: str, at_us: int) -> None:
        held = self._held.pop(button)
        if self._in_both(button):
            assert self._both is not None
            if not self._both.done:
                self._both.done = True
                self._do(CONTROLS, _NOT_LONG, at_us)
            if not any(control in self._held for control in CONTROLS):
                self._both = None
        elif not held.done:
            self._act(button, held, at_us, long=False)

    def _act(self, button: str, held: _Held, at_us: int, *, long: bool) -> None:
        """A press that waited to be told short from long has been told."""
        if button == "next" and not long and self._too_soon(at_us):
            self._refuse((button,), Refusal("too-soon", "That was quick; wait a second."))
            return
        meaning = self._meaning(button)
        deed = meaning.long if long else meaning.short
        meant = held.meaning.long if long else held.meaning.short
        if word_of(deed) != word_of(meant):
            deed = self._as_meant(meant, deed, held.scene)
        self._do((button,), deed or _NOT_LONG, at_us, next_short=button == "next" and not long)

    def _as_meant(
        self, meant: Deed | None, deed: Deed | None, scene: tuple[object, ...]
    ) -> Deed | None:
        """What a press comes to that would mean something else now than when it went down."""
        if scene != self._scene():
            return _CHANGED
        if isinstance(deed, Refusal):
            return deed
        if isinstance(meant, Keep):
            # What it was to drop is gone already; never does more than it was meant to.
            return Keep(self.pending, meant.word)
        if isinstance(meant, Send):
            return meant if isinstance(deed, Keep) else _CHANGED
        return deed

    def _too_soon(self, at_us: int) -> bool:
        return self._next_us is not None and at_us - self._next_us < self._times.too_soon_us

    def _do(
        self, buttons: tuple[str, ...], deed: Deed, at_us: int, *, next_short: bool = False
    ) -> None:
        if isinstance(deed, Refusal):
            self._refuse(buttons, deed)
            return
        if isinstance(deed, Keep):
            deed = self._decided(deed)
        if isinstance(deed, Send):
            refusal = self._desk.send(deed.command)
            if refusal is not None:
                self._refuse(buttons, refusal)
                return
            if deed.then is not None:
                self.pending = deed.then
        elif isinstance(deed, Keep):
            self.pending = deed.pending
        elif isinstance(deed, Draw):
            self._draw()
        else:
            self._desk.open_pairing()
        self._accepted_us = at_us
        if next_short:
            self._next_us = at_us

    def _decided(self, deed: Keep) -> Keep | Send:
        """At the showdown: hands that decide every pot are sent at once."""
        command = {"do": "showdown", "ranking": list(deed.pending.hands)}
        if deed.pending.hands and self._desk.would(command):
            return Send(command)
        return deed

    def _draw(self) -> None:
        lobby = self.pending.lobby
        assert lobby is not None, "lots are drawn between nights"
        place = lobby.places[self._desk.draw(len(lobby.places))]
        self.lots.append(Lot(lobby.places, place))
        self.pending = Pending(lobby=replace(lobby, chosen=place))

    def _refuse(self, buttons: tuple[str, ...], refusal: Refusal) -> None:
        self._refused.append(Refused(buttons, refusal.code, refusal.message))

    def _taken(self) -> list[Refused]:
        refused, self._refused = self._refused, []
        return refused


def _ground(state: State) -> tuple[object, ...]:
    """What pending things and held presses stand on."""
    return (state.phase, state.to_act, state.winner)


def _partner(button: str) -> str | None:
    return {"next": "undo", "undo": "next"}.get(button)
