"""Every check of machine and house fails in a test, and says what mends it."""

from __future__ import annotations

import os
import re
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pochboard.boards.checks import Check, failed
from pochboard.config import Config, Gpio, Lights, Pins
from pochboard.doctor.house import house_checks, in_the_way
from pochboard.doctor.machine import machine_checks, read_boot
from pochboard.doctor.report import examine, summed_up, told
from pochboard.lock import Holder, Lock
from pochboard.table.clock import now_ms
from tests.shell.daemons import Home
from tests.shell.doctor_kit import GOOD, PI4, PI5, Machine, as_nobody, named

ROOT = Path(__file__).resolve().parents[2]
PI3 = "Raspberry Pi 3 Model B Plus Rev 1.3"
ZERO2 = "Raspberry Pi Zero 2 W Rev 1.0"
SLOW = "dtparam=spi=on\ncore_freq=250\n"


@pytest.fixture
def machine() -> Iterator[Machine]:
    # Where others than its owner may look, as they may at the files of a machine.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Machine(Path(folder))


def config(tmp_path: Path, **changes: Any) -> Config:
    return Config(**{"data": tmp_path / "data", "port": 0, **changes})


# The machine.


def test_a_pi_that_is_set_up_well_needs_nothing(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.pi()
    with as_nobody(monkeypatch):
        mine = os.getegid()
    machine.groups(gpio=(mine, ""), spi=(mine, ""))
    with as_nobody(monkeypatch):
        checks = named(machine_checks(config(tmp_path, board="gpio"), root=machine.root))
    assert {check.state for check in checks.values()} == {"ok"}
    assert set(checks) == {"python", "system", "groups", "boot: pixels", "boot: buses"}


def test_an_old_python_is_named(machine: Machine, tmp_path: Path) -> None:
    checks = machine_checks(config(tmp_path), root=machine.root, python=(3, 9, 2))
    check = named(checks)["python"]
    assert not check.ok
    assert check.found == "This is Python 3.9.2; 3.11 or later is needed."
    assert "Debian 12" in check.mend


def test_what_machine_it_is(machine: Machine, tmp_path: Path) -> None:
    for board, need in (("simulator", "nothing"), ("pico", "a USB port")):
        checks = named(machine_checks(config(tmp_path, board=board), root=machine.root))
        assert checks["machine"].ok
        assert checks["machine"].found.startswith(
            f"This is no Raspberry Pi; the board needs {need}"
        )
    machine.pi(PI5)
    checks = named(machine_checks(config(tmp_path), root=machine.root))
    assert checks["machine"].found.startswith(f"This is a {PI5};")
    assert checks["system"].found == "The system has 64 bits."


def test_a_system_of_32_bits_is_noted(machine: Machine, tmp_path: Path) -> None:
    machine.pi()
    machine.file("proc/self/exe", b"\x7fELF\x01\x01\x01")
    check = named(machine_checks(config(tmp_path), root=machine.root))["system"]
    assert (check.state, check.found) == ("note", "The system has 32 bits.")
    assert "64-bit Raspberry Pi OS" in check.mend


def test_root_is_told_how_to_ask_as_the_service(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "user" not in named(machine_checks(config(tmp_path), root=machine.root))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "without sudo" in named(machine_checks(config(tmp_path), root=machine.root))["user"].mend
    machine.file("opt/pochboard/.venv/bin/pochboard")
    check = named(machine_checks(config(tmp_path), root=machine.root))["user"]
    assert check.state == "note"
    # As the service's own page has it.
    command = check.mend.partition(": ")[2]
    assert f"\n{command}\n" in (ROOT / "systemd/README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("board", "model", "groups", "found", "mend"),
    [
        (
            "gpio", PI4, {"gpio": (4444, ""), "spi": (4445, "")},
            "User anna is not in the groups gpio and spi.",
            "Add it: sudo usermod -aG gpio,spi anna, and log in anew.",
        ),
        (
            "gpio", PI4, {"gpio": (None, ""), "spi": (4445, "otto")},
            "User anna is not in the group spi.",
            "Add it: sudo usermod -aG spi anna, and log in anew.",
        ),
        (
            "gpio", PI4, {"gpio": (None, ""), "spi": (4445, "otto,anna")},
            "User anna was added to spi after having logged in.",
            "Log out and in again, or restart the machine.",
        ),
        (
            "gpio", PI5, {"gpio": (4444, ""), "spi": (4445, "")},
            "User anna is not in the group gpio.",
            "Add it: sudo usermod -aG gpio anna, and log in anew.",
        ),
        (
            "pico", PI4, {"gpio": (4444, ""), "dialout": (20_000, "")},
            "User anna is not in the group dialout.",
            "Add it: sudo usermod -aG dialout anna, and log in anew.",
        ),
    ],
)  # fmt: skip
def test_a_user_who_is_not_in_the_groups(
    machine: Machine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    board: str,
    model: str,
    groups: dict[str, tuple[int | None, str]],
    found: str,
    mend: str,
) -> None:
    machine.pi(model)
    with as_nobody(monkeypatch, "anna"):
        mine = os.getegid()
    machine.groups(**{name: (number or mine, who) for name, (number, who) in groups.items()})
    with as_nobody(monkeypatch, "anna"):
        checks = named(machine_checks(config(tmp_path, board=board), root=machine.root))
    check = checks["groups"]
    assert (check.ok, check.found, check.mend) == (False, found, mend)


# How it boots.


@pytest.mark.parametrize(
    ("model", "text", "found", "mend"),
    [
        (
            PI4, "core_freq=500\ncore_freq_min=500\n",
            "SPI is not switched on: /boot/firmware/config.txt does not say dtparam=spi=on.",
            "Write dtparam=spi=on into /boot/firmware/config.txt and restart the Pi.",
        ),
        (
            PI4, "dtparam=spi=on\n",
            "SPI's clock may move: /boot/firmware/config.txt does not say core_freq=500, core_fre",
            "Write the lines core_freq=500, core_freq_min=500 into /boot/firmware/config.txt and",
        ),
        (
            PI3, "dtparam=spi=on\ncore_freq=400\n",
            "SPI's clock may move: /boot/firmware/config.txt does not say core_freq=250.",
            "Write core_freq=250 into /boot/firmware/config.txt and restart the Pi.",
        ),
        (ZERO2, GOOD, "SPI's clock may move", "Write core_freq=250 into"),
        (PI4, SLOW, "SPI's clock may move", "core_freq=500, core_freq_min=500"),
        (PI4, f"{GOOD}dtparam=spi=off\n", "SPI is not switched on", "dtparam=spi=on"),
        (PI4, f"#{GOOD}", "SPI is not switched on", "dtparam=spi=on"),
        (PI4, f"[pi3]\n{GOOD}", "SPI is not switched on", "dtparam=spi=on"),
        (PI4, f"[none]\n{GOOD}", "SPI is not switched on", "dtparam=spi=on"),
    ],
)  # fmt: skip
def test_a_line_that_is_missing_is_given(
    machine: Machine, tmp_path: Path, model: str, text: str, found: str, mend: str
) -> None:
    machine.pi(model, text)
    checks = named(machine_checks(config(tmp_path, board="gpio"), root=machine.root))
    check = checks["boot: pixels"]
    assert not check.ok
    assert check.found.startswith(found)
    assert mend in check.mend


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (PI4, GOOD),
        (PI4, GOOD.replace("spi=on", "audio=on,spi=on")),
        (PI4, GOOD.replace("spi=on", "spi")),
        (PI4, f"[pi4]\n{GOOD}[pi3]\ncore_freq=250\n"),
        (PI4, f"[cm4]\n{GOOD}"),
        (PI4, f"[all]\n{GOOD}  # for the board\n"),
        ("Raspberry Pi 400 Rev 1.0", f"[pi400]\n{GOOD}"),
        (PI3, SLOW),
        (PI3, f"[pi4]\n{GOOD}[pi3]\n{SLOW}"),
        (ZERO2, f"[pi02]\n{SLOW}"),
        (ZERO2, f"[pi0]\n{SLOW}"),
        (PI5, "# nothing\n"),
    ],
)
def test_lines_that_will_do(machine: Machine, tmp_path: Path, model: str, text: str) -> None:
    machine.pi(model, text)
    checks = named(machine_checks(config(tmp_path, board="gpio"), root=machine.root))
    assert checks["boot: pixels"].ok, checks["boot: pixels"].found


