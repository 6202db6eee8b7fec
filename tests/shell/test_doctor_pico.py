"""Every check of the board on USB fails in a test, and names the fix."""

from __future__ import annotations

import os
import pty
import sys
import threading
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from pochboard import wire
from pochboard.boards.pico.firmware_installer import firmware_version
from pochboard.boards.pico.link import Layout
from pochboard.boards.pico.ports import Port
from pochboard.config import PicoTable
from pochboard.doctor.check import Check
from pochboard.doctor.pico import pico_checks
from pochboard.lights.lights_config import LightsConfig
from tests.core.wire.test_wire import board_line
from tests.firmware.board_process import FirmwareBoard
from tests.shell.boards.kit import LOOK
from tests.shell.doctor_kit import Machine, as_nobody, named

ROOT = Path(__file__).resolve().parents[2]
NEWEST = firmware_version()
BYE = Layout(12, 8, 3000).line(wire.NOBODY)
INSTALL = (
    "Install its packages: for the service sudo systemd/install.sh --board pico,"
    ' in a clone .venv/bin/pip install -e ".[pico]".'
)


class Line:
    """A serial port and its other end, where a test may act as the board."""

    def __init__(self) -> None:
        self.board, self._host = pty.openpty()
        tty.setraw(self._host)
        self.device = os.ttyname(self._host)
        self._player: threading.Thread | None = None

    def answer(self, *, version: int = wire.VERSION, spoiled: int = 0, ring: int = 12) -> None:
        """Answers like a board with this version and this description, until a goodbye."""
        about = *NEWEST, 0, 0xE6614C311B7D7A2F, ring, 3

        def play() -> None:
            reader, link = wire.LineReader(), 1
            while link != wire.NOBODY:
                for message in reader.feed(os.read(self.board, 1000)):
                    fields = wire.unpack(message)
                    if fields and fields[0] == wire.HOST:
                        link = fields[2]
                        said = board_line(
                            1000, version=version, link=link, spoiled=spoiled, about=about
                        )
                        os.write(self.board, wire.line(said))

        self._player = threading.Thread(target=play)
        self._player.start()

    def close(self) -> None:
        os.write(self._host, wire.END + BYE)
        if self._player:
            self._player.join()
        os.close(self.board)
        os.close(self._host)


@pytest.fixture
def line() -> Iterator[Line]:
    made = Line()
    yield made
    made.close()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "root")


def checks(
    machine: Machine,
    *ports: Port,
    look: LightsConfig = LOOK,
    newest: tuple[int, int, int] = NEWEST,
    talk: bool = True,
) -> dict[str, Check]:
    results = pico_checks(
        PicoTable(), look, newest=newest, talk=talk, ports=lambda: list(ports), root=machine.root
    )
    return named(results)


def the_one_that_fails(found: dict[str, Check]) -> Check:
    (failing,) = [check for check in found.values() if not check.ok]
    return failing


def test_a_board_without_problems(machine: Machine, tmp_path: Path) -> None:
    with FirmwareBoard(tmp_path, displays="3c") as board:
        table = PicoTable(port=str(board.port))
        by_name = named(pico_checks(table, LOOK, newest=NEWEST, root=machine.root))
        assert [check for check in by_name.values() if check.state != "ok"] == []
        assert list(by_name) == [
            "serial: library", "serial: port", "serial: access", "board: greeting",
            "board: line", "board: firmware", "serial: modems",
        ]  # fmt: skip
        answers = f"on {board.port} answers. It has a display and no piezo."
        assert by_name["board: greeting"].found.endswith(answers)
        assert ".".join(map(str, NEWEST)) in by_name["board: firmware"].found
        assert not any(board.wait_pixels(lambda colours: not any(colours)))


@pytest.mark.parametrize(
    ("newest", "found", "fix"),
    [((99, 0, 0), "this program has version 99.0.0", "hold its “next” button while you plug it in"),
     ((0, 0, 0), "newer than version", "Update pochboard")],
)  # fmt: skip
def test_a_firmware_of_another_version_is_noted(
    machine: Machine, line: Line, newest: tuple[int, int, int], found: str, fix: str
) -> None:
    line.answer()
    check = checks(machine, Port(line.device), newest=newest)["board: firmware"]
    assert check.state == "note"
    assert found in check.found
    assert fix in check.fix


