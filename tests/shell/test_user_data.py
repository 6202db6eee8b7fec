"""The card's user-data: a file for cloud-init, with the program in it.

`make torture` checks it with cloud-init's own schema, and boots from it.
"""

from __future__ import annotations

import base64
import io
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "systemd/user-data.sh"


def test_it_has_all_that_the_install_script_copies_and_installs_the_board() -> None:
    options = ("--board", "pico", "--hostname", "spieltisch")
    text = subprocess.run([SCRIPT, *options], capture_output=True, text=True, check=True).stdout
    assert text.startswith("#cloud-config\n")
    assert "\nhostname: spieltisch\n" in text
    assert "source/systemd/install.sh --board pico --no-start\n" in text
    assert "Restart=on-failure\n" in text, "without a network it is tried again"
    head = "program.tar.gz\n    encoding: b64\n    content: |\n"
    content = text.partition(head)[2].partition("\nruncmd:\n")[0]
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(content))) as archive:
        names = set(archive.getnames())
    assert {
        "systemd/install.sh",
        "systemd/pochboard",
        "pochboard/daemon/daemon.py",
        "firmware/code.py",
        "hardware/pins.toml",
        "hardware/face.toml",
        "web/templates/table.html",
        "constraints/pico.txt",
    } <= names
    assert not any("__pycache__" in name for name in names)


@pytest.mark.parametrize("options", [("--board", "lamp"), ("--board",), ("--hostname", "a b")])
def test_wrong_options_print_no_file(options: tuple[str, ...]) -> None:
    ran = subprocess.run([SCRIPT, *options], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
