"""What the board on USB needs of its machine: library, port, permission, and a good firmware."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import stat
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pochboard.boards.checks import Check, failed, install_mend
from pochboard.boards.pico.link import Firmware
from pochboard.buttons.press import BUTTONS, Refused
from pochboard.config import PicoTable
from pochboard.lights.display import DisplayConfig

if TYPE_CHECKING:
    from pochboard.boards.pico.ports import Port

_INSTALL: Final = install_mend("pico")
_OLDEST: Final = (3, 5)
_PATIENCE_S: Final = 5.0
"""Longer than a port is tried before it is given up."""
_BOOT_LOADERS: Final = (("2e8a", "0003"), ("2e8a", "000f"))
"""What a Pico and a Pico 2 call themselves on USB while they wait to be given a program."""
_RULES: Final = ("etc/udev/rules.d", "lib/udev/rules.d", "usr/lib/udev/rules.d")


def pico_checks(
    table: PicoTable,
    look: DisplayConfig,
    *,
    newest: tuple[int, int, int],
    talk: bool = True,
    ports: Callable[[], list[Port]] | None = None,
    root: Path = Path("/"),
) -> Iterator[Check]:
    """Looks at everything in turn; `root` is where `sys`, `etc` and `usr` are.

    `newest` is the version of the firmware that could be installed. Without `talk` the port is
    left alone, as somebody else has it. `ports` takes the place of those that are found.
    """
    library = library_check()
    yield library
    if library.ok:
        from pochboard.boards.pico.settings import ports_of

        yield from _port(table, look, (ports or ports_of(table))(), newest if talk else None, root)
    yield _modem_manager(root)


def library_check() -> Check:
    """Whether pyserial is there."""
    name, version = "serial: library", ""
    try:
        if importlib.util.find_spec("serial") is not None:
            version = importlib.metadata.version("pyserial")
    except (ImportError, ValueError):
        pass  # what cannot be found is not there
    if not version:
        found = "The Python package pyserial is not installed."
        return Check(name, ok=False, found=found, mend=_INSTALL)
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < _OLDEST:
        found = f"pyserial {version} is too old; 3.5 or later is needed."
        return Check(name, ok=False, found=found, mend=_INSTALL)
    return Check(name, ok=True, found=f"pyserial {version} is there.")


def _port(
    table: PicoTable,
    look: DisplayConfig,
    ports: list[Port],
    newest: tuple[int, int, int] | None,
    root: Path,
) -> Iterator[Check]:
    where = _where(ports, root, talk=newest is not None)
    yield where
    if not where.ok:
        return
    port = ports[0]
    allowed = _open(port.device) if newest else _may_open(port.device)
    yield allowed
    if allowed.ok and newest:
        yield from _board(table, look, port, newest)


def _where(ports: list[Port], root: Path, *, talk: bool) -> Check:
    name = "serial: port"
    if not ports:
        return _no_port(name, root)
    data = [port.device for port in ports if not port.console]
    if not data:
        return Check(
            name,
            ok=False,
            found=f"{ports[0].device} is the board's console, not its port for data.",
            mend=(
                'Write port = "" into [pico] of config.toml. If the board has no other port, give'
                " it the firmware: pochboard firmware install, then unplug it and plug it in."
            ),
        )
    try:
        is_device = stat.S_ISCHR(Path(data[0]).stat().st_mode)
    except OSError as error:
        from pochboard.boards.pico.board import why_not_open

        return failed(name, why_not_open(data[0], error))
    if not is_device or (talk and not _is_terminal(data[0])):
        return _no_serial_port(name, data[0])
    if len(data) > 1:
        mend = f'If another is meant, name it in [pico] of config.toml: port = "{data[1]}".'
        found = f"There are {len(data)} boards: {', '.join(data)}. The first that answers is it."
        return Check(name, ok=True, found=found, mend=mend)
    return Check(name, ok=True, found=f"The board's port is {data[0]}.")


def _no_serial_port(name: str, device: str) -> Check:
    mend = 'Name the board\'s port in [pico] of config.toml, or write port = "": then it is found.'
    return Check(name, ok=False, found=f"{device} is no serial port.", mend=mend)


def _no_port(name: str, root: Path) -> Check:
    if any(_usb(device) in _BOOT_LOADERS for device in (root / "sys/bus/usb/devices").glob("*")):
        return Check(
            name,
            ok=False,
            found="The Pico waits in its boot loader, and has no serial port there.",
            mend=(
                "Copy CircuitPython onto its drive, then: pochboard firmware install"
                " (firmware/README.md)."
            ),
        )
    return Check(
        name,
        ok=False,
        found="No board is plugged in: no serial port of a Pico is there.",
        mend=(
            "Plug it in, with a cable that carries data. A new Pico needs CircuitPython and"
            " `pochboard firmware install` first (firmware/README.md)."
        ),
    )


def _usb(device: Path) -> tuple[str, str]:
    try:
        vendor, product = (
            (device / name).read_text("utf-8", "replace").strip()
            for name in ("idVendor", "idProduct")
        )
    except OSError:  # an interface, not a device
        return "", ""
    return vendor, product


def _open(device: str) -> Check:
    """Whether the port can be opened, as the board's thread does."""
    import serial

    from pochboard.boards.pico.board import SPEED, why_not_open

    name = "serial: access"
    try:
        serial.Serial(device, SPEED, timeout=0, write_timeout=0, exclusive=True).close()
    except (OSError, serial.SerialException) as error:
        return failed(name, why_not_open(device, error))
    return Check(name, ok=True, found=f"{device} can be opened, and nobody else has it.")


