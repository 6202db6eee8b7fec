"""`pochboard`, with a clock that stops while a button of the simulated board is held.

On a busy machine seconds may pass between the requests that press and release a button. With this
clock the press is still short. It becomes long only when the test says so: each line on standard
input advances the clock by more time than any press takes.

Rings count and places brighten in a moment, because tests wait for the final state of the lights.

The page has its own clock. The daemon tells it a longer time within which a press must reach the
board, so that none is too late.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Final
from unittest.mock import patch

from msgspec.structs import replace

from pochboard.boards.simulator import ClientEdge, Simulator
from pochboard.buttons.press import HOLD_S
from pochboard.cli import main
from pochboard.errors import RefusedInput
from pochboard.table.worker import Worker

SKIP_NS: Final = 11_000_000_000
"""Longer than the longest press that can be configured."""
_LOOK_S: Final = 0.02
_EFFECT_US: Final = 40_000
"""How long rings count and places brighten."""
_PULSE_STEP_US: Final = 400_000
"""How long a pulsing light keeps each level. Pages draw every new one."""
_CLIENT_S: Final = 60.0
"""How long a page that holds a button may wait before it says again that it does."""

_real_ns = time.monotonic_ns
_edges = Simulator.edges
_client_edge = Simulator.client_edge
_wait_s = Worker._wait_s


class HeldClock:
    """A monotonic clock in nanoseconds."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._ahead_ns = 0
        self._stopped_ns: int | None = None

    def __call__(self) -> int:
        with self._lock:
            if self._stopped_ns is not None:
                return self._stopped_ns
            return _real_ns() + self._ahead_ns

    @property
    def stopped(self) -> bool:
        return self._stopped_ns is not None

    def stop(self) -> None:
        with self._lock:
            self._stopped_ns = self()

    def go_on(self) -> None:
        with self._lock:
            self._ahead_ns = self() - _real_ns()
            self._stopped_ns = None

    def skip(self) -> None:
        with self._lock:
            if self._stopped_ns is None:
                self._ahead_ns += SKIP_NS
            else:
                self._stopped_ns += SKIP_NS


clock: Final = HeldClock()
_one_by_one: Final = threading.Lock()


def edges(
    self: Simulator,
    holder: str,
    buttons: Sequence[str],
    *,
    down: bool,
    hold_s: float = HOLD_S,
) -> list[Future[list[RefusedInput]]]:
    """Like the simulator's own. Bots time their presses themselves."""
    if holder == "bots":
        return _edges(self, holder, buttons, down=down, hold_s=hold_s)
    with _one_by_one:
        if down:
            clock.stop()
        try:
            hold_s = max(hold_s, _CLIENT_S)
            return _edges(self, holder, buttons, down=down, hold_s=hold_s)
        finally:
            if not self._down:
                clock.go_on()


def client_edge(self: Simulator, client: str, button: str, edge: ClientEdge) -> list[RefusedInput]:
    """Like the simulator's own, but holds last by this clock, because the page's does not stop."""
    with _one_by_one:
        if edge.down and not edge.repeat:
            clock.stop()
        try:
            return _client_edge(self, client, button, replace(edge, held_ms=None))
        finally:
            if not self._down:
                clock.go_on()


def wait_s(self: Worker) -> float | None:
    """Like the table's own, but it looks again soon while the clock may skip."""
    left_s = _wait_s(self)
    if not clock.stopped:
        return left_s
    return _LOOK_S if left_s is None else min(left_s, _LOOK_S)


def listen() -> None:
    """Advances the clock with each line read."""
    while lines := os.read(sys.stdin.fileno(), 1024):
        for _ in range(lines.count(b"\n")):
            clock.skip()


def run() -> None:
    """Runs the command line with this clock."""
    # As for all threads of the daemon, which waits for the signals itself.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    threading.Thread(target=listen, daemon=True).start()
    with (
        patch("time.monotonic_ns", clock),
        patch("pochboard.boards.simulator.HOLD_S", _CLIENT_S),
        patch("pochboard.views.state.HOLD_S", _CLIENT_S),
        patch("pochboard.lights.animation.ANTE_US", _EFFECT_US),
        patch("pochboard.lights.animation.DRAIN_US", _EFFECT_US),
        patch("pochboard.lights.animation.SLOW_STEP_US", _PULSE_STEP_US),
        patch.object(Simulator, "edges", edges),
        patch.object(Simulator, "client_edge", client_edge),
        patch.object(Worker, "_wait_s", wait_s),
    ):
        main()


if __name__ == "__main__":
    run()
