"""The files on a card that set up a Pi on its first boot.

`make release-test` checks user-data with cloud-init's own schema, and boots from it.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pochboard.card import (
    SETUP_COMMAND,
    Card,
    DriveError,
    joined_files,
    program_files,
    setup_script,
    user_data,
)
from tests.not_empty import not_empty
from tests.shell.daemons import Home, Ran

ROOT = Path(__file__).resolve().parents[2]
CONFIG = 'board = "pico"\nplaces = 6\n'
CARD = Card(program=b"\x1f\x8b the program", config=CONFIG, timezone="Europe/Berlin")
Make = Callable[..., Ran]
COMMANDS = {"systemctl": "echo systemctl $* >>$0.log"}


def files_of(text: str) -> dict[str, str]:
    """What cloud-init writes, by path."""
    written = {}
    for file in yaml.safe_load(text)["write_files"]:
        content = file["content"]
        if file.get("encoding") == "b64":
            content = base64.b64decode(content).decode("latin-1")
        written[file["path"]] = content
    return written


# The program


def test_the_program_has_all_that_the_install_script_copies() -> None:
    script = (ROOT / "systemd/install.sh").read_text()
    copied = re.search(r"--exclude=__pycache__ (pyproject.*?) \|\n", script, re.DOTALL)
    assert copied is not None
    files = program_files()
    for name in not_empty(copied[1].replace("\\\n", " ").split()):
        assert any(path == name or path.startswith(f"{name}/") for path in files), name
    assert {"systemd/install.sh", "constraints/pico.txt", "pochboard/card/__init__.py"} <= set(
        files
    )
    assert not [name for name in files if "__pycache__" in name]


@given(st.text(st.characters(exclude_characters="\r", codec="utf-8"), min_size=1))
def test_a_configuration_arrives_as_it_was_written(text: str) -> None:
    written = files_of(user_data(Card(program=b"", config=text)))
    content = written["/etc/pochboard/config.toml"]
    if content.isascii() or content.rstrip("\n") == text.rstrip("\n"):
        decoded = content
    else:
        decoded = content.encode("latin-1").decode()
    assert decoded.removesuffix("\n") == text.removesuffix("\n")


# The script


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder with what the script needs of a system, and stand-ins for its commands."""
    for folder in ("etc/systemd/system", "var/lib", "bin"):
        (tmp_path / folder).mkdir(parents=True)
    for name, text in COMMANDS.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def run_script(text: str, machine: Path) -> None:
    """Runs the script with `machine` for the root of the system."""
    text = re.sub(r"/(?=(?:etc|var)/)", f"{machine}/", text)
    env = os.environ | {"PATH": f"{machine}/bin:/usr/bin:/bin"}
    subprocess.run(["sh", "-s"], input=text, text=True, env=env, check=True)


def test_the_script_puts_program_and_configuration_in_place(machine: Path) -> None:
    run_script(setup_script(CARD), machine)
    first_boot = machine / "var/lib/pochboard-first-boot"
    assert (first_boot / "program.tar.gz").read_bytes() == CARD.program
    assert (machine / "etc/pochboard/config.toml").read_text() == CONFIG
    file = machine / "etc/systemd/system/pochboard-first-boot.service"
    unit = file.read_text()
    assert "\nRestart=" not in unit
    assert "RestartForceExitStatus=75\n" in unit, "only what may work another time is tried again"
    if shutil.which("systemd-analyze"):
        subprocess.run(["systemd-analyze", "verify", "--man=no", file], check=True)
    assert (
        "enable --now --no-block pochboard-first-boot"
        in (machine / "bin/systemctl.log").read_text()
    )


