"""Everything that a frame depends on, apart from the look and the time."""

from __future__ import annotations

import msgspec

from pochboard.buttons.pending import NOTHING, Pending
from pochboard.lights.effects import Effect
from pochboard.rules.state import State


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be shown. The one who keeps it replaces it at every change."""

    state: State = State()
    pending: Pending = NOTHING
    link: bool = True
    """Whether the board can be reached."""
    effects: tuple[Effect, ...] = ()
    """Those under way, later ones on top; ones that are over do no harm."""
    pairing_since_us: int | None = None
    """When the pairing window was opened, while it is open."""
    short: frozenset[int] = frozenset()
    """The seats that could not ante when the last deal was refused."""
