"""What the install script copies is a program that can be built, and all that it needs."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

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


def test_modemmanager_is_told_to_leave_the_board_alone_by_the_name_it_has() -> None:
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
