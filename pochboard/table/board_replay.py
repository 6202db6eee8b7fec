"""A replay that the board shows while no night is in progress (BOARD.md 4)."""

from __future__ import annotations

from typing import Final

import msgspec

from pochboard.rules.state import State
from pochboard.table.clock import now_us

SILENCE_US: Final = 6_000_000
"""The board shows the table again when the phone has been silent for this long."""


class _Shown(msgspec.Struct, frozen=True):
    """What the board shows, and for whom."""

    holder: str
    night: int
    state: State
    basis: object
    """The situation at the table when it began. A change ends the replay."""


class BoardReplay:
    """The entry of a night that the board shows instead of the table. Not thread-safe."""

    def __init__(self) -> None:
        self._shown: _Shown | None = None
        self._end_us: int | None = None

    @property
    def state(self) -> State | None:
        """The state that the board shows; None while it shows the table."""
        return self._shown.state if self._shown else None

    @property
    def night(self) -> int | None:
        """The night that it shows."""
        return self._shown.night if self._shown else None

    def show(self, holder: str, night: int, state: State, basis: object, *, keep: bool) -> bool:
        """Shows an entry. With `keep`, only if it is still this holder's replay that is shown."""
        if keep and (self._shown is None or self._shown.holder != holder):
            return False
        self._shown = _Shown(holder, night, state, basis)
        self._end_us = now_us() + SILENCE_US
        return True

    def let_go(self, holder: str) -> None:
        """Ends the replay if it is this holder's."""
        if self._shown is not None and self._shown.holder == holder:
            self.end()

    def end_if_changed(self, basis: object) -> None:
        """Ends the replay if the situation at the table has changed."""
        if self._shown is not None and self._shown.basis != basis:
            self.end()

    def due_us(self) -> int | None:
        """When the replay ends unless its phone asks again; None if there is none."""
        return self._end_us

    def end(self) -> None:
        """Shows the table again."""
        self._shown = self._end_us = None
