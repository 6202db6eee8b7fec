"""Writes to pixels: blocks for as long as the transmission takes."""

from __future__ import annotations

import time

from tests.firmware.fakes.digitalio import DigitalInOut, Direction
from tests.firmware.fakes.world import HERE


def neopixel_write(digitalinout: DigitalInOut, buf: bytes | bytearray) -> None:
    HERE.wait()
    assert digitalinout.direction == Direction.OUTPUT
    # 800 kHz.
    time.sleep(len(buf) * 8 / 800_000)
    HERE.show(bytes(buf))
