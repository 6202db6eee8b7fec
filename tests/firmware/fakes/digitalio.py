"""Single pins: each has one user at a time, and reads low when connected to ground."""

from __future__ import annotations

from enum import Enum

from tests.firmware.fakes.board import Pin
from tests.firmware.fakes.world import HERE


class Pull(Enum):
    UP = 1
    DOWN = 2


class Direction(Enum):
    INPUT = 1
    OUTPUT = 2


class DigitalInOut:
    def __init__(self, pin: Pin) -> None:
        if pin.used:
            raise ValueError(f"{pin.name} in use")
        pin.used = True
        self.pin: Pin | None = pin
        self.direction = Direction.INPUT
        self.pull: Pull | None = None
        HERE.at_reload.append(self.deinit)

    def switch_to_input(self, pull: Pull | None = None) -> None:
        self.direction, self.pull = Direction.INPUT, pull

    def switch_to_output(self, value: bool = False) -> None:
        self.direction = Direction.OUTPUT

    @property
    def value(self) -> bool:
        assert self.pin is not None, "Object has been deinitialized"
        assert self.pull == Pull.UP, "a pin without its pull-up reads anything"
        HERE.wait()
        with HERE.lock:
            return not HERE.levels.get(self.pin.name, False)

    def deinit(self) -> None:
        if self.pin is not None:
            self.pin.used = False
        self.pin = None
