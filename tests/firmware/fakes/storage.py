"""The drive CIRCUITPY, which the computer sees unless `boot.py` disables it."""

from __future__ import annotations

from tests.firmware.fakes.world import HERE


def disable_usb_drive() -> None:
    assert HERE.line is None, "USB has started"
    HERE.shows_drive = False
