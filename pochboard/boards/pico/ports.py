"""The serial port of the board: which one it may be, the open port, and what to do without one."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec
import serial
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from pochboard.boards.base import Problem
from pochboard.config import PicoTable
from pochboard.wire import PORT_NAME

_VENDORS: Final = (0x239A, 0x2E8A)
"""USB vendor ids of a Pico: Adafruit (CircuitPython) and Raspberry Pi."""
_SPEED: Final = 115_200
"""Has no effect on USB, but opening a port requires one."""
_CHUNK: Final = 4096


class Port(msgspec.Struct, frozen=True):
    """A serial port, and what is known about it before it is opened."""

    device: str
    """Its device file, such as `/dev/ttyACM1`."""
    console: bool = False
    """Whether it is the console of CircuitPython, so not the data port."""
    ours: bool = True
    """Whether its USB name, or the configuration, says that it is the board's."""
    id: str = ""
    """The unique number of the board's chip, which is its USB serial number; empty if unknown."""
    other: bool = False
    """Whether it belongs to another board than the configured one."""

    @property
    def usable(self) -> bool:
        """Whether it is the data port of the board."""
        return self.ours and not self.console and not self.other


def find_ports(wanted: str = "") -> list[Port]:
    """The ports of all Picos that are plugged in, the likeliest first.

    A board is recognised by its USB name, which it has once its firmware has run. Of the two ports
    of a board, the second one is for data. With the id of the `wanted` board, others come last.
    """
    ports = []
    for port in list_ports.comports():
        ours, number = port.product == PORT_NAME, (port.serial_number or "").upper()
        if ours or port.vid in _VENDORS:
            other = wanted not in ("", number)
            ports.append(Port(port.device, _is_console(port), ours, number, other))
    return sorted(ports, key=lambda port: (port.other, not port.ours, port.console, port.device))


def ports_of(table: PicoTable) -> Callable[[], list[Port]]:
    """A function that lists where the board may be: on the configured port, if there is one."""
    if not table.port:
        return partial(find_ports, table.id.upper())

    def configured() -> list[Port]:
        # Listed even if it does not exist: opening it then gives the right problem.
        console = any(port.console for port in find_ports() if port.device == table.port)
        return [Port(table.port, console)]

    return configured


def _is_console(port: ListPortInfo) -> bool:
    """Decided by the name of the interface, or else by its number: the console comes first."""
    interface = (port.interface or "").casefold()
    if "data" in interface or "cdc2" in interface:
        return False
    if "control" in interface or "console" in interface:
        return True
    return (port.location or "").endswith(":1.0")


class SerialLine:
    """An open port that does not block. Raises OSError once the other end has gone."""

    def __init__(self, device: str) -> None:
        self._port = serial.Serial(device, _SPEED, timeout=0, write_timeout=0, exclusive=True)

    def fileno(self) -> int:
        """The file descriptor, for `select`."""
        number = self._port.fileno()
        assert isinstance(number, int)
        return number

    def read(self) -> bytes:
        """Received bytes."""
        data = os.read(self.fileno(), _CHUNK)
        if not data:
            raise OSError(errno.EIO, "the other end has closed the port")
        return data

    def write(self, data: bytes) -> int:
        """Sends bytes; returns how many the system has taken."""
        return os.write(self.fileno(), data)

    def close(self) -> None:
        """Closes the port, even one that has disappeared."""
        with contextlib.suppress(OSError):
            self._port.close()


# Problems.

NO_BOARD: Final = Problem(
    "No board is plugged in: there is no serial port of a Pico.",
    (
        "Plug it in, with a cable that carries data. A new Pico needs CircuitPython and"
        " `pochboard firmware install` first (firmware/README.md)."
    ),
)


def open_problem(device: str, error: Exception) -> Problem:
    """Why opening a port has failed."""
    number = getattr(error, "errno", None)
    if number == errno.EACCES:
        return Problem(
            f"This user may not open {device}.",
            ("Run sudo usermod -aG dialout USER with this user's name, then log out and in again."),
        )
    if number == errno.EPERM:
        # Linux answers EACCES for the mode of the file, and EPERM for the device rules of a unit.
        return Problem(
            (
                f"The service is not permitted to use {device}: the driver of the port was not"
                " loaded when it started."
            ),
            (
                "Restart it: sudo systemctl restart pochboard. If that does not help, run sudo"
                " systemd/install.sh again."
            ),
        )
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return Problem(
            f"{device} does not exist.",
            "Plug the board in, or set another port in config.toml.",
        )
    if number in (errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK) or "lock" in str(error):
        return Problem(
            f"Another program is using {device}.",
            "Close it (a terminal, or another daemon).",
        )
    return Problem(
        f"{device} cannot be opened: {error}.",
        'Set the board\'s port in [pico] of config.toml, or port = "" to find it automatically.',
    )


def unusable_problem(found: list[Port]) -> Problem:
    """Why none of these ports can be used."""
    if not found:
        return NO_BOARD
    device = found[0].device
    if found[0].other:
        return Problem(
            f"The board on {device} is {found[0].id}, not the configured one.",
            "Plug in the other board, or correct id in [pico] of config.toml.",
        )
    if any(port.ours for port in found):
        return Problem(
            f"{device} is the board's console; its data port is missing.",
            "Unplug the board and plug it in again, or set another port in config.toml.",
        )
    return Problem(
        f"The Pico on {device} does not run the board's firmware.",
        (
            "If all its pixels are dim red, unplug the board and plug it in again."
            " Otherwise run pochboard firmware install first."
        ),
    )
