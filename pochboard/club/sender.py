"""Sends the ledger to the club, in a thread of its own, so that the table never waits.

The table's thread only wakes this one. Between two deliveries there is no connection: a club of
hundreds of boards would otherwise have as many servers that wait.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from typing import Final

from pochboard.club.connection import ANSWER_S, Club, open_club
from pochboard.club.exchange import push
from pochboard.config import ClubTable
from pochboard.errors import PochboardError, RefusedInput, StoppedError
from pochboard.lights.frame import Frame
from pochboard.runtime.threads import LoopThread, Tries
from pochboard.store import End, Store
from pochboard.table.records import Snapshot
from pochboard.table.table import Table

log = logging.getLogger(__name__)

_SOON_S: Final = 5.0
"""What is recorded within this time is sent together."""
_LOOK_S: Final = 300.0
"""How often to look for what no snapshot tells of, such as remarks."""
_AGAIN_S: Final = (5.0, 10.0, 30.0, 60.0, 300.0)
"""How long to wait before each new try; the last one again and again."""


class Sender(LoopThread):
    """Sends until it is closed. Start it once, and close it once."""

    def __init__(self, table: Table, store: Store, config: ClubTable) -> None:
        super().__init__("club", join_s=ANSWER_S + 1)
        self._table = table
        self._store = store
        self._config = config
        self._club: Club | None = None
        """Open while something is being sent."""
        self._known: tuple[int | None, int] | None = None
        self._unlisten: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Follows the table from now on."""
        self._unlisten = self._table.listen(self)
        super().start()

    def close(self) -> None:
        """Ends the thread. What the club lacks then is sent after the next start."""
        with contextlib.suppress(StoppedError):
            self._unlisten()
        self._closing = True
        club = self._club
        if club is not None:
            club.hang_up()
        super().close()

    # Called by the table, in its thread.

    def on_snapshot(self, snapshot: Snapshot) -> None:
        """Something changed."""
        known, self._known = self._known, (snapshot.night, snapshot.entry)
        if self._known != known:
            self._wake()

    def on_refused(self, _: RefusedInput) -> None:
        """What is refused is not recorded."""

    def on_frame(self, _: Frame) -> None:
        """Nor are the lights."""

    # The thread.

    def _run(self) -> None:
        tries = Tries(log, _AGAIN_S, "The club can be used again.")
        sent: End | None = None
        while not self._closing:
            try:
                sent = self._send(sent)
            except PochboardError as error:
                if not self._closing:
                    self._pause(tries.fail(error))
                continue
            tries.succeed()
            self._wait(_LOOK_S)
            self._pause(_SOON_S)

    def _send(self, sent: End | None) -> End:
        """Sends what the club lacks. Returns the end of the ledger that it then has."""
        with self._store.outbox() as outbox:
            end = outbox.end()
            if end == sent:
                return end
            with open_club(self._config) as club:
                self._club = club
                try:
                    if not self._closing:
                        push(club, outbox)
                finally:
                    self._club = None
            return end
