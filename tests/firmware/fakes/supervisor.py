"""The state of CircuitPython, and restarting the program."""

from __future__ import annotations

from enum import Enum

from tests.firmware.fakes.world import HERE

usb_identity: tuple[str, str] | None = None


class SafeModeReason(Enum):
    NONE = 0
    HARD_FAULT = 1
    NLR_JUMP_FAIL = 2
    STACK_OVERFLOW = 3
    INTERRUPT_ERROR = 4
    GC_ALLOC_OUTSIDE_VM = 5
    USB_TOO_MANY_ENDPOINTS = 6


class ReloadError(BaseException):
    """The program has to run again from its beginning."""


class Runtime:
    autoreload = True
    safe_mode_reason = SafeModeReason.NONE

    @property
    def serial_connected(self) -> bool:
        return HERE.console


runtime = Runtime()
ticks_ms = HERE.ticks_ms


def set_usb_identification(manufacturer: str, product: str, vid: int = -1, pid: int = -1) -> None:
    global usb_identity  # noqa: PLW0603 - a module of CircuitPython is what it fakes
    # USB carries at most 126 letters of each.
    assert len(manufacturer) <= 126
    assert len(product) <= 126
    usb_identity = manufacturer, product


def reload() -> None:
    raise ReloadError
