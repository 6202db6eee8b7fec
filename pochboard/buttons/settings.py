"""The settings that people change at the table, and the gesture for it (BOARD.md 3 and 4).

The gesture stands in front of the panel: an edge that it takes does not reach the panel. All times
are whole microseconds of a monotonic clock, which it never reads itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

Brightness = Literal["bright", "medium", "dim"]
Volume = Literal["loud", "medium", "quiet", "silent"]
SettingName = Literal["brightness"]

BRIGHTNESS: Final[tuple[Brightness, ...]] = ("bright", "medium", "dim")
"""The steps of the brightness, each half as bright as the one before."""

SIGN_US: Final = 2_000_000
"""How long the board shows a step that was chosen there."""

_SETTING_OF: Final[Mapping[str, SettingName]] = {"undo": "brightness"}
"""What each button changes while `next` is held."""


class BoardSettings(msgspec.Struct, frozen=True):
    """What people have chosen at the table. It is kept in a file: a new field needs a default."""

    brightness: Brightness = "bright"
    night: bool = False
    """Halves the brightness."""
    volume: Volume = "loud"
    """How much of the configured volume the board's piezo has."""

    def stepped(self, setting: SettingName) -> BoardSettings:
        """The settings after one more step at the board. The first step follows the last one."""
        match setting:
            case "brightness":
                if self.night:
                    return replace(self, brightness=BRIGHTNESS[0], night=False)
                if self.brightness == BRIGHTNESS[-1]:
                    return replace(self, night=True)
                darker = BRIGHTNESS[BRIGHTNESS.index(self.brightness) + 1]
                return replace(self, brightness=darker)

    def step(self, setting: SettingName) -> tuple[int, int]:
        """The step that a gauge shows, and the highest one. The lowest step is 1."""
        match setting:
            case "brightness":
                steps = len(BRIGHTNESS) + 1
                darker = len(BRIGHTNESS) if self.night else BRIGHTNESS.index(self.brightness)
                return steps - darker, steps


class SettingSign(msgspec.Struct, frozen=True):
    """A step that was just chosen at the board, and until when the board shows it."""

    setting: SettingName
    step: int
    steps: int
    until_us: int


class SettingsGesture:
    """`next` is still held after its long press: other buttons then change settings."""

    def __init__(self) -> None:
        self._next_is_down = False
        self._armed = False
        self._taken: set[str] = set()
        """The buttons whose next release belongs to the gesture too."""

    def arm(self) -> None:
        """`next` has acted as long. Without it being down, nothing happens."""
        self._armed = self._next_is_down

    def passes_by(self, button: str, down: bool) -> None:
        """Something else has taken this edge."""
        if button == "next":
            self._next_is_down = down
            self._armed = False
        if not down:
            self._taken.discard(button)

    def takes(self, button: str, down: bool) -> SettingName | bool:
        """A button goes down or up.

        Returns the setting that has to be stepped, or whether the panel must not see the edge.
        """
        if not down and button in self._taken:
            self._taken.remove(button)
            return True
        if button == "next":
            self._next_is_down = down
            self._armed = False
        elif down and self._armed and button in _SETTING_OF:
            self._taken.add(button)
            return _SETTING_OF[button]
        return False

    def release(self, buttons: tuple[str, ...]) -> None:
        """Buttons were released without effect."""
        for button in buttons:
            self.passes_by(button, down=False)
