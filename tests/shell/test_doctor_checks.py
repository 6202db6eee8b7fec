"""Every check of machine and daemon fails in a test, and names the fix."""

from __future__ import annotations

import re
import socket
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pochboard.config import Config, Gpio, Pins
from pochboard.daemon.sheet_folders import SheetsTable
from pochboard.doctor.check import Check
from pochboard.doctor.daemon_checks import board_in_use, daemon_checks, part_checks
from pochboard.doctor.gpio import boot_checks, gpio_checks
from pochboard.doctor.report import check_machine
from pochboard.lights.lights_config import LightsConfig
from pochboard.runtime.process import DaemonInfo, DaemonLock
from tests.firmware.board_process import FirmwareBoard
from tests.shell.daemons import Home
from tests.shell.doctor_kit import GOOD, PI4, Machine, as_nobody, named
from tests.shell.server_kit import wait_until

PI3 = "Raspberry Pi 3 Model B Plus Rev 1.3"
ZERO2 = "Raspberry Pi Zero 2 W Rev 1.0"
SLOW = "dtparam=spi=on\ncore_freq=250\n"


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    # Not the fake pins and pixels of other tests, which may run in the same process.
    for name in ("GPIOZERO_PIN_FACTORY", "BLINKA_OS_AGNOSTIC"):
        monkeypatch.delenv(name, raising=False)
    # Where others than its owner may look, as they may at the files of a machine.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Machine(Path(folder))


def config(tmp_path: Path, **changes: Any) -> Config:
    return Config(**{"data": tmp_path / "data", "port": 0, **changes})


# How it boots.


def boot(machine: Machine, tmp_path: Path) -> dict[str, Check]:
    return named(boot_checks(config(tmp_path, board="gpio"), machine.root))


def test_a_pi_that_is_set_up_well_needs_nothing(machine: Machine, tmp_path: Path) -> None:
    machine.pi()
    checks = boot(machine, tmp_path)
    assert {check.state for check in checks.values()} == {"ok"}
    assert set(checks) == {"boot: pixels", "boot: buses"}


@pytest.mark.parametrize(
    ("model", "text", "found", "fix"),
    [
        (
            PI4, "core_freq=500\ncore_freq_min=500\n",
            "SPI is disabled: /boot/firmware/config.txt lacks dtparam=spi=on.",
            "Add dtparam=spi=on to /boot/firmware/config.txt and restart the Pi.",
        ),
        (
            PI4, "dtparam=spi=on\n",
            "The SPI clock may change: /boot/firmware/config.txt lacks core_freq=500, core_freq_",
            "Add the lines core_freq=500, core_freq_min=500 to /boot/firmware/config.txt and",
        ),
        (
            PI3, "dtparam=spi=on\ncore_freq=400\n",
            "The SPI clock may change: /boot/firmware/config.txt lacks core_freq=250.",
            "Add core_freq=250 to /boot/firmware/config.txt and restart the Pi.",
        ),
        (ZERO2, GOOD, "The SPI clock may change", "Add core_freq=250 to"),
        (PI4, SLOW, "The SPI clock may change", "core_freq=500, core_freq_min=500"),
        (PI4, f"{GOOD}dtparam=spi=off\n", "SPI is disabled", "dtparam=spi=on"),
        (PI4, f"#{GOOD}", "SPI is disabled", "dtparam=spi=on"),
        (PI4, f"[pi3]\n{GOOD}", "SPI is disabled", "dtparam=spi=on"),
        (PI4, f"[none]\n{GOOD}", "SPI is disabled", "dtparam=spi=on"),
    ],
)  # fmt: skip
def test_a_missing_line_is_named_with_its_fix(
    machine: Machine, tmp_path: Path, model: str, text: str, found: str, fix: str
) -> None:
    machine.pi(model, text)
    checks = boot(machine, tmp_path)
    check = checks["boot: pixels"]
    assert not check.ok
    assert check.found.startswith(found)
    assert fix in check.fix


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (PI4, GOOD),
        (PI4, GOOD.replace("spi=on", "audio=on,spi=on")),
        (PI4, GOOD.replace("spi=on", "spi")),
        (PI4, f"[pi4]\n{GOOD}[pi3]\ncore_freq=250\n"),
        (PI4, GOOD.replace("dtparam", "device_tree_param")),
        (PI4, f"[pi3]\n[pi4]\n[EDID=VSC-TD2220]\n{GOOD}"),
        ("Raspberry Pi Compute Module 4 Rev 1.0", f"[cm4]\n{GOOD}"),
        (ZERO2, f"[pi0w]\n{SLOW}"),
    ],
)
def test_lines_that_suffice(machine: Machine, tmp_path: Path, model: str, text: str) -> None:
    machine.pi(model, text)
    checks = boot(machine, tmp_path)
    assert checks["boot: pixels"].ok, checks["boot: pixels"].found


