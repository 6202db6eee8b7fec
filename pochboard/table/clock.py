"""The clocks of this machine, and a phone's time until the network has set them.

A Raspberry Pi has no battery for its clock. Away from home its own Wi-Fi has no time server either,
so nights would get the date of its last shutdown. The daemon may not set the clock of the machine
(`ProtectClock` in its unit), and need not: it only dates entries.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path
from typing import Final

from pochboard.errors import Refusal, refuse
from pochboard.ledger.replay import is_possible, utc_time
from pochboard.runtime.threads import now_us
from pochboard.sheets import NOON
from pochboard.time_zone import chosen_zone, zone_name

log = logging.getLogger(__name__)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def now_ms() -> int:
    """The wall clock: milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def day_text(time_ms: int) -> str:
    """The day of a time, in UTC, as `2026-11-22`; later times give the last day Python knows."""
    return utc_time(max(time_ms, 0)).date().isoformat()


def local_time(time_ms: int) -> datetime:
    """A time in the board's zone; in UTC where Python's calendar ends."""
    try:
        return utc_time(time_ms).astimezone(chosen_zone())
    except (ValueError, OverflowError, OSError):
        return utc_time(time_ms)


def minute_text(time_ms: int) -> str:
    """A local time as `2026-11-22 19:30`."""
    return local_time(time_ms).replace(tzinfo=None).isoformat(" ", "minutes")


def zoned_text(time_ms: int) -> str:
    """A local time with its zone, as `2026-11-22 19:30 CET (Europe/Berlin)`."""
    name = zone_name()
    return f"{minute_text(time_ms)} {local_time(time_ms):%Z}" + (f" ({name})" if name else "")


def file_stamp() -> str:
    """The local time now for the name of a file, as `2026-11-22-193000`."""
    return f"{local_time(now_ms()):%Y-%m-%d-%H%M%S}"


_MORNING: Final = time_of_day(6)
"""When a day's nights begin: an evening goes on after midnight."""


def evening_of(time_ms: int) -> date:
    """The day of a night that begins at this time: before six in the morning, the day before."""
    began = local_time(time_ms)
    early = began.time() < _MORNING and began.date() > date.min
    return began.date() - timedelta(days=early)


def begun_ms(begun: date | datetime) -> int:
    """When a night on paper began, in milliseconds; noon, local time, if only its day is known."""
    if not isinstance(begun, datetime):
        begun = datetime.combine(begun, NOON)
    if begun.tzinfo is None:
        try:
            return round(begun.replace(tzinfo=chosen_zone()).timestamp() * 1000)
        except (ValueError, OverflowError):
            begun = begun.replace(tzinfo=UTC)
    return (begun - _EPOCH) // timedelta(milliseconds=1)


def is_set(root: Path = Path("/")) -> bool:
    """Whether the network has set the clock since the machine was started.

    systemd-timesyncd says so with a file. Where another program sets it, the page offers the time
    of a phone that differs, and entries get it only if somebody accepts that.
    """
    try:
        return (root / "run/systemd/timesync/synchronized").exists()
    except OSError:  # this user may not look
        return False


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
        return self._phone_time_now() is not None

    def follow_phone(self, time_ms: int) -> Refusal | None:
        """Uses a phone's time until the network has set the machine's clock.

        Returns why it is refused, if it is.
        """
        if not is_possible(time_ms):
            return refuse(
                "bad-argument",
                "A phone’s time counts from 1 January 2000 to 31 December 2099.",
            )
        if self.is_set:
            return refuse(
                "clock-set",
                "The network has set the clock of this board, so no phone’s time is needed.",
            )
        with self._lock:
            self._phone = time_ms, now_us()
        log.info("A phone says that it is %s: entries get its time.", day_text(time_ms))
        return None

    def now_ms(self) -> int:
        """The time: milliseconds since 1970, UTC."""
        phone_time = self._phone_time_now()
        if phone_time is None:
            return now_ms()
        phone_ms, since_us = phone_time
        return phone_ms + (now_us() - since_us) // 1000

    def _phone_time_now(self) -> tuple[int, int] | None:
        with self._lock:
            if self._phone is not None and self.is_set:
                self._phone = None
            return self._phone
