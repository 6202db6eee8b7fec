"""Checks of the board on USB: library, port, permissions, and what the board says about itself."""

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

from pochboard import wire
from pochboard.boards.base import Problem
from pochboard.boards.pico.link import COPY_FIRMWARE, Firmware, Layout
from pochboard.buttons.press import BUTTONS
from pochboard.config import PicoTable
from pochboard.doctor.check import Check, failed, install_fix
from pochboard.errors import RefusedInput
from pochboard.lights.lights_config import LightsConfig

if TYPE_CHECKING:
    from pochboard.boards.pico.ports import Port

_INSTALL: Final = install_fix("pico")
_OLDEST: Final = (3, 5)
_BOOT_LOADERS: Final = (("2e8a", "0003"), ("2e8a", "000f"))
"""USB vendor and product of a Pico and a Pico 2 in their boot loaders."""
_RULES: Final = ("etc/udev/rules.d", "lib/udev/rules.d", "usr/lib/udev/rules.d")
_GREETING_S: Final = 5.0
"""How long to wait for the board: longer than the host takes to give up on a port."""
_POLL_S: Final = 0.1
_SPOILED: Final = 20
"""Damaged lines that are still normal: opening and closing a port cuts some in two."""


def pico_checks(
    table: PicoTable,
    lights: LightsConfig,
    *,
    newest: tuple[int, int, int],
    talk: bool = True,
    ports: Callable[[], list[Port]] | None = None,
    root: Path = Path("/"),
) -> Iterator[Check]:
    """Checks everything in turn. `root` is the folder of `sys`, `etc` and `usr`.

    `newest` is the version of the firmware that could be installed. Without `talk` the port is
    not opened, because a daemon uses it. `ports` replaces the search for ports.
    """
    library = library_check()
    yield library
    if library.ok:
        from pochboard.boards.pico.ports import ports_of

        yield from _port(
            table, lights, (ports or ports_of(table))(), newest if talk else None, root
        )
    yield _modem_manager(root)


def library_check() -> Check:
    """Whether pyserial is installed."""
    name, version = "serial: library", ""
    try:
        if importlib.util.find_spec("serial") is not None:
            version = importlib.metadata.version("pyserial")
    except (ImportError, ValueError):
        pass  # not installed
    if not version:
        found = "The Python package pyserial is not installed."
        return Check(name, ok=False, found=found, fix=_INSTALL)
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < _OLDEST:
        found = f"pyserial {version} is too old; it must be 3.5 or later."
        return Check(name, ok=False, found=found, fix=_INSTALL)
    return Check(name, ok=True, found=f"pyserial {version} is installed.")


def _port(
    table: PicoTable,
    lights: LightsConfig,
    ports: list[Port],
    newest: tuple[int, int, int] | None,
    root: Path,
) -> Iterator[Check]:
    check = _device(ports, root, talk=newest is not None)
    yield check
    if not check.ok:
        return
    port = next(port for port in ports if not port.console and not port.other)
    allowed = _open(port.device) if newest else _may_open(port.device)
    yield allowed
    if allowed.ok and newest:
        yield from _greeting_checks(table, lights, port, newest)


def _device(ports: list[Port], root: Path, *, talk: bool) -> Check:
    from pochboard.boards.pico.ports import not_serial_problem, open_problem, unusable_problem

    name = "serial: port"
    if not ports:
        return _no_port(name, root)
    mine = [port for port in ports if not port.console and not port.other]
    data = [port.device for port in mine]
    if not data and ports[0].other:
        return failed(name, unusable_problem(ports))
    if not data:
        return Check(
            name,
            ok=False,
            found=f"{ports[0].device} is the board's console, not its data port.",
            fix=(
                'Set port = "" in [pico] of config.toml. If the board has no other port, run'
                " pochboard firmware install, then unplug it and plug it in again."
            ),
        )
    try:
        is_device = stat.S_ISCHR(Path(data[0]).stat().st_mode)
    except OSError as error:
        return failed(name, open_problem(data[0], error))
    if not is_device or (talk and not _is_terminal(data[0])):
        return failed(name, not_serial_problem(data[0]))
    if len(data) > 1:
        fix = f"To choose another, set it in [pico] of config.toml: {_choice(mine[1])}."
        named = ", ".join(f"{port.device} ({port.id})" if port.id else port.device for port in mine)
        found = f"There are {len(data)} boards: {named}. The first to answer is used."
        return Check(name, ok=True, found=found, fix=fix)
    return Check(name, ok=True, found=f"The board's port is {data[0]}.")


