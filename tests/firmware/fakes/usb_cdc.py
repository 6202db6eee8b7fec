"""The serial ports on USB. As on the board, a write blocks forever without a timeout."""

from __future__ import annotations

import time

from tests.firmware.fakes.world import HERE, Line

console: object = None
"""Not of use to this firmware; `supervisor.runtime.serial_connected` tells of it."""
data: Serial | None = None


def enable(*, console: bool = True, data: bool = False) -> None:
    """Chooses the serial ports, in boot.py."""
    globals()["data"] = Serial() if data else None


class Serial:
    def __init__(self) -> None:
        self.timeout: float | None = None
        self.write_timeout: float | None = None

    @property
    def connected(self) -> bool:
        HERE.wait()
        with HERE.lock:
            return HERE.line is not None and HERE.line.connected

    @property
    def in_waiting(self) -> int:
        HERE.wait()
        with HERE.lock:
            return len(HERE.line.incoming) if HERE.line else 0

    def read(self, size: int = 1) -> bytes:
        out = bytearray()
        until_s = _until_s(self.timeout)
        while True:
            with HERE.lock:
                if HERE.line is not None:
                    some = HERE.line.incoming[: size - len(out)]
                    del HERE.line.incoming[: len(some)]
                    out += some
            if len(out) >= size or time.monotonic() >= until_s:
                return bytes(out)
            time.sleep(0.001)

    def write(self, buf: bytes | bytearray) -> int:
        done = 0
        until_s = _until_s(self.write_timeout)
        while True:
            with HERE.lock:
                if HERE.line is not None:
                    room = Line.BUFFER - len(HERE.line.outgoing)
                    some = buf[done : done + room]
                    HERE.line.outgoing += some
                    done += len(some)
            if done >= len(buf) or time.monotonic() >= until_s:
                return done
            time.sleep(0.001)


def _until_s(timeout: float | None) -> float:
    return float("inf") if timeout is None else time.monotonic() + timeout
