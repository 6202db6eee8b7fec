"""Checks of the Wi-Fi of a Pi, whose radio has faults that only its firmware can fix.

systemd/README.md, Away from home, has the sources.
"""

from __future__ import annotations

import fcntl
import re
import socket
import struct
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from pochboard.config import WifiTable
from pochboard.doctor.check import Check, Note, Row, run

_DEVICE: Final = "wlan0"
_SIOCETHTOOL: Final = 0x8946
_GET_DRIVER: Final = 3
_DRIVER_INFO: Final = struct.Struct("=I32s32s32s32s32s12sIIIII")
"""`struct ethtool_drvinfo` of linux/ethtool.h."""
_SILENT_FIRMWARE: Final = "9.88.4."
"""Firmware of the BCM43430/2 (43436b0)."""
_EXTERNAL_SAE: Final = 1 << 25
"""The bit of `feature_disable` that keeps the driver from announcing WPA3."""
_DISABLED: Final = re.compile(r"feature_disable=(0x[0-9a-fA-F]+|\d+)")


def wifi_firmware(device: str = _DEVICE) -> str:
    """The version of the firmware of a network device, as its driver says it; empty if unknown."""
    # The kernel writes its answer to an address, so it needs a buffer that stays where it is.
    import ctypes

    buffer = ctypes.create_string_buffer(
        _DRIVER_INFO.pack(_GET_DRIVER, *[b""] * 6, 0, 0, 0, 0, 0), _DRIVER_INFO.size
    )
    request = struct.pack("16sP16x", device.encode(), ctypes.addressof(buffer))
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, _SIOCETHTOOL, request)
    except OSError:
        return ""
    version: bytes = _DRIVER_INFO.unpack(buffer.raw)[3]
    return version.partition(b"\0")[0].decode("ascii", "replace")


def wifi_checks(
    table: WifiTable, model: str, root: Path, firmware: Callable[[], str] = wifi_firmware
) -> Iterator[Check]:
    """What is known to go wrong with the radio of this model. `root` is the machine's."""
    has_radio = (root / "sys/class/net" / _DEVICE).exists()
    if has_radio and ("Zero 2" in model or "Raspberry Pi 4" in model):
        yield from run(
            (
                Row("wifi: own", partial(_own, table, model, firmware())),
                Row("wifi: router", partial(_router, root)),
            )
        )


def _own(table: WifiTable, model: str, version: str) -> Note | None:
    silent = "Zero 2" in model and version.startswith(_SILENT_FIRMWARE)
    if not silent or not table.own or table.open:
        return None
    return Note(
        f"The Wi-Fi chip has firmware {version}, which may pass no data in an encrypted Wi-Fi of"
        " its own.",
        "If phones join it and get no page, set open = true in [wifi]: then everybody nearby can"
        " join.",
    )


def _router(root: Path) -> Note | None:
    if _disabled_features(root) & _EXTERNAL_SAE:
        return None
    return Note(
        "This Pi may lose a router that mixes WPA2 and WPA3, after updates of 2026.",
        "If it does, set the router to WPA2, or append brcmfmac.feature_disable=0x2282000 to"
        " /boot/firmware/cmdline.txt and restart the Pi.",
    )


def _disabled_features(root: Path) -> int:
    """The features that the driver of the radio does without; the kernel's line comes last."""
    files = [
        *sorted((root / "usr/lib/modprobe.d").glob("*brcmfmac*.conf")),
        *sorted((root / "etc/modprobe.d").glob("*brcmfmac*.conf")),
        root / "proc/cmdline",
    ]
    values = [0]
    for file in files:
        try:
            text = file.read_text("utf-8", "replace")
        except OSError:
            continue
        values += [int(value, 0) for value in _DISABLED.findall(text)]
    return values[-1]
