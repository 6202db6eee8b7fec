"""The presses of a board: a machine fed with edges and a clock (BOARD.md 2 and 3).

All times are whole microseconds of a monotonic clock, which the machine never reads itself.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from pochboard.buttons.button_meaning import (
    Action,
    Binding,
    DrawDealer,
    OpenPairing,
    PanelContext,
    SendCommand,
    SetPending,
    binding_of,
    binding_of_both,
    kind_of,
    lobby_names,
    lobby_on_phone,
    settle_command,
)
from pochboard.buttons.press import (
    BUTTONS,
    CONTROLS,
    NOTHING,
    SEAT_BUTTONS,
    Lobby,
    Pending,
    PressTimes,
    nothing_pending,
    recount,
)
from pochboard.errors import Refusal, RefusedInput, refuse
from pochboard.rules.accounts import MOST_PLACES
from pochboard.rules.commands import AnyCommand, Redo, Settle, Showdown, Undo
from pochboard.rules.state import State

SIGN_US: Final = 2_400_000
"""How long the board shows that the machine is about to switch off."""


class OffSign(msgspec.Struct, frozen=True):
    """What the board shows: the question until it is dropped, or the end until it is dark."""

    since_us: int
    until_us: int
    confirmed: bool = False


class OffSwitch:
    """The gesture that switches the machine off."""

    def __init__(self, times: PressTimes, *, allowed: bool) -> None:
        """Unless switching off is `allowed`, the gesture takes no edges."""
        self._times = times
        self._allowed = allowed
        self._down: set[str] = set()
        self._held_us: int | None = None
        """Since when `next` has been held, with no other button down."""
        self._over = False
        self.sign: OffSign | None = None
        """What the board shows; None while it shows the table."""

    def consumes(self, button: str, down: bool, at_us: int) -> bool:
        """A button goes down or up. Returns whether the panel must not see it. `tick` first."""
        if not self._allowed:
            return False
        alone = down and button == "next" and not self._down
        self._down = self._down | {button} if down else self._down - {button}
        if self.sign is None:
            self._held_us = at_us if alone else None
            return False
        if down and not self.sign.confirmed:
            confirmed = OffSign(at_us, at_us + SIGN_US, confirmed=True)
            self.sign = confirmed if button == "next" else None
        return True

    def release(self) -> None:
        """All buttons were released without effect."""
        self._down, self._held_us = set(), None

    def cancel(self) -> None:
        """Drops the question, because somebody is still playing.

        A confirmed switch-off stays so.
        """
        if self.sign is not None and not self.sign.confirmed:
            self.sign = None

    def due_us(self) -> int | None:
        """When `tick` is due next; None if it is not."""
        if self._over:
            return None
        if self.sign is not None:
            return self.sign.until_us
        return None if self._held_us is None else self._held_us + self._times.off_us

    def tick(self, now_us: int) -> Literal["asks", "off"] | None:
        """Does what is due by now. At `off` the machine has to be switched off."""
        due_us = self.due_us()
        if due_us is None or now_us < due_us:
            return None
        if self.sign is None:
            self._held_us = None
            self.sign = OffSign(due_us, due_us + self._times.off_ask_us)
            return "asks"
        if not self.sign.confirmed:
            self.sign = None
            return None
        self._over = True
        return "off"


_CHANGED = refuse("no-meaning", "The table has moved on. Look at the board, then press again.")
_HOLD_IT = refuse("no-meaning", "Hold this button.")
_TOO_SOON = refuse("too-soon", "Too quick: wait a second, then press next again.")

PanelEffect: TypeAlias = SendCommand | DrawDealer | OpenPairing | RefusedInput
"""What the table must do for a press."""
PanelOutcome: TypeAlias = PanelContext | Refusal | int | None
"""What comes back: for a command the new context or the refusal; for a draw the place."""
PanelEffects: TypeAlias = Generator[PanelEffect, PanelOutcome, None]
"""The effects of one edge, in order. Carry out each and send back its outcome before you ask for
the next, because what a press means depends on what the one before it did."""


def carry_out(
    effects: PanelEffects, execute: Callable[[PanelEffect], PanelOutcome]
) -> list[RefusedInput]:
    """Carries out every effect and tells the panel its outcome; returns what was refused."""
    refused = []
    try:
        effect = next(effects)
        while True:
            if isinstance(effect, RefusedInput):
                refused.append(effect)
            effect = effects.send(execute(effect))
    except StopIteration:
        return refused


@dataclass(slots=True)
class _Held:
    """A button that is down."""

    down_us: int
    binding: Binding
    basis: tuple[object, ...]
    done: bool = False


@dataclass(slots=True)
class _Both:
    """`next` and `undo` down together, until both are up."""

    down_us: int
    action: Action
    done: bool = False


class UsableButtons(msgspec.Struct, frozen=True):
    """What may be pressed now."""

    allowed: tuple[str, ...]
    """The buttons that would be accepted, pressed short or held, not counting pairing."""
    hold_us: Mapping[str, int]
    """How long to hold each button that has a long meaning."""


class Panel:
    """All buttons of a board, what is held, and what is pending.

    `edge`, `tick`, `known_down` and `count` return effects, for `carry_out`. Call `recorded` for
    every command that did not come from the panel, such as one from a phone.
    """

    def __init__(
        self, context: PanelContext, times: PressTimes | None = None, places: int = MOST_PLACES
    ) -> None:
        self._context = context
        self._times = times or PressTimes()
        self._places = places
        self.buttons = tuple(b for b in BUTTONS if b not in SEAT_BUTTONS[places:])
        self.pending = nothing_pending(context.state, context.model, places)
        self._held: dict[str, _Held] = {}
        self._both: _Both | None = None
        self._known_us: dict[str, int] = {}
        """By button, the time until which it is known to be down; without one, until it goes up."""
        self._accepted_us = 0
        self._next_us = -self._times.too_soon_us
        """The time of the last short press of `next` that was accepted."""

    # Input.

    def edge(self, button: str, down: bool, at_us: int) -> PanelEffects:
        """A debounced button goes down or up."""
        yield from self.tick(at_us)
        if down and button not in self._held:
            yield from self._down(button, at_us)
        elif not down and button in self._held:
            yield from self._up(button, at_us)

    def tick(self, now_us: int) -> PanelEffects:
        """Fires all timers due by now, in their order."""
        while (due := self.due_us()) is not None and due <= now_us:
            yield from self._fire(due)

    def known_down(self, button: str, until_us: int, now_us: int) -> PanelEffects:
        """The button, if down, is known to be down until this time.

        A long press acts only once it is known to have lasted long enough.
        """
        self._known_us[button] = until_us
        yield from self.tick(now_us)

    def release(self) -> None:
        """Releases all buttons that are held, without effect."""
        self._held, self._both = {}, None

    def count(self, counted: SetPending) -> PanelEffects:
        """A phone has counted cards. The last count settles the deal, unless one was pressed."""
        self.pending = counted.pending
        settle = settle_command(self.pending)
        if not self.pending.pressed and self._context.allows(settle):
            yield from self._do((), SendCommand(settle), self._accepted_us)

    def set_in_lobby(self, place: int, name: str | None, *, deals: bool) -> Refusal | None:
        """A phone puts a place in or out between nights. Returns why that is refused, if so."""
        lobby = self.pending.lobby
        if lobby is None:
            return refuse("wrong-phase", "The night has already begun.")
        if not 1 <= place <= self._places:
            return refuse("bad-place", "This board has no place {place}.", place=place)
        self.pending = Pending(lobby=lobby_on_phone(lobby, place, name, deals=deals))
        return None

    def recorded(self, command: AnyCommand, context: PanelContext) -> None:
        """A command was recorded. What is pending may no longer apply, and is then dropped."""
        before, after = self._context.state, context.state
        self._context = context
        if isinstance(command, Undo) and isinstance(context.undone, Settle):
            self.pending = recount(context.undone)
            return
        if isinstance(command, Undo | Redo) or _basis(before) != _basis(after):
            self.pending = nothing_pending(after, context.model, self._places)
            return
        place = self.pending.place
        if place is not None and before.seat_at(place) != after.seat_at(place):
            # The selected place is now empty, or somebody else sits there.
            self.pending = NOTHING

    def learn(self, context: PanelContext) -> None:
        """The context has changed without a command. A lobby that was begun stays as it is."""
        untouched = self.lobby_is_untouched()
        self._context = context
        if untouched:
            self.pending = nothing_pending(context.state, context.model, self._places)

    # Queries.

    def due_us(self) -> int | None:
        """When the next timer fires, if nothing else happens before."""
        dues = [self._long_due_us(button) for button in self._held]
        dues += [self._both_due_us(), self._expiry_us()]
        return min((due for due in dues if due is not None), default=None)

    def usable(self) -> UsableButtons:
        """What may be pressed now."""
        allowed, hold_us = [], {}
        for button in self.buttons:
            binding = self._binding(button)
            if self._would_act(binding.short) or self._would_act(binding.long):
                allowed.append(button)
            if binding.long is not None:
                hold_us[button] = binding.long_us
        return UsableButtons(tuple(allowed), hold_us)

    def lobby_names(self) -> dict[int, str]:
        """The names of the places in the lobby; none during a night."""
        lobby = self.pending.lobby
        return {} if lobby is None else lobby_names(self._context, lobby)

    def earlier_names(self) -> tuple[str, ...]:
        """The names that people last used at any place, by place; none during a night."""
        if self.pending.lobby is None:
            return ()
        everywhere = Lobby(tuple(sorted(self._context.last_names)))
        return tuple(lobby_names(self._context, everywhere).values())

    def lobby_is_untouched(self) -> bool:
        """Whether nothing has been pressed in the lobby yet."""
        return self.pending == nothing_pending(
            self._context.state, self._context.model, self._places
        )

    # Implementation.

    def _binding(self, button: str) -> Binding:
        return binding_of(button, self._context, self.pending, self._times, self._places)

    def _would_act(self, action: Action | None) -> bool:
        if isinstance(action, SendCommand):
            return self._context.allows(action.command)
        return isinstance(action, SetPending | DrawDealer)

    def _in_both(self, button: str) -> bool:
        return self._both is not None and button in CONTROLS

    def _long_due_us(self, button: str) -> int | None:
        """When a held button acts as long, if no release is reported before."""
        held = self._held[button]
        due_us = held.down_us + held.binding.long_us
        acts = not held.done and not self._in_both(button) and self._is_known(button, due_us)
        return due_us if acts else None

    def _both_due_us(self) -> int | None:
        """When `next` and `undo` act together, if no release is reported before."""
        if self._both is None or self._both.done:
            return None
        due_us = self._both.down_us + self._times.both_us
        return due_us if all(self._is_known(button, due_us) for button in CONTROLS) else None

    def _is_known(self, button: str, due_us: int) -> bool:
        """Whether a button that is down now is known to be down at that time."""
        return self._known_us.get(button, due_us) >= due_us

    def _expiry_us(self) -> int | None:
        """When a selected seat or a first `next` in the lobby is dropped."""
        if self.pending.place is not None:
            return self._accepted_us + self._times.select_us
        if self.pending.lobby and self.pending.lobby.armed:
            return self._next_us + self._times.lobby_us
        return None

    def _fire(self, due_us: int) -> PanelEffects:
        if due_us == self._expiry_us():
            lobby = self.pending.lobby
            self.pending = Pending(lobby=replace(lobby, armed=False)) if lobby else NOTHING
            return
        both = self._both
        if both and due_us == self._both_due_us():
            both.done = True
            action = binding_of_both(self._context.state)
            yield from self._do(CONTROLS, action if action == both.action else _CHANGED, due_us)
            return
        for button, held in self._held.items():
            if due_us == self._long_due_us(button):
                held.done = True
                yield from self._act(button, held, due_us, long=True)
                return

    def _down(self, button: str, at_us: int) -> PanelEffects:
        partner = {"next": "undo", "undo": "next"}.get(button)
        joins = partner in self._held and not self._held[partner].done and not self._both
        yield from self._complete_quick(at_us, except_for=partner if joins else None)
        if joins:
            self._both = _Both(at_us, binding_of_both(self._context.state))
        binding = self._binding(button)
        held = _Held(at_us, binding, _basis(self._context.state))
        self._held[button] = held
        if binding.long is None and not self._in_both(button):
            held.done = True
            assert binding.short is not None, "every button leads to something, if to a refusal"
            yield from self._do((button,), binding.short, at_us)

    def _complete_quick(self, at_us: int, except_for: str | None) -> PanelEffects:
        """Another button goes down: what was pressed just before counts as a short press."""
        quick_us = self._times.overlap_us
        if self._both and not self._both.done and at_us - self._both.down_us < quick_us:
            self._both.done = True
            yield from self._do(CONTROLS, _HOLD_IT, at_us)
        for button, held in tuple(self._held.items()):
            if held.done or button == except_for or self._in_both(button):
                continue
            if at_us - held.down_us < quick_us:
                held.done = True
                yield from self._act(button, held, at_us, long=False)

    def _up(self, button: str, at_us: int) -> PanelEffects:
        held = self._held.pop(button)
        if self._in_both(button):
            assert self._both is not None
            if not self._both.done:
                self._both.done = True
                yield from self._do(CONTROLS, _HOLD_IT, at_us)
            if not any(control in self._held for control in CONTROLS):
                self._both = None
        elif not held.done:
            yield from self._act(button, held, at_us, long=False)

    def _act(self, button: str, held: _Held, at_us: int, *, long: bool) -> PanelEffects:
        """A held button is now known to be pressed short or long."""
        next_short = button == "next" and not long
        if next_short and at_us - self._next_us < self._times.too_soon_us:
            yield RefusedInput(_TOO_SOON, (button,))
            return
        binding = self._binding(button)
        action = binding.long if long else binding.short
        meant = held.binding.long if long else held.binding.short
        if kind_of(action) != kind_of(meant):
            action = self._as_meant(meant, action, held.basis)
        yield from self._do((button,), action or _HOLD_IT, at_us, next_short=next_short)

    def _as_meant(
        self, meant: Action | None, action: Action | None, basis: tuple[object, ...]
    ) -> Action | None:
        """The action of a press whose meaning has changed since the button went down."""
        if basis != _basis(self._context.state):
            return _CHANGED
        if isinstance(action, Refusal):
            return action
        if isinstance(meant, SetPending):
            # What it was meant to drop is already gone, so there is nothing to do.
            return SetPending(self.pending, meant.change)
        if isinstance(meant, SendCommand):
            return meant if isinstance(action, SetPending) else _CHANGED
        return action

    def _do(
        self, buttons: tuple[str, ...], action: Action, at_us: int, *, next_short: bool = False
    ) -> PanelEffects:
        if isinstance(action, SetPending) and action.pending.hands:
            # At the showdown, hands that decide every pot are sent at once.
            showdown = Showdown(list(action.pending.hands))
            action = SendCommand(showdown) if self._context.allows(showdown) else action
        match action:
            case Refusal():
                yield RefusedInput(action, buttons)
                return
            case SendCommand(command, then):
                outcome = yield action
                if isinstance(outcome, Refusal):
                    yield RefusedInput(outcome, buttons)
                    return
                assert isinstance(outcome, PanelContext), "a command is recorded or refused"
                self.recorded(command, outcome)
                if then is not None:
                    self.pending = then
            case SetPending(pending):
                self.pending = pending
            case DrawDealer():
                place = yield action
                assert isinstance(place, int), "a place was drawn"
                assert self.pending.lobby is not None, "lots are drawn between nights"
                self.pending = Pending(lobby=replace(self.pending.lobby, chosen=place))
            case OpenPairing():
                yield action
        # A long press acts at the time it was due, which may become known only after other presses.
        self._accepted_us = max(self._accepted_us, at_us)
        if next_short:
            self._next_us = at_us


def _basis(state: State) -> tuple[object, ...]:
    """What pending input and held presses depend on; when it changes, they are dropped."""
    return (state.phase, state.to_act, state.winner)
