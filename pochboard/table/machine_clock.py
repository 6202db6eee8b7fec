"""Whether the network has set this machine's clock, and a phone's time until it has.

A Raspberry Pi has no battery for its clock. Away from home its own Wi-Fi has no time server either,
so nights would get the date of its last shutdown. The daemon may not set the clock of the machine
(`ProtectClock` in its unit), and need not: it only dates entries.
"""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path
from typing import Final

from pochboard.table.clock import now_ms, now_us

_MOST_ERROR_US: Final = 16_000_000
"""The kernel's bound for the error of a clock that nobody has set. systemd decides by it, too."""


class _Timex(ctypes.Structure):
    """The beginning of `struct timex` of adjtimex(2), and room for the rest."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("rest", ctypes.c_byte * 256),
    )


def is_set(root: Path = Path("/")) -> bool:
    """Whether the network has set the clock since the machine was started.

    systemd-timesyncd says so with a file. Of other programs only the kernel knows, which the unit
    of the service does not let the daemon ask.
    """
    try:
        told = (root / "run/systemd/timesync/synchronized").exists()
    except OSError:  # this user may not look
        told = False
    return told or _kernel_knows()


def _kernel_knows() -> bool:
    asked = _Timex()
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.byref(asked))
    except (OSError, AttributeError):
        return False
    return bool(state >= 0 and asked.maxerror < _MOST_ERROR_US)


class TableClock:
    """The time of the table: the machine's, or that of a phone until the network sets it.

    Thread-safe. `root` is the folder of `run`.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._phone: tuple[int, int] | None = None
        """A phone's time, and when it was told on the monotonic clock."""

    @property
    def is_set(self) -> bool:
        """Whether the network has set the machine's clock, so that no phone's time is needed."""
        return is_set(self._root)

    @property
    def is_of_a_phone(self) -> bool:
        """Whether a phone's time is in use."""
        return self._told() is not None

    def follow_phone(self, time_ms: int) -> bool:
        """Uses a phone's time from now on. Returns False if the machine's clock is set."""
        if self.is_set:
            return False
        with self._lock:
            self._phone = time_ms, now_us()
        return True

    def now_ms(self) -> int:
        """The time: milliseconds since 1970, UTC."""
        told = self._told()
        if told is None:
            return now_ms()
        told_ms, told_us = told
        return told_ms + (now_us() - told_us) // 1000

    def _told(self) -> tuple[int, int] | None:
        with self._lock:
            if self._phone is not None and self.is_set:
                self._phone = None
            return self._phone