def test_on_a_pi_5_it_is_spi_that_the_other_driver_wants(machine: Machine, tmp_path: Path) -> None:
    machine.pi(PI5, "# nothing\n")
    over_spi = config(tmp_path, board="gpio", gpio=Gpio(driver="neopixel_spi"))
    check = named(machine_checks(over_spi, root=machine.root))["boot: pixels"]
    assert not check.ok
    assert check.mend.startswith("Write dtparam=spi=on into")


def test_the_file_lay_elsewhere_once_and_may_be_missing(machine: Machine, tmp_path: Path) -> None:
    machine.pi()
    (machine.root / "boot/firmware/config.txt").unlink()
    checks = named(machine_checks(config(tmp_path, board="gpio"), root=machine.root))
    assert not checks["boot"].ok
    assert "Raspberry Pi OS" in checks["boot"].mend
    machine.file("boot/config.txt", "dtparam=spi=on\n")
    checks = named(machine_checks(config(tmp_path, board="gpio"), root=machine.root))
    assert "into /boot/config.txt and" in checks["boot: pixels"].mend
    boot = read_boot(machine.root, "4")
    assert boot is not None
    assert boot.has("dtparam=spi=on")
    assert not boot.has("core_freq=500")


@pytest.mark.parametrize(
    ("more", "found", "mend"),
    [
        (
            "dtparam=i2c_arm=on\n",
            "I²C is on and claims GPIO 2 and 3, which undo and next hang on.",
            "Take dtparam=i2c_arm=on out of /boot/firmware/config.txt",
        ),
        ("dtparam=i2c1=on\n", "I²C is on", "Take dtparam=i2c1=on out of"),
        (
            "dtoverlay=w1-gpio\n", "1-Wire is on and claims GPIO 4, which ace hangs on.",
            "Take dtoverlay=w1-gpio out of /boot/firmware/config.txt and restart the Pi.",
        ),
        ("dtoverlay=w1-gpio,gpiopin=17\n", "1-Wire is on and claims GPIO 17, which king", "Take"),
    ],
)  # fmt: skip
def test_a_bus_that_claims_pins_of_buttons(
    machine: Machine, tmp_path: Path, more: str, found: str, mend: str
) -> None:
    machine.pi(PI4, GOOD + more)
    checks = named(machine_checks(config(tmp_path, board="gpio"), root=machine.root))
    check = checks["boot: buses"]
    assert not check.ok
    assert check.found.startswith(found)
    assert check.mend.startswith(mend)
    assert "restart the Pi" in check.mend


