"""The install script: what it installs, that it can be repeated, and that it can be undone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pochboard.config_file import load_config
from pochboard.doctor.gpio import read_boot
from pochboard.errors import ConfigError
from pochboard.wifi.service import OWN_ADDRESS
from tests.shell.install_kit import CONFIG_TXT, ROOT, System

UNITS = "etc/systemd/system"


def installed(system: System, *options: str) -> str:
    ran = system.install(*options)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_pi_gets_all_that_its_board_needs_and_a_second_run_changes_nothing(
    tmp_path: Path,
) -> None:
    system = System(tmp_path)
    output = installed(system, "--board", "gpio")
    assert "Changed /boot/firmware/config.txt" in output
    assert "The configured board is gpio, by /etc/pochboard/config.toml." in output
    assert "Installed. It starts at boot" in output
    assert load_config(system.root / "etc/pochboard", tmp_path).board == "gpio"
    # What the doctor asks for on each model is what was written.
    clocks = {"3 Model B": "250", "Zero 2 W": "250", "4 Model B": "500", "5 Model B": None}
    for model, clock in clocks.items():
        boot = read_boot(system.root, f"Raspberry Pi {model}")
        assert boot is not None
        assert boot.has("dtparam=spi=on")
        assert boot.has("dtoverlay=spi0-1cs"), "GPIO 7 is the piezo's"
        assert boot.settings.get("core_freq") == clock
    assert system.read("boot/firmware/config.txt").startswith(CONFIG_TXT)
    # The name pochboard.local.
    assert system.read("etc/hostname") == "pochboard\n"
    assert system.read("etc/hosts") == "127.0.0.1\tlocalhost\n127.0.1.1\tpochboard\n"
    assert "<type>_http._tcp</type>" in system.read("etc/avahi/services/pochboard.service")
    assert {path.name for path in (system.root / UNITS).iterdir()} == {
        "pochboard.service",
        "pochboard-backup.service",
        "pochboard-backup.timer",
        "pochboard-wifi.service",
        "pochboard-portal.socket",
        "pochboard-portal.service",
    }
    names = system.read("etc/NetworkManager/dnsmasq-shared.d/pochboard.conf")
    assert names.endswith(f"\naddress=/#/{OWN_ADDRESS}\n")
    assert f"\nListenStream={OWN_ADDRESS}:80\n" in system.read(f"{UNITS}/pochboard-portal.socket")
    calls = system.calls()
    assert (
        "systemctl enable --quiet pochboard.service pochboard-backup.timer pochboard-wifi.service"
        " pochboard-portal.socket" in calls
    )
    assert "usermod --append --groups gpio pochboard" in calls
    assert "usermod --append --groups dialout pochboard" not in calls, "there is no such group"
    assert any("--require-hashes" in call and "constraints/gpio.txt" in call for call in calls)

    before = system.files()
    again = installed(system, "--board", "gpio")
    assert "Changed" not in again
    assert "Naming" not in again
    assert system.files() == before


CONFIG = "boot/firmware/config.txt"
BEGIN, END = "# pochboard: begin (written by systemd/install.sh)", "# pochboard: end"


@pytest.mark.parametrize(
    ("lost", "newline"),
    [("nothing", "\n"), (END, "\r\n"), (BEGIN, " \r\n")],
)
def test_a_config_txt_that_somebody_has_edited_keeps_its_lines(
    lost: str, newline: str, tmp_path: Path
) -> None:
    """A block of another board goes as well, even if one of its marks was lost."""
    system = System(tmp_path)
    block = [BEGIN, "[all]", "dtoverlay=gpio-shutdown", END]
    theirs = ["dtparam=audio=on", "# mine", "[pi4]", "arm_boost=1"]
    lines = [*theirs[:2], *(line for line in block if line != lost), *theirs[2:]]
    (system.root / CONFIG).write_bytes("".join(line + newline for line in lines).encode())
    above: list[str] = []
    for _ in range(2):
        installed(system, "--board", "gpio")
        kept = [line.strip() for line in system.read(CONFIG).splitlines()]
        assert kept.count(BEGIN) == kept.count(END) == 1
        above = kept[: kept.index(BEGIN)]
        assert [line for line in above if line != "[all]"] == theirs
        assert kept[kept.index(BEGIN) + 4] == "dtparam=spi=on"
    installed(system, "--uninstall", "--purge")
    assert [line.strip() for line in system.read(CONFIG).splitlines()] == above


@pytest.mark.parametrize(
    "content", ["places = 6".encode("utf-16-le"), "# Zoë".encode("latin-1"), b"places ="]
)
def test_a_configuration_that_cannot_be_read_is_left_alone(content: bytes, tmp_path: Path) -> None:
    system = System(tmp_path)
    before = system.files()
    file = system.root / "etc/pochboard/config.toml"
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(ConfigError):
        load_config(file.parent, tmp_path)
    ran = system.install("--board", "pico")
    assert ran.returncode == 1
    assert "config.toml cannot be read: it is not TOML in UTF-8 or UTF-16. Correct" in ran.stderr
    assert file.read_bytes() == content
    file.unlink()
    assert system.files() == before


def test_a_card_that_cannot_be_made_leaves_the_one_before(tmp_path: Path) -> None:
    for name in ("Makefile", ".venv"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci/setup").write_text("#!/bin/sh\n")
    (tmp_path / ".ci/setup").chmod(0o755)
    card = tmp_path / "build/card/user-data"
    card.parent.mkdir(parents=True)
    card.write_text("a good one")
    ran = subprocess.run(
        ["make", "card", "CONFIG=foo"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode != 0
    assert "File 'foo' does not exist" in ran.stderr
    assert [path.name for path in card.parent.iterdir()] == ["user-data"]
    assert card.read_text() == "a good one"


def test_what_was_installed_can_be_removed(tmp_path: Path) -> None:
    system = System(tmp_path)
    before = system.files()
    installed(system, "--board", "gpio", "--hostname", "raspberrypi")
    ledger = system.root / "var/lib/pochboard/ledger.db"
    ledger.parent.mkdir(parents=True)
    ledger.write_text("nights")
    output = installed(system, "--uninstall")
    assert "are kept" in output
    assert not (system.root / "opt/pochboard").exists()
    added = {name: text for name, text in system.files().items() if before.get(name) != text}
    assert added.keys() == {
        "etc/pochboard/config.toml",
        "var/lib/pochboard/ledger.db",
        "users/pochboard",
    }
    installed(system, "--uninstall", "--purge")
    assert system.files() == before


def test_the_backup_runs_on_the_daemon_s_ledger_and_configuration() -> None:
    daemon, backup = (
        (ROOT / "systemd" / name).read_text().splitlines()
        for name in ("pochboard.service", "pochboard-backup.service")
    )
    for key in ("User=", "Environment=XDG_DATA_HOME=", "Environment=XDG_CONFIG_HOME=", "UMask="):
        (expected,) = [line for line in daemon if line.startswith(key)]
        assert expected in backup
    assert "ExecStart=/opt/pochboard/.venv/bin/pochboard backup" in backup
