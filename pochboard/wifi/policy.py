"""When to open the machine's own Wi-Fi, and when to look for a known network again."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

LOOK_AGAIN_S: Final = 600.0
"""How long the machine's own Wi-Fi stays open before known networks are looked for again.

A radio that is an access point cannot look for other networks, so the Wi-Fi is closed for that.
"""


class Seen(msgspec.Struct, frozen=True):
    """What NetworkManager reports."""

    radio: bool = True
    """Whether there is a Wi-Fi device that it manages."""
    own: bool = False
    """Whether the machine's own Wi-Fi is open."""
    linked: bool = False
    """Whether another network is connected, by Wi-Fi or cable."""
    joining: bool = False
    """Whether it is connecting to one."""
    used: bool = False
    """Whether a phone has the page open."""


class Policy:
    """Decides by what is seen and by the time that the caller passes."""

    def __init__(self, wait_s: float) -> None:
        """`wait_s` is how long a known network may take to appear."""
        self._wait_s = wait_s
        self._alone_s: float | None = None
        """Since when no network has been connected."""
        self._unused_s: float | None = None
        """Since when nobody has used the machine's own Wi-Fi."""

    def decide(self, seen: Seen, now_s: float) -> Literal["open", "close"] | None:
        """What to do now. Ask again whenever something has changed, and at `due_s`."""
        if not seen.own:
            self._unused_s = None
        elif self._unused_s is None or seen.used:
            self._unused_s = now_s
        if seen.own or seen.linked or not seen.radio:
            self._alone_s = None
        elif self._alone_s is None:
            self._alone_s = now_s
        due_s = self.due_s(seen)
        if due_s is None or now_s < due_s:
            return None
        if seen.own:
            return "close"
        # If it cannot be opened, try again after the same time.
        self._alone_s = now_s
        return "open"

    def due_s(self, seen: Seen) -> float | None:
        """When something is due if nothing changes; None if nothing is."""
        if self._unused_s is not None:
            # With a cable plugged in, phones also reach the board through the house's network.
            return self._unused_s + (0.0 if seen.linked and not seen.used else LOOK_AGAIN_S)
        if self._alone_s is not None:
            # A wrong password may keep it connecting for ever.
            return self._alone_s + (2 if seen.joining else 1) * self._wait_s
        return None