def test_a_bus_whose_device_is_there_counts_as_on(machine: Machine, tmp_path: Path) -> None:
    machine.pi()
    machine.file("dev/i2c-1")
    checks = named(machine_checks(config(tmp_path, board="gpio"), root=machine.root))
    assert checks["boot: buses"].found.startswith("I²C is on")
    assert "raspi-config nonint do_i2c 1" in checks["boot: buses"].mend


def test_a_bus_that_claims_no_pin_of_a_button_may_be_on(machine: Machine, tmp_path: Path) -> None:
    machine.pi(PI4, f"{GOOD}dtoverlay=w1-gpio,gpiopin=7\ndtparam=i2c_arm=off\n")
    checks = named(machine_checks(config(tmp_path, board="gpio"), root=machine.root))
    assert checks["boot: buses"].ok


def test_a_bus_may_claim_the_pin_of_a_place_that_the_board_lacks(
    machine: Machine, tmp_path: Path
) -> None:
    machine.pi(PI4, f"{GOOD}dtoverlay=w1-gpio,gpiopin=21\n")
    for places, claims in ((8, True), (7, False)):
        made = config(tmp_path, board="gpio", places=places)
        checks = named(machine_checks(made, root=machine.root))
        assert (checks["boot: buses"].found.endswith("which seat8 hangs on.")) is claims
        assert checks["boot: buses"].ok is not claims


