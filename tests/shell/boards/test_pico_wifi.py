"""The `pico` board over Wi-Fi: the real firmware on an encrypted TCP connection."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest
from click.testing import CliRunner

from pochboard import wire
from pochboard.boards.pico import updating
from pochboard.boards.pico.firmware_installer import LAST_FILE, firmware_version, replaceable_files
from pochboard.boards.pico.pico import Pico
from pochboard.boards.pico.ports import Port, ports_of
from pochboard.boards.pico.updating import update_firmware
from pochboard.cli.commands import cli
from pochboard.config import Config, PicoTable
from pochboard.doctor.checked_board import checked_board
from pochboard.doctor.pico import pico_checks
from pochboard.errors import BoardError
from tests.firmware.board_process import FirmwareBoard
from tests.shell.boards.kit import LOOK, FakeSink
from tests.shell.boards.pico_rig import LAYOUT
from tests.shell.doctor_kit import named
from tests.shell.server_kit import wait_until

KEY = "5a" * 32


class WifiBoard(FirmwareBoard):
    """A board on Wi-Fi, whose port on the network is in a file."""

    def __init__(self, folder: Path, *, name: str = "poch", key: str = KEY) -> None:
        super().__init__(folder)
        (self.drive / "settings.py").write_text(
            f'WIFI_NAME = "{name}"\nWIFI_PASSWORD = "secret night"\nWIFI_KEY = "{key}"\n'
            "WIFI_PORT = 0\n"
        )

    @property
    def tcp_port(self) -> int:
        """Where it listens."""
        file = self.folder / "tcp_port"
        self.wait_for(lambda: file.exists() and bool(file.read_text()))
        return int(file.read_text())

    def table(self, key: str = KEY) -> PicoTable:
        """The configuration of a host."""
        return PicoTable(address="127.0.0.1", network_port=self.tcp_port, key=key)

    def host(self, key: str = KEY) -> Pico:
        """A host that is not started."""
        return Pico(LAYOUT, ports=ports_of(self.table(key)))


@pytest.fixture
def board(tmp_path: Path) -> Iterator[WifiBoard]:
    with WifiBoard(tmp_path) as board:
        yield board


def lit(level: int) -> bytes:
    return bytes([level, 0, 40 - level]) * LOOK.pixels


def test_presses_and_light_pass_over_wifi(board: WifiBoard) -> None:
    pico, sink = board.host(), FakeSink()
    pico.start(sink)
    try:
        wait_until("the link is up", lambda: sink.link is True)
        pico.show(lit(7))
        board.wait_pixels(lambda colours: colours == lit(7))
        board.tap("seat1")
        wait_until("both have come", lambda: len(sink.presses) == 2)
        assert sink.presses == [("seat1", True), ("seat1", False)]
        assert pico.device == f"127.0.0.1:{board.tcp_port}"
    finally:
        pico.close()
    board.wait_pixels(lambda colours: not any(colours))


def test_another_key_is_refused_and_said(board: WifiBoard) -> None:
    pico, sink = board.host("a5" * 32), FakeSink()
    pico.start(sink)
    try:
        wait_until("it is said", lambda: "it has a different key" in str(pico.problem))
        assert sink.links == []
        assert "settings.py" in str(pico.problem)
    finally:
        pico.close()


def stranger(board: WifiBoard, data: bytes) -> bytes:
    """What somebody without the key is answered until the connection ends."""
    heard = b""
    with socket.create_connection(("127.0.0.1", board.tcp_port)) as line:
        line.sendall(data)
        while more := line.recv(1000):
            heard += more
    return heard


def test_strangers_learn_nothing_and_disturb_nobody(board: WifiBoard) -> None:
    pico, sink = board.host(), FakeSink()
    pico.start(sink)
    try:
        wait_until("the link is up", lambda: sink.link is True)
        hello = wire.frame(wire.pack(wire.HELLO, 2, 99, 12, 8, 3000, 3, 8))
        for data in (hello, b"GET / HTTP/1.1\r\n\r\n", b"pochboard 2\n" + bytes(16) + hello * 9):
            # Only the opening, which is random, before the board ends the connection.
            assert re.fullmatch(rb"pochboard 2\n.{16}", stranger(board, data), re.DOTALL)
        board.tap("seat2")
        wait_until("both have come", lambda: len(sink.presses) == 2)
        assert sink.links == [True]
    finally:
        pico.close()


class Crowd:
    """Somebody without the key, who connects a hundred times a second and then does something."""

    def __init__(self, port: int, says: tuple[bytes, ...]) -> None:
        self._port, self._says = port, says
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.connections = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        lines: deque[socket.socket] = deque()
        while not self._over.wait(0.01):
            line = socket.socket()
            line.setblocking(False)
            line.connect_ex(("127.0.0.1", self._port))
            lines.append(line)
            self.connections += 1
            if len(lines) > 20:
                # It has been connected for a fifth of a second: say it, and keep it open.
                with contextlib.suppress(OSError):
                    lines[-20].send(self._says[self.connections % len(self._says)])
            if len(lines) > 200:
                lines.popleft().close()
        for line in lines:
            line.close()


@pytest.mark.parametrize(
    "says", [(b"",), (b"GET / HTTP/1.1\r\n\r\n", b"pochboard 2\n" + bytes(16), b"pochboard")]
)
def test_nobody_without_the_key_keeps_a_board_from_connecting(
    says: tuple[bytes, ...], tmp_path: Path
) -> None:
    """Even from the daemon's own address, and if each read takes the board 30 ms."""
    board, sink = WifiBoard(tmp_path), FakeSink()
    read = "        self.is_heard = True\n"
    board.change("a/wifi_line.py", read, f"{read}        time.sleep(0.03)\n")
    with board, Crowd(board.tcp_port, says) as crowd:
        wait_until("they have come", lambda: crowd.connections > 100)
        pico = board.host()
        pico.start(sink)
        try:
            wait_until("the link is up", lambda: pico.link)
            board.tap("seat3")
            wait_until("both have come", lambda: len(sink.presses) == 2)
        finally:
            pico.close()