@pytest.mark.parametrize(
    ("more", "found", "fix"),
    [
        (
            "dtparam=i2c_arm=on\n",
            "I²C is on and claims GPIO 2 and 3, the pins of undo and next.",
            "Remove dtparam=i2c_arm=on from /boot/firmware/config.txt",
        ),
        ("dtparam=i2c1=on\n", "I²C is on", "Remove dtparam=i2c1=on from"),
    ],
)  # fmt: skip
def test_a_bus_that_claims_pins_of_buttons(
    machine: Machine, tmp_path: Path, more: str, found: str, fix: str
) -> None:
    machine.pi(PI4, GOOD + more)
    checks = boot(machine, tmp_path)
    check = checks["boot: buses"]
    assert not check.ok
    assert check.found.startswith(found)
    assert check.fix.startswith(fix)
    assert "restart the Pi" in check.fix


# The daemon.


def check_daemon(tmp_path: Path, **changes: Any) -> dict[str, Check]:
    return named(daemon_checks(config(tmp_path, **changes), root=tmp_path / "root"))


@pytest.mark.parametrize("made", [True, False])
def test_a_data_folder_that_may_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: bool
) -> None:
    data = tmp_path / "data"
    if made:
        data.mkdir(mode=0o500)
    else:
        tmp_path.chmod(0o500)
    with as_nobody(monkeypatch):
        check = check_daemon(tmp_path)["data"]
    tmp_path.chmod(0o700)
    assert not check.ok
    assert check.found.startswith("This user does not have write access to /")
    assert "chown" in check.fix


@pytest.mark.parametrize(
    ("content", "fix"),
    [(b"nonsense" * 100, "name another data folder"), (b"SQLite format 3\0", "Restore it")],
)
def test_a_file_that_is_not_a_ledger(tmp_path: Path, content: bytes, fix: str) -> None:
    (tmp_path / "data").mkdir()
    ledger = tmp_path / "data" / "ledger.db"
    ledger.write_bytes(content)
    check = check_daemon(tmp_path)["ledger"]
    sentence = (
        f"{ledger} holds no nights of pochboard: it is not a SQLite database, or its first bytes"
        " are damaged."
    )
    assert (check.ok, check.found) == (False, sentence)
    assert fix in check.fix
    assert ledger.read_bytes() == content


def test_a_clock_that_is_behind(tmp_path: Path) -> None:
    at_its_start_ms = 1_600_000_000_000
    checks = daemon_checks(config(tmp_path), root=tmp_path, clock_ms=at_its_start_ms)
    check = named(checks)["clock"]
    assert not check.ok
    here = datetime.fromtimestamp(at_its_start_ms / 1000, UTC).astimezone()
    assert f"The clock shows {here:%Y-%m-%d %H:%M %Z}" in check.found
    assert check.found.endswith("), which is before this program was released.")
    assert "timedatectl set-ntp true" in check.fix


