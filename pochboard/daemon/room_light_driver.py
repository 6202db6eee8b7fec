"""Makes the board's brightness follow the light of the room, in its own thread."""

from __future__ import annotations

import contextlib
from typing import Final

from pochboard.boards.base import Board
from pochboard.errors import StoppedError
from pochboard.lights.room_light import RoomLight
from pochboard.runtime.threads import Answer, LoopThread
from pochboard.table.clock import now_us
from pochboard.table.table import Table

TICK_S: Final = 0.5
"""How often the light is read. Each time, the brightness changes by one step at most."""
LOOK_S: Final = 5.0
"""How often to look for a sensor: a board may be plugged in later."""


class RoomLightDriver(LoopThread):
    """Passes on how far the light of the room dims the board. Start it once, and close it once."""

    def __init__(self, table: Table, board: Board) -> None:
        super().__init__("room-light")
        self._table = table
        self._board = board
        self._room = RoomLight()

    def ping(self, answer: Answer) -> None:
        """Asks the thread to call `answer` soon, unless the sensor fails; at once without one."""
        if not self._board.has_sensor:
            answer()
        elif self._board.lux is not None:
            # The next tick answers. A further one would dim the board faster.
            self._asked = answer

    def _run(self) -> None:
        passed_on = self._room.steps, False
        while not self._closing:
            has_sensor = self._board.has_sensor
            # Without a working sensor, the brightness returns to the choice step by step.
            now = self._room.feed(self._board.lux, now_us()), has_sensor
            if now != passed_on:
                passed_on = now
                with contextlib.suppress(StoppedError):
                    self._table.follow_room(self._room.steps, has_sensor=has_sensor)
            self._wait(LOOK_S if now == (0, False) else TICK_S)