def test_a_host_with_the_key_takes_the_place_of_the_one_before(board: WifiBoard) -> None:
    first, second, sink = board.host(), board.host(), FakeSink()
    first.start(FakeSink())
    try:
        wait_until("the first is connected", lambda: first.link)
        second.start(sink)
        wait_until("the second is connected", lambda: second.link)
    finally:
        first.close()
        second.close()


def test_firmware_is_updated_over_wifi(board: WifiBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updating, "RESET_S", 0.4)

    def ports() -> list[Port]:
        return ports_of(board.table())()

    files = replaceable_files() | {LAST_FILE: b"VERSION = (9, 8, 7)\n"}
    done = update_firmware(ports, LAYOUT, files, (9, 8, 7), last=LAST_FILE)
    assert (done.before, done.board.version) == (firmware_version(), (9, 8, 7))


def test_the_doctor_talks_to_a_board_on_wifi(board: WifiBoard) -> None:
    checks = named(pico_checks(board.table(), LOOK, newest=firmware_version()))
    assert [check for check in checks.values() if check.state != "ok"] == []
    assert list(checks) == [
        "serial: library", "network: key", "network: access",
        "board: greeting", "board: line", "board: firmware", "board: layout", "board: display",
        "board: sound", "board: light sensor",
    ]  # fmt: skip
    assert f"127.0.0.1:{board.tcp_port}" in checks["network: access"].found
    other = named(pico_checks(board.table("00" * 32), LOOK, newest=firmware_version()))
    assert "it has a different key" in other["board: greeting"].found


def test_without_a_key_nothing_is_sent(tmp_path: Path) -> None:
    table = PicoTable(address="127.0.0.1")
    check = named(pico_checks(table, LOOK, newest=firmware_version()))["network: key"]
    assert not check.ok
    assert "nothing is sent unencrypted" in check.found
    with pytest.raises(BoardError, match="pochboard firmware key"):
        checked_board(Config(data=tmp_path, board="pico", pico=table), LOOK)


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        table = PicoTable(address="127.0.0.1", network_port=free.getsockname()[1], key=KEY)
        checks = named(pico_checks(table, LOOK, newest=firmware_version()))
    assert "There is no connection to the board at" in checks["network: access"].found


@pytest.mark.parametrize(
    ("name", "key", "said"),
    [("other", KEY, "No connection to the Wi-Fi: No network"), ("poch", "12", "WIFI_KEY in")],
)
def test_wrong_settings_are_said_on_the_console(
    name: str, key: str, said: str, tmp_path: Path
) -> None:
    with WifiBoard(tmp_path, name=name, key=key) as board:
        board.wait_for(lambda: said in board.console)


def test_a_key_is_made_for_both_ends() -> None:
    output = CliRunner().invoke(cli, ["firmware", "key"]).output
    keys = re.findall(r'(?:WIFI_KEY|key) = "([0-9a-f]{64})"', output)
    assert len(keys) == 2
    assert len(set(keys)) == 1
