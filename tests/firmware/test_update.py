"""Updating the firmware over the line: every file verified, and the old one kept."""

from __future__ import annotations

from binascii import crc32
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware.updater import Updater
from pochboard import wire
from pochboard.boards.pico import updating
from pochboard.boards.pico.firmware_installer import (
    FOLDERS,
    LAST_FILE,
    firmware_version,
    replaceable_files,
)
from pochboard.boards.pico.greeting import Layout
from pochboard.boards.pico.ports import Port
from pochboard.boards.pico.updating import Updated, UpdateError, update_firmware
from pochboard.cli.commands import cli
from tests.firmware.board_process import ROOT, FirmwareBoard
from tests.shell.server_kit import wait_until

LAYOUT = Layout(12, 8, 3000)
NEW = 9, 8, 7


def new_firmware(**changes: str) -> dict[str, bytes]:
    """The firmware with another version, and other changes to its program."""
    files = replaceable_files() | {LAST_FILE: b"VERSION = (9, 8, 7)\n"}
    for before, after in changes.items():
        files["program.py"] = files["program.py"].replace(before.encode(), after.encode())
    return files


# The board's side


class Receiver:
    """An updater with a folder, and what it answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.updater = Updater(str(folder), "version.py")

    def ask(self, message: bytes) -> tuple[int, int]:
        answer = self.updater.handle(message)
        assert answer is not None
        fields = wire.unpack(answer)
        assert fields is not None
        assert fields[0] == wire.PROGRESS
        return fields[1], fields[2]

    def begin(self, name: str, content: bytes, crc: int | None = None) -> tuple[int, int]:
        about = len(content), crc32(content) if crc is None else crc
        return self.ask(wire.pack(wire.FILE, *about) + name.encode())

    def data(self, offset: int, data: bytes) -> tuple[int, int]:
        return self.ask(wire.pack(wire.DATA, offset) + data)

    def switch(self, files: int) -> tuple[int, int]:
        return self.ask(wire.pack(wire.SWITCH, files))


@pytest.fixture
def receiver(tmp_path: Path) -> Receiver:
    return Receiver(tmp_path / "b")


def test_files_are_stored_and_complete_with_the_last_one(receiver: Receiver) -> None:
    content = b"x = 1\n" * 200
    assert receiver.begin("firmware/show.py", content) == (wire.READY, 0)
    assert receiver.data(0, content[:500]) == (wire.READY, 500)
    assert receiver.data(500, content[500:]) == (wire.STORED, 1200)
    assert (receiver.folder / "firmware/show.py").read_bytes() == content
    assert receiver.switch(1) == (wire.FAILED, 0)
    receiver.begin("version.py", b"V = 1\n")
    assert receiver.data(0, b"V = 1\n") == (wire.STORED, 6)
    assert receiver.switch(3) == (wire.FAILED, 0)
    assert not receiver.updater.complete
    assert receiver.switch(2) == (wire.STORED, 0)
    assert receiver.updater.complete


def test_messages_that_are_repeated_or_come_late_change_nothing(receiver: Receiver) -> None:
    assert receiver.begin("pins.py", b"abcdef") == (wire.READY, 0)
    assert receiver.begin("pins.py", b"abcdef") == (wire.READY, 0)
    assert receiver.data(0, b"abc") == (wire.READY, 3)
    assert receiver.data(0, b"abc") == (wire.READY, 3)
    assert receiver.data(5, b"f") == (wire.READY, 3)
    assert receiver.begin("pins.py", b"abcdef") == (wire.READY, 3)
    assert receiver.data(3, b"def") == (wire.STORED, 6)
    assert receiver.data(3, b"def") == (wire.STORED, 6)
    assert receiver.begin("pins.py", b"abcdef") == (wire.STORED, 6)
    assert (receiver.folder / "pins.py").read_bytes() == b"abcdef"


def test_file_with_another_checksum_is_refused_and_may_be_sent_again(receiver: Receiver) -> None:
    receiver.begin("version.py", b"abc", crc=1)
    assert receiver.data(0, b"abc") == (wire.FAILED, 0)
    assert receiver.data(0, b"abc") == (wire.FAILED, 0)
    assert receiver.switch(1) == (wire.FAILED, 0)
    receiver.begin("version.py", b"abc")
    assert receiver.data(0, b"abc") == (wire.STORED, 3)


@pytest.mark.parametrize("name", ["../settings.py", "/boot.py", "firmware/../../boot.py", ""])
def test_files_outside_the_folder_are_refused(name: str, receiver: Receiver) -> None:
    assert receiver.begin(name, b"abc") == (wire.FAILED, 0)
    assert receiver.updater.handle(wire.pack(wire.BEAT, 1)) is None


def test_folder_is_incomplete_as_soon_as_an_update_begins(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b/version.py").write_text("VERSION = (0, 0, 1)\n")
    Receiver(tmp_path / "b")
    assert not (tmp_path / "b/version.py").exists()


def test_board_and_installer_agree_on_the_folders() -> None:
    said = (ROOT / "firmware/chip.py").read_text().splitlines()
    assert f'FOLDERS = ("{FOLDERS[0]}", "{FOLDERS[1]}")' in said
    assert f'LAST_FILE = "{LAST_FILE}"' in said


# The whole way


@pytest.fixture(autouse=True)
def quick_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updating, "RESET_S", 0.4)


def send(
    board: FirmwareBoard, files: dict[str, bytes], version: tuple[int, int, int] = NEW
) -> Updated:
    def ports() -> list[Port]:
        return [Port(str(board.port))] if board.port.exists() else []

    return update_firmware(ports, LAYOUT, files, version, last=LAST_FILE)


def test_update_replaces_the_firmware_and_keeps_the_old_one(tmp_path: Path) -> None:
    with FirmwareBoard(tmp_path) as board:
        done = send(board, new_firmware())
        assert (done.before, done.board.version) == (firmware_version(), NEW)
        assert done.files == len(replaceable_files())
        assert (board.drive / "a/version.py").exists(), "the old one is kept"
        assert (board.drive / "b/program.py").read_bytes() == replaceable_files()["program.py"]
        # It has talked to a host, so it is no longer on trial.
        wait_until("it is trusted", lambda: (board.folder / "nvm").read_bytes()[3] == 0)
        assert send(board, new_firmware()).files == 0
        back = send(board, replaceable_files(), firmware_version())
        assert (back.before, back.board.version) == (NEW, firmware_version())
        folders = [line[-1] for line in board.console.splitlines() if "Firmware folder" in line]
        assert folders == ["a", "b", "a"]


def test_board_returns_to_the_old_firmware_if_the_new_one_fails(tmp_path: Path) -> None:
    board = FirmwareBoard(tmp_path)
    board.change("code.py", "time.sleep(2)", "time.sleep(0)")
    files = new_firmware() | {"program.py": b"raise ValueError('a mistake')\n"}
    with board:
        with pytest.raises(UpdateError, match=r"did not start, so the board has returned to"):
            send(board, files)
        assert "ValueError: a mistake" in board.console
        folders = [line[-1] for line in board.console.splitlines() if "Firmware folder" in line]
        assert folders == ["a", "b", "b", "a"]


def test_update_that_is_cut_off_leaves_the_old_firmware(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FirmwareBoard(tmp_path) as board:
        sent: list[str] = []
        really = updating._OpenLine.send_file

        def cut_off(line: updating._OpenLine, name: str, content: bytes) -> None:
            if len(sent) == 4:
                board.restart()
                raise OSError(5, "Input/output error")
            sent.append(name)
            really(line, name, content)

        monkeypatch.setattr(updating._OpenLine, "send_file", cut_off)
        with pytest.raises(UpdateError, match=r"was unplugged\. It keeps the firmware it has"):
            send(board, new_firmware())
        monkeypatch.undo()
        assert send(board, new_firmware()).before == firmware_version()


def test_board_whose_drive_is_visible_is_not_updated(tmp_path: Path) -> None:
    board = FirmwareBoard(tmp_path)
    try:
        board.start("next")
        with pytest.raises(UpdateError, match="cannot be updated over the line"):
            send(board, new_firmware())
    finally:
        board.stop()


def test_one_of_two_boards_has_to_be_chosen() -> None:
    ports = [Port("/dev/ttyACM1", id="E661"), Port("/dev/ttyACM3", id="E662")]
    with pytest.raises(
        UpdateError, match=r"2 boards: /dev/ttyACM1 \(E661\), .* set id in \[pico\]"
    ):
        update_firmware(lambda: ports, LAYOUT, new_firmware(), NEW, last=LAST_FILE)


def test_command_updates_the_configured_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def invoke(*words: str) -> tuple[int, str]:
        folders = ["--config", str(tmp_path), "--data", str(tmp_path / "data")]
        told = CliRunner().invoke(cli, ["firmware", "update", *folders, *words])
        return told.exit_code, told.output or str(told.exception)

    with FirmwareBoard(tmp_path) as board:
        (tmp_path / "config.toml").write_text(f'board = "pico"\n[pico]\nport = "{board.port}"\n')
        now = ".".join(map(str, firmware_version()))
        assert invoke() == (0, f"The board already has version {now} of the firmware.\n")
        files = len(replaceable_files())
        assert invoke("--force") == (
            0,
            f"Sent {files} files. The board now runs version {now} of the firmware.\n",
        )
    monkeypatch.setattr(updating, "ANSWER_S", 0.1)
    status, said = invoke()
    assert status == 1
    assert f"{board.port} does not exist" in said
