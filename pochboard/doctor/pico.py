"""Checks of the board on USB: library, port, permissions, and what the board says about itself."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pochboard import wire
from pochboard.boards.base import Problem
from pochboard.boards.pico.link import COPY_FIRMWARE, Firmware, Layout
from pochboard.buttons.press import BUTTONS
from pochboard.config import PicoTable
from pochboard.doctor.check import Check, Note, ProbeError, Row, install_fix, installed, run
from pochboard.lights.lights_config import LightsConfig

if TYPE_CHECKING:
    from pochboard.boards.pico.ports import Port

_BOOT_LOADERS: Final = (("2e8a", "0003"), ("2e8a", "000f"))
"""USB vendor and product of a Pico and a Pico 2 in their boot loaders."""
_RULES: Final = ("etc/udev/rules.d", "lib/udev/rules.d", "usr/lib/udev/rules.d")
_IGNORE: Final = (
    "Make it ignore the board: sudo install -m 644 systemd/70-pochboard.rules /etc/udev/rules.d/,"
    " then sudo udevadm control --reload, and plug the board in again."
)
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

        found = _Found((ports or ports_of(table))(), root, newest if talk else None)
        yield from run(
            (
                Row("serial: port", found.port),
                Row("serial: access", found.access),
                *_greeting_rows(table, lights, found),
            )
        )
    yield from run([Row("serial: modems", partial(_modem_manager, root), _IGNORE)])


def library_check() -> Check:
    """Whether pyserial is installed."""
    library = partial(installed, {"serial": "pyserial"})
    (check,) = run([Row("serial: library", library, install_fix("pico"))])
    return check


class _Found:
    """The ports that were found, and what came of trying the first; each probe goes on from it."""

    def __init__(self, ports: list[Port], root: Path, newest: tuple[int, int, int] | None) -> None:
        self._ports = ports
        self._root = root
        self.newest = newest
        """The newest firmware; None if the port must not be opened."""
        self.usable: Port | None = None
        self.opened: Port | None = None

    def port(self) -> str | Note:
        """Whether there is a port that may be a board's."""
        from pochboard.boards.pico.ports import unusable_problem

        mine = [port for port in self._ports if not port.console and not port.other]
        data = [port.device for port in mine]
        if not self._ports:
            raise _no_port(self._root)
        if not data and self._ports[0].other:
            problem = unusable_problem(self._ports)
            raise ProbeError(problem.found, problem.fix)
        if not data:
            raise ProbeError(
                f"{self._ports[0].device} is the board's console, not its data port.",
                'Set port = "" in [pico] of config.toml. If the board has no other port, run'
                " pochboard firmware install, then unplug it and plug it in again.",
            )
        self.usable = mine[0]
        if len(mine) == 1:
            return f"The board's port is {data[0]}."
        named = ", ".join(f"{port.device} ({port.id})" if port.id else port.device for port in mine)
        return Note(
            f"There are {len(mine)} boards: {named}. The first to answer is used.",
            f"To choose another, set it in [pico] of config.toml: {_choice(mine[1])}.",
        )

    def access(self) -> str | None:
        """Whether this user may open the port; if a daemon uses it, without opening it."""
        from pochboard.boards.pico.ports import SerialLine, open_problem

        if self.usable is None:
            return None
        device = self.usable.device
        try:
            if self.newest:
                SerialLine(device).close()
            else:
                Path(device).stat()
                if not os.access(device, os.R_OK | os.W_OK, effective_ids=True):
                    raise PermissionError(13, os.strerror(13))
        except OSError as error:  # a SerialException is one
            problem = open_problem(device, error)
            raise ProbeError(problem.found, problem.fix) from None
        if not self.newest:
            return f"This user has access to {device}."
        self.opened = self.usable
        return f"{device} can be opened, and no other program is using it."


def _choice(port: Port) -> str:
    """The setting that chooses a board. Its port may have another name after the next restart."""
    return f'id = "{port.id}"' if port.id else f'port = "{port.device}"'


