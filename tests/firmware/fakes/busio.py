"""The I²C bus, with a display or two on it."""

from __future__ import annotations

import os
import time
from functools import partial

from tests.display_chip import DisplayChip
from tests.firmware.fakes.board import Pin
from tests.firmware.fakes.world import HERE

_CHIPS = {int(one, 16): DisplayChip() for one in os.environ.get("FAKE_DISPLAYS", "").split()}


class I2C:
    def __init__(self, scl: Pin, sda: Pin, *, frequency: int = 100_000) -> None:
        if not _CHIPS:
            raise RuntimeError("No pull up found on SDA or SCL; check your wiring")
        assert (scl.name, sda.name) == ("GP21", "GP20")
        for pin in (scl, sda):
            if pin.used:
                raise ValueError(f"{pin.name} in use")
            pin.used = True
            HERE.at_reload.append(partial(setattr, pin, "used", False))
        self._byte_s = 9 / frequency
        self._locked = False

    def try_lock(self) -> bool:
        self._locked = True
        return True

    def scan(self) -> list[int]:
        assert self._locked
        return sorted(_CHIPS)

    def writeto(self, address: int, buffer: bytes) -> None:
        assert self._locked
        HERE.wait()
        if HERE.port.with_name("display_unplugged").exists():
            for chip in _CHIPS.values():
                chip.memory[:], chip.is_on, chip.contrast = bytes(1024), False, 0x7F
            raise OSError(19, "No such device")
        time.sleep(len(buffer) * self._byte_s)
        chip = _CHIPS[address]
        chip.write(buffer)
        new = HERE.port.with_name("display.new")
        for name, content in (("contrast", bytes((chip.contrast,))), ("display", chip.seen)):
            new.write_bytes(content)
            new.replace(HERE.port.with_name(f"{name}{address:x}"))
