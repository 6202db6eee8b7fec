"""A sink that stands in for a table and records what a board reports."""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Final

import msgspec

from pochboard.errors import RefusedInput
from pochboard.table.clock import now_us

_POLL_S: Final = 0.1
"""How long waiting for an event may block, so that Ctrl-C is noticed."""


class RecordedEdge(msgspec.Struct, frozen=True):
    """A button went down or up."""

    button: str
    down: bool
    at_us: int


class RecordingSink:
    """A sink that queues what the board reports."""

    def __init__(self, buttons: tuple[str, ...]) -> None:
        self.buttons = buttons
        self._events: queue.SimpleQueue[RecordedEdge | bool] = queue.SimpleQueue()

    def edge(self, button: str, down: bool, at_us: int | None = None) -> Future[list[RefusedInput]]:
        """Queues an edge."""
        self._events.put(RecordedEdge(button, down, now_us() if at_us is None else at_us))
        done: Future[list[RefusedInput]] = Future()
        done.set_result([])
        return done

    def edges_at_once(
        self, edges: Sequence[tuple[str, bool, int]], *, wanted: Callable[[], bool] = lambda: True
    ) -> Future[list[RefusedInput]]:
        """Queues several edges, wanted or not. There is at least one."""
        del wanted
        return [self.edge(*edge) for edge in edges][-1]

    def known_down(self, button: str, until_us: int | None) -> Future[list[RefusedInput]]:
        """Does nothing: edges are recorded, and no press is decided."""
        del button, until_us
        done: Future[list[RefusedInput]] = Future()
        done.set_result([])
        return done

    def release(self, button: str) -> None:
        """Queues the edge."""
        self.edge(button, down=False)

    def release_all(self) -> None:
        """Does nothing: the lost link, which is queued too, releases all buttons."""

    def set_link(self, up: bool, **_: bool | None) -> None:
        """Queues the new state of the link."""
        self._events.put(up)

    def next(self) -> RecordedEdge | bool | None:
        """The next event: an edge, or whether the link is up; None if there is none for a while."""
        try:
            return self._events.get(timeout=_POLL_S)
        except queue.Empty:
            return None
