"""Makes the board's brightness follow the light of the room, in its own thread."""

from __future__ import annotations

import contextlib
import threading
from typing import Final

from pochboard.boards.base import Board
from pochboard.errors import StoppedError
from pochboard.lights.room_light import RoomLight
from pochboard.runtime.health import Answer, Pulse
from pochboard.table.clock import now_us
from pochboard.table.table import Table

TICK_S: Final = 0.5
"""How often the light is read. Each time, the brightness changes by one step at most."""
LOOK_S: Final = 5.0
"""How often to look for a sensor: a board may be plugged in later."""


class RoomLightDriver:
    """Passes on how far the light of the room dims the board. Start it once, and close it once."""

    def __init__(self, table: Table, board: Board) -> None:
        self._table = table
        self._board = board
        self._room = RoomLight()
        # The condition guards what other threads hand over.
        self._changed = threading.Condition()
        self._closed = False
        self._pulse = Pulse()
        self._thread = threading.Thread(target=self._run, name="room-light")

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def ping(self, answer: Answer) -> None:
        """Asks the thread to call `answer` soon, unless the sensor fails; at once without one."""
        if not self._board.has_sensor:
            answer()
        elif self._board.lux is not None:
            self._pulse.ask_waiting(answer, self._changed)

    def is_alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Ends the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        passed_on = self._room.steps, False
        while not self._closed:
            has_sensor = self._board.has_sensor
            # Without a working sensor, the brightness returns to the choice step by step.
            now = self._room.feed(self._board.lux, now_us()), has_sensor
            if now != passed_on:
                passed_on = now
                with contextlib.suppress(StoppedError):
                    self._table.follow_room(self._room.steps, has_sensor=has_sensor)
            self._pulse.answer()
            is_idle = now == (0, False)
            with self._changed:
                self._changed.wait_for(lambda: self._closed, LOOK_S if is_idle else TICK_S)