@pytest.mark.parametrize(
    ("online", "installs", "status"), [(True, True, 0), (False, False, 75), (True, False, 1)]
)
def test_the_first_boot_waits_for_a_network_but_fails_only_once(
    machine: Path, online: bool, installs: bool, status: int
) -> None:
    run_script(setup_script(CARD), machine)
    folder = machine / "var/lib/pochboard-first-boot"
    for name, text in {
        "apt-get": f"exit {0 if online else 100}",
        "tar": f"mkdir -p source/systemd; echo exit {int(not installs)} >source/systemd/install.sh",
    }.items():
        (machine / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (machine / "bin" / name).chmod(0o755)
    ran = subprocess.run(
        ["bash", folder / "run"],
        env=os.environ | {"PATH": f"{machine}/bin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == status, ran
    assert (f"type: sudo bash {folder}/run" in ran.stdout) == (status == 1)
    assert folder.exists() == (status != 0)


# A card that the Imager has written

IMAGER_PRESEED = """\
config_version = "1.0"

[system]
hostname = "stube"

[locale]
timezone = "Europe/Vienna"

[wlan]
ssid = "Stube"
"""
IMAGER_USER_DATA = """\
#cloud-config
hostname: stube
manage_etc_hosts: true
timezone: Europe/Vienna
user:
  name: anna
  sudo: null
runcmd:
  - [ systemctl, enable, --now, ssh ]
"""


def drive(folder: Path, **files: str) -> Path:
    for name in ("cmdline.txt", "config.txt"):
        (folder / name).write_text("")
    for name, text in files.items():
        (folder / {"preseed": "rpi-preseed.toml", "user": "user-data"}[name]).write_text(text)
    return folder


def test_what_the_imager_has_set_for_cloud_init_stays(tmp_path: Path) -> None:
    files = joined_files(drive(tmp_path, user=IMAGER_USER_DATA), CARD)
    assert files.keys() == {"user-data", "pochboard-setup"}
    assert files["pochboard-setup"].decode() == setup_script(CARD)
    joined = files["user-data"].decode()
    before, after = yaml.safe_load(IMAGER_USER_DATA), yaml.safe_load(joined)
    assert after["runcmd"] == [SETUP_COMMAND, *before["runcmd"]]
    assert after == before | {"runcmd": after["runcmd"]}
    again = joined_files(drive(tmp_path, user=joined), CARD)
    assert again["user-data"].decode() == joined


@pytest.mark.parametrize("text", ["", "#cloud-config\n", "#cloud-config\n# nothing was set"])
def test_a_card_without_settings_gets_a_name_and_the_time_zone(tmp_path: Path, text: str) -> None:
    files = joined_files(drive(tmp_path, user=text), CARD)
    assert yaml.safe_load(files["user-data"]) == {
        "hostname": "pochboard",
        "manage_etc_hosts": "localhost",
        "timezone": "Europe/Berlin",
        "runcmd": [SETUP_COMMAND],
    }


def test_what_the_imager_has_set_for_rpi_preseed_stays(tmp_path: Path) -> None:
    both = {"preseed": IMAGER_PRESEED, "user": "#cloud-config\n"}
    files = joined_files(drive(tmp_path, **both), CARD)
    assert files.keys() == {"rpi-preseed.toml", "pochboard-setup"}
    joined = files["rpi-preseed.toml"].decode()
    after = tomllib.loads(joined)
    assert after.pop("runcmd") == {"early": [SETUP_COMMAND], "early_cmd_timeout": 120}
    assert after == tomllib.loads(IMAGER_PRESEED)
    again = joined_files(drive(tmp_path, preseed=joined), CARD)
    assert again["rpi-preseed.toml"].decode() == joined


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"user": "Content-Type: multipart/mixed\n"}, "is not as Raspberry Pi Imager writes it"),
        ({"user": "#cloud-config\nruncmd: [ls]\n"}, "is not as Raspberry Pi Imager writes it"),
        ({"preseed": "[system\n"}, "is not as Raspberry Pi Imager writes it"),
        ({"preseed": '[runcmd]\nlate = ["ls"]\n'}, "is not as Raspberry Pi Imager writes it"),
        ({}, "has neither user-data nor rpi-preseed.toml"),
    ],
)
def test_a_drive_that_is_not_understood_is_refused(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    with pytest.raises(DriveError, match=said):
        joined_files(drive(tmp_path, **files), CARD)


# The command


@pytest.fixture
def make(home: Home) -> Make:
    """Runs the command."""
    return lambda *options: home.here("card", *options)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "my.toml"
    file.write_text(CONFIG)
    return file


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("places = 9", "at `$.places`"),
        ('[gpio]\norder = "GRBW"', "at `$.gpio.order`"),
        ('board = "gpio"\n[gpio.pins]\nace = 5', "GPIO 5 has two buttons"),
        ("[lights]\nlimit_ma = 150", "lights:"),
        ("places = ", "is not TOML"),
    ],
)
def test_a_bad_configuration_is_named_and_nothing_is_written_over(
    make: Make, tmp_path: Path, config: str, said: str
) -> None:
    file, out = tmp_path / "my.toml", tmp_path / "out"
    file.write_text(config)
    out.mkdir()
    (out / "user-data").write_text("a good one")
    ran = make("--config", file, "--out", out)
    assert ran.status == 2
    assert said in ran.err
    assert str(file) in ran.err
    assert [path.name for path in out.iterdir()] == ["user-data"]
    assert (out / "user-data").read_text() == "a good one"


@pytest.mark.parametrize(
    "options",
    [
        ("--hostname", "a b"),
        ("--hostname", "-a"),
        ("--timezone", "Europe/Berlin; reboot"),
        ("--timezone", "Europe/Atlantis"),
        ("--drive", "nowhere"),
    ],
)
def test_wrong_options_write_nothing(
    make: Make, tmp_path: Path, config: Path, options: tuple[str, ...]
) -> None:
    assert make("--config", config, "--out", tmp_path / "out", *options).status == 2
    assert not (tmp_path / "out").exists()