def _is_terminal(device: str) -> bool:
    """Whether it has what every serial port has: a speed, and the like."""
    try:
        file = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return True  # who knows
    try:
        return os.isatty(file)
    finally:
        os.close(file)


def _may_open(device: str) -> Check:
    """Whether this user might open the port, which somebody else has."""
    from pochboard.boards.pico.board import why_not_open

    name = "serial: access"
    try:
        Path(device).stat()
        if not os.access(device, os.R_OK | os.W_OK, effective_ids=True):
            raise PermissionError(13, os.strerror(13))
    except OSError as error:
        return failed(name, why_not_open(device, error))
    return Check(name, ok=True, found=f"This user may use {device}.")


def _board(
    table: PicoTable, look: DisplayConfig, port: Port, newest: tuple[int, int, int]
) -> Iterator[Check]:
    firmware, why = _greet(table, look, port)
    if firmware is None:
        yield failed("board: greeting", why)
        return
    yield Check("board: greeting", ok=True, found=f"The board on {port.device} answers.")
    yield _version(firmware.version, newest)
    yield Check(
        "board: layout",
        ok=True,
        found=(
            f"It has buttons for {firmware.places} places and drives up to"
            f" {firmware.most_pixels} pixels; {look.places} and {look.pixels} are configured."
        ),
    )


class _Ear:
    """A sink for a board that is only to be greeted."""

    buttons = BUTTONS

    def __init__(self) -> None:
        self.found = threading.Event()

    def edge(self, button: str, down: bool, at_us: int | None = None) -> Future[list[Refused]]:  # noqa: ARG002 - nobody plays here
        done: Future[list[Refused]] = Future()
        done.set_result([])
        return done

    def release_all(self) -> None:
        """Nothing is held."""

    def set_link(self, up: bool) -> None:
        """Notes that the board has answered."""
        if up:
            self.found.set()


def _greet(table: PicoTable, look: DisplayConfig, port: Port) -> tuple[Firmware | None, str]:
    """What the board says of itself, or why it does not."""
    from pochboard.boards.pico.board import Pico
    from pochboard.boards.pico.settings import layout_of
    from pochboard.table.clock import now_us

    pico, ear = Pico(layout_of(table, look), ports=lambda: [port]), _Ear()
    at_first, firmware = pico.problem, None
    until_us = now_us() + round(_PATIENCE_S * 1_000_000)
    pico.start(ear)
    try:
        while not ear.found.wait(0.02) and now_us() < until_us:
            if pico.problem not in (at_first, None):
                break
        firmware, why = pico.firmware, pico.problem
    finally:
        pico.close()
    return firmware, why or f"The board on {port.device} has gone: plug it in again."


def _version(version: tuple[int, int, int], newest: tuple[int, int, int]) -> Check:
    name = "board: firmware"
    has, could = (".".join(map(str, numbers)) for numbers in (version, newest))
    if version < newest:
        found = f"The firmware is version {has}; this program has {could}."
        mend = "Put it onto the board: pochboard firmware install, then unplug it and plug it in."
        return Check(name, ok=True, found=found, mend=mend)
    if version > newest:
        found = f"The firmware is version {has}, newer than this program, {could}."
        return Check(name, ok=True, found=found, mend="Update pochboard when there is time.")
    return Check(name, ok=True, found=f"The firmware is version {has}, that of this program.")


def _modem_manager(root: Path) -> Check:
    """Whether something would take the board for a modem and keep its port busy."""
    name = "serial: modems"
    if not os.access(root / "usr/sbin/ModemManager", os.F_OK):
        return Check(name, ok=True, found="No ModemManager is here that could hold the port.")
    rules = [file for folder in _RULES for file in sorted((root / folder).glob("*.rules"))]
    if any(_frees_the_board(file) for file in rules):
        return Check(name, ok=True, found="ModemManager is told to leave the board alone.")
    return Check(
        name,
        ok=False,
        found="ModemManager may take the board for a modem and hold its port.",
        mend=(
            "Tell it not to: sudo install -m 644 systemd/70-pochboard.rules /etc/udev/rules.d/,"
            " then sudo udevadm control --reload, and plug the board in again."
        ),
    )


def _frees_the_board(file: Path) -> bool:
    try:
        text = file.read_text("utf-8", "replace")
    except OSError:
        return False
    return any(
        "ID_MM_DEVICE_IGNORE" in line and "pochboard" in line
        for line in text.splitlines()
        if not line.lstrip().startswith("#")
    )
