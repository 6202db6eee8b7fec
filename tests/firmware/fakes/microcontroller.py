"""The microcontroller."""

from __future__ import annotations

from enum import Enum

from tests.firmware.fakes.watchdog import WatchDogTimer
from tests.firmware.fakes.world import HERE

watchdog = WatchDogTimer()


class ResetReason(Enum):
    POWER_ON = 0
    SOFTWARE = 2
    WATCHDOG = 5


class Processor:
    uid = bytearray.fromhex("E6614C311B7D7A2F")
    reset_reason = ResetReason.SOFTWARE if HERE.was_reset else ResetReason.POWER_ON


cpu = Processor()


class ByteArray:
    """Memory that outlasts a reset and a power cut, in a file. New memory has only ones."""

    _SIZE = 4096

    def __init__(self) -> None:
        self._file = HERE.port.with_name("nvm")
        if not self._file.exists():
            self._file.write_bytes(b"\xff" * self._SIZE)

    def __len__(self) -> int:
        return self._SIZE

    def __getitem__(self, at: int | slice) -> int | bytearray:
        data = self._file.read_bytes()
        return bytearray(data[at]) if isinstance(at, slice) else data[at]

    def __setitem__(self, at: int | slice, value: int | bytes | bytearray) -> None:
        data = bytearray(self._file.read_bytes())
        if isinstance(at, slice):
            assert not isinstance(value, int)
            assert len(data[at]) == len(value), "Slice and value different lengths."
            data[at] = value
        else:
            assert isinstance(value, int)
            data[at] = value
        new = self._file.with_name("nvm.new")
        new.write_bytes(data)
        new.replace(self._file)


nvm = ByteArray()


def reset() -> None:
    HERE.reset()