def _no_port(root: Path) -> ProbeError:
    from pochboard.boards.pico.ports import NO_BOARD

    if any(_usb(device) in _BOOT_LOADERS for device in (root / "sys/bus/usb/devices").glob("*")):
        return ProbeError(
            "The Pico is in its boot loader, which has no serial port.",
            "Copy CircuitPython to its drive, then run pochboard firmware install"
            " (firmware/README.md).",
        )
    return ProbeError(NO_BOARD.found, NO_BOARD.fix)


def _usb(device: Path) -> tuple[str, str]:
    try:
        vendor, product = (
            (device / name).read_text("utf-8", "replace").strip()
            for name in ("idVendor", "idProduct")
        )
    except OSError:  # an interface of a device
        return "", ""
    return vendor, product


def _modem_manager(root: Path) -> str:
    """Whether ModemManager would probe the board and block its port."""
    if not os.access(root / "usr/sbin/ModemManager", os.F_OK):
        return "ModemManager, which could block the port, is not installed."
    rules = [file for folder in _RULES for file in sorted((root / folder).glob("*.rules"))]
    if any(_ignores_board(file) for file in rules):
        return "ModemManager is configured to ignore the board."
    raise ProbeError("ModemManager may take the board for a modem and block its port.")


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


def _greeting_rows(table: PicoTable, lights: LightsConfig, found: _Found) -> tuple[Row, ...]:
    """Greets the board, and checks what it says."""
    from pochboard.boards.pico.pico import layout_of

    told: list[Firmware] = []
    spoiled: list[int] = []

    def greeting() -> str | None:
        if found.opened is None:
            return None
        answer = _greet(table, layout_of(table, lights), found.opened)
        if isinstance(answer, Problem):
            raise ProbeError(answer.found, answer.fix)
        firmware, damaged = answer
        told.append(firmware)
        spoiled.extend(damaged)
        # It finds a display when it starts; that it has a piezo is what its settings.py says.
        display, piezo = (
            "a" if firmware.capabilities & what else "no" for what in (wire.DISPLAY, wire.SOUND)
        )
        return (
            f"The board {firmware.id} on {found.opened.device} answers. It has {display} display"
            f" and {piezo} piezo."
        )

    return (
        Row("board: greeting", greeting),
        Row("board: line", lambda: _line(*spoiled) if told else None),
        Row("board: firmware", lambda: _version(told[0], found.newest) if told else None),
    )


def _line(here: int, there: int) -> str | Note:
    """How many lines arrived damaged."""
    found = (
        f"Of the lines on the cable, {there} reached the board damaged since it started, and"
        f" {here} this program."
    )
    if here + there > _SPOILED:
        return Note(found, "Try a different, shorter cable and a different socket.")
    return found


class _Greeted:
    """A sink that waits for the link, and for nothing else."""

    buttons = BUTTONS

    def __init__(self) -> None:
        self.linked = threading.Event()

    def set_link(self, up: bool, **_: bool | None) -> None:
        """Notes that the board has answered."""
        if up:
            self.linked.set()

    def edge(self, *_: object, **__: object) -> Any:
        """Does nothing."""

    edges_at_once = known_down = release_all = edge


def _greet(
    table: PicoTable, layout: Layout, port: Port
) -> tuple[Firmware, tuple[int, int]] | Problem:
    """Firmware and damaged lines of a board, or why it does not answer."""
    from pochboard.boards.pico.pico import Pico
    from pochboard.runtime.threads import now_us

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
    unplugged = Problem(f"The board on {port.device} was unplugged.", "Plug it in again.")
    return (firmware, spoiled) if firmware else problem or unplugged


def _version(firmware: Firmware, newest: tuple[int, int, int] | None) -> str | Note:
    assert newest is not None, "it was greeted"
    has, could = (".".join(map(str, numbers)) for numbers in (firmware.version, newest))
    found = f"The firmware is version {has}"
    if firmware.version < newest:
        return Note(f"{found}; this program has version {could}.", COPY_FIRMWARE)
    if firmware.version > newest:
        return Note(f"{found}, newer than version {could} of this program.", "Update pochboard.")
    return f"{found}, the same as in this program."
