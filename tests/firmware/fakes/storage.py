"""The drive CIRCUITPY, which the computer sees unless `boot.py` disables it."""

from __future__ import annotations

from tests.firmware.fakes.world import HERE


def disable_usb_drive() -> None:
    assert HERE.line is None, "USB has started"
    HERE.shows_drive = False


class VfsFat:
    @property
    def readonly(self) -> bool:
        """Makes the drive read-only for the firmware, or for the computer:

        only one of them may write.
        """
        return HERE.shows_drive


def getmount(mount_path: str) -> VfsFat:
    assert mount_path == "/"
    return VfsFat()
