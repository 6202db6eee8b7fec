"""The scanner of the buttons: runs in the background, debounces by counting, queues edges.

As in CircuitPython 9.1 and later: each scan moves a key's count by one towards up or down, and it
changes where the count reaches zero. A new scanner's counts are zero, so that a key held then
gives no press. `reset` marks all keys as up, so that held keys are pressed again; before 9.2.1 it
marks them all as down instead (FAKE_KEYPAD=9.1).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence

from tests.firmware.fakes.board import Pin
from tests.firmware.fakes.digitalio import DigitalInOut, Pull
from tests.firmware.fakes.world import HERE

_ON_TIME_MS = 50
"""For how long after a reset the scans are on time: enough to report every held button."""


class Event:
    def __init__(self, key_number: int, pressed: bool, timestamp: int) -> None:
        self.key_number = key_number
        self.pressed = pressed
        self.released = not pressed
        self.timestamp = timestamp


class EventQueue:
    def __init__(self, most: int) -> None:
        self._events: deque[Event] = deque()
        self._most = most
        self.overflowed = False

    def get(self) -> Event | None:
        HERE.wait()
        with HERE.lock:
            return self._events.popleft() if self._events else None

    def clear(self) -> None:
        with HERE.lock:
            self._events.clear()
            self.overflowed = False

    def __len__(self) -> int:
        return len(self._events)

    def __bool__(self) -> bool:
        return bool(self._events)

    def record(self, event: Event) -> None:
        if len(self._events) >= self._most:
            self.overflowed = True
            return
        self._events.append(event)


class Keys:
    def __init__(
        self,
        pins: Sequence[Pin],
        *,
        value_when_pressed: bool,
        pull: bool = True,
        interval: float = 0.02,
        max_events: int = 64,
        debounce_threshold: int = 1,
    ) -> None:
        assert not value_when_pressed, "the board's buttons close to ground"
        assert 1 <= debounce_threshold <= 127
        self._pins = [DigitalInOut(pin) for pin in pins]
        for pin in self._pins:
            pin.switch_to_input(Pull.UP if pull else None)
        self.events = EventQueue(max_events)
        self.key_count = len(pins)
        self._interval_ms = int(interval * 1024)
        self._threshold = debounce_threshold
        self._counts = [0] * len(pins)
        self._next_turn = HERE.turns
        self._reset_at: tuple[int, int] | None = None
        """The turn and the clock's reading of a reset."""
        print(f"The scanner wants {debounce_threshold} scans alike, {self._interval_ms} ms apart.")
        with HERE.lock:
            HERE.every_ms.append(self._scan_maybe)
            HERE.at_reload.append(self._stop)

    def reset(self) -> None:
        with HERE.lock:
            up = self._threshold if os.environ.get("FAKE_KEYPAD") == "9.1" else -self._threshold
            self._counts = [up] * self.key_count
            self._reset_at = HERE.turns, HERE.scan_ticks()
            self._scan()
        print("The scanner was reset.")

    def _stop(self) -> None:
        with HERE.lock:
            if self._scan_maybe in HERE.every_ms:
                HERE.every_ms.remove(self._scan_maybe)

    def deinit(self) -> None:
        self._stop()
        for pin in self._pins:
            pin.deinit()

    def _scan_maybe(self) -> None:
        if HERE.turns >= self._next_turn:
            self._scan()

    def _scan(self) -> None:
        now = self._scan_time()
        self._next_turn = HERE.turns + self._interval_ms
        for number, pin in enumerate(self._pins):
            assert pin.pin is not None
            if self._changes(number, HERE.levels.get(pin.pin.name, False)):
                self.events.record(Event(number, self._counts[number] > 0, now))

    def _scan_time(self) -> int:
        """The clock's reading for the edges of this scan.

        On the board the scans are on time, so it reports held buttons soon after a reset. Here they
        may be late on a busy machine. So the first edges after a reset are dated by turns.
        """
        if self._reset_at is not None:
            turn, ticks = self._reset_at
            passed = HERE.turns - turn
            if passed < _ON_TIME_MS:
                return (ticks + passed) % (1 << 29)
            self._reset_at = None
        return HERE.scan_ticks()

    def _changes(self, number: int, pressed: bool) -> bool:
        step = 1 if pressed else -1
        if self._counts[number] * step < self._threshold:
            self._counts[number] += step
            if self._counts[number] == 0:
                self._counts[number] = step * self._threshold
                return True
        return False