def test_a_port_that_another_program_has(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        check = check_daemon(tmp_path, port=port)["port"]
        assert not check.ok
        assert check.found == f"Another program is listening on port {port}."
        assert check.fix == "Set another port in config.toml."
    assert check_daemon(tmp_path, port=port)["port"].ok


# A daemon that runs.


@pytest.mark.parametrize("board", ["gpio", "pico"])
def test_a_daemon_has_the_board(machine: Machine, tmp_path: Path, board: str) -> None:
    made = config(tmp_path, board=board)
    assert board_in_use(made, machine.root) is None
    with DaemonLock(made.data, DaemonInfo(4711)):
        assert str(board_in_use(made, machine.root)) == (
            "The daemon (process 4711) is running and uses the board."
            " Stop it with Ctrl-C where it was started, then try again."
        )
        check = named(daemon_checks(made, root=machine.root))["daemon"]
        assert check.state == "note"
        assert check.found.startswith(
            "The daemon (process 4711) is running and uses the board. The"
        )
        assert check.fix.startswith("Stop it with Ctrl-C")
        machine.service()
        assert "Stop it with sudo systemctl stop pochboard" in str(board_in_use(made, machine.root))
    # The data folder of the service may be another one, which this user cannot read.
    assert str(board_in_use(made, machine.root)).startswith("The pochboard service is running and")
    assert board_in_use(config(tmp_path, board="simulator"), machine.root) is None


# The whole report.


def test_the_board_s_own_checks_are_part_of_it(machine: Machine, tmp_path: Path) -> None:
    twice = Gpio(pins=Pins(ace=17))
    checks = named(check_machine(config(tmp_path, board="gpio", gpio=twice), root=machine.root))
    assert str(checks["buttons: pins"]) == (
        "GPIO 17 has two buttons, ace and king. Give each button its own pin in [gpio.pins];"
        " choose from 2 to 6, 12, 13 and 16 to 27."
    )
    assert not checks["machine"].ok
    checks = named(check_machine(config(tmp_path, board="pico"), root=machine.root))
    assert {"serial: library", "serial: port", "serial: modems"} <= set(checks)


@pytest.mark.parametrize(
    ("driver", "kind", "takes"),
    [
        ("neopixel", "rgb", 1392 + 128),
        ("neopixel", "rgbw", 1392 + 128),
        ("neopixel_spi", "rgb", 2784 + 128),
        ("neopixel_spi", "rgbw", 3712 + 128),
    ],
)
def test_a_frame_must_fit_into_the_spi_buffer(
    machine: Machine, driver: Any, kind: Any, takes: int
) -> None:
    """A frame of 116 pixels, as both libraries send it, and the pause after it."""
    gpio, bufsiz = Gpio(driver=driver, kind=kind), "sys/module/spidev/parameters/bufsiz"

    def found() -> Check:
        return named(gpio_checks(gpio, LightsConfig(), root=machine.root))["pixels: length"]

    machine.file("dev/spidev0.0")
    machine.file(bufsiz, f"{takes}\n")
    assert found().ok
    machine.file(bufsiz, f"{takes - 1}\n")
    assert not found().ok
    assert f"takes {takes} bytes, more than the SPI buffer ({takes - 1})" in found().found
    assert found().fix.startswith("Add spidev.bufsiz=32768 to")


def test_without_the_bus_of_its_display_the_board_can_be_played(machine: Machine) -> None:
    def found() -> Check:
        gpio = Gpio(display="/dev/i2c-3")
        return named(gpio_checks(gpio, LightsConfig(), root=machine.root))["display: bus"]

    assert found().state == "note"
    assert found().fix.startswith("Run sudo systemd/install.sh")
    machine.file("dev/i2c-3")
    assert found().state == "ok"


@pytest.mark.parametrize(
    ("source", "lasts"),
    [
        ("overlay overlay", False),
        ("tmpfs log2ram", False),
        ("ext4 /dev/zram1", False),
        ("fuse.fuse-overlayfs fuse-overlayfs", False),
        ("ext4 /dev/sda1", True),
        ("fuse.sshfs pi@nas:/srv", True),
    ],
)
def test_a_ledger_that_does_not_outlast_the_next_start(
    machine: Machine, tmp_path: Path, source: str, lasts: bool
) -> None:
    data = tmp_path / "Spä te"
    mount = str(data).replace(" ", "\\040")
    rows = f"27 1 0:1 / / rw - overlay overlay rw\n28 27 0:9 / {mount} rw shared:1 - {source} rw\n"
    machine.file("proc/self/mountinfo", rows)
    checks = named(daemon_checks(Config(data=data), root=machine.root))
    assert ("lasting" not in checks) == lasts


def test_a_machine_without_a_board_that_collects_nothing_is_told(tmp_path: Path) -> None:
    nothing = config(tmp_path, board="none")
    check = named(part_checks(nothing))["sheets"]
    assert not check.ok
    assert "from in [sheets]" in check.fix
    collecting = config(tmp_path, board="none", parts={"sheets": SheetsTable(from_=("/srv/a",))})
    assert [check.found for check in part_checks(collecting)] == ["The folder /srv/a is missing."]
    assert not [*part_checks(config(tmp_path))]


def test_the_report(home: Home) -> None:
    home.configure("port = 0\n")
    ran = home.here("doctor")
    assert (ran.status, ran.err) == (0, "")
    *rows, empty, last = ran.out.splitlines()
    assert (empty, last) == ("", "Everything is fine.")
    assert all(re.match(r"(ok   |note |     ) ", row) for row in rows)
    assert f"{home.settings / 'config.toml'} is valid." in rows[0]


def test_problems_are_counted(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BLINKA_OS_AGNOSTIC", raising=False)
    home.configure('board = "gpio"\nport = 0\n[gpio.pins]\nace = 17\n')
    ran = home.here("doctor")
    assert ran.status == 1
    assert "fix   buttons: pins     GPIO 17 has two buttons, ace and king.\n" in ran.out
    assert "\n                        Give each button its own pin in [gpio.pins]" in ran.out
    count = len(re.findall(r"^fix  ", ran.out, re.MULTILINE))
    assert ran.out.endswith(f"\n{count} problems to fix.\n")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "[gpio.pins]\nace = 30\n",
            "Expected `int` <= 27 - at `$.gpio.pins.ace`",
        ),
        ("board = 3\n", "Expected `str`, got `int` - at `$.board`"),
        ("board\n", "is not TOML"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_the_first_line(
    home: Home, text: str, says: str
) -> None:
    home.configure(text)
    ran = home.here("doctor")
    assert ran.status == 1
    first, fix, *others = ran.out.splitlines()
    assert first.startswith(f"fix   configuration     {home.settings / 'config.toml'}")
    assert says in first
    assert "docs/CONFIG.md" in fix
    assert any("ledger" in row for row in others)


def test_beside_a_daemon_the_board_is_left_alone(home: Home, tmp_path: Path) -> None:
    with FirmwareBoard(tmp_path) as board:
        home.configure(f'board = "pico"\nport = 0\n[pico]\nport = "{board.port}"\n')
        with home.daemon() as daemon:
            wait_until("it is linked", lambda: daemon.state["board"]["link"])
            sentence = f"The daemon (process {daemon.process.pid}) is running and uses the board."
            report = home.here("doctor")
            assert f"note  daemon            {sentence} The board was not tested.\n" in report.out
            assert "board: greeting" not in report.out
            assert report.status == 0, report.out
            assert daemon.state["board"]["link"]
            assert daemon.errors == ""
        report = home.here("doctor")
        sentence = f"The board E6614C311B7D7A2F on {board.port} answers."
        assert f"ok    board: greeting   {sentence}" in report.out
