"""The lights of the table: what is under way, the newest frame, when the next one is due."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pochboard.buttons.pending import Pending
from pochboard.buttons.press import Lot, Refused
from pochboard.lights.effects import (
    Effect,
    effects_of_entry,
    lot_effect,
    missing_effect,
    refusal_effect,
    still,
)
from pochboard.lights.look import Frame, Look, dark
from pochboard.lights.render import next_change_us, render
from pochboard.lights.scene import Scene
from pochboard.rules.state import State
from pochboard.table.clock import now_us


class Lighting:
    """Renders scenes and hands over the frames that differ. Not for more than one thread."""

    def __init__(self, look: Look, show: Callable[[Frame], None]) -> None:
        self._look = look
        self._show = show
        self._effects: tuple[Effect, ...] = ()
        self._deal_was_refused = False
        self.next_us: int | None = 0
        """When the next frame is due if nothing else happens."""
        self.frame: Frame = dark(look)
        """The newest frame."""

    def booked(self, before: State, after: State, command: Mapping[str, Any]) -> None:
        """An entry was stored: it cuts short what was under way."""
        self._effects = effects_of_entry(before, after, command, now_us())
        self._deal_was_refused = self._deal_was_refused and after.phase == "idle"

    def refused(self, press: Refused, uncounted: Iterable[int]) -> None:
        """A press was refused; `uncounted` are the places that still have to count cards."""
        self._effects += (refusal_effect(press.buttons, now_us()),)
        if press.code == "counts-missing":
            self._effects += (missing_effect(uncounted, now_us()),)

    def short(self) -> None:
        """A deal was refused because somebody cannot ante."""
        self._deal_was_refused = True

    def drawn(self, lot: Lot) -> None:
        """The first dealer was drawn by lot."""
        self._effects += (lot_effect(lot.places, lot.place, now_us()),)

    def light(
        self, state: State, pending: Pending, *, link: bool, pairing_since_us: int | None
    ) -> None:
        """Shows the frame of this moment."""
        clock_us = now_us()
        self._effects = still(self._effects, clock_us)
        flagged = state.live if self._deal_was_refused and state.phase == "idle" else ()
        scene = Scene(
            state=state,
            pending=pending,
            link=link,
            effects=self._effects,
            pairing_since_us=pairing_since_us,
            short=frozenset(seat for seat in flagged if state.is_short(seat)),
        )
        self._set(render(scene, self._look, clock_us))
        self.next_us = next_change_us(scene, self._look, clock_us)

    def darken(self) -> None:
        """Shows the dark frame: the goodbye."""
        self._set(dark(self._look))

    def _set(self, frame: Frame) -> None:
        if frame != self.frame:
            self.frame = frame
            self._show(frame)
