"""The lights of the table: effects under way, the newest frame, when the next one is due."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from pochboard.buttons.panel import OffSign
from pochboard.buttons.press import Pending
from pochboard.buttons.settings import BoardSettings, SettingSign
from pochboard.errors import RefusedInput
from pochboard.lights.animation import (
    Effect,
    dealer_draw,
    effects_of_entry,
    missing_count_flash,
    refusal_flash,
)
from pochboard.lights.frame import Frame
from pochboard.lights.lights_config import LightsConfig, dark_frame
from pochboard.lights.render import Scene, next_change_us, render
from pochboard.rules.commands import AnyCommand
from pochboard.rules.state import State
from pochboard.runtime.threads import now_us
from pochboard.table.pairing import PairingWindow


class Lighting:
    """Renders scenes and passes on each frame that differs from the last. Not thread-safe."""

    def __init__(self, lights: LightsConfig, show: Callable[[Frame], None]) -> None:
        self.lights = lights
        """The settings of the lights now; may be read from any thread."""
        self._settings: BoardSettings | None = None
        self._sign: SettingSign | None = None
        self._show = show
        self.aliases: Mapping[str, str] = {}
        """By name, what the person is called instead."""
        self._effects: tuple[Effect, ...] = ()
        self._deal_was_refused = False
        self.is_calm = True
        """Whether nothing but a slow rhythm changes the frames; may be read from any thread."""
        self.due_us: int | None = 0
        """When the next frame is due if nothing else happens; None if this one stays."""
        self.frame: Frame = dark_frame(lights)
        """The newest frame."""
        self.public_frame: Frame = self.frame
        """The newest frame without the pairing code."""

    def set_settings(self, settings: BoardSettings, sign: SettingSign | None) -> None:
        """Applies what people have chosen to the lights, and shows the step just chosen."""
        self._sign = sign
        if settings != self._settings:
            self._settings = settings
            self.lights = self.lights.with_settings(settings)

    def recorded(self, before: State, after: State, command: AnyCommand) -> None:
        """Starts the effects of a stored entry, which replace those under way."""
        self._effects = effects_of_entry(before, after, command, now_us(), self.aliases)
        self._deal_was_refused = self._deal_was_refused and after.phase == "idle"

    def refused(self, press: RefusedInput, uncounted: Iterable[int]) -> None:
        """Flashes for a refused press; `uncounted` are the places without a count of cards."""
        self._effects += (refusal_flash(press.buttons, now_us()),)
        if press.code == "counts-missing":
            self._effects += (missing_count_flash(uncounted, now_us()),)

    def short(self) -> None:
        """Marks the seats that cannot ante, after a deal was refused for that reason."""
        self._deal_was_refused = True

    def drawn(self, places: Iterable[int], winner: int) -> None:
        """Shows the draw of the first dealer from these places."""
        self._effects += (dealer_draw(places, winner, now_us()),)

    def light(
        self,
        state: State,
        pending: Pending,
        *,
        link: bool,
        pairing: PairingWindow | None,
        fault: bool = False,
        off: OffSign | None = None,
    ) -> None:
        """Shows the current frame."""
        clock_us = now_us()
        self._effects = tuple(one for one in self._effects if clock_us < one.end_us)
        flagged = state.live if self._deal_was_refused and state.phase == "idle" else ()
        scene = Scene(
            state=state,
            pending=pending,
            link=link,
            effects=self._effects,
            pairing_since_us=pairing.since_us if pairing else None,
            pairing_code=pairing.code if pairing else (),
            fault=fault,
            off=off,
            setting=self._sign,
            cannot_ante=frozenset(flagged),
            aliases=self.aliases,
        )
        self.is_calm = not (self._effects or pairing or off)
        frame = render(scene, self.lights, clock_us)
        public = frame
        if scene.pairing_code:
            scene = msgspec.structs.replace(scene, pairing_code=())
            public = render(scene, self.lights, clock_us)
        self._set(frame, public)
        self.due_us = next_change_us(scene, self.lights, clock_us)

    def show_alone(self, frame: Frame) -> None:
        """Shows a frame and nothing else, until `light` is called."""
        self._set(frame, frame)
        self.due_us = None

    def rest(self) -> None:
        """Ends the effects, and leaves the frame as it is until something happens."""
        self._effects, self.due_us = (), None

    def darken(self) -> None:
        """Switches all pixels off, when the daemon stops."""
        dark = dark_frame(self.lights)
        self._set(dark, dark)

    def _set(self, frame: Frame, public: Frame) -> None:
        if (frame, public) != (self.frame, self.public_frame):
            self.frame, self.public_frame = frame, public
            self._show(frame)
