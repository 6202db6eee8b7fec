"""Switching the machine off: `next` held very long asks, `next` again confirms (BOARD.md 3).

Stands in front of the panel: an edge that it takes does not reach the panel. All times are whole
microseconds of a monotonic clock, which it never reads itself.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from pochboard.buttons.press import PressTimes

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

    def takes(self, button: str, down: bool, at_us: int) -> bool:
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

    def release(self, buttons: tuple[str, ...]) -> None:
        """Buttons were released without effect."""
        self._down -= set(buttons)
        if "next" in buttons:
            self._held_us = None

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