def _choice(port: Port) -> str:
    """The setting that chooses a board. Its port may have another name after the next restart."""
    return f'id = "{port.id}"' if port.id else f'port = "{port.device}"'


def _no_port(name: str, root: Path) -> Check:
    from pochboard.boards.pico.ports import NO_BOARD

    if any(_usb(device) in _BOOT_LOADERS for device in (root / "sys/bus/usb/devices").glob("*")):
        return Check(
            name,
            ok=False,
            found="The Pico is in its boot loader, which has no serial port.",
            fix=(
                "Copy CircuitPython to its drive, then run pochboard firmware install"
                " (firmware/README.md)."
            ),
        )
    return failed(name, NO_BOARD)


def _usb(device: Path) -> tuple[str, str]:
    try:
        vendor, product = (
            (device / name).read_text("utf-8", "replace").strip()
            for name in ("idVendor", "idProduct")
        )
    except OSError:  # an interface of a device
        return "", ""
    return vendor, product


def _open(device: str) -> Check:
    """Whether the port can be opened the way the board's thread opens it."""
    from pochboard.boards.pico.ports import SerialLine, open_problem

    name = "serial: access"
    try:
        SerialLine(device).close()
    except OSError as error:  # a SerialException is one
        return failed(name, open_problem(device, error))
    return Check(
        name,
        ok=True,
        found=f"{device} can be opened, and no other program is using it.",
    )


def _is_terminal(device: str) -> bool:
    """Whether it is a terminal, as every serial port is."""
    try:
        file = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return True  # unknown; opening it properly gives the reason
    try:
        return os.isatty(file)
    finally:
        os.close(file)


def _may_open(device: str) -> Check:
    """Whether this user has access to the port, without opening it."""
    from pochboard.boards.pico.ports import open_problem

    name = "serial: access"
    try:
        Path(device).stat()
        if not os.access(device, os.R_OK | os.W_OK, effective_ids=True):
            raise PermissionError(13, os.strerror(13))
    except OSError as error:
        return failed(name, open_problem(device, error))
    return Check(name, ok=True, found=f"This user has access to {device}.")


def _modem_manager(root: Path) -> Check:
    """Whether ModemManager would probe the board and block its port."""
    name = "serial: modems"
    if not os.access(root / "usr/sbin/ModemManager", os.F_OK):
        return Check(
            name,
            ok=True,
            found="ModemManager, which could block the port, is not installed.",
        )
    rules = [file for folder in _RULES for file in sorted((root / folder).glob("*.rules"))]
    if any(_ignores_board(file) for file in rules):
        return Check(name, ok=True, found="ModemManager is configured to ignore the board.")
    return Check(
        name,
        ok=False,
        found="ModemManager may take the board for a modem and block its port.",
        fix=(
            "Make it ignore the board: sudo install -m 644 systemd/70-pochboard.rules"
            " /etc/udev/rules.d/, then sudo udevadm control --reload, and plug the board in"
            " again."
        ),
    )


def _ignores_board(file: Path) -> bool:
    try:
        text = file.read_text("utf-8", "replace")
    except OSError:
        return False
    return any(
        "ID_MM_DEVICE_IGNORE" in line and "pochboard" in line
        for line in text.splitlines()
        if not line.lstrip().startswith("#")
    )


# What the board says about itself: firmware, layout, damaged lines.


def _greeting_checks(
    table: PicoTable, lights: LightsConfig, port: Port, newest: tuple[int, int, int]
) -> Iterator[Check]:
    """Greets the board, and checks what it says. `newest` is the newest available firmware."""
    from pochboard.boards.pico.pico import layout_of

    layout = layout_of(table, lights)
    answer = _greet(table, layout, port)
    if isinstance(answer, Problem):
        yield failed("board: greeting", answer)
        return
    firmware, spoiled = answer
    found = f"The board {firmware.id} on {port.device} answers."
    yield Check("board: greeting", ok=True, found=found)
    yield _line(*spoiled)
    yield _version(firmware, newest)
    yield _fit(firmware, layout)
    yield _display(firmware)
    yield _sound(firmware)


