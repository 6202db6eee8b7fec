"""Everything that a frame depends on, apart from the display configuration and the time."""

from __future__ import annotations

import msgspec

from pochboard.buttons.off_switch import OffSign
from pochboard.buttons.pending import NOTHING, Pending
from pochboard.buttons.settings import SettingSign
from pochboard.lights.animation import Effect
from pochboard.rules.state import State


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What the board is to show."""

    state: State = State()
    pending: Pending = NOTHING
    link: bool = True
    """Whether the board can be reached."""
    effects: tuple[Effect, ...] = ()
    """The effects under way, later ones on top; effects that are over are ignored."""
    pairing_since_us: int | None = None
    """When the pairing window was opened, while it is open."""
    pairing_code: tuple[int, ...] = ()
    """The digits of the code that pairs a phone, one for each of the first rings."""
    fault: bool = False
    """Whether nothing can be booked, because of the ledger."""
    off: OffSign | None = None
    """The question whether to switch the machine off, or the sign that it is about to."""
    setting: SettingSign | None = None
    """The step that was just chosen at the board."""
    cannot_ante: frozenset[int] = frozenset()
    """The seats that could not ante when the last deal was refused."""
