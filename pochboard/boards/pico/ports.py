"""The serial ports on which the board may be."""

from __future__ import annotations

from typing import Final

import msgspec
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from pochboard.wire import PORT_NAME

_VENDORS: Final = (0x239A, 0x2E8A)
"""USB vendors of a Pico: with CircuitPython, and Raspberry Pi's own."""


class Port(msgspec.Struct, frozen=True):
    """A port, and what is known of it before anybody has spoken."""

    device: str
    """Its name, as in `/dev/ttyACM1`."""
    console: bool = False
    """Whether it is the one on which CircuitPython prints, so not the one for data."""
    ours: bool = True
    """Whether it says that it is a board, or the configuration does."""


def find_ports() -> list[Port]:
    """The ports of boards that are plugged in, the likeliest first.

    A board calls itself by its name; one whose firmware has never run still is a Pico. Of its two
    ports the second one is for data.
    """
    there = [port for port in list_ports.comports() if _is_pico(port)]
    there.sort(key=lambda port: (port.product != PORT_NAME, _is_console(port), port.device))
    return [Port(port.device, _is_console(port), port.product == PORT_NAME) for port in there]


def _is_pico(port: ListPortInfo) -> bool:
    return port.product == PORT_NAME or port.vid in _VENDORS


def _is_console(port: ListPortInfo) -> bool:
    """Told by the name of its interface, else by its number: the console comes first."""
    interface = (port.interface or "").casefold()
    if "data" in interface or "cdc2" in interface:
        return False
    if "control" in interface or "console" in interface:
        return True
    return (port.location or "").endswith(":1.0")