def _line(here: int, there: int) -> Check:
    """How many lines arrived damaged."""
    fix = ""
    if here + there > _SPOILED:
        fix = "Try a different, shorter cable and a different socket."
    found = (
        f"Of the lines on the cable, {there} reached the board damaged since it started, and"
        f" {here} this program."
    )
    return Check("board: line", ok=True, found=found, fix=fix)


def _fit(firmware: Firmware, layout: Layout) -> Check:
    """Whether the board's own settings agree with the configuration; it follows the latter."""
    own, configured = ((what.pixels_per_ring, what.bytes_per_pixel) for what in (firmware, layout))
    found = f"Its self-test uses {own[0]} pixels per ring, of {own[1]} bytes."
    fix = (
        ""
        if own == configured
        else "Correct settings.py on the board's drive, or [lights] and [pico] in config.toml."
    )
    return Check("board: layout", ok=True, found=found, fix=fix)


def _display(firmware: Firmware) -> Check:
    """Whether the board found a display when it started."""
    if firmware.capabilities & wire.DISPLAY:
        return Check("board: display", ok=True, found="It has a display.")
    found = "It has no display, or found none at the address 3C or 3D when it started."
    return Check("board: display", ok=True, found=found)


def _sound(firmware: Firmware) -> Check:
    """Whether the board is configured to have a piezo, which it cannot detect."""
    if firmware.capabilities & wire.SOUND:
        found = "It has a piezo, which the page /build plays."
    else:
        found = "It has no piezo, or its settings.py lacks PIEZO = True."
    return Check("board: sound", ok=True, found=found)


class _Greeted:
    """A sink that waits for the link, and for nothing else."""

    buttons = BUTTONS

    def __init__(self) -> None:
        self.linked = threading.Event()

    def set_link(self, up: bool, **_: bool | None) -> None:
        """Notes that the board has answered."""
        if up:
            self.linked.set()

    def edge(self, *_: object) -> Future[list[RefusedInput]]:
        """Does nothing."""
        done: Future[list[RefusedInput]] = Future()
        done.set_result([])
        return done

    def edges_at_once(self, *_: object, **__: object) -> Future[list[RefusedInput]]:
        """Does nothing."""
        return self.edge()

    known_down = edge

    def release(self, _: str) -> None:
        """Does nothing."""

    def release_all(self) -> None:
        """Does nothing."""


def _greet(
    table: PicoTable, layout: Layout, port: Port
) -> tuple[Firmware, tuple[int, int]] | Problem:
    """Firmware and damaged lines of a board, or why it does not answer."""
    from pochboard.boards.pico.pico import Pico
    from pochboard.table.clock import now_us

    pico = Pico(layout, ports=lambda: [port], board=table.id.upper())
    sink = _Greeted()
    at_first = pico.problem
    until_us = now_us() + round(_GREETING_S * 1_000_000)
    pico.start(sink)
    try:
        while not sink.linked.wait(_POLL_S) and now_us() < until_us:
            if pico.problem not in (at_first, None):
                break
        firmware, problem, spoiled = pico.firmware, pico.problem, pico.spoiled
    finally:
        pico.close()
    unplugged = Problem(
        f"The board on {port.device} was unplugged.",
        "Plug it in again.",
    )
    return (firmware, spoiled) if firmware else problem or unplugged


def _version(firmware: Firmware, newest: tuple[int, int, int]) -> Check:
    name, version = "board: firmware", firmware.version
    has, could = (".".join(map(str, numbers)) for numbers in (version, newest))
    if version < newest:
        found = f"The firmware is version {has}; this program has version {could}."
        return Check(name, ok=True, found=found, fix=COPY_FIRMWARE)
    if version > newest:
        found = f"The firmware is version {has}, newer than version {could} of this program."
        return Check(name, ok=True, found=found, fix="Update pochboard.")
    return Check(
        name,
        ok=True,
        found=f"The firmware is version {has}, the same as in this program.",
    )