def test_without_pyserial(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "serial", None)
    by_name = checks(machine)
    assert list(by_name) == ["serial: library", "serial: modems"]
    assert (
        str(the_one_that_fails(by_name))
        == f"The Python package pyserial is not installed. {INSTALL}"
    )


def test_no_board_is_plugged_in(machine: Machine) -> None:
    check = the_one_that_fails(checks(machine))
    assert check.found == "No board is plugged in: there is no serial port of a Pico."
    assert "cable that carries data" in check.fix


def test_the_console_in_place_of_the_port_for_data(machine: Machine, line: Line) -> None:
    check = the_one_that_fails(checks(machine, Port(line.device, console=True)))
    assert check.found == f"{line.device} is the board's console, not its data port."
    assert 'Set port = "" in [pico]' in check.fix
    assert "firmware install" in check.fix


def test_two_boards_are_noted(machine: Machine, line: Line) -> None:
    line.answer()
    by_name = checks(machine, Port(line.device), Port("/dev/other"), Port("/dev/c", console=True))
    assert by_name["serial: port"].state == "note"
    assert "There are 2 boards" in by_name["serial: port"].found
    assert by_name["serial: port"].fix.endswith('port = "/dev/other".')
    assert by_name["board: greeting"].ok


def test_a_port_that_is_configured_and_not_there(machine: Machine, tmp_path: Path) -> None:
    table = PicoTable(port=str(tmp_path / "none"))
    for talk in (True, False):
        by_name = named(pico_checks(table, LOOK, newest=NEWEST, talk=talk, root=machine.root))
        check = the_one_that_fails(by_name)
        assert check.name == "serial: access"
        assert check.found == f"{tmp_path / 'none'} does not exist."
        assert check.fix == "Plug the board in, or set another port in config.toml."


def test_a_port_that_this_user_may_not_open(
    machine: Machine, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(line.device).chmod(0)
    for talk in (True, False):
        with as_nobody(monkeypatch):
            by_name = checks(machine, Port(line.device), talk=talk)
        check = the_one_that_fails(by_name)
        assert check.name == "serial: access"
        assert check.found == f"This user may not open {line.device}."
        assert "usermod -aG dialout" in check.fix


def test_nobody_answers(machine: Machine, line: Line) -> None:
    check = the_one_that_fails(checks(machine, Port(line.device)))
    assert (check.name, check.found) == ("board: greeting", f"No board answers on {line.device}.")
    assert "pochboard firmware install" in check.fix


@pytest.mark.parametrize(
    ("version", "found", "fix"),
    [
        (wire.VERSION + 1, "The board's firmware uses version 2", "Update pochboard."),
        (wire.VERSION - 1, "The board's firmware uses version 0 ", "Copy the firmware to"),
    ],
)
def test_a_firmware_that_does_not_fit(
    machine: Machine, line: Line, version: int, found: str, fix: str
) -> None:
    line.answer(version=version)
    check = the_one_that_fails(checks(machine, Port(line.device)))
    assert check.name == "board: greeting"
    assert check.found.startswith(found)
    assert check.fix.startswith(fix)


def test_a_port_that_a_daemon_uses_is_not_opened(machine: Machine, tmp_path: Path) -> None:
    with FirmwareBoard(tmp_path) as board, serial.Serial(str(board.port), exclusive=True) as port:
        by_name = checks(machine, Port(str(board.port)), talk=False)
        assert port.is_open
    assert list(by_name) == ["serial: library", "serial: port", "serial: access", "serial: modems"]
    assert {check.state for check in by_name.values()} == {"ok"}


def test_modemmanager_without_the_rule(machine: Machine) -> None:
    rule = (ROOT / "systemd/70-pochboard.rules").read_text("utf-8")
    assert checks(machine)["serial: modems"].ok
    machine.file("usr/sbin/ModemManager")
    machine.file("etc/udev/rules.d/10-other.rules", 'ENV{ID_MM_DEVICE_IGNORE}="1"\n')
    machine.file("etc/udev/rules.d/20-off.rules", rule.replace("SUBSYSTEM", "# SUBSYSTEM"))
    check = checks(machine)["serial: modems"]
    assert not check.ok
    assert check.found.startswith("ModemManager may take the board for a modem")
    assert "systemd/70-pochboard.rules /etc/udev/rules.d/" in check.fix
    machine.file("etc/udev/rules.d/70-pochboard.rules", rule)
    assert checks(machine)["serial: modems"].ok
