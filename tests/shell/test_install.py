"""What the install script copies is a program that can be built, and all that it needs."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pochboard.wire import PORT_NAME

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "systemd/install.sh"


def part_of_script(first: str, last: str) -> str:
    """The lines of the script from one that begins so up to one that begins so."""
    text = SCRIPT.read_text("utf-8")
    return text[text.index(f"\n{first}") : text.index(f"\n{last}")]


def run_part(part: str, folder: Path) -> None:
    """Runs lines of the script with another prefix, and without what only root may do."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "chown").write_text("#!/bin/sh\n")
    (tools / "chown").chmod(0o755)
    subprocess.run(
        ["bash", "-euo", "pipefail", "-c", part],
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "here": str(ROOT)}
        | {"prefix": str(folder / "prefix"), "list": "constraints-run.txt"},
        check=True,
        capture_output=True,
    )


def test_a_wheel_can_be_built_of_what_is_copied(tmp_path: Path) -> None:
    run_part(part_of_script('echo "Copying', 'echo "Setting up'), tmp_path)
    source = tmp_path / "prefix/src"
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "out"],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = (tmp_path / "out").iterdir()
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {
        "pochboard/firmware/code.py",
        "pochboard/hardware/pins.toml",
        "pochboard/web/templates/table.html",
        "pochboard/doctor/report.py",
    } <= names


@pytest.mark.parametrize(
    ("configured", "said"),
    [
        ("", "The configured board is the simulated one"),
        ("simulator", "Other machines can only\nwatch until a phone is paired."),
        ("gpio", "The configured board is gpio, by /etc/pochboard/config.toml."),
    ],
)
def test_it_says_which_board_is_configured_and_how_to_change_it(configured: str, said: str) -> None:
    part = part_of_script("# --board does not write", 'if [ -z "$start" ]')
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", part],
        env={**os.environ, "base": sys.executable, "configured": f"print({configured!r})"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert said in ran.stdout
    assert ("echo 'board = \"gpio\"'" in ran.stdout) == (configured != "gpio")


def test_modemmanager_is_told_by_name_to_leave_the_board_alone() -> None:
    product = PORT_NAME
    script = SCRIPT.read_text("utf-8")
    assert 'install -D -m 0644 "$here/systemd/$rules" "/etc/udev/rules.d/$rules"' in script
    assert f"\nrules={(ROOT / 'systemd/70-pochboard.rules').name}\n" in script
    assert f'set_usb_identification("pochboard", "{product}")' in (
        ROOT / "firmware/boot.py"
    ).read_text("utf-8")
    rules = [
        line
        for line in (ROOT / "systemd/70-pochboard.rules").read_text("utf-8").splitlines()
        if not line.startswith("#")
    ]
    assert len(rules) == 2
    for rule in rules:
        assert f'=="{product}"' in rule
        assert rule.endswith('ENV{ID_MM_DEVICE_IGNORE}="1"')


def test_the_timer_of_the_daily_backup_is_installed_and_enabled(tmp_path: Path) -> None:
    tools, units = tmp_path / "tools", tmp_path / "units"
    tools.mkdir()
    units.mkdir()
    (tools / "systemctl").write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/called\n')
    (tools / "systemctl").chmod(0o755)
    part = part_of_script('echo "Installing the units', "# --board does not write")
    part = part.replace("/etc/systemd/system", str(units)).replace("/etc/udev", str(tmp_path))
    names = part_of_script("unit=", "rules=")
    subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"{names}\nrules=70-pochboard.rules\n{part}"],
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "here": str(ROOT)},
        check=True,
        capture_output=True,
    )
    assert {path.name for path in units.iterdir()} == {
        "pochboard.service",
        "pochboard-backup.service",
        "pochboard-backup.timer",
    }
    enabled = "enable --quiet pochboard.service pochboard-backup.timer"
    assert enabled in (tmp_path / "called").read_text().splitlines()


def test_the_backup_runs_on_the_daemon_s_ledger_and_configuration() -> None:
    daemon, backup = (
        (ROOT / "systemd" / name).read_text().splitlines()
        for name in ("pochboard.service", "pochboard-backup.service")
    )
    for key in ("User=", "Environment=XDG_DATA_HOME=", "Environment=XDG_CONFIG_HOME=", "UMask="):
        (expected,) = [line for line in daemon if line.startswith(key)]
        assert expected in backup
    assert "ExecStart=/opt/pochboard/.venv/bin/pochboard backup" in backup
