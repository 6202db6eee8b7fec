"""The settings that people change at the table, and the gesture for it (BOARD.md 3 and 4).

The gesture stands in front of the panel: an edge that it takes does not reach the panel. All times
are whole microseconds of a monotonic clock, which it never reads itself.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec.structs import replace

from pochboard.config import ColourOrder

Brightness = Literal["bright", "medium", "dim"]
Volume = Literal["loud", "medium", "quiet", "silent"]
DisplayLanguage = Literal["de", "en"]
SettingName = Literal["brightness", "volume"]
Question = Literal["language", "places", "colours"]
"""What the page asks at the first start of a real board."""
Places = Annotated[int, msgspec.Meta(ge=3, le=8)]

BRIGHTNESS: Final[tuple[Brightness, ...]] = ("bright", "medium", "dim")
"""The steps of the brightness, each half as bright as the one before."""
VOLUME: Final[tuple[Volume, ...]] = ("loud", "medium", "quiet", "silent")
"""The steps of the volume, each half as loud as the one before; the last one is silence."""

SIGN_US: Final = 2_000_000
"""How long the board shows a step that was chosen there."""

_BUTTON: Final = "undo"
"""The button that changes settings while `next` is held."""


class BoardSettings(msgspec.Struct, frozen=True):
    """What people have chosen at the table. It is kept in a file: a new field needs a default."""

    brightness: Brightness = "bright"
    night: bool = False
    """Halves the brightness."""
    volume: Volume = "loud"
    """How much of the configured volume the board's piezo has."""
    language: DisplayLanguage | None = None
    """The language of the display; None until somebody has chosen it or paired a phone."""

    zone: str | None = None
    """The IANA name of its time zone; None until a paired phone has named one: the system's."""

    order: ColourOrder | None = None
    """In which order the pixels expect their colours; None: as configured."""

    places: Places | None = None
    """How many places the board has, where the configuration leaves that open."""

    answered: bool = False
    """Whether people have answered the questions of the first start."""

    def stepped(self, setting: SettingName) -> BoardSettings:
        """The settings after one more step at the board. After the last step comes the first."""
        match setting:
            case "brightness":
                if self.night:
                    return replace(self, brightness=BRIGHTNESS[0], night=False)
                if self.brightness == BRIGHTNESS[-1]:
                    return replace(self, night=True)
                darker = BRIGHTNESS[BRIGHTNESS.index(self.brightness) + 1]
                return replace(self, brightness=darker)
            case "volume":
                quieter = (VOLUME.index(self.volume) + 1) % len(VOLUME)
                return replace(self, volume=VOLUME[quieter])

    def step(self, setting: SettingName) -> tuple[int, int]:
        """The step that a gauge shows, and the highest one. Only silence is step 0."""
        match setting:
            case "brightness":
                steps = len(BRIGHTNESS) + 1
                darker = len(BRIGHTNESS) if self.night else BRIGHTNESS.index(self.brightness)
                return steps - darker, steps
            case "volume":
                most = len(VOLUME) - 1
                return most - VOLUME.index(self.volume), most


class SettingSign(msgspec.Struct, frozen=True):
    """A step that was just chosen at the board, and until when the board shows it."""

    setting: SettingName
    step: int
    steps: int
    until_us: int


class SettingsGesture:
    """`next` is still held after its long press: `undo` then changes settings.

    A short press steps the brightness, a long one the volume. On a board without a piezo there is
    no long press, so a step comes as soon as `undo` goes down.
    """

    def __init__(self, long_us: int) -> None:
        """`long_us` is the time of a long press."""
        self._long_us = long_us
        self._next_is_down = False
        self._armed = False
        self._is_taken = False
        """Whether the next release of `undo` belongs to the gesture too."""
        self._down_us: int | None = None
        """When `undo` went down, until it is decided what the press means."""
        self._known_us: int | None = None
        """The time until which `undo` is known to be down; None if no board has said so."""

    def arm(self) -> None:
        """`next` has acted as a long press. If it is no longer down, nothing happens."""
        self._armed = self._next_is_down

    def forget(self, button: str, down: bool) -> None:
        """Something else has taken this edge."""
        self._note_next(button, down)
        if button == _BUTTON and not down:
            self._is_taken, self._down_us = False, None

    def consumes(
        self, button: str, down: bool, at_us: int, *, has_sound: bool
    ) -> SettingName | bool:
        """A button goes down or up. `tick` first.

        Returns the setting that has to be stepped, or whether the panel must not see the edge.
        """
        self._note_next(button, down)
        if button != _BUTTON:
            return False
        if not down:
            taken, self._is_taken = self._is_taken, False
            undecided, self._down_us = self._down_us is not None, None
            return "brightness" if undecided else taken
        if not self._armed or self._is_taken:
            return self._is_taken
        self._is_taken = True
        if not has_sound:
            return "brightness"
        self._down_us = at_us
        return True

    def known_down(self, button: str, until_us: int) -> None:
        """A button that is down stays so at least until this time."""
        if button == _BUTTON:
            self._known_us = until_us

    def due_us(self) -> int | None:
        """When `undo` acts as long, if no release is reported before; None if it does not."""
        if self._down_us is None:
            return None
        due_us = self._down_us + self._long_us
        return due_us if self._known_us is None or self._known_us >= due_us else None

    def tick(self, now_us: int) -> SettingName | None:
        """Returns the setting that has to be stepped by now, if any."""
        due_us = self.due_us()
        if due_us is None or now_us < due_us:
            return None
        self._down_us = None
        return "volume"

    def release(self) -> None:
        """All buttons were released without effect."""
        for button in ("next", _BUTTON):
            self.forget(button, down=False)

    def _note_next(self, button: str, down: bool) -> None:
        if button == "next":
            self._next_is_down = down
            self._armed = False