# The house.


def house(tmp_path: Path, **changes: Any) -> dict[str, Check]:
    return named(house_checks(config(tmp_path, **changes), root=tmp_path / "root"))


def test_a_house_in_order(tmp_path: Path) -> None:
    checks = house(tmp_path)
    assert {check.state for check in checks.values()} == {"ok"}
    assert set(checks) == {"data", "disk", "ledger", "clock", "daemon", "port"}
    assert not (tmp_path / "data").exists(), "looking makes nothing"


def test_a_file_where_the_data_should_be(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    check = house(tmp_path, data=tmp_path / "data" / "pochboard")["data"]
    assert not check.ok
    assert check.found == f"{tmp_path / 'data'} is no folder, so there can be no ledger."
    assert "--data" in check.mend


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
        check = house(tmp_path)["data"]
    tmp_path.chmod(0o700)
    assert not check.ok
    assert check.found.startswith("This user may not write into /")
    assert "chown" in check.mend


def test_a_full_disk(tmp_path: Path) -> None:
    # Where files of the kernel's own lie nothing is free.
    check = house(tmp_path, data=Path("/proc/sys"))["disk"]
    assert not check.ok
    assert check.found.startswith("Only 0 MB are free where /proc/sys")
    assert check.mend.startswith("Make room, 50 MB at least")


@pytest.mark.parametrize(
    ("content", "mend"),
    [(b"nonsense" * 100, "name another data folder"), (b"SQLite format 3\0", "Restore it")],
)
def test_a_file_that_is_not_a_ledger(tmp_path: Path, content: bytes, mend: str) -> None:
    (tmp_path / "data").mkdir()
    ledger = tmp_path / "data" / "ledger.db"
    ledger.write_bytes(content)
    check = house(tmp_path)["ledger"]
    found = (
        f"{ledger} is not a pochboard ledger: it is not a SQLite database, or its first bytes are"
        " damaged."
    )
    assert (check.ok, check.found) == (False, found)
    assert mend in check.mend
    assert ledger.read_bytes() == content


def test_a_ledger_that_may_not_be_read(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = machine.file("ledger.db", "SQLite format 3")
    ledger.chmod(0)
    with as_nobody(monkeypatch):
        check = house(tmp_path, data=machine.root)["ledger"]
    assert (check.ok, check.found) == (False, f"{ledger} cannot be read: Permission denied.")
    assert "chown" in check.mend


def test_a_clock_that_is_behind(tmp_path: Path) -> None:
    at_its_start_ms = 1_600_000_000_000
    checks = house_checks(config(tmp_path), root=tmp_path, clock_ms=at_its_start_ms)
    check = named(checks)["clock"]
    assert not check.ok
    here = datetime.fromtimestamp(at_its_start_ms / 1000, UTC).astimezone()
    when = f"{here:%Y-%m-%d %H:%M}"
    assert check.found == f"The clock says {when}, which is before this program was written."
    assert "timedatectl set-ntp true" in check.mend


def test_a_clock_that_is_behind_the_ledger(tmp_path: Path) -> None:
    home = Home(tmp_path)
    sheet = ROOT / "tests/nights/alvensleben-1853-a.jsonl"
    assert home.here("import", "--date", "2099-01-01", sheet).status == 0
    count = len(home.here("nights").out.splitlines()) - 1
    assert count > 1
    checks = named(house_checks(config(tmp_path, data=home.data), root=tmp_path))
    assert checks["ledger"].found == f"The ledger can be read and holds {count} nights."
    assert not checks["clock"].ok
    assert "the ledger's newest entry is of 2099-01-0" in checks["clock"].found
    assert "timedatectl" in checks["clock"].mend
    later = house_checks(config(tmp_path, data=home.data), clock_ms=now_ms() + 3_000_000_000_000)
    assert named(later)["clock"].ok


def test_a_port_that_another_program_has(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        check = house(tmp_path, port=port)["port"]
        assert not check.ok
        assert check.found == f"Another program listens on port {port}."
        assert check.mend == "Set port to another one in config.toml."
        holder = Holder(os.getpid(), f"http://127.0.0.1:{port}")
        with Lock.acquire(tmp_path / "data", holder):
            check = house(tmp_path, port=port)["port"]
            assert (check.state, check.found) == ("ok", f"The daemon listens on port {port}.")
    assert house(tmp_path, port=port)["port"].ok


def test_an_address_that_this_machine_has_not(tmp_path: Path) -> None:
    check = house(tmp_path, host="192.0.2.1", port=8441)["port"]
    assert (check.ok, check.found) == (False, "192.0.2.1 is no address of this machine.")
    assert '"0.0.0.0" for the LAN' in check.mend


FREE_FROM = int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text())


@pytest.mark.skipif(FREE_FROM <= 81, reason="on this machine anybody may take any port")
def test_a_port_for_root_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with as_nobody(monkeypatch):
        check = house(tmp_path, port=81)["port"]
    assert (check.ok, check.found) == (False, "This user may not listen on port 81.")
    assert "above 1023" in check.mend


# A daemon that runs.


@pytest.mark.parametrize("board", ["gpio", "pico"])
def test_a_daemon_has_the_board(machine: Machine, tmp_path: Path, board: str) -> None:
    made = config(tmp_path, board=board)
    assert in_the_way(made, machine.root) is None
    with Lock.acquire(made.data, Holder(4711)):
        assert in_the_way(made, machine.root) == (
            "The daemon with process id 4711 runs and has the board:"
            " stop it with Ctrl-C where it was started, and ask again."
        )
        check = named(house_checks(made, root=machine.root))["daemon"]
        assert check.state == "note"
        assert check.found.startswith("The daemon with process id 4711 runs and has the board, so")
        assert check.mend.startswith("Stop it with Ctrl-C")
        machine.service()
        assert "stop it with sudo systemctl stop pochboard" in (
            in_the_way(made, machine.root) or ""
        )
    # The service's own folder may be another one, that is not to be looked into.
    assert (in_the_way(made, machine.root) or "").startswith("The service pochboard runs and may")
    assert in_the_way(config(tmp_path, board="simulator"), machine.root) is None


# The whole report.


def test_the_board_s_own_checks_are_part_of_it(machine: Machine, tmp_path: Path) -> None:
    twice = Gpio(pins=Pins(ace=17))
    checks = named(examine(config(tmp_path, board="gpio", gpio=twice), root=machine.root))
    assert checks["buttons: pins"].said == (
        "GPIO 17 is given to two buttons, ace and king. Give each button a pin of its own in"
        " [gpio.pins], of 2 to 6, 12, 13 and 16 to 27."
    )
    assert not checks["machine"].ok
    checks = named(examine(config(tmp_path, board="pico"), root=machine.root))
    assert {"serial: library", "serial: port", "serial: modems"} <= set(checks)


def old_gpiozero(machine: Machine, patch: pytest.MonkeyPatch) -> None:
    told = "Metadata-Version: 2.1\nName: gpiozero\nVersion: 1.6.2\n"
    file = machine.file("packages/gpiozero-1.6.2.dist-info/METADATA", told)
    patch.syspath_prepend(str(file.parents[1]))


def no_gpiozero(_: Machine, patch: pytest.MonkeyPatch) -> None:
    patch.setitem(sys.modules, "gpiozero", None)


def no_spi(machine: Machine, _: pytest.MonkeyPatch) -> None:
    (machine.root / "dev/spidev0.0").unlink()


def no_chip(machine: Machine, _: pytest.MonkeyPatch) -> None:
    (machine.root / "dev/gpiochip0").unlink()


def forbidden_spi(machine: Machine, _: pytest.MonkeyPatch) -> None:
    (machine.root / "dev/spidev0.0").chmod(0)


@pytest.mark.parametrize(
    ("spoil", "pins", "name", "said"),
    [
        (old_gpiozero, Pins(), "buttons: library", r"gpiozero 1.6.2 is too old; .*pip install"),
        (no_gpiozero, Pins(), "buttons: library", r"gpiozero is not installed\. .*pip install"),
        (no_spi, Pins(), "pixels: SPI", r"SPI is not enabled: .* Write dtparam=spi=on into"),
        (no_chip, Pins(), "buttons: chip", r"/dev/gpiochip0 is not there\. Bring"),
        (
            forbidden_spi,
            Pins(),
            "pixels: SPI",
            r"may not use /dev/spidev0\.0 .*usermod -aG spi anna",
        ),
        (None, Pins(ace=14), "buttons: pins", r"ace cannot be on GPIO 14, .* Give each button"),
        (None, Pins(ace=17), "buttons: pins", r"GPIO 17 is given to two .* Give each button"),
    ],
)
def test_what_the_board_on_the_header_lacks_is_in_the_report(
    machine: Machine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    spoil: Callable[[Machine, pytest.MonkeyPatch], None] | None,
    pins: Pins,
    name: str,
    said: str,
) -> None:
    # No machine that is played, as other tests may have it.
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.delenv("BLINKA_OS_AGNOSTIC", raising=False)
    machine.pi()
    for device in ("gpiochip0", "gpiomem", "spidev0.0"):
        machine.file(f"dev/{device}").chmod(0o666)
    made = config(tmp_path, board="gpio", gpio=Gpio(pins=pins))
    with as_nobody(monkeypatch, "anna"):
        good = named(examine(config(tmp_path, board="gpio"), root=machine.root))[name]
    if spoil:
        spoil(machine, monkeypatch)
    with as_nobody(monkeypatch, "anna"):
        bad = named(examine(made, root=machine.root))[name]
    assert (good.ok, bad.ok) == (True, False)
    assert re.search(said, bad.said), bad.said


def test_lights_that_cannot_be_read_are_one_of_its_lines(machine: Machine, tmp_path: Path) -> None:
    lights = Lights(palette=("#ffffff",) * 6)
    checks = named(examine(config(tmp_path, lights=lights), root=machine.root))
    assert not checks["lights"].ok
    assert "board" not in checks


def test_how_it_is_told() -> None:
    checks = [
        Check("one", ok=True, found="It is there."),
        Check("two", ok=True, found="It is old.", mend="Get a newer one."),
        Check("three", ok=False, found="It is broken.", mend="Mend it."),
    ]
    assert list(told(checks)) == [
        "ok    one               It is there.",
        "note  two               It is old.",
        "                        Get a newer one.",
        "mend  three             It is broken.",
        "                        Mend it.",
    ]
    assert summed_up(checks) == "1 thing is to be mended."
    assert summed_up(checks[2:] * 2) == "2 things are to be mended."
    assert summed_up(checks[:2]) == "All is as it should be."


@pytest.mark.parametrize(
    ("sentence", "found", "mend"),
    [
        ("It is not there: plug it in.", "It is not there.", "Plug it in."),
        ("It is a console. Take the other.", "It is a console.", "Take the other."),
        ("It is broken (bent).", "It is broken (bent).", ""),
        ("a.db is old (1); b renews it.", "a.db is old (1).", "B renews it."),
        ("a.db is none: not whole. Restore it.", "a.db is none: not whole.", "Restore it."),
    ],
)
def test_a_sentence_is_parted_into_what_there_is_and_what_mends_it(
    sentence: str, found: str, mend: str
) -> None:
    check = failed("name", sentence)
    assert (check.ok, check.found, check.mend) == (False, found, mend)
